#include "null_endpoint.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct null_endpoint {
    struct null_plan plan;
    pid_t child; /* 0: none */
    int listener;
    unsigned port;
    void *shared; /* struct null_facts, then the child's own */
    size_t shared_bytes;
};

/* A port of its own on loopback; nothing outside this machine can reach it. */
static bool listen_on_loopback(struct null_endpoint *e)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof(at);
    e->listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (e->listener < 0 || bind(e->listener, (struct sockaddr *)&at, sizeof(at)) != 0 ||
        listen(e->listener, (int)(e->plan.streams > 128 ? e->plan.streams : 128)) != 0 ||
        getsockname(e->listener, (struct sockaddr *)&at, &n) != 0)
        return false;
    e->port = ntohs(at.sin_port);
    return true;
}

/* The tape, its lock and every other file of the recorder stay the recorder's. */
static void keep_only(int fd)
{
    if (fd > 3)
        close_range(3, (unsigned)fd - 1, 0);
    close_range((unsigned)fd + 1, ~0u, 0);
}

static void live(struct null_endpoint *e, pid_t recorder, const struct cpu_list *cpus,
                 const struct cpus_before *unpinned)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, "null-endpoint");
    if (getppid() != recorder)
        _exit(1);
    signal(SIGINT, SIG_IGN); /* the recorder says when it is over */
    signal(SIGPIPE, SIG_IGN);
    keep_only(e->listener);
    cpus_take_the_rest(cpus, unpinned);
    null_server_run(e->listener, &e->plan, (char *)e->shared + sizeof(struct null_facts), e->shared);
    _exit(0);
}

static enum tt_status start(struct null_endpoint *e, const struct cpu_list *cpus, const struct cpus_before *unpinned,
                            struct tt_error *err)
{
    e->shared_bytes = sizeof(struct null_facts) + null_server_bytes(&e->plan);
    e->shared = mmap(NULL, e->shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (e->shared == MAP_FAILED) {
        e->shared = NULL;
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory for the null endpoint's streams");
    }
    if (!listen_on_loopback(e))
        return tt_fail(err, TT_IO, TT_NO_OFFSET, "the null endpoint cannot listen on 127.0.0.1: %s", strerror(errno));
    pid_t recorder = getpid();
    e->child = fork();
    if (e->child == 0)
        live(e, recorder, cpus, unpinned);
    if (e->child < 0) {
        e->child = 0;
        return tt_fail(err, TT_IO, TT_NO_OFFSET, "the null endpoint cannot be started: %s", strerror(errno));
    }
    return TT_OK;
}

enum tt_status null_endpoint_start(struct null_endpoint **out, const struct null_plan *plan,
                                   const struct cpu_list *cpus, const struct cpus_before *unpinned,
                                   struct tt_error *err)
{
    *out = NULL;
    struct null_endpoint *e = calloc(1, sizeof(*e));
    if (!e)
        return tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory for the null endpoint");
    e->plan = *plan;
    e->listener = -1;
    enum tt_status code = start(e, cpus, unpinned, err);
    if (e->listener >= 0)
        close(e->listener); /* the child has its own */
    if (code == TT_OK)
        *out = e;
    else
        null_endpoint_stop(e, &(struct null_facts){0});
    return code;
}

unsigned null_endpoint_port(const struct null_endpoint *e)
{
    return e->port;
}

static uint64_t ns_of(struct timeval t)
{
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u;
}

void null_endpoint_stop(struct null_endpoint *e, struct null_facts *facts)
{
    *facts = (struct null_facts){0};
    if (!e)
        return;
    struct rusage used = {0};
    int status = 0;
    if (e->child > 0) {
        kill(e->child, SIGKILL);
        while (wait4(e->child, &status, 0, &used) < 0 && errno == EINTR)
            continue;
    }
    if (e->shared) {
        *facts = *(const struct null_facts *)e->shared;
        uint64_t all = ns_of(used.ru_utime) + ns_of(used.ru_stime);
        facts->cpu_ns = facts->sent > 0 && all > facts->cpu_ns ? all - facts->cpu_ns : 0; /* it told what went before */
        facts->died = WIFSIGNALED(status) ? WTERMSIG(status) != SIGKILL : WEXITSTATUS(status) != 0;
        munmap(e->shared, e->shared_bytes);
    }
    free(e);
}
