#include "cpus.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text.h"

static enum tt_status malformed(const char *text, struct tt_error *err)
{
    char shown[TEXT_SHOWN_BYTES];
    return tt_fail(err, TT_USAGE, TT_NO_OFFSET,
                   "--cpus %s is no list of CPUs: give numbers from 0 to %d and ranges, such as 2,3 or 4-7",
                   text[0] ? text_shown(text, shown) : "''", CPU_SETSIZE - 1);
}

/* Digits at *p, moved on; -1 when there are none or the number is too great. */
static long take_number(const char **p)
{
    if (!isdigit((unsigned char)**p))
        return -1;
    char *end;
    errno = 0;
    unsigned long v = strtoul(*p, &end, 10);
    *p = end;
    return errno || v >= CPU_SETSIZE ? -1 : (long)v;
}

static bool is_in(const struct cpu_list *list, long cpu)
{
    for (unsigned i = 0; i < list->n; i++)
        if (list->at[i] == cpu)
            return true;
    return false;
}

static enum tt_status add(struct cpu_list *list, long cpu, struct tt_error *err)
{
    if (is_in(list, cpu))
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET, "--cpus names CPU %ld twice: keep one", cpu);
    if (list->n == CPUS_MOST)
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET, "--cpus names more than %d CPUs: two threads need no more",
                       CPUS_MOST);
    list->at[list->n++] = (unsigned short)cpu;
    return TT_OK;
}

enum tt_status cpus_parse(const char *text, struct cpu_list *out, struct tt_error *err)
{
    *out = (struct cpu_list){0};
    for (const char *p = text;; p++) {
        long from = take_number(&p), to = from;
        if (from >= 0 && *p == '-') {
            p++;
            to = take_number(&p);
        }
        if (from < 0 || to < from || (*p != ',' && *p != '\0'))
            return malformed(text, err);
        for (long cpu = from; cpu <= to; cpu++) {
            enum tt_status code = add(out, cpu, err);
            if (code != TT_OK)
                return code;
        }
        if (*p == '\0')
            return TT_OK;
    }
}

static void format_set(const cpu_set_t *set, char *out, size_t cap)
{
    size_t n = 0;
    out[0] = '\0';
    for (unsigned from = 0; from < CPU_SETSIZE; from++) {
        if (!CPU_ISSET(from, set))
            continue;
        unsigned to = from;
        while (to + 1 < CPU_SETSIZE && CPU_ISSET(to + 1, set))
            to++;
        int k = snprintf(out + n, cap - n, to > from ? "%s%u-%u" : "%s%u", n ? "," : "", from, to);
        if (k < 0 || (size_t)k >= cap - n)
            return; /* cut: it is for reading alone */
        n += (size_t)k;
        from = to;
    }
}

static bool is_online(unsigned cpu)
{
    char path[64];
    snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online", cpu);
    FILE *f = fopen(path, "re");
    int c = f ? fgetc(f) : '1'; /* the first one has no such file: it cannot be switched off */
    if (f)
        fclose(f);
    return c != '0';
}

enum tt_status cpus_check(const struct cpu_list *list, struct tt_error *err)
{
    cpu_set_t set;
    char allowed[128];
    if (list->n == 0)
        return TT_OK;
    if (sched_getaffinity(0, sizeof(set), &set) != 0)
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET, "--cpus: the CPUs open to this process cannot be read: %s",
                       strerror(errno));
    format_set(&set, allowed, sizeof(allowed));
    long configured = sysconf(_SC_NPROCESSORS_CONF);
    for (unsigned i = 0; i < list->n; i++) {
        unsigned cpu = list->at[i];
        if (CPU_ISSET(cpu, &set))
            continue;
        const char *why = configured > 0 && cpu >= configured ? "does not exist here"
                          : !is_online(cpu)                   ? "is offline"
                                                              : "is not open to this process (taskset, cpuset)";
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET, "--cpus: CPU %u %s: name some of %s", cpu, why, allowed);
    }
    return TT_OK;
}

void cpus_format(const struct cpu_list *list, char out[CPUS_TEXT_BYTES])
{
    size_t n = 0;
    out[0] = '\0';
    for (unsigned i = 0; i < list->n; i++)
        n += (size_t)snprintf(out + n, CPUS_TEXT_BYTES - n, "%s%u", n ? "," : "", list->at[i]);
}

_Static_assert(CPUS_TEXT_BYTES >= CPUS_MOST * 5 + 1, "each is at most four digits and a comma");

bool cpus_pin_io(const struct cpu_list *list, struct cpus_before *before)
{
    cpu_set_t set;
    *before = (struct cpus_before){0};
    if (list->n == 0)
        return true;
    before->known = sched_getaffinity(0, sizeof(before->set), &before->set) == 0;
    CPU_ZERO(&set);
    CPU_SET(list->at[0], &set);
    return before->known && sched_setaffinity(0, sizeof(set), &set) == 0;
}

bool cpus_pin_writer(const struct cpu_list *list)
{
    cpu_set_t set;
    if (list->n == 0)
        return true;
    CPU_ZERO(&set);
    for (unsigned i = list->n > 1; i < list->n; i++)
        CPU_SET(list->at[i], &set);
    return sched_setaffinity(0, sizeof(set), &set) == 0;
}

void cpus_unpin(const struct cpus_before *before)
{
    if (before->known)
        sched_setaffinity(0, sizeof(before->set), &before->set);
}

static bool allowed_set(const struct cpus_before *before, cpu_set_t *set)
{
    if (!before || !before->known)
        return sched_getaffinity(0, sizeof(*set), set) == 0;
    *set = before->set;
    return true;
}

unsigned cpus_allowed(const struct cpus_before *before)
{
    cpu_set_t set;
    return allowed_set(before, &set) ? (unsigned)CPU_COUNT(&set) : 1;
}

void cpus_take_the_rest(const struct cpu_list *list, const struct cpus_before *before)
{
    cpu_set_t all, rest;
    if (!allowed_set(before, &all))
        return;
    rest = all;
    for (unsigned i = 0; i < list->n; i++)
        CPU_CLR(list->at[i], &rest);
    sched_setaffinity(0, sizeof(all), CPU_COUNT(&rest) > 0 ? &rest : &all);
}
