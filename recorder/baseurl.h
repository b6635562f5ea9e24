/* The address of the server: absolute http or https, without userinfo, query or fragment. */
#ifndef RECORDER_BASEURL_H
#define RECORDER_BASEURL_H

#include <stddef.h>

#include "../format/status.h"

/* A malloc'd copy, the scheme in lower case, no slash at the end. The errors (TT_USAGE, TT_NOMEM)
 * never show the text: it may hold a password. */
enum tt_status baseurl_parse(const char *text, char **out, struct tt_error *err);

/* What is wrong with n bytes of "host" or "host:port", as the rest of a sentence; NULL: nothing. */
const char *baseurl_authority_fault(const char *p, size_t n);

#endif
