/* The lines of an answer. */
#include "script.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool step_parse_duration(const char *text, uint64_t *ns)
{
    double value;
    char unit[3] = "";
    int used = 0;
    if (sscanf(text, "%lf%2[a-z]%n", &value, unit, &used) != 2 || text[used] || value < 0)
        return false;
    double scale = strcmp(unit, "s") == 0    ? 1e9
                   : strcmp(unit, "ms") == 0 ? 1e6
                   : strcmp(unit, "us") == 0 ? 1e3
                   : strcmp(unit, "ns") == 0 ? 1.0
                                             : 0.0;
    *ns = (uint64_t)(value * scale + 0.5);
    return scale > 0;
}

static struct step *add_step(struct answer *a, enum step_kind kind, unsigned line)
{
    a->steps = mock_grow(a->steps, (a->n + 1) * sizeof *a->steps);
    a->steps[a->n] = (struct step){.kind = kind, .line = line};
    return &a->steps[a->n++];
}

/* A quoted text and nothing behind it. */
static const char *parse_quoted(struct template *t, const char *text)
{
    size_t n = strlen(text);
    while (n && (text[n - 1] == ' ' || text[n - 1] == '\t'))
        n--;
    if (n < 2 || text[0] != '"' || text[n - 1] != '"')
        return "a text in double quotes is wanted";
    return template_compile(t, text + 1, n - 2, 1);
}

/* What a piece of output is, for the log: told by its text, with a dot for each ${...}. */
static enum label label_of(const struct template *t)
{
    struct buffer b = {0};
    for (size_t k = 0; k < t->n; k++)
        buffer_append(&b, t->parts[k].kind == PART_TEXT ? t->parts[k].text.p : ".",
                      t->parts[k].kind == PART_TEXT ? t->parts[k].text.n : 1);
    buffer_append(&b, "", 1);
    const char *text = b.p;
    enum label label = strstr(text, "\"usage\":{") ? LABEL_USAGE : LABEL_OTHER;
    if (strstr(text, "\"content\":\"") && !strstr(text, "\"content\":\"\""))
        label = LABEL_CONTENT;
    if (strstr(text, "\"reasoning_content\":\"") || strstr(text, "\"reasoning\":\""))
        label = LABEL_REASONING;
    if (strstr(text, "data: [DONE]"))
        label = LABEL_DONE;
    buffer_free(&b);
    return label;
}

static const char *reason_phrase(unsigned status)
{
    static const struct {
        unsigned status;
        const char *phrase;
    } table[] = {
        {200, "OK"},          {301, "Moved Permanently"},   {400, "Bad Request"},       {401, "Unauthorized"},
        {403, "Forbidden"},   {404, "Not Found"},           {429, "Too Many Requests"}, {500, "Internal Server Error"},
        {502, "Bad Gateway"}, {503, "Service Unavailable"}, {504, "Gateway Timeout"}};
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        if (table[k].status == status)
            return table[k].phrase;
    return "Status";
}

static const char *parse_head_word(struct step *s, const char *word)
{
    if (strncmp(word, "content-type=", 13) == 0) {
        template_text(&s->text, "Content-Type: ", 14);
        template_text(&s->text, word + 13, strlen(word + 13));
        template_text(&s->text, "\r\n", 2);
    } else if (strcmp(word, "chunked") == 0) {
        s->framing = FRAMING_CHUNKED;
    } else if (strcmp(word, "close") == 0) {
        s->framing = FRAMING_CLOSE;
    } else if (sscanf(word, "length=%" SCNu64, &s->length) == 1) {
        s->framing = FRAMING_LENGTH;
    } else {
        return "head takes content-type=, chunked, close or length=";
    }
    return NULL;
}

