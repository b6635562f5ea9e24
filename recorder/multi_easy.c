/* Easy handles: the settings that all transfers share, header lines, and GETs. */
#include "multi_parts.h"

#include "intake.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define UPLOAD_BUFFER_BYTES 16384L /* 64 KiB would cost 48 KB more for each stream */

/* One file of certificates, which libcurl parses once and keeps for all connections. A folder of them (the
 * default beside the file on Debian) would be gone through for each: 80 ms of the I/O thread's time. */
static void set_roots(CURL *e, const struct transport *t)
{
    const char *named = t->cacert ? t->cacert : getenv("SSL_CERT_FILE"); /* as the curl program takes it */
    if (named && named[0])
        curl_easy_setopt(e, CURLOPT_CAINFO, named);
    else if (!curl_version_info(CURLVERSION_NOW)->cainfo)
        return;
    curl_easy_setopt(e, CURLOPT_CAPATH, NULL);
}

static void set_tls(CURL *e, const struct transport *t)
{
    set_roots(e, t);
    if (t->insecure) {
        curl_easy_setopt(e, CURLOPT_SSL_VERIFYPEER, 0L);
        curl_easy_setopt(e, CURLOPT_SSL_VERIFYHOST, 0L);
    }
    if (t->cert) {
        curl_easy_setopt(e, CURLOPT_SSLCERT, t->cert);
        curl_easy_setopt(e, CURLOPT_SSLKEY, t->key ? t->key : t->cert);
    }
}

/* What is asked for, and nothing from the environment. */
static void set_transport(CURL *e, const struct transport *t)
{
    long version = !t->http2 ? (long)CURL_HTTP_VERSION_1_1
                   : t->tls  ? (long)CURL_HTTP_VERSION_2TLS
                             : (long)CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE;
    curl_easy_setopt(e, CURLOPT_HTTP_VERSION, version);
    curl_easy_setopt(e, CURLOPT_PIPEWAIT, t->http2 ? 1L : 0L);
    curl_easy_setopt(e, CURLOPT_PROXY, t->proxy ? t->proxy : "");
    curl_easy_setopt(e, CURLOPT_NOPROXY, "");                          /* the variable of this name has no say either */
    curl_easy_setopt(e, CURLOPT_HEADEROPT, (long)CURLHEADER_SEPARATE); /* no key to a proxy that only tunnels */
    curl_easy_setopt(e, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    if (t->proxy_login) {
        curl_easy_setopt(e, CURLOPT_PROXYAUTH, CURLAUTH_BASIC);
        curl_easy_setopt(e, CURLOPT_PROXYUSERPWD, t->proxy_login);
    }
    if (t->unix_socket)
        curl_easy_setopt(e, CURLOPT_UNIX_SOCKET_PATH, t->unix_socket);
    if (t->tls)
        set_tls(e, t);
}

void *multi_easy_create(struct multi *m, struct multi_client *client, char *error_text)
{
    static_assert(MULTI_ERROR_BYTES >= CURL_ERROR_SIZE, "libcurl writes that much");
    CURL *e = curl_easy_init();
    if (!e)
        return NULL;
    client->multi = m;
    curl_easy_setopt(e, CURLOPT_PRIVATE, client);
    curl_easy_setopt(e, CURLOPT_ERRORBUFFER, error_text);
    curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(e, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(e, CURLOPT_HTTP_TRANSFER_DECODING, 0L); /* one write callback for each recv() */
    curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(e, CURLOPT_UPLOAD_BUFFERSIZE, UPLOAD_BUFFER_BYTES);
    curl_easy_setopt(e, CURLOPT_USERAGENT, "tokentape-record/" TOKENTAPE_VERSION);
    curl_easy_setopt(e, CURLOPT_DNS_CACHE_TIMEOUT, -1L);
#if LIBCURL_VERSION_NUM >= 0x075700 /* a request that is given up does not wait for a resolver that hangs */
    curl_easy_setopt(e, CURLOPT_QUICK_EXIT, 1L);
#endif
    curl_easy_setopt(e, CURLOPT_SOCKOPTFUNCTION, multi_socket_made);
    curl_easy_setopt(e, CURLOPT_SOCKOPTDATA, client);
    curl_easy_setopt(e, CURLOPT_CLOSESOCKETFUNCTION, multi_close_socket);
    curl_easy_setopt(e, CURLOPT_CLOSESOCKETDATA, m);
    if (m->resolved)
        curl_easy_setopt(e, CURLOPT_RESOLVE, m->resolved);
    set_transport(e, m->o.transport);
    curl_easy_setopt(e, CURLOPT_DEBUGFUNCTION, multi_listen);
    curl_easy_setopt(e, CURLOPT_DEBUGDATA, m);
    return e;
}

void multi_easy_free(void *easy)
{
    if (easy)
        curl_easy_cleanup(easy);
}

/* A control character in the key could begin a header line of its own. */
static bool has_control_character(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            return true;
    return false;
}

/* NULL: no memory, or a control character in the line; the list is freed then. */
static struct curl_slist *append(struct curl_slist *list, const char *line)
{
    struct curl_slist *longer = has_control_character(line) ? NULL : curl_slist_append(list, line);
    if (!longer)
        multi_headers_free(list);
    return longer;
}

static struct curl_slist *append_key(struct curl_slist *list, const char *api_key)
{
    char line[SECRET_MAX_BYTES + 32];
    int n = snprintf(line, sizeof(line), "Authorization: Bearer %s", api_key);
    if (n > 0 && (size_t)n < sizeof(line)) {
        list = append(list, line);
    } else {
        multi_headers_free(list);
        list = NULL;
    }
    explicit_bzero(line, sizeof(line));
    return list;
}

void *multi_headers_create(const char *api_key, const struct secret_list *more, bool with_body)
{
    struct curl_slist *list = append(NULL, "Expect:");
    if (list && with_body)
        list = append(list, "Content-Type: application/json");
    if (list && api_key)
        list = append_key(list, api_key);
    for (size_t i = 0; list && i < more->n; i++)
        list = append(list, more->at[i]);
    return list;
}

void multi_headers_free(void *headers)
{
    for (struct curl_slist *at = headers; at; at = at->next)
        explicit_bzero(at->data, strlen(at->data));
    curl_slist_free_all(headers);
}

void multi_easy_get(void *easy, const char *url, void *headers, bool own_connection,
                    size_t (*write)(char *bytes, size_t one, size_t n, void *ctx), void *ctx)
{
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L);
    curl_easy_setopt(easy, CURLOPT_HTTP_TRANSFER_DECODING, 1L); /* this one is read, not recorded */
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, own_connection ? 1L : 0L);
    curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, own_connection ? 0L : 1L);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, write);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, ctx);
}

