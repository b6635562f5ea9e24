/* Finds the addresses of the server once, before anything is measured: name lookups
 * are then in nobody's time to first output. */
#ifndef RECORDER_RESOLVE_H
#define RECORDER_RESOLVE_H

#include <stdbool.h>
#include <stddef.h>

/* For CURLOPT_RESOLVE: "host:port:address,address" of the URL's host. False, and "" in out, when it is
 * an address already, or cannot be resolved within patience_ms (libcurl then says why, request by request).
 * Before any thread is started: it forks. */
bool resolve_url(const char *url, int patience_ms, char *out, size_t cap);

/* Host and port of an absolute http(s) or socks5h URL without user info. False: it is none. */
bool resolve_split(const char *url, char *host, size_t host_cap, char *port, size_t port_cap);

/* "HOST:PORT:ADDR[,ADDR...]" of a person, for the host and port of `url`. NULL when it is good, else what is wrong. */
const char *resolve_given_fault(const char *text, const char *url);

#endif
