/* libcurl's multi interface driven by our own loop (curl_multi_socket_action), and the
 * settings every transfer shares. I/O thread only. CURL handles are `void *` here so
 * that libcurl's headers stay behind multi.c, multi_easy.c and request.c. */
#ifndef RECORDER_MULTI_H
#define RECORDER_MULTI_H

#include "loop.h"
#include "sockets.h"
#include "stamp.h"
#include "transport.h"

struct multi; /* opaque */

#define MULTI_RECENT_SOCKETS 4

/* First member of whatever owns an easy handle. */
struct multi_client {
    struct multi *multi;
    int recent[MULTI_RECENT_SOCKETS]; /* sockets last made for this handle: several addresses may be tried */
    unsigned made;
    /* The transfer is over and taken out of the multi handle. curl_code: CURLcode. */
    void (*finished)(struct multi_client *client, int curl_code);
};

struct multi_options {
    struct loop *loop;
    struct stamp_base base;
    struct sockets *sockets;
    uint32_t streams;     /* most transfers at once: as many connections are kept */
    const char *resolved; /* "host:port:address,..." for CURLOPT_RESOLVE, or NULL */
    uint64_t connect_timeout_ms;
    const struct transport *transport;
    bool kept; /* connections are used again */
    /* Asked after each action on a socket whose request still uploads. */
    void (*uploading)(struct socket_owner *owner);
    /* Told after each that brought bytes while the answer's head is awaited. */
    void (*heading)(struct socket_owner *owner);
};

enum tt_status multi_create(struct multi **out, const struct multi_options *options, struct tt_error *err);
void multi_free(struct multi *m); /* accepts NULL; all easy handles are freed before */

/* A new easy handle with the shared settings; errors are written to error_text
 * (MULTI_ERROR_BYTES, kept by the caller as long as the handle). NULL: no memory. */
#define MULTI_ERROR_BYTES 256
void *multi_easy_create(struct multi *m, struct multi_client *client, char *error_text);
void multi_easy_free(void *easy);

/* The header lines of a request (a curl_slist), with the API key in it when there is one, and `more`. NULL: no
 * memory, or a line that cannot be sent. */
void *multi_headers_create(const char *api_key, const struct secret_list *more, bool with_body);
void multi_headers_free(void *headers); /* wipes them; accepts NULL */

/* Makes an easy handle a GET whose answer goes to `write`. own_connection: a new one, which stays open
 * afterwards; else whichever, closed afterwards. */
void multi_easy_get(void *easy, const char *url, void *headers, bool own_connection,
                    size_t (*write)(char *bytes, size_t one, size_t n, void *ctx), void *ctx);
unsigned multi_easy_status(void *easy); /* HTTP status, 0 without an answer */
const char *multi_error_name(int curl_code);

/* The socket a transfer that is about to send uses, by its local port (libcurl 7.88 does not tell the
 * socket itself at that time). -1: not known, as with a Unix socket that is used again: it has no port. */
int multi_socket_of(struct multi_client *client, unsigned local_port, bool reused);

/* True: libcurl's recv() was seen not to be intake's, as where the executable does not show its own to libraries. After
 * multi_create(). */
bool multi_intake_is_missed(void);

/* What TLS the connections use, "TLS" as long as it is not known, NULL on plain TCP. */
const char *multi_tls(const struct multi *m);
/* The version of HTTP they speak: "1.1" or "2". */
const char *multi_http(const struct multi *m);

/* Starts a transfer, and runs what libcurl wants run at once. False: libcurl refused. */
bool multi_add(struct multi *m, void *easy);
/* Takes a transfer out before its end (its connection is closed); no finished() call. */
void multi_remove(struct multi *m, void *easy);

/* One socket is ready: hands it to libcurl. */
void multi_ready(struct multi *m, const struct loop_event *event);
/* When multi_run_timers() wants to be called (since the base); LOOP_NEVER. */
uint64_t multi_deadline(const struct multi *m);
/* True when there was something to run. */
bool multi_run_timers(struct multi *m, uint64_t now_ns);

#endif
