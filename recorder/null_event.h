/* What the null endpoint says on the wire: events of one size, each with the time of its own send in it.
 * Both sides of a calibration know this and nothing else of one another. */
#ifndef RECORDER_NULL_EVENT_H
#define RECORDER_NULL_EVENT_H

#include <stddef.h>
#include <stdint.h>

#define NULL_STAMP_DIGITS 19u /* CLOCK_MONOTONIC nanoseconds, with leading zeros */

#define NULL_EVENT_SIZE_LINE "cb\r\n"
#define NULL_EVENT_LEAD                                                                                                \
    "data: {\"id\":\"chatcmpl-null\",\"object\":\"chat.completion.chunk\",\"created\":1760000000,"                     \
    "\"model\":\"null\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\""
#define NULL_EVENT_REST " \"},\"logprobs\":null,\"finish_reason\":null}]}\n\n"
#define NULL_EVENT_TEXT NULL_EVENT_SIZE_LINE NULL_EVENT_LEAD "0000000000000000000" NULL_EVENT_REST "\r\n"

/* An event as received, chunk framing included, and where in it the stamp stands. */
#define NULL_EVENT_BYTES (sizeof(NULL_EVENT_TEXT) - 1)
#define NULL_STAMP_AT (sizeof(NULL_EVENT_SIZE_LINE NULL_EVENT_LEAD) - 1)

_Static_assert(NULL_EVENT_BYTES == 4 + 0xcb + 2, "the size line tells the size of the chunk");

static inline void null_stamp_write(char at[NULL_STAMP_DIGITS], uint64_t ns)
{
    for (size_t i = NULL_STAMP_DIGITS; i-- > 0; ns /= 10)
        at[i] = (char)('0' + ns % 10);
}

static inline uint64_t null_stamp_read(const char at[NULL_STAMP_DIGITS])
{
    uint64_t ns = 0;
    for (size_t i = 0; i < NULL_STAMP_DIGITS; i++)
        ns = ns * 10 + (uint64_t)(at[i] - '0');
    return ns;
}

#endif
