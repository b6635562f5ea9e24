#include "request.h"

#include <curl/curl.h>
#include <stddef.h>
#include <stdio.h>

struct request {
    struct multi_client client;
    struct capture capture;
    struct request_env *env;
    CURL *easy;
    struct body *body; /* NULL once the kernel has all of it */
    size_t body_bytes, given;
    unsigned sends;
    bool reused, stale;
    char error[MULTI_ERROR_BYTES];
};

#define OWNER(type, member, p) ((type *)(void *)((char *)(p)-offsetof(type, member)))

static size_t write_body(char *bytes, size_t one, size_t n, void *ctx)
{
    (void)one;
    struct request *r = ctx;
    capture_read(&r->capture, (const uint8_t *)bytes, n);
    return n;
}

static size_t write_header(char *bytes, size_t one, size_t n, void *ctx)
{
    (void)one;
    struct request *r = ctx;
    capture_head_line(&r->capture, (const uint8_t *)bytes, n);
    return n;
}

static size_t give_body(char *out, size_t one, size_t n, void *ctx)
{
    (void)one;
    struct request *r = ctx;
    size_t left = r->body_bytes - r->given;
    if (n > left)
        n = left;
    if (n > 0 && !r->body)
        return CURL_READFUNC_ABORT;
    if (n > 0)
        memcpy(out, r->body->bytes + r->given, n);
    r->given += n;
    return n;
}

/* Called right before the request goes out. A second call for one request means that libcurl found
 * the reused connection dead and would send everything once more. */
static int before_send(void *ctx, char *remote_ip, char *local_ip, int remote_port, int local_port)
{
    (void)remote_ip;
    (void)local_ip;
    (void)remote_port;
    struct request *r = ctx;
    long made = 0;
    if (r->sends++ > 0) {
        r->stale = true;
        return CURL_PREREQFUNC_ABORT;
    }
    curl_easy_getinfo(r->easy, CURLINFO_NUM_CONNECTS, &made);
    curl_easy_setopt(r->easy, CURLOPT_VERBOSE, 0L);
    r->reused = made == 0;
    unsigned port = local_port > 0 ? (unsigned)local_port : 0;
    int fd = multi_socket_of(&r->client, port, r->reused);
    capture_connected(&r->capture, fd, port, r->reused, multi_tls(r->env->multi), multi_http(r->env->multi));
    return CURL_PREREQFUNC_OK;
}

static uint64_t timer_us(CURL *easy, CURLINFO which)
{
    curl_off_t us = 0;
    curl_easy_getinfo(easy, which, &us);
    return us > 0 ? (uint64_t)us : 0;
}

static struct tape_timers timers_of(CURL *easy)
{
    return (struct tape_timers){
        .namelookup_us = timer_us(easy, CURLINFO_NAMELOOKUP_TIME_T),
        .connect_us = timer_us(easy, CURLINFO_CONNECT_TIME_T),
        .appconnect_us = timer_us(easy, CURLINFO_APPCONNECT_TIME_T),
        .pretransfer_us = timer_us(easy, CURLINFO_PRETRANSFER_TIME_T),
        .starttransfer_us = timer_us(easy, CURLINFO_STARTTRANSFER_TIME_T),
        .total_us = timer_us(easy, CURLINFO_TOTAL_TIME_T),
    };
}

static void end(struct request *r, const char *reason, int curl_code)
{
    long os_errno = 0;
    if (curl_code == CURLE_COULDNT_CONNECT)
        curl_easy_getinfo(r->easy, CURLINFO_OS_ERRNO, &os_errno);
    if (os_errno) /* libcurl's own words leave the reason out */
        snprintf(r->error, sizeof(r->error), "Could not connect: %s", strerror((int)os_errno));
    if (curl_code != CURLE_OK && !r->error[0])
        snprintf(r->error, sizeof(r->error), "%s", curl_easy_strerror((CURLcode)curl_code));
    struct capture_end done = {.curl_code = (uint64_t)curl_code,
                               .http_status = r->capture.head.status,
                               .reason = reason,
                               .error = curl_code != CURLE_OK ? r->error : NULL,
                               .timers = timers_of(r->easy)};
    capture_done(&r->capture, &done);
    body_release(r->body);
    r->body = NULL;
    struct request_outcome outcome = {.number = r->capture.request,
                                      .reason = reason,
                                      .curl_code = curl_code,
                                      .os_errno = (int)os_errno,
                                      .status = r->capture.head.status,
                                      .event_stream = r->capture.head.event_stream,
                                      .body_bytes = r->capture.body_bytes,
                                      .lost = r->capture.lost_count,
                                      .error = curl_code != CURLE_OK ? r->error : ""};
    r->env->over(r->env->ctx, r, &outcome);
}

