/* The HOST sample: files kept open, read again each second. */
#include <stdlib.h>
#include <unistd.h>

#include "hostfile.h"
#include "hostinfo.h"

struct hostinfo_sampler {
    int stat, pressure, status, statm, throttle; /* -1: not there */
    uint64_t page_bytes;
};

struct hostinfo_sampler *hostinfo_sampler_create(const char *root)
{
    struct hostinfo_sampler *s = malloc(sizeof(*s));
    if (!s)
        return NULL;
    s->stat = hostfile_open(root, "/proc/stat");
    s->pressure = hostfile_open(root, "/proc/pressure/cpu");
    /* Of a process's status, the switches are those of its first thread: the I/O thread. */
    s->status = hostfile_open(root, "/proc/self/status");
    s->statm = hostfile_open(root, "/proc/self/statm");
    s->throttle = hostfile_open_cgroup(root, "cpu.stat");
    long page = sysconf(_SC_PAGESIZE);
    s->page_bytes = page > 0 ? (uint64_t)page : 4096;
    return s;
}

static uint64_t number_in(int fd, const char *key, unsigned skip)
{
    char text[4096];
    hostfile_read_fd(fd, text, sizeof(text));
    return hostfile_number(text, key, skip);
}

void hostinfo_sample(struct hostinfo_sampler *s, struct tape_record *rec)
{
    char text[4096];
    hostfile_read_fd(s->status, text, sizeof(text));
    rec->u.host.voluntary_switches = hostfile_number(text, "voluntary_ctxt_switches:", 0);
    rec->u.host.involuntary_switches = hostfile_number(text, "nonvoluntary_ctxt_switches:", 0);
    rec->u.host.steal_ticks = number_in(s->stat, "cpu ", 7);
    rec->u.host.throttled_periods = number_in(s->throttle, "nr_throttled", 0);
    rec->u.host.pressure_cpu_us = number_in(s->pressure, "total=", 0);
    uint64_t pages = number_in(s->statm, "", 1);
    rec->u.host.rss_bytes = pages == TAPE_NONE ? TAPE_NONE : pages * s->page_bytes;
}

void hostinfo_sampler_free(struct hostinfo_sampler *s)
{
    if (!s)
        return;
    int fds[] = {s->stat, s->pressure, s->status, s->statm, s->throttle};
    for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
        if (fds[i] >= 0)
            close(fds[i]);
    free(s);
}
