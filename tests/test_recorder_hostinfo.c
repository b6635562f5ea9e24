/* What is read of the host: from a made-up /proc and /sys, and from none at all. */
#include "recorder_host.h"

#include "../recorder/hostfile.h"
#include "../recorder/hostinfo.h"

static int make_host(void **state)
{
    (void)state;
    if (!host_make())
        return -1;
    host_put("/proc/cpuinfo", "processor\t: 0\nmodel name\t: Fast CPU @ 3GHz\nflags\t: a b\n");
    host_put("/proc/stat", "cpu  10 20 30 40 50 60 70 812 0 0\ncpu0 1 2 3 4 5 6 7 8\n");
    host_put("/proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=4711\nfull avg10=0 total=1\n");
    host_put("/proc/self/status", "Name:\tx\nvoluntary_ctxt_switches:\t150\nnonvoluntary_ctxt_switches:\t7\n");
    host_put("/proc/self/statm", "1000 25 3 1 0 9 0\n");
    host_put("/proc/self/cgroup", "0::/a/b\n");
    host_put("/proc/sys/kernel/random/boot_id", "11111111-2222-3333-4444-555555555555\n");
    host_put("/sys/fs/cgroup/a/b/memory.max", "1048576\n");
    host_put("/sys/fs/cgroup/a/b/cpu.max", "150000 100000\n");
    host_put("/sys/fs/cgroup/a/b/cpu.stat", "usage_usec 5\nnr_periods 9\nnr_throttled 3\nthrottled_usec 1\n");
    host_put("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
    host_put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
    return 0;
}

static void facts_are_read(void **state)
{
    (void)state;
    struct hostinfo h;
    hostinfo_read(&h, root);
    assert_string_equal(h.cpu, "Fast CPU @ 3GHz");
    assert_string_equal(h.governor, "performance");
    assert_string_equal(h.clocksource, "tsc");
    assert_int_equal(h.memory_limit_bytes, 1048576);
    assert_true(h.cpu_quota == 1.5);
    assert_true(h.cpus >= 1);
    assert_true(h.libcurl[0] && h.kernel[0] && h.libc[0] && h.zstd[0]);
}

static void no_host_name_in_the_facts(void **state)
{
    (void)state;
    struct hostinfo h;
    char name[256] = "";
    hostinfo_read(&h, root);
    assert_int_equal(gethostname(name, sizeof(name) - 1), 0);
    if (strlen(name) >= 3)
        assert_null(strstr(h.kernel, name));
    assert_null(strchr(h.kernel, '/'));
}

static void boot_id_is_hashed(void **state)
{
    (void)state;
    /* the first half of sha256("11111111-2222-3333-4444-555555555555") */
    static const uint8_t expected[16] = {0x66, 0x6f, 0xf6, 0xcc, 0xaa, 0x5b, 0x3c, 0x07,
                                         0xfe, 0xaa, 0x3a, 0x95, 0xd3, 0xa4, 0xbd, 0x2c};
    struct hostinfo h;
    hostinfo_read(&h, root);
    assert_memory_equal(h.boot_hash, expected, sizeof(expected));
}

static void sample_is_read(void **state)
{
    (void)state;
    struct tape_record rec = {.kind = TAPE_HOST};
    struct hostinfo_sampler *s = hostinfo_sampler_create(root);
    assert_non_null(s);
    hostinfo_sample(s, &rec);
    assert_int_equal(rec.u.host.steal_ticks, 812);
    assert_int_equal(rec.u.host.throttled_periods, 3);
    assert_int_equal(rec.u.host.pressure_cpu_us, 4711);
    assert_int_equal(rec.u.host.voluntary_switches, 150);
    assert_int_equal(rec.u.host.involuntary_switches, 7);
    assert_int_equal(rec.u.host.rss_bytes, 25 * (uint64_t)sysconf(_SC_PAGESIZE));
    host_put("/proc/self/statm", "1000 26 3 1 0 9 0\n");
    hostinfo_sample(s, &rec); /* the same open file, new content */
    assert_int_equal(rec.u.host.rss_bytes, 26 * (uint64_t)sysconf(_SC_PAGESIZE));
    host_put("/proc/self/statm", "1000 25 3 1 0 9 0\n");
    hostinfo_sampler_free(s);
}

static void what_is_not_there_is_none(void **state)
{
    (void)state;
    struct tape_record rec = {.kind = TAPE_HOST};
    struct hostinfo h;
    hostinfo_read(&h, "/nowhere");
    assert_int_equal(h.memory_limit_bytes, TAPE_NONE);
    assert_true(h.cpu_quota == 0.0);
    assert_string_equal(h.cpu, "");
    struct hostinfo_sampler *s = hostinfo_sampler_create("/nowhere");
    hostinfo_sample(s, &rec);
    assert_int_equal(rec.u.host.steal_ticks, TAPE_NONE);
    assert_int_equal(rec.u.host.throttled_periods, TAPE_NONE);
    assert_int_equal(rec.u.host.rss_bytes, TAPE_NONE);
    hostinfo_sampler_free(s);
}

static void numbers_are_found_by_key(void **state)
{
    (void)state;
    assert_int_equal(hostfile_number("a 1\nnr 2\nnr_x 3\n", "nr_x", 0), 3);
    assert_int_equal(hostfile_number("xnr 1\nnr 2\n", "nr", 0), 2);
    assert_int_equal(hostfile_number("1 2 3", "", 2), 3);
    assert_int_equal(hostfile_number("1 2 3", "", 3), TAPE_NONE);
    assert_int_equal(hostfile_number("max 100000", "", 0), TAPE_NONE);
    assert_int_equal(hostfile_number("", "nr", 0), TAPE_NONE);
    assert_int_equal(hostfile_number("nr 99999999999999999999", "nr", 0), TAPE_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_are_read),
        cmocka_unit_test(no_host_name_in_the_facts),
        cmocka_unit_test(boot_id_is_hashed),
        cmocka_unit_test(sample_is_read),
        cmocka_unit_test(what_is_not_there_is_none),
        cmocka_unit_test(numbers_are_found_by_key),
    };
    return cmocka_run_group_tests(tests, make_host, host_remove);
}
