/* Which processors the recorder's two threads run on, for a host that also runs the engine. */
#ifndef RECORDER_CPUS_H
#define RECORDER_CPUS_H

#include <sched.h>
#include <stdbool.h>

#include "../format/status.h"

#define CPUS_MOST 64
#define CPUS_TEXT_BYTES 384

/* The first is the I/O thread's, the others are the writer thread's; with one alone they share it. */
struct cpu_list {
    unsigned short at[CPUS_MOST];
    unsigned n; /* 0: not given, the kernel places both */
};

/* "2,3", "4-7", "5,0-2": numbers and ranges in order. TT_USAGE on anything else and on a number given twice. */
enum tt_status cpus_parse(const char *text, struct cpu_list *out, struct tt_error *err);
/* TT_USAGE, with the reason, when one does not exist, is offline, or is not open to this process (its affinity
 * mask, or its cpuset). */
enum tt_status cpus_check(const struct cpu_list *list, struct tt_error *err);
/* "2,3"; "" when not given. */
void cpus_format(const struct cpu_list *list, char out[CPUS_TEXT_BYTES]);

/* Where a process was allowed to run before it was pinned. */
struct cpus_before {
    cpu_set_t set;
    bool known; /* false: it was not pinned */
};

/* The calling thread to its place; false when the kernel refuses. Nothing is done for an empty list. */
bool cpus_pin_io(const struct cpu_list *list, struct cpus_before *before);
bool cpus_pin_writer(const struct cpu_list *list);
/* The calling thread back to where it was allowed before. */
void cpus_unpin(const struct cpus_before *before);
/* The calling thread (a forked child) to what `list` leaves over of where it was allowed (`before`; NULL or not
 * known: where it is now), or to all of that when nothing is left. */
void cpus_take_the_rest(const struct cpu_list *list, const struct cpus_before *before);
/* How many CPUs are open to this process; `before` as above. */
unsigned cpus_allowed(const struct cpus_before *before);

#endif
