/* The floor: libcurl's multi_socket interface on epoll, one clock read in the write
 * callback, nothing else. Same libcurl options as the recorder. Sends STREAMS requests at
 * once, each on a connection of its own, and waits for all of them.
 * usage: bare_loop URL STREAMS keep|count
 * keep: every read is kept in memory and judged after the run, as the recorder's are;
 * count: nothing is kept (floods). Prints the errors, then a line with bytes, reads and failures. */
#include "errors.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>

struct read {
    uint64_t at_ns;
    uint32_t stream, bytes;
};

static struct {
    CURLM *multi;
    int epoll, running;
    uint64_t due_ns; /* 0: no timer */
    bool keep;
    uint64_t reads, bytes, failed;
    struct read *kept; /* of the reads ... */
    uint8_t *text;     /* ... and their bytes, one behind the other */
    size_t kept_room, text_room;
} loop;

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void *grown(void *p, size_t *room, size_t need, size_t item)
{
    if (need <= *room)
        return p;
    *room = 2 * need + 65536;
    p = realloc(p, *room * item);
    if (!p) {
        fprintf(stderr, "bare_loop: out of memory\n");
        exit(1);
    }
    return p;
}

static size_t on_write(char *p, size_t size, size_t n, void *stream)
{
    uint64_t at = now_ns();
    n *= size;
    if (loop.keep) {
        loop.kept = grown(loop.kept, &loop.kept_room, loop.reads + 1, sizeof *loop.kept);
        loop.text = grown(loop.text, &loop.text_room, loop.bytes + n, 1);
        loop.kept[loop.reads] = (struct read){at, (uint32_t)(uintptr_t)stream, (uint32_t)n};
        memcpy(loop.text + loop.bytes, p, n);
    }
    loop.reads++;
    loop.bytes += n;
    return n;
}

static int on_socket(CURL *easy, curl_socket_t s, int what, void *user, void *known)
{
    (void)easy, (void)user;
    struct epoll_event e = {.events = (what & CURL_POLL_IN ? EPOLLIN : 0u) | (what & CURL_POLL_OUT ? EPOLLOUT : 0u),
                            .data.fd = s};
    epoll_ctl(loop.epoll, what == CURL_POLL_REMOVE ? EPOLL_CTL_DEL : known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, s, &e);
    curl_multi_assign(loop.multi, s, what == CURL_POLL_REMOVE ? NULL : &loop);
    return 0;
}

static int on_timer(CURLM *multi, long ms, void *user)
{
    (void)multi, (void)user;
    loop.due_ns = ms < 0 ? 0 : now_ns() + (uint64_t)ms * 1000000u;
    return 0;
}

static CURL *request(const char *url, struct curl_slist *headers, uintptr_t stream)
{
    static const char body[] = "{\"model\":\"mock\",\"stream\":true,\"messages\":[]}";
    CURL *h = curl_easy_init();
    curl_easy_setopt(h, CURLOPT_URL, url);
    curl_easy_setopt(h, CURLOPT_POSTFIELDS, body);
    curl_easy_setopt(h, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(h, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(h, CURLOPT_HTTP_TRANSFER_DECODING, 0L);
    curl_easy_setopt(h, CURLOPT_UPLOAD_BUFFERSIZE, 16384L);
    curl_easy_setopt(h, CURLOPT_FRESH_CONNECT, 1L);
    curl_easy_setopt(h, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(h, CURLOPT_PROXY, "");
    curl_easy_setopt(h, CURLOPT_WRITEFUNCTION, on_write);
    curl_easy_setopt(h, CURLOPT_WRITEDATA, (void *)stream);
    return h;
}

static void take_ended(void)
{
    CURLMsg *m;
    int left;
    while ((m = curl_multi_info_read(loop.multi, &left)) != NULL)
        if (m->msg == CURLMSG_DONE)
            loop.failed += m->data.result != CURLE_OK;
}

static int wait_ms(void)
{
    if (loop.due_ns == 0)
        return 1000;
    uint64_t now = now_ns();
    return loop.due_ns <= now ? 0 : (int)((loop.due_ns - now + 999999) / 1000000);
}

static void run(void)
{
    struct epoll_event ready[256];
    do {
        int n = epoll_wait(loop.epoll, ready, 256, wait_ms());
        for (int i = 0; i < n; i++) {
            int what = (ready[i].events & (EPOLLIN | EPOLLHUP) ? CURL_CSELECT_IN : 0) |
                       (ready[i].events & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
                       (ready[i].events & EPOLLERR ? CURL_CSELECT_ERR : 0);
            curl_multi_socket_action(loop.multi, ready[i].data.fd, what, &loop.running);
        }
        if (loop.due_ns != 0 && loop.due_ns <= now_ns()) {
            loop.due_ns = 0;
            curl_multi_socket_action(loop.multi, CURL_SOCKET_TIMEOUT, 0, &loop.running);
        }
        take_ended();
    } while (loop.running > 0);
}

static int judge(size_t streams)
{
    struct errors errors = {0};
    struct errors_stream *state = calloc(streams, sizeof *state);
    const uint8_t *p = loop.text;
    int bad = !state;
    for (size_t i = 0; loop.keep && !bad && i < loop.reads; p += loop.kept[i].bytes, i++)
        bad = errors_feed(&errors, &state[loop.kept[i].stream], p, loop.kept[i].bytes, loop.kept[i].at_ns);
    errors_print(&errors);
    errors_free(&errors);
    free(state);
    return bad;
}

/* What the run took, without what judging it takes. */
static void print_usage(uint64_t began_ns)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    printf("{\"bytes\": %llu, \"reads\": %llu, \"failed\": %llu, \"wall_s\": %.6f, \"cpu_s\": %.6f, \"rss_kb\": %ld}\n",
           (unsigned long long)loop.bytes, (unsigned long long)loop.reads, (unsigned long long)loop.failed,
           (double)(now_ns() - began_ns) / 1e9,
           (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6,
           u.ru_maxrss);
}

int main(int argc, char **argv)
{
    size_t streams = argc == 4 ? strtoul(argv[2], NULL, 10) : 0;
    if (streams == 0 || streams > 65536) {
        fprintf(stderr, "usage: bare_loop URL STREAMS keep|count\n");
        return 2;
    }
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    curl_global_init(CURL_GLOBAL_DEFAULT);
    loop.keep = strcmp(argv[3], "keep") == 0;
    loop.multi = curl_multi_init();
    loop.epoll = epoll_create1(EPOLL_CLOEXEC);
    curl_multi_setopt(loop.multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(loop.multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(loop.multi, CURLMOPT_MAXCONNECTS, (long)streams);
    struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: application/json");
    uint64_t began_ns = now_ns();
    CURL **handles = calloc(streams, sizeof *handles);
    for (size_t i = 0; handles && i < streams; i++) {
        handles[i] = request(argv[1], headers, i);
        curl_multi_add_handle(loop.multi, handles[i]);
        curl_multi_socket_action(loop.multi, CURL_SOCKET_TIMEOUT, 0, &loop.running);
    }
    run();
    print_usage(began_ns);
    int bad = judge(streams);
    for (size_t i = 0; handles && i < streams; i++) {
        curl_multi_remove_handle(loop.multi, handles[i]);
        curl_easy_cleanup(handles[i]);
    }
    free(handles);
    curl_slist_free_all(headers);
    curl_multi_cleanup(loop.multi);
    free(loop.kept);
    free(loop.text);
    return bad || loop.failed > 0;
}
