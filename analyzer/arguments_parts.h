/* Inside of arguments: shared by the files arguments*.c alone. */
#ifndef ANALYZER_ARGUMENTS_PARTS_H
#define ANALYZER_ARGUMENTS_PARTS_H

#include "arguments.h"

#define ARGUMENTS_OPTIONS 32

struct parser {
    int argc, at;
    char *const *argv;
    struct arguments *out;
    struct tt_error *err;
    bool options_ended;
    bool seen[ARGUMENTS_OPTIONS];
};

/* Each takes the value of one option, or refuses it: TT_USAGE. */
enum tt_status arguments_set_output(struct parser *p, const char *value);
enum tt_status arguments_set_head(struct parser *p, const char *value);
enum tt_status arguments_set_mode(struct parser *p, const char *value);
enum tt_status arguments_set_request(struct parser *p, const char *value);
enum tt_status arguments_set_ulp(struct parser *p, const char *value);
enum tt_status arguments_set_masked(struct parser *p, const char *value);
enum tt_status arguments_set_max_client_error(struct parser *p, const char *value);
enum tt_status arguments_set_keep(struct parser *p, const char *value);
enum tt_status arguments_set_require(struct parser *p, const char *value);
enum tt_status arguments_set_policy(struct parser *p, const char *value);
enum tt_status arguments_set_without(struct parser *p, const char *value);
enum tt_status arguments_set_interval(struct parser *p, const char *value);

#endif
