#include "multi_parts.h"

#include "intake.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SPARE_CONNECTIONS 16
#define FIRST_KEEPING_CLEARTEXT_HTTP2 0x080000

static int watch_socket(CURL *easy, curl_socket_t fd, int what, void *ctx, void *socket_ctx)
{
    (void)easy;
    (void)socket_ctx;
    struct multi *m = ctx;
    loop_watch(m->o.loop, fd, what == CURL_POLL_IN || what == CURL_POLL_INOUT,
               what == CURL_POLL_OUT || what == CURL_POLL_INOUT);
    return 0;
}

static int set_timer(CURLM *curlm, long timeout_ms, void *ctx)
{
    (void)curlm;
    struct multi *m = ctx;
    m->deadline_ns = timeout_ms < 0 ? LOOP_NEVER : stamp_now(&m->o.base) + (uint64_t)timeout_ms * 1000000u;
    return 0;
}

int multi_socket_made(void *ctx, curl_socket_t fd, curlsocktype purpose)
{
    (void)purpose;
    struct multi_client *client = ctx;
    sockets_opened(client->multi->o.sockets, fd, stamp_now(&client->multi->o.base));
    client->recent[client->made++ % MULTI_RECENT_SOCKETS] = fd;
    return CURL_SOCKOPT_OK;
}

int multi_close_socket(void *ctx, curl_socket_t fd)
{
    struct multi *m = ctx;
    sockets_closed(m->o.sockets, fd);
    loop_watch(m->o.loop, fd, false, false);
    return close(fd);
}

static bool begins(const char *text, size_t n, const char *lead)
{
    size_t length = strlen(lead);
    return n >= length && memcmp(text, lead, length) == 0;
}

/* libcurl says in its talk which TLS and, by ALPN, which HTTP were negotiated; no header of a TLS library is
 * needed for it. */
int multi_listen(CURL *easy, curl_infotype type, char *text, size_t n, void *ctx)
{
    (void)easy;
    static const char lead[] = "SSL connection using ";
    struct multi *m = ctx;
    size_t skip = sizeof(lead) - 1, out = 0;
    if (type == CURLINFO_TEXT && begins(text, n, "ALPN"))
        m->h2 = memmem(text, n, "accepted", 8) && memmem(text, n, "h2", 2);
    if (type != CURLINFO_TEXT || !begins(text, n, lead))
        return 0;
    for (size_t i = skip; i < n && text[i] != '\n' && out + 1 < sizeof(m->tls); i++)
        if (text[i] != '/' && !(text[i] == ' ' && text[i - 1] == '/'))
            m->tls[out++] = text[i];
    m->tls[out] = '\0';
    return 0;
}

const char *multi_tls(const struct multi *m)
{
    return !m->o.transport->tls ? NULL : m->tls[0] ? m->tls : "TLS";
}

const char *multi_http(const struct multi *m)
{
    const struct transport *t = m->o.transport;
    return t->http2 && (m->h2 || !t->tls) ? "2" : "1.1"; /* without TLS the server has no say */
}

/* A transfer that may use a connection others use waits to see whether it can, instead of making one more. */
static void share_connections(struct multi *m)
{
    bool shared = m->o.transport->http2;
    long streams = m->o.streams > 100 ? (long)m->o.streams : 100;
    curl_multi_setopt(m->curlm, CURLMOPT_PIPELINING, shared ? CURLPIPE_MULTIPLEX : CURLPIPE_NOTHING);
    curl_multi_setopt(m->curlm, CURLMOPT_MAX_CONCURRENT_STREAMS, streams);
}

static enum tt_status check_http2(const struct multi *m, struct tt_error *err)
{
    const struct transport *t = m->o.transport;
    const curl_version_info_data *curl = curl_version_info(CURLVERSION_NOW);
    if (t->http2 && !(curl->features & CURL_VERSION_HTTP2))
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET,
                       "--http2: the libcurl of this machine speaks no HTTP/2: leave it out, or install one that does");
    /* It would begin HTTP/2 a second time on each of them. */
    if (t->http2 && !t->tls && m->o.kept && curl->version_num < FIRST_KEEPING_CLEARTEXT_HTTP2)
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET,
                       "--http2 without TLS: libcurl %s cannot use such a connection again (8.0.0 can): use "
                       "--connections fresh, or https",
                       curl->version);
    return TT_OK;
}

static enum tt_status set_up(struct multi *m, struct tt_error *err)
{
    if (curl_global_init(CURL_GLOBAL_ALL) != 0 || !(m->curlm = curl_multi_init()))
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "cannot set up libcurl");
    enum tt_status code = check_http2(m, err);
    if (code != TT_OK)
        return code;
    curl_multi_setopt(m->curlm, CURLMOPT_SOCKETFUNCTION, watch_socket);
    curl_multi_setopt(m->curlm, CURLMOPT_SOCKETDATA, m);
    curl_multi_setopt(m->curlm, CURLMOPT_TIMERFUNCTION, set_timer);
    curl_multi_setopt(m->curlm, CURLMOPT_TIMERDATA, m);
    curl_multi_setopt(m->curlm, CURLMOPT_MAXCONNECTS, (long)m->o.streams + SPARE_CONNECTIONS);
    share_connections(m);
    if (m->o.resolved && !(m->resolved = curl_slist_append(NULL, m->o.resolved)))
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory for an address");
    return TT_OK;
}