static void transfer_finished(struct multi_client *client, int curl_code)
{
    struct request *r = OWNER(struct request, client, client);
    /* These codes are libcurl giving up on doing it again: it cannot read the body twice (after a reset it then keeps
     * the reset's own code), and it stops after five such connections of one handle. With a line of an answer it
     * would not have tried. */
    long head_bytes = 0;
    curl_easy_getinfo(r->easy, CURLINFO_HEADER_SIZE, &head_bytes);
    bool gave_up =
        r->reused && r->capture.head.status == 0 && head_bytes == 0 &&
        (curl_code == CURLE_SEND_FAIL_REWIND || curl_code == CURLE_SEND_ERROR || curl_code == CURLE_RECV_ERROR);
    bool stale = r->stale || gave_up;
    end(r, stale ? "stale_connection" : curl_code == CURLE_OK ? "complete" : "fault", curl_code);
}

static void set_up(struct request *r)
{
    CURL *e = r->easy;
    const struct options *o = r->env->options;
    bool fresh = o->connections == CONNECTIONS_FRESH;
    curl_easy_setopt(e, CURLOPT_URL, o->chat_target);
    curl_easy_setopt(e, CURLOPT_POST, 1L);
    curl_easy_setopt(e, CURLOPT_HTTPHEADER, r->env->headers);
    curl_easy_setopt(e, CURLOPT_FRESH_CONNECT, fresh ? 1L : 0L);
    curl_easy_setopt(e, CURLOPT_FORBID_REUSE, fresh ? 1L : 0L);
    curl_easy_setopt(e, CURLOPT_READFUNCTION, give_body);
    curl_easy_setopt(e, CURLOPT_READDATA, r);
    curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, write_body);
    curl_easy_setopt(e, CURLOPT_WRITEDATA, r);
    curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, write_header);
    curl_easy_setopt(e, CURLOPT_HEADERDATA, r);
    curl_easy_setopt(e, CURLOPT_PREREQFUNCTION, before_send);
    curl_easy_setopt(e, CURLOPT_PREREQDATA, r);
}

enum tt_status request_create(struct request **out, struct request_env *env, struct tt_error *err)
{
    *out = NULL;
    struct request *r = calloc(1, sizeof(*r));
    if (!r)
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory for one more stream");
    r->env = env;
    r->client.finished = transfer_finished;
    enum tt_status code = capture_init(&r->capture, env->capture, err);
    if (code == TT_OK && !(r->easy = multi_easy_create(env->multi, &r->client, r->error)))
        code = tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory for one more stream");
    if (code != TT_OK) {
        request_free(r);
        return code;
    }
    set_up(r);
    *out = r;
    return TT_OK;
}

void request_free(struct request *r)
{
    if (!r)
        return;
    multi_easy_free(r->easy);
    capture_clear(&r->capture);
    body_release(r->body);
    free(r);
}

void request_start(struct request *r, uint64_t number, struct body *body)
{
    r->body = body_hold(body);
    r->body_bytes = body->n;
    r->given = 0;
    r->sends = 0;
    r->reused = r->stale = false;
    r->error[0] = '\0';
    curl_easy_setopt(r->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body->n);
    capture_start(&r->capture, number);
    if (!multi_add(r->env->multi, r->easy))
        end(r, "fault", CURLE_FAILED_INIT);
    else if (r->capture.sending.after) /* on a kept connection it is sent at once */
        request_note_upload(&r->capture.socket);
}

void request_abort(struct request *r, const char *reason)
{
    multi_remove(r->env->multi, r->easy);
    end(r, reason, CURLE_OK);
}

bool request_saw_done(const struct request *r)
{
    return r->capture.closing.after != NULL;
}

struct request *request_of_active(struct idle_node *node)
{
    return OWNER(struct request, capture.active, node);
}

struct request *request_of_closing(struct idle_node *node)
{
    return OWNER(struct request, capture.closing, node);
}

void request_note_upload(struct socket_owner *owner)
{
    struct request *r = OWNER(struct request, capture.socket, owner);
    curl_off_t sent = 0;
    curl_easy_getinfo(r->easy, CURLINFO_SIZE_UPLOAD_T, &sent);
    capture_sent(&r->capture, sent > 0 ? (uint64_t)sent : 0, r->body_bytes);
    if (!r->capture.socket.uploading) {
        body_release(r->body);
        r->body = NULL;
    }
}

void request_note_uploads(struct capture_env *capture)
{
    struct idle_node *node = capture->sending.ends.after, *next;
    for (; node != &capture->sending.ends; node = next) {
        next = node->after;
        request_note_upload(&OWNER(struct request, capture.sending, node)->capture.socket);
    }
}
