/* How the server is reached, beyond its address: TLS, HTTP version, proxy, Unix socket, query and extra headers.
 * Plain data: multi.c tells libcurl. */
#ifndef RECORDER_TRANSPORT_H
#define RECORDER_TRANSPORT_H

#include "secret.h"

#define TRANSPORT_LIST_MOST 32

/* The values of a flag that may be given several times, in order. */
struct flag_list {
    const char *at[TRANSPORT_LIST_MOST];
    unsigned n;
};

struct transport {
    bool http2, insecure;
    bool tls;                                 /* the base URL is https */
    const char *cacert, *cert, *key;          /* files, NULL: not given */
    const char *unix_socket;                  /* path, or NULL */
    const char *resolve;                      /* "HOST:PORT:ADDR[,ADDR...]", or NULL */
    const char *proxy;                        /* as given, checked; NULL: none */
    const char *proxy_auth_env, *header_file; /* as given */
    struct flag_list query_given, query_env, header_env;
    char *proxy_login;          /* "user:password"; never shown */
    struct secret_list headers; /* "Name: value", none of them twice; never shown */
    char *query;                /* "a=b&c=d", percent-encoded; NULL: none; may hold secrets */
    char *query_shown;          /* the same with '*' for what came from the environment */
    struct secret_list secrets; /* what is to be masked wherever it comes back */
};

/* Fills what is derived, and reads the files that are named. has_key: an Authorization header is sent anyhow.
 * TT_USAGE with one line that shows no secret; TT_NOMEM. */
enum tt_status transport_check(struct transport *t, const char *base_url, bool has_key, struct tt_error *err);
void transport_free(struct transport *t);

/* The URL whose host is connected to: that of the proxy, else base_url. */
const char *transport_peer_url(const struct transport *t, const char *base_url);

/* header_lines.c: TRANSPORT.headers from its variables and its file. */
enum tt_status transport_read_headers(struct transport *t, bool has_key, struct tt_error *err);
/* query.c: TRANSPORT.query and query_shown. */
enum tt_status transport_make_query(struct transport *t, struct tt_error *err);

#endif