enum tt_status multi_create(struct multi **out, const struct multi_options *options, struct tt_error *err)
{
    *out = NULL;
    struct multi *m = calloc(1, sizeof(*m));
    if (!m)
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory for libcurl");
    m->o = *options;
    m->deadline_ns = LOOP_NEVER;
    enum tt_status code = set_up(m, err);
    if (code == TT_OK)
        *out = m;
    else
        multi_free(m);
    return code;
}

void multi_free(struct multi *m)
{
    if (!m)
        return;
    if (m->curlm)
        curl_multi_cleanup(m->curlm);
    curl_slist_free_all(m->resolved);
    curl_global_cleanup();
    free(m);
}

int multi_socket_of(struct multi_client *client, unsigned local_port, bool reused)
{
    struct sockets *sockets = client->multi->o.sockets;
    if (client->multi->o.transport->unix_socket)
        return reused || client->made == 0 ? -1 : client->recent[(client->made - 1) % MULTI_RECENT_SOCKETS];
    if (reused)
        return sockets_by_port(sockets, local_port);
    for (unsigned i = 0; i < MULTI_RECENT_SOCKETS && i < client->made; i++)
        if (sockets_bind_port(sockets, client->recent[(client->made - 1 - i) % MULTI_RECENT_SOCKETS], local_port))
            return sockets_by_port(sockets, local_port);
    return -1;
}

/* A connection that stays open is found by its port when it is used again. */
static void remember_connection(struct multi_client *client, CURL *easy)
{
    long port = 0, made = 0;
    curl_easy_getinfo(easy, CURLINFO_LOCAL_PORT, &port);
    curl_easy_getinfo(easy, CURLINFO_NUM_CONNECTS, &made);
    if (port > 0 && made > 0)
        multi_socket_of(client, (unsigned)port, false);
}

static void tell_finished(struct multi *m)
{
    int left;
    CURLMsg *message;
    while ((message = curl_multi_info_read(m->curlm, &left)) != NULL) {
        CURL *easy = message->easy_handle;
        CURLcode code = message->data.result;
        struct multi_client *client = NULL;
        curl_easy_getinfo(easy, CURLINFO_PRIVATE, &client);
        remember_connection(client, easy);
        curl_multi_remove_handle(m->curlm, easy);
        client->finished(client, (int)code);
    }
}

static void act(struct multi *m, curl_socket_t fd, int mask)
{
    int running;
    curl_multi_socket_action(m->curlm, fd, mask, &running);
}

bool multi_add(struct multi *m, void *easy)
{
    struct multi_client *client = NULL;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &client);
    client->made = 0;
    curl_easy_setopt(easy, CURLOPT_VERBOSE, m->o.transport->tls ? 1L : 0L);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, 0L);
    if (curl_multi_add_handle(m->curlm, easy) != CURLM_OK)
        return false;
    act(m, CURL_SOCKET_TIMEOUT, 0); /* the 0 ms timer it has just set */
    /* Ours is the rule of inactivity; libcurl's default of 300 s for connecting must not cut in before it. Given
     * earlier it would be a timer, that stays until it is due: one more in a tree that is gone through for every read.
     * (The default stays for the handshake of TCP alone, which the kernel gives up after 127 s if not told otherwise.)
     */
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)m->o.connect_timeout_ms);
    tell_finished(m);
    return true;
}

void multi_remove(struct multi *m, void *easy)
{
    curl_multi_remove_handle(m->curlm, easy);
}

void multi_ready(struct multi *m, const struct loop_event *event)
{
    int mask = (event->readable ? CURL_CSELECT_IN : 0) | (event->writable ? CURL_CSELECT_OUT : 0) |
               (event->error ? CURL_CSELECT_ERR : 0);
    struct socket_owner *owner = sockets_owner(m->o.sockets, event->fd);
    bool sending = !owner || owner->uploading; /* or connecting */
    sockets_found_ready(m->o.sockets, event->fd);
    intake_begin(event->fd);
    act(m, event->fd, mask);
    if (sending)
        sockets_left(m->o.sockets, event->fd, stamp_now(&m->o.base));
    if (!owner) /* it may have connected in this very action */
        owner = sockets_owner(m->o.sockets, event->fd);
    if (owner && owner->uploading)
        m->o.uploading(owner);
    if (owner && owner->heading && event->readable)
        m->o.heading(owner);
    intake_end();
    tell_finished(m);
}

uint64_t multi_deadline(const struct multi *m)
{
    return m->deadline_ns;
}

bool multi_run_timers(struct multi *m, uint64_t now_ns)
{
    if (now_ns < m->deadline_ns)
        return false;
    m->deadline_ns = LOOP_NEVER;
    act(m, CURL_SOCKET_TIMEOUT, 0);
    tell_finished(m);
    return true;
}