unsigned multi_easy_status(void *easy)
{
    long status = 0;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    return status > 0 ? (unsigned)status : 0;
}

const char *multi_error_name(int curl_code)
{
    return curl_easy_strerror((CURLcode)curl_code);
}

/* A Unix socket that listens under a name the kernel chooses, without a file. */
static int listen_unnamed(char name[sizeof(((struct sockaddr_un *)0)->sun_path)])
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    socklen_t n = sizeof(a);
    size_t lead = offsetof(struct sockaddr_un, sun_path) + 1;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    if (bind(fd, (struct sockaddr *)&a, sizeof(a.sun_family)) != 0 || listen(fd, 1) != 0 ||
        getsockname(fd, (struct sockaddr *)&a, &n) != 0 || n <= lead) {
        close(fd);
        return -1;
    }
    memcpy(name, a.sun_path + 1, n - lead);
    name[n - lead] = '\0';
    return fd;
}

static bool connects(CURL *e, const char *name)
{
    curl_easy_setopt(e, CURLOPT_URL, "http://localhost/");
    curl_easy_setopt(e, CURLOPT_ABSTRACT_UNIX_SOCKET, name);
    curl_easy_setopt(e, CURLOPT_PROXY, "");
    curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(e, CURLOPT_CONNECT_ONLY, 1L);
    return curl_easy_perform(e) == CURLE_OK;
}

/* One byte goes from the listener to libcurl. */
static bool misses_byte(CURL *e, int listener)
{
    char byte;
    size_t n;
    curl_socket_t fd = -1;
    int server = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (server < 0)
        return false;
    curl_easy_getinfo(e, CURLINFO_ACTIVESOCKET, &fd);
    intake_begin(fd);
    bool misses = write(server, "a", 1) == 1 && curl_easy_recv(e, &byte, 1, &n) == CURLE_OK && intake_last()->fd != fd;
    intake_end();
    close(server);
    return misses;
}

bool multi_intake_is_missed(void)
{
    char name[sizeof(((struct sockaddr_un *)0)->sun_path)];
    int listener = listen_unnamed(name);
    if (listener < 0)
        return false;
    CURL *e = curl_easy_init();
    bool missed = e && connects(e, name) && misses_byte(e, listener);
    curl_easy_cleanup(e);
    close(listener);
    return missed;
}
