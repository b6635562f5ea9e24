/* The text of one prompt: header or shared prefix, filler, tail (result.md section 1). ASCII
 * without quotes or backslashes, so characters are bytes and JSON escapes newlines alone.
 *
 * The shared prefix depends on the seed but not on the index: the requests of one run share
 * it, and a run with another seed does not find it in the server's prefix cache. */
#ifndef RECORDER_PROMPT_H
#define RECORDER_PROMPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROMPT_MARKER_BYTES 1280
#define PROMPT_EDGE_BYTES 4096 /* holds a header or a tail, with a seed of 1000 digits in it */

struct prompt {
    const char *seed;
    const char *marker; /* "" without canaries */
    uint32_t index;
    uint32_t words;      /* 0: a one-line summary is asked for */
    bool unique;         /* header instead of shared prefix */
    size_t prefix_chars; /* shared prefix; cut when the room is less */
    size_t total_chars;  /* of the whole prompt */
};

/* Characters of the tail. The prompt is buildable when total_chars is more. */
size_t prompt_tail_chars(const struct prompt *p);
/* Writes exactly total_chars characters, no NUL. */
void prompt_write(const struct prompt *p, char *out);
/* "ANVIL_REQ_<seed>_<index, five digits>" */
void prompt_marker(const char *seed, uint32_t index, char *out, size_t cap);

#endif
