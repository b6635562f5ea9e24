/* How wrong the client itself may have made a time: bounds, from what the tape says of the recorder.
 *
 * TTFO, TTFT and E2E go from START, a stamp taken before the request is handed over, to the stamp of the read that
 * brought the deciding byte. The client can make each longer, never shorter, in two places:
 *
 *   t_start <= t_sent           START, and the last byte of the request given to the kernel
 *   t_came  <= t_read           the deciding byte received by the kernel, and read
 *   error    = (t_sent - t_start - waited) + (t_read - t_came)
 *
 * 1. `waited` is the time between START and the last byte given to the kernel in which the recorder has seen that
 *    there was nothing to do but to wait for the other side (connect, TLS, a server that takes the request slowly):
 *    SEND waited. All else may be the recorder's own. waited not known: 0. No SEND: the whole interval. Under HTTP/2
 *    it is the last byte that libcurl made a frame of, which goes to the kernel at once unless that takes no more
 *    just then: up to 16 KiB may follow.
 * 2. t_came of the deciding byte is not on the tape, but two bounds of it are:
 *    - READ lag: t_read less the kernel's time of the last segment of which the read took bytes. The kernel merges
 *      segments that wait, and gives the merged one the time of the last of them. So that time is no later than the one
 *      of the last byte of the read, and t_came of that byte is bounded by it; of an earlier byte it says nothing:
 *      several events may have waited. It is used when the deciding byte is the last of its read, but for ends of
 *      lines and the end of its chunk (which servers give to the kernel together: where one of this run came in a
 *      later read than what it ends, it is not used); and when the read was not so large that it may have left some of
 *      the segment (the recorder sees to that where its buffer was smaller), nor one of TLS, which leaves what belongs
 *      to the next record, nor the last of all where the end of the connection may have come before it was read: that
 *      is merged, too. The stamp is of another clock, which costs STREAM_STAMP_NS.
 *    - READ (or DONE) blind: nobody had looked since. All bytes of the read came after that, merged or not, on any
 *      transport, stamped or not. A tape without blind: since the read before, if that one was short and so emptied the
 *      socket, and less its lag.
 *    The lag, where it can be used; else the greater of the two; else, when neither is known, the whole interval.
 * 3. Bytes that nobody takes keep the sender from sending more: its window closes, or it waits for the
 *    acknowledgement of the segments that it has under way. What waits there no look at the socket shows. Where one
 *    turn of the loop brought so much, for all streams of a connection, that the sender may have had to wait for it,
 *    that was since the turn before at the most, or since the socket was seen empty: that is added to the bound of all
 *    that came behind it, until it is known that nothing is held any more. What was held comes a round trip after
 *    the read that let it go, and so does what a sender with more may send then. So:
 *    - the socket was seen empty when nothing had come for a round trip; or
 *    - in two round trips less came than such a sender sends in one.
 *    The round trip is DONE's (smoothed, and four deviations; 1 ms at least). Not known, or over 256 ms: never.
 *    A proxy that holds bytes back itself may take longer to get more of them.
 *
 * The bound is that of the recorder against its kernel. What a network card or a hypervisor held back before the kernel
 * saw it is not in it (steal time and late turns show when that may have been so); nor is the rate of the clock. */
#ifndef ANALYZER_TIMING_H
#define ANALYZER_TIMING_H

#include "model.h"

enum timing_what { TIMING_E2E, TIMING_TTFO, TIMING_TTFT, TIMING_WHATS };

/* "e2e" and so on. */
const char *timing_name(enum timing_what what);
/* The read that decided it; NULL: there is no such time of a server. Without an output there is none at all (a refusal,
 * a call that timed out), and no E2E where the recorder gave the answer up, or the tape ends before it does. */
const struct stream_deciding *timing_deciding(const struct request *r, enum timing_what what);
/* START to the deciding read; without one, absent. */
struct opt_u64 timing_interval_ns(const struct request *r, enum timing_what what);
/* What the client may have added to each interval before the kernel had the request. Without a start, absent. */
struct opt_u64 timing_start_error_ns(const struct request *r);
/* The bound of the error of a time that is there: 0 <= error <= bound <= interval. */
struct opt_u64 timing_error_ns(const struct request *r, enum timing_what what);
/* One of the three bounds passes the limit of the run. *what: the first of TTFO, TTFT, E2E that does, else the last
 * that there is; without an output TTFO, which there is not. */
bool timing_client_limited(const struct run *run, const struct request *r, enum timing_what *what);

#endif
