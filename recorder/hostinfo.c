#include "hostinfo.h"

#include <curl/curl.h>
#include <gnu/libc-version.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "../format/chain.h"
#include "../format/zframe.h"
#include "hostfile.h"

/* The text after "name : " in /proc/cpuinfo. */
static void read_cpu_name(const char *root, char *out, size_t cap)
{
    char text[4096];
    hostfile_read(root, "/proc/cpuinfo", text, sizeof(text));
    const char *at = strstr(text, "model name");
    at = at ? strchr(at, ':') : NULL;
    if (!at)
        return;
    at += 1 + strspn(at + 1, " \t");
    snprintf(out, cap, "%.*s", (int)strcspn(at, "\n"), at);
}

static uint64_t usable_cpus(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof(set), &set) == 0)
        return (uint64_t)CPU_COUNT(&set);
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (uint64_t)n : 1;
}

static void read_limits(struct hostinfo *h, const char *root)
{
    char text[256];
    int fd = hostfile_open_cgroup(root, "memory.max");
    hostfile_read_fd(fd, text, sizeof(text));
    h->memory_limit_bytes = hostfile_number(text, "", 0);
    if (fd >= 0)
        close(fd);
    fd = hostfile_open_cgroup(root, "cpu.max");
    hostfile_read_fd(fd, text, sizeof(text));
    uint64_t quota = hostfile_number(text, "", 0), period = hostfile_number(text, "", 1);
    if (quota != TAPE_NONE && period != TAPE_NONE && period > 0)
        h->cpu_quota = (double)quota / (double)period;
    if (fd >= 0)
        close(fd);
}

static void read_boot_hash(struct hostinfo *h, const char *root)
{
    char id[64];
    uint8_t sha256[32];
    hostfile_read_word(root, "/proc/sys/kernel/random/boot_id", id, sizeof(id));
    struct chain *hash = NULL;
    if (chain_create(&hash, NULL) == TT_OK && chain_hash(hash, id, strlen(id), sha256, NULL) == TT_OK)
        memcpy(h->boot_hash, sha256, sizeof(h->boot_hash));
    chain_free(hash);
}

static void read_libraries(struct hostinfo *h)
{
    const curl_version_info_data *curl = curl_version_info(CURLVERSION_NOW);
    snprintf(h->libcurl, sizeof(h->libcurl), "%s", curl->version);
    if (curl->ssl_version)
        snprintf(h->ssl, sizeof(h->ssl), "%s", curl->ssl_version);
    snprintf(h->zstd, sizeof(h->zstd), "%s", zframe_version());
    snprintf(h->libc, sizeof(h->libc), "glibc %s", gnu_get_libc_version());
}

void hostinfo_read(struct hostinfo *h, const char *root)
{
    *h = (struct hostinfo){.memory_limit_bytes = TAPE_NONE, .cpus = usable_cpus()};
    struct utsname kernel;
    if (uname(&kernel) == 0)
        snprintf(h->kernel, sizeof(h->kernel), "%s %s %s", kernel.sysname, kernel.release, kernel.machine);
    read_cpu_name(root, h->cpu, sizeof(h->cpu));
    hostfile_read_word(root, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", h->governor, sizeof(h->governor));
    hostfile_read_word(root, "/sys/devices/system/clocksource/clocksource0/current_clocksource", h->clocksource,
                       sizeof(h->clocksource));
    read_limits(h, root);
    read_boot_hash(h, root);
    read_libraries(h);
}
