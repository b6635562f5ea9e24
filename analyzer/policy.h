/* Who counts: a policy says which reasons exclude a request, which withhold the throughput and
 * which only warn. It is data: a JSON file (policies/NAME.json are part of the program), or one
 * derived from another. No policy changes a measurement; it changes what is counted.
 *
 *     {
 *       "policy": "mine",                     [a-z0-9._-], up to 63, not the name of a built-in one
 *       "version": 1,                         1 to 4294967295
 *       "meaning": "what it is for",
 *       "parameters": {
 *         "capture": "first-8192",            or "complete": how much of the text markers and words are looked for in
 *         "finish_reasons": ["stop"]          needed where finish_reason_not_allowed is named; else it may be left out
 *       },
 *       "excludes": [...],                    ids of reasons (REASONS.md), each in one list at the most
 *       "withholds": [...],
 *       "warns": [...]
 *     } */
#ifndef ANALYZER_POLICY_H
#define ANALYZER_POLICY_H

#include "../format/status.h"
#include "reason_code.h"

struct json_node;
struct json_out;

#define POLICY_NAME_BYTES 64u
#define POLICY_MEANING_BYTES 512u
#define POLICY_FINISH_BYTES 129u
#define POLICY_FINISH_REASONS 16u
#define POLICY_MAX_BYTES ((size_t)1 << 20)
#define POLICY_CHANGES_BYTES 320u

enum policy_capture {
    POLICY_CAPTURE_FIRST, /* the first 8192 characters, as the schema has it */
    POLICY_CAPTURE_COMPLETE
};

/* Plain data: copied at will, owns nothing. All zeros is `capacity` as reason.c has it. */
struct policy {
    char name[POLICY_NAME_BYTES], meaning[POLICY_MEANING_BYTES];
    uint64_t version;
    bool own; /* of a user's file, which the result does not hold */
    enum policy_capture capture;
    char finish_reasons[POLICY_FINISH_REASONS][POLICY_FINISH_BYTES]; /* allowed */
    size_t finish_count;                                             /* 0: any */
    unsigned char effects[REASON_CODES];                             /* enum reason_effect */
    /* How it was derived from the one of that name. */
    struct reason_set without;
    bool capture_changed, strict_timing;
};

/* The standard: `capacity`, from the effects in the table of reasons. */
void policy_begin(struct policy *p);
/* A built-in one by its name, or a file. TT_USAGE: no such name, or the file is no policy: one line with
 * the thing, the reason and the remedy. TT_IO, TT_NOMEM: it could not be read. */
enum tt_status policy_load(struct policy *p, const char *name_or_file, struct tt_error *err);
/* From a document; `own`: a user's. TT_USAGE as above, without the name of a file. */
enum tt_status policy_read(struct policy *p, const struct json_node *root, bool own, struct tt_error *err);

/* ---- deriving; the name stays, and trace.policy tells what was changed ---- */

/* As if it did not name this reason. TT_USAGE: no reason of that id, one that it does not name, or one
 * that no policy can leave out. */
enum tt_status policy_without(struct policy *p, const char *id, struct tt_error *err);
/* client_limited excludes; trace.timing.client_limited tells of it. */
void policy_set_strict_timing(struct policy *p);
void policy_set_capture(struct policy *p, enum policy_capture capture);

/* ---- asking ---- */

enum reason_effect policy_effect(const struct policy *p, enum reason_code code);
/* How many it names so; what no policy has a say in is not counted. */
size_t policy_count(const struct policy *p, enum reason_effect effect);
const char *policy_name(const struct policy *p);
uint64_t policy_version(const struct policy *p);
bool policy_is_changed(const struct policy *p);
/* ", changed (without canary_failed, no_output; capture complete; strict timing)"; "" where it was not. Returns `out`.
 */
const char *policy_changes(const struct policy *p, char out[POLICY_CHANGES_BYTES]);
bool policy_allows_finish(const struct policy *p, const char *finish_reason);
const char *policy_capture_name(enum policy_capture capture);
/* The same policy, word for word but for its meaning? FNV-1a of its effects and parameters, 16 hex digits. */
void policy_fingerprint(const struct policy *p, char out[17]);

/* ---- the built-in ones ---- */

struct policy_built_in {
    const char *name, *text; /* text: the file */
};
const struct policy_built_in *policy_built_ins(size_t *n);

/* ---- in results ---- */

/* The object trace.policy. */
void policy_write(const struct policy *p, struct json_out *o);
/* The policy that a result claims to be made under (its trace.policy; `capacity` where it names none), with
 * what was changed in it. `given`: a name or file from the command line, or NULL; it stands in for the
 * policy of that name. Errors: those of policy_load; TT_VERSION when the result names one that is not at hand. */
enum tt_status policy_of_result(struct policy *p, const struct json_node *result, const char *given,
                                struct tt_error *err);

#endif
