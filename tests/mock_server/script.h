/* A script: answers, each a list of steps. The language is described in README.md. */
#ifndef MOCK_SCRIPT_H
#define MOCK_SCRIPT_H

#include <stdbool.h>

#include "template.h"

#define SCRIPT_MAX_DEPTH 4 /* nested repeats */

enum step_kind {
    STEP_HEAD,   /* text up to the framing header; with body: the whole answer */
    STEP_SEND,   /* text as it stands */
    STEP_CHUNK,  /* text as one piece of the body, framed as the head said */
    STEP_FINISH, /* last chunk */
    STEP_DRIP,   /* text, `count` bytes a write (0: all), ns apart; with `cut`: framed as body pieces of that size */
    STEP_WAIT,
    STEP_REPEAT,
    STEP_END,
    STEP_JOIN,
    STEP_EDGE,
    STEP_CLOSE,
    STEP_RESET,
    STEP_STALL
};

enum label { LABEL_OTHER, LABEL_HEAD, LABEL_REASONING, LABEL_CONTENT, LABEL_USAGE, LABEL_DONE };
enum framing { FRAMING_NONE, FRAMING_CHUNKED, FRAMING_CLOSE, FRAMING_LENGTH, FRAMING_BODY };

struct step {
    enum step_kind kind;
    unsigned line;
    struct template text, body;
    enum label label;
    enum framing framing; /* STEP_HEAD */
    uint64_t length;      /* STEP_HEAD with FRAMING_LENGTH */
    uint64_t ns;          /* wait, drip; repeat: its period */
    uint64_t count;       /* repeat; drip */
    size_t cut;           /* drip */
    bool whole_body;      /* drip: the text is the whole body, its last chunk included */
    bool count_words;     /* repeat: as many as the prompt asks for */
    size_t end;           /* repeat: where its end is; end: where its repeat is */
};

enum selector { SELECT_ANY, SELECT_REQUESTS, SELECT_INDEXES, SELECT_EVERY };

struct range {
    uint64_t from, to;
};

struct answer {
    char name[64], method[8], path[128]; /* method, path "": any POST */
    enum selector selector;
    struct range *ranges;
    size_t range_count;
    uint64_t every, offset;
    struct step *steps;
    size_t n;
};

struct script {
    struct answer *answers;
    size_t n;
};

void script_load(struct script *s, const char *path); /* dies with file, line and reason */
/* First answer that takes the request; NULL when none does. index < 0: no marker. */
const struct answer *script_select(const struct script *s, const char *method, const char *path, uint64_t ordinal,
                                   int64_t index);
void script_free(struct script *s);

/* step.c: one line of an answer. Returns NULL or what is wrong. */
const char *step_parse(struct answer *a, const char *line, unsigned number);
const char *step_close_answer(struct answer *a); /* checks nesting, links repeat and end */
bool step_parse_duration(const char *text, uint64_t *ns);

#endif