/* head STATUS [content-type=T] [chunked | close | length=N] */
static const char *parse_head(struct answer *a, const char *rest, unsigned line)
{
    char words[4][128], status_line[96];
    unsigned status;
    int n = sscanf(rest, "%u %127s %127s %127s %127s", &status, words[0], words[1], words[2], words[3]);
    if (n < 1 || status < 100 || status > 999)
        return "head needs a status";
    struct step *s = add_step(a, STEP_HEAD, line);
    s->label = LABEL_HEAD;
    int bytes = snprintf(status_line, sizeof status_line, "HTTP/1.1 %u %s\r\n", status, reason_phrase(status));
    template_text(&s->text, status_line, (size_t)bytes);
    const char *wrong = NULL;
    for (int k = 0; k < n - 1 && !wrong; k++)
        wrong = parse_head_word(s, words[k]);
    return wrong;
}

static struct step *last_head(struct answer *a)
{
    return a->n && a->steps[a->n - 1].kind == STEP_HEAD ? &a->steps[a->n - 1] : NULL;
}

static const char *parse_header(struct answer *a, const char *rest, unsigned line)
{
    struct step *s = last_head(a);
    (void)line;
    if (!s)
        return "header stands right behind head";
    const char *wrong = template_compile(&s->text, rest, strlen(rest), 0);
    template_text(&s->text, "\r\n", 2);
    return wrong;
}

static const char *parse_body(struct answer *a, const char *rest, unsigned line)
{
    struct step *s = last_head(a);
    (void)line;
    if (!s || s->framing != FRAMING_NONE)
        return "body stands behind a head without chunked, close or length";
    s->framing = FRAMING_BODY;
    return parse_quoted(&s->body, rest);
}

static const char *parse_send(struct answer *a, const char *rest, unsigned line)
{
    struct step *s = add_step(a, STEP_SEND, line);
    const char *wrong = parse_quoted(&s->text, rest);
    s->label = label_of(&s->text);
    return wrong;
}

static const char *parse_chunk(struct answer *a, const char *rest, unsigned line)
{
    struct step *s = add_step(a, STEP_CHUNK, line);
    const char *wrong = parse_quoted(&s->text, rest);
    s->label = label_of(&s->text);
    return wrong;
}

static const char *parse_event(struct answer *a, const char *rest, unsigned line)
{
    struct step *s = add_step(a, STEP_CHUNK, line);
    template_text(&s->text, "data: ", 6);
    const char *wrong = template_compile(&s->text, rest, strlen(rest), 0);
    template_text(&s->text, "\n\n", 2);
    s->label = label_of(&s->text);
    return wrong;
}

static const char *parse_done(struct answer *a, const char *rest, unsigned line)
{
    return *rest ? "done takes nothing" : parse_event(a, "[DONE]", line);
}

/* drip PERIOD "text": a byte a write */
static const char *parse_drip(struct answer *a, const char *rest, unsigned line)
{
    char period[32];
    int used = 0;
    struct step *s = add_step(a, STEP_DRIP, line);
    s->count = 1;
    if (sscanf(rest, "%31s %n", period, &used) != 1 || !step_parse_duration(period, &s->ns))
        return "drip PERIOD \"text\" is wanted";
    return parse_quoted(&s->text, rest + used);
}

static const char *load_body(struct template *t, const char *path)
{
    char piece[4096];
    FILE *f = fopen(path, "rb");
    if (!f)
        return "the file cannot be opened";
    for (size_t n; (n = fread(piece, 1, sizeof piece, f)) > 0;)
        template_text(t, piece, n);
    fclose(f);
    return NULL;
}

/* [cut N] [write M] [every PERIOD], in any order; *rest moves behind them. */
static const char *parse_edges(struct step *s, const char **rest)
{
    char word[16], value[32];
    int used = 0;
    for (; sscanf(*rest, "%15[a-z] %31s %n", word, value, &used) == 2; *rest += used) {
        uint64_t number = strtoull(value, NULL, 10);
        if (strcmp(word, "cut") == 0)
            s->cut = (size_t)number;
        else if (strcmp(word, "write") == 0)
            s->count = number;
        else if (strcmp(word, "every") != 0 || !step_parse_duration(value, &s->ns))
            return "cut N, write M or every PERIOD is wanted";
    }
    return NULL;
}

