/* What the kernel says of the bytes that libcurl takes. libcurl takes them with recv(), which tells nothing but the
 * bytes. Here is a recv() that takes the C library's place for libcurl too (what an executable defines comes before
 * what its libraries do), and asks within the same system call when the kernel received them. A look of our own before
 * libcurl's would cost a third system call for each read, could be of other bytes than libcurl then gets, and would
 * take an error away from it. And a poll(): libcurl asks after each recv() whether there is more, although a read that
 * left room in its buffer has just told that there is not; what comes in between, epoll tells (level-triggered).
 *
 * Outside of intake_begin() .. intake_end(), on other sockets and in other threads both are the C library's. Where
 * libcurl does not come by here (one that is linked in another way), nothing is seen, and reads have no kernel time:
 * multi_intake_is_missed() finds out. */
#ifndef RECORDER_INTAKE_H
#define RECORDER_INTAKE_H

#include <stdbool.h>
#include <stdint.h>

struct intake {
    int fd;                      /* whose recv() it was; -1: none has brought anything */
    bool emptied;                /* it took less than it had room for: nothing was left in the socket */
    uint64_t kernel_realtime_ns; /* when the kernel received the last segment it took bytes from; 0: not told */
};

/* What is done on fd from here on is watched. */
void intake_begin(int fd);
void intake_end(void);
/* Of the last recv() since intake_begin(). Nothing behind the end: libcurl may take bytes of any socket there, unseen.
 */
const struct intake *intake_last(void);
/* Its kernel time, to the first who asks: the bytes of a recv() are handed over once. */
uint64_t intake_take_time(void);

#endif
