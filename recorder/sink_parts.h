/* What the files of the sink share. Internal to it. */
#ifndef RECORDER_SINK_PARTS_H
#define RECORDER_SINK_PARTS_H

#include <pthread.h>
#include <semaphore.h>

#include "drain.h"
#include "sink.h"

#define SINK_SLACK_BYTES 16384u /* of the ring, for the few records that belong to no request */

struct sink {
    struct drain d; /* the writer thread's, once it is started */
    bool (*idle_work)(void *ctx);
    void *idle_ctx;
    size_t claims; /* requests with room set aside; I/O thread */
    /* thread */
    pthread_t thread;
    bool thread_made, joined;
    const struct cpu_list *cpus;
    bool pinned; /* before `ready` */
    sem_t ready, go;
    int wake_fd, done_fd;
    atomic_bool started, stopping, nice;
    id_t thread_id; /* writer thread */
    int usual_nice;
    bool hurrying;
    struct tape_record end; /* valid once `stopping` is set */
};

#endif