/* file PATH EDGES: the whole body from a file, as it stands */
static const char *parse_file(struct answer *a, const char *rest, unsigned line)
{
    char path[512];
    int used = 0;
    struct step *s = add_step(a, STEP_DRIP, line);
    s->whole_body = true;
    if (sscanf(rest, "%511s %n", path, &used) != 1)
        return "file PATH is wanted";
    rest += used;
    const char *wrong = parse_edges(s, &rest);
    return wrong ? wrong : load_body(&s->text, path);
}

/* whole EDGES "text": the whole body */
static const char *parse_whole(struct answer *a, const char *rest, unsigned line)
{
    struct step *s = add_step(a, STEP_DRIP, line);
    s->whole_body = true;
    const char *wrong = parse_edges(s, &rest);
    return wrong ? wrong : parse_quoted(&s->text, rest);
}

static const char *parse_wait(struct answer *a, const char *rest, unsigned line)
{
    return step_parse_duration(rest, &add_step(a, STEP_WAIT, line)->ns) ? NULL : "wait needs a time like 5ms";
}

/* repeat N | words [every PERIOD] */
static const char *parse_repeat(struct answer *a, const char *rest, unsigned line)
{
    char count[32], every[32], period[32];
    struct step *s = add_step(a, STEP_REPEAT, line);
    int n = sscanf(rest, "%31s %31s %31s", count, every, period);
    s->count_words = n > 0 && strcmp(count, "words") == 0;
    if (n < 1 || (!s->count_words && sscanf(count, "%" SCNu64, &s->count) != 1))
        return "repeat N or repeat words is wanted";
    if (n == 1)
        return NULL;
    return n == 3 && strcmp(every, "every") == 0 && step_parse_duration(period, &s->ns) ? NULL
                                                                                        : "every PERIOD is wanted";
}

static const struct {
    const char *word;
    const char *(*parse)(struct answer *a, const char *rest, unsigned line);
    enum step_kind plain; /* without parse: a step that is one word */
} words[] = {
    {"head", parse_head, 0},     {"header", parse_header, 0}, {"body", parse_body, 0},      {"send", parse_send, 0},
    {"chunk", parse_chunk, 0},   {"event", parse_event, 0},   {"done", parse_done, 0},      {"drip", parse_drip, 0},
    {"wait", parse_wait, 0},     {"repeat", parse_repeat, 0}, {"file", parse_file, 0},      {"whole", parse_whole, 0},
    {"end", NULL, STEP_END},     {"join", NULL, STEP_JOIN},   {"edge", NULL, STEP_EDGE},    {"close", NULL, STEP_CLOSE},
    {"reset", NULL, STEP_RESET}, {"stall", NULL, STEP_STALL}, {"finish", NULL, STEP_FINISH}};

const char *step_parse(struct answer *a, const char *line, unsigned number)
{
    size_t n = strcspn(line, " \t");
    const char *rest = line + n + strspn(line + n, " \t");
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        if (strlen(words[k].word) != n || memcmp(words[k].word, line, n) != 0)
            continue;
        if (words[k].parse)
            return words[k].parse(a, rest, number);
        add_step(a, words[k].plain, number);
        return *rest ? "this step takes nothing" : NULL;
    }
    return "unknown step";
}

const char *step_close_answer(struct answer *a)
{
    size_t open[SCRIPT_MAX_DEPTH];
    size_t depth = 0;
    bool joined = false;
    for (size_t k = 0; k < a->n; k++) {
        struct step *s = &a->steps[k];
        if (s->kind == STEP_REPEAT) {
            if (depth == SCRIPT_MAX_DEPTH)
                return "repeats nested too deep";
            open[depth++] = k;
        } else if (s->kind == STEP_END) {
            if (depth == 0)
                return "end without repeat";
            s->end = open[--depth];
            a->steps[s->end].end = k;
        } else if (s->kind == STEP_JOIN || s->kind == STEP_EDGE) {
            if (joined == (s->kind == STEP_JOIN))
                return "join and edge must follow one another";
            joined = !joined;
        } else if (joined && (s->kind == STEP_WAIT || s->kind == STEP_DRIP)) {
            return "no wait or drip between join and edge";
        }
    }
    return depth || joined ? "repeat or join is left open" : NULL;
}
