/* What `check` and `diff` share: differences kept to be shown, and the fields in which two
 * results may differ. */
#ifndef ANALYZER_DIFFERENCE_H
#define ANALYZER_DIFFERENCE_H

#include "diff_tree.h"
#include "output.h"

#define DIFFERENCE_MASKS 64u
#define DIFFERENCES_KEPT 1000u /* to be shown; all are counted */

struct difference_options {
    const char *const *masked; /* paths, each with all below it */
    size_t masked_count;
    bool by_value; /* a foreign producer: numbers by value, order of keys free */
    uint64_t ulp;
};

struct difference {
    enum diff_kind kind;
    char path[DIFF_PATH_BYTES];
    bool has_request;
    uint64_t request; /* request_index of the element it is in */
    char claimed[DIFF_VALUE_BYTES], ours[DIFF_VALUE_BYTES];
    bool is_number; /* both are, and at least one is a double */
    uint64_t ulps;
};

struct difference_list { /* the first DIFFERENCES_KEPT */
    struct difference *kept;
    size_t kept_count;
    uint64_t count; /* of all */
};

struct mask {
    const char *path;
    bool exists;          /* in one of the two */
    uint64_t differences; /* hidden by it */
};

struct masks {
    struct mask at[DIFFERENCE_MASKS];
    size_t count;
    uint64_t differences; /* hidden by any of them */
};

/* TT_NOMEM. difference_list_free() afterwards in any case. */
enum tt_status difference_list_begin(struct difference_list *list, struct tt_error *err);
void difference_list_add(struct difference_list *list, const struct diff_entry *e);
void difference_list_free(struct difference_list *list);

/* Are all of them written as paths? TT_USAGE naming the first that is not. */
enum tt_status masks_check(const char *const *paths, size_t n, struct tt_error *err);
void masks_begin(struct masks *masks, const struct difference_options *options, const struct json_node *claimed,
                 const struct json_node *ours);
/* Is the path under a mask? It is counted there. */
bool masks_hide(struct masks *masks, const char *path);

/* For people: " except masked: a, b" or nothing; a line for each mask; the rule of comparison. */
void masks_say_exception(const struct masks *masks, struct output *o);
void masks_say(const struct masks *masks, struct output *o);
void difference_say_rule(const struct difference_options *options, struct output *o);
/* " (request 3)", and " (2 ulp)", where there is such; both return `out`. */
const char *difference_request_text(const struct difference *d, char out[40]);
const char *difference_ulps_text(const struct difference *d, char out[64]);
/* For programs: the list at "masked"; "missing" and so on. */
void masks_put(const struct masks *masks, struct json_out *json);
const char *difference_kind_name(enum diff_kind kind);

#endif
