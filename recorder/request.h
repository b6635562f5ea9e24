/* One transfer slot: an easy handle and its callbacks. It posts one body after the
 * other; nothing is ever sent twice. I/O thread only. */
#ifndef RECORDER_REQUEST_H
#define RECORDER_REQUEST_H

#include "capture.h"
#include "multi.h"
#include "options.h"

struct request; /* opaque */

/* What is known of a request when it is over; `error` is masked, valid during the call. */
struct request_outcome {
    uint64_t number;
    const char *reason; /* word of RECORDS.md */
    int curl_code, os_errno;
    unsigned status;
    bool event_stream; /* the answer's content-type says so */
    uint64_t body_bytes, lost;
    const char *error;
};

/* Shared by all slots; lives as long as they do. */
struct request_env {
    struct capture_env *capture;
    struct multi *multi;
    const struct options *options;
    void *headers; /* multi_headers_create() */
    void (*over)(void *ctx, struct request *r, const struct request_outcome *outcome);
    void *ctx;
};

/* A slot. TT_NOMEM. */
enum tt_status request_create(struct request **out, struct request_env *env, struct tt_error *err);
void request_free(struct request *r); /* accepts NULL */

/* START, then off. `body`: the request takes a reference of its own. over() may be called before this returns. */
void request_start(struct request *r, uint64_t number, struct body *body);
/* Ends it now for a reason of ours: "timeout", "cancelled", "done_grace". over() is called. */
void request_abort(struct request *r, const char *reason);
bool request_saw_done(const struct request *r); /* `data: [DONE]` came in */
/* The slot that owns a node of capture_env's lists. */
struct request *request_of_active(struct idle_node *node);
struct request *request_of_closing(struct idle_node *node);
/* How much of the body has the kernel by now? Asked after every action of libcurl: for one request
 * (multi_options.uploading), or for all that are sending. */
void request_note_upload(struct socket_owner *owner);
void request_note_uploads(struct capture_env *capture);

#endif
