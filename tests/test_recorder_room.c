/* What a run needs at a time is refused before anything is sent when it cannot be had: each limit, with its remedy. */
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recorder_args.h"
#include "recorder_host.h"

#include "../recorder/room.h"

static struct args a;

static int make_host(void **state)
{
    (void)state;
    if (!host_make())
        return -1;
    host_put("/proc/self/cgroup", "0::/box\n");
    host_put("/sys/fs/cgroup/box/memory.max", "134217728\n"); /* 128 MiB */
    host_put("/proc/sys/net/ipv4/ip_local_port_range", "32768\t34767\n");
    return 0;
}

static void check(const char *flags, const char *words)
{
    assert_int_equal(args_capacity(&a, flags), TT_OK);
    enum tt_status code = room_make(&a.o, root, &a.err);
    options_free(&a.o);
    if (code != (words ? TT_USAGE : TT_OK))
        fail_msg("%s: status %d", flags, (int)code);
    if (words && !strstr(a.err.line, words))
        fail_msg("%s: %s", flags, a.err.line);
}

static void memory_of_the_container_bounds_the_streams(void **state)
{
    (void)state;
    check("--concurrency 1638", NULL); /* 64 MiB + 1638 x 40 KiB */
    check("--concurrency 1639", "needs about 134 MB of memory, 134 MB are allowed (raise the limit");
    host_put("/sys/fs/cgroup/box/memory.max", "max\n");
    check("--concurrency 1639", NULL);
}

static void local_ports_bound_the_streams(void **state)
{
    (void)state;
    check("--concurrency 2000", NULL);
    check("--concurrency 2001", "needs as many local ports, there are 2000");
    assert_int_equal(args_capacity(&a, "--concurrency 2001"), TT_OK);
    a.o.transport.unix_socket = "socket";
    assert_int_equal(room_make(&a.o, root, &a.err), TT_OK);
    options_free(&a.o);
    check("--concurrency 2001 --http2 --connections reuse", NULL); /* one connection carries them all */
    check("--concurrency 2001 --http2", "local ports");
}

static void open_files_are_raised_or_refused(void **state)
{
    (void)state;
    struct rlimit before, low = {256, 1024}, now;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    pid_t child = fork(); /* a hard limit cannot be raised again */
    if (child == 0) {
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
        check("--concurrency 960", NULL);
        assert_int_equal(getrlimit(RLIMIT_NOFILE, &now), 0);
        _exit(now.rlim_cur == 1024 ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static size_t ring_bytes(const char *flags)
{
    assert_int_equal(args_capacity(&a, flags), TT_OK);
    size_t bytes = room_ring_bytes(&a.o, root);
    options_free(&a.o);
    return bytes;
}

static void the_ring_leaves_memory_to_others(void **state)
{
    (void)state;
    host_put("/proc/meminfo", "MemTotal:       16384000 kB\nMemFree: 1 kB\n");
    assert_int_equal(ring_bytes(""), 256u << 20);
    host_put("/sys/fs/cgroup/box/memory.max", "134217728\n");
    assert_int_equal(ring_bytes(""), 16u << 20);
    host_put("/proc/meminfo", "MemTotal:       65536 kB\n");
    assert_int_equal(ring_bytes(""), 8u << 20);
    host_put("/proc/meminfo", "MemTotal:       16384 kB\n");
    assert_int_equal(ring_bytes(""), 4u << 20);
    assert_int_equal(ring_bytes("--ring-mib 300"), 300u << 20);
    host_put("/sys/fs/cgroup/box/memory.max", "max\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_of_the_container_bounds_the_streams),
        cmocka_unit_test(local_ports_bound_the_streams),
        cmocka_unit_test(the_ring_leaves_memory_to_others),
        cmocka_unit_test(open_files_are_raised_or_refused),
    };
    return cmocka_run_group_tests(tests, make_host, host_remove);
}
