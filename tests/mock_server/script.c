#include "script.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool parse_ranges(struct answer *a, const char *list)
{
    while (*list) {
        struct range r;
        int used = 0;
        if (sscanf(list, "%" SCNu64 "-%" SCNu64 "%n", &r.from, &r.to, &used) != 2 || used == 0) {
            if (sscanf(list, "%" SCNu64 "%n", &r.from, &used) != 1)
                return false;
            r.to = r.from;
        }
        a->ranges = mock_grow(a->ranges, (a->range_count + 1) * sizeof r);
        a->ranges[a->range_count++] = r;
        list += used;
        if (*list == ',')
            list++;
        else if (*list)
            return false;
    }
    return a->range_count > 0;
}

static const char *parse_selector(struct answer *a, const char *word, const char *value)
{
    if (strcmp(word, "requests") == 0 || strcmp(word, "indexes") == 0) {
        a->selector = *word == 'r' ? SELECT_REQUESTS : SELECT_INDEXES;
        return parse_ranges(a, value) ? NULL : "a list like 0,3,5-7 is wanted";
    }
    if (strcmp(word, "every") == 0) {
        a->selector = SELECT_EVERY;
        int n = sscanf(value, "%" SCNu64 "+%" SCNu64, &a->every, &a->offset);
        return n >= 1 && a->every > 0 ? NULL : "every K or every K+OFFSET is wanted";
    }
    return "unknown selector: requests, indexes or every is wanted";
}

/* answer NAME [METHOD PATH] [requests LIST | indexes LIST | every K[+O]] */
static const char *parse_answer(struct script *s, const char *line)
{
    char words[5][128] = {{0}};
    int n = sscanf(line, "answer %127s %127s %127s %127s %127s", words[0], words[1], words[2], words[3], words[4]);
    if (n < 1)
        return "answer needs a name";
    s->answers = mock_grow(s->answers, (s->n + 1) * sizeof *s->answers);
    struct answer *a = &s->answers[s->n++];
    *a = (struct answer){0};
    snprintf(a->name, sizeof a->name, "%.63s", words[0]);
    int at = 1;
    if (n > 2 && isupper((unsigned char)words[1][0])) {
        snprintf(a->method, sizeof a->method, "%.7s", words[1]);
        snprintf(a->path, sizeof a->path, "%s", words[2]);
        at = 3;
    }
    if (n == at)
        return NULL;
    return n == at + 2 ? parse_selector(a, words[at], words[at + 1]) : "wrong number of words";
}

static const char *parse_line(struct script *s, char *line, unsigned number)
{
    line[strcspn(line, "\r\n")] = 0;
    while (*line == ' ' || *line == '\t')
        line++;
    if (!*line || *line == '#')
        return NULL;
    if (strncmp(line, "answer ", 7) != 0)
        return s->n ? step_parse(&s->answers[s->n - 1], line, number) : "a step before the first answer";
    const char *wrong = s->n ? step_close_answer(&s->answers[s->n - 1]) : NULL;
    return wrong ? wrong : parse_answer(s, line);
}

void script_load(struct script *s, const char *path)
{
    FILE *f = fopen(path, "r");
    if (!f)
        mock_die("cannot open script %s", path);
    char *line = NULL;
    size_t cap = 0;
    unsigned number = 0;
    *s = (struct script){0};
    while (getline(&line, &cap, f) > 0) {
        const char *wrong = parse_line(s, line, ++number);
        if (wrong)
            mock_die("%s:%u: %s", path, number, wrong);
    }
    const char *wrong = s->n ? step_close_answer(&s->answers[s->n - 1]) : "no answer in it";
    if (wrong)
        mock_die("%s:%u: %s", path, number, wrong);
    free(line);
    fclose(f);
}

static bool path_matches(const char *pattern, const char *path)
{
    size_t n = strlen(pattern);
    if (n && pattern[n - 1] == '*')
        return strncmp(pattern, path, n - 1) == 0;
    return strcmp(pattern, path) == 0;
}

static bool in_ranges(const struct answer *a, uint64_t value)
{
    for (size_t k = 0; k < a->range_count; k++)
        if (value >= a->ranges[k].from && value <= a->ranges[k].to)
            return true;
    return false;
}

static bool takes(const struct answer *a, const char *method, const char *path, uint64_t ordinal, int64_t index)
{
    const char *wanted = *a->method ? a->method : "POST";
    if (strcmp(wanted, "*") != 0 && strcmp(wanted, method) != 0)
        return false;
    if (*a->path && !path_matches(a->path, path))
        return false;
    switch (a->selector) {
    case SELECT_REQUESTS:
        return in_ranges(a, ordinal);
    case SELECT_INDEXES:
        return index >= 0 && in_ranges(a, (uint64_t)index);
    case SELECT_EVERY:
        return ordinal % a->every == a->offset % a->every;
    case SELECT_ANY:
        break;
    }
    return true;
}

const struct answer *script_select(const struct script *s, const char *method, const char *path, uint64_t ordinal,
                                   int64_t index)
{
    for (size_t k = 0; k < s->n; k++)
        if (takes(&s->answers[k], method, path, ordinal, index))
            return &s->answers[k];
    return NULL;
}

void script_free(struct script *s)
{
    for (size_t k = 0; k < s->n; k++) {
        for (size_t j = 0; j < s->answers[k].n; j++) {
            template_free(&s->answers[k].steps[j].text);
            template_free(&s->answers[k].steps[j].body);
        }
        free(s->answers[k].steps);
        free(s->answers[k].ranges);
    }
    free(s->answers);
    *s = (struct script){0};
}
