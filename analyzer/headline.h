/* The numbers of a result that are quoted: counts, eligibility, and of the times mean, p50 and p95. */
#ifndef ANALYZER_HEADLINE_H
#define ANALYZER_HEADLINE_H

#include "json_tree.h"
#include "metrics.h"
#include "output.h"

enum headline_type {
    HEADLINE_ABSENT, /* the result does not have it */
    HEADLINE_NULL,
    HEADLINE_COUNT,
    HEADLINE_DOUBLE,
    HEADLINE_BOOL,
    HEADLINE_TEXT
};

struct headline_value {
    enum headline_type type;
    uint64_t count; /* HEADLINE_COUNT, HEADLINE_BOOL */
    double number;  /* HEADLINE_DOUBLE */
    char text[48];
};

#define HEADLINES 22u

/* Where it stands in a result. */
const char *headline_path(size_t i);
/* Its place in the list, or HEADLINES. */
size_t headline_find(const char *path);
void headlines_of_result(const struct json_node *root, struct headline_value out[HEADLINES]);
/* The same of a judged run. Errors: those of result_metrics(). */
enum tt_status headlines_of_run(const struct run *run, struct headline_value out[HEADLINES], struct tt_error *err);
bool headline_same(const struct headline_value *a, const struct headline_value *b);
/* "  TTFT p50 ms   12.5 -> 13.1 (+4.8 %)", a line. */
void headline_say(struct output *o, size_t i, const struct headline_value *was, const struct headline_value *is);
/* An object: path, was, is, and the relative change where there is one. */
void headline_put(struct json_out *json, size_t i, const struct headline_value *was, const struct headline_value *is);

#endif
