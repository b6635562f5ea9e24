/* What multi.c and multi_easy.c share. Nobody else includes it. */
#ifndef RECORDER_MULTI_PARTS_H
#define RECORDER_MULTI_PARTS_H

#include "multi.h"

#include <curl/curl.h>

struct multi {
    CURLM *curlm;
    struct multi_options o;
    struct curl_slist *resolved;
    uint64_t deadline_ns;
    /* What was negotiated last; all connections go to one server. */
    char tls[80];
    bool h2;
};

/* multi.c: callbacks of every easy handle. CURLOPT_SOCKOPTDATA is its multi_client, the data of the others the multi.
 */
int multi_socket_made(void *client, curl_socket_t fd, curlsocktype purpose);
int multi_close_socket(void *multi, curl_socket_t fd);
int multi_listen(CURL *easy, curl_infotype type, char *text, size_t n, void *multi);

#endif
