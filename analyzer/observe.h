/* Request canary and controlled output (result.md section 3), one code point at
 * a time in constant memory, so that the same machine judges the 8192-char
 * capture and the complete text. */
#ifndef ANALYZER_OBSERVE_H
#define ANALYZER_OBSERVE_H

#include "../format/bytes.h"

#define OBSERVE_CAPTURE_CHARS 8192u
#define OBSERVE_MAX_MARKER_BYTES 1280u

struct canary_facts {
    bool marker_at_start;
    uint64_t observed_marker_count, foreign_marker_count;
    bool capture_complete, passed;
};

enum adherence { ADHERENCE_NULL, ADHERENCE_NO, ADHERENCE_YES };

struct controlled_facts {
    uint64_t observed_code_words, observed_extra_words;
    bool capture_complete, passed;
    enum adherence exact_adherence;
};

struct observe_rules {       /* borrowed for the life of the observer */
    struct tt_view marker;   /* the request's own marker, ASCII; p == NULL: canaries are off */
    uint64_t response_words; /* 0: no controlled output */
    bool strict;             /* policy */
};

struct observe; /* opaque */

struct observe *observe_create(const struct observe_rules *rules); /* NULL: no memory */
void observe_char(struct observe *o, uint32_t code_point);
/* Judges what was seen so far, as if the text ended here; `complete` is
 * capture_complete. Changes nothing: more may follow. */
void observe_judge(const struct observe *o, bool complete, struct canary_facts *canary,
                   struct controlled_facts *controlled);
void observe_free(struct observe *o);

#endif
