/* What the tape says about the machine: facts for RUN, a sample each second for
 * HOST. Never a host name, an address or a path. */
#ifndef RECORDER_HOSTINFO_H
#define RECORDER_HOSTINFO_H

#include "../format/record.h"

struct hostinfo {
    char cpu[128], kernel[256], libc[64], governor[32], clocksource[32], libcurl[128], ssl[64], zstd[32];
    uint64_t cpus;               /* usable by this process */
    uint64_t memory_limit_bytes; /* TAPE_NONE: none */
    double cpu_quota;            /* in cpus; 0: none */
    uint8_t boot_hash[16];       /* of the boot id: tells two boots apart, names neither */
};

/* `root` goes before "/proc" and "/sys"; "" on a real machine. What cannot be read stays "". */
void hostinfo_read(struct hostinfo *h, const char *root);

struct hostinfo_sampler;

/* Keeps the files of HOST open. NULL: no memory. A file that is not there gives nil. */
struct hostinfo_sampler *hostinfo_sampler_create(const char *root);
/* Fills everything of HOST but time, turn gap and ring. One thread at a time. */
void hostinfo_sample(struct hostinfo_sampler *s, struct tape_record *rec);
void hostinfo_sampler_free(struct hostinfo_sampler *s); /* accepts NULL */

#endif
