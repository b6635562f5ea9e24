#include "move.h"

#include <stdlib.h>

#include "json_put.h"
#include "number.h"

static int compare_sides(const struct move_side *a, const struct move_side *b)
{
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    int order = strcmp(a->class, b->class);
    if (order == 0)
        order = strcmp(a->type, b->type);
    return order ? order : strcmp(a->reasons, b->reasons);
}

static int compare_causes(const struct move *a, const struct move *b)
{
    int order = compare_sides(&a->was, &b->was);
    return order ? order : compare_sides(&a->is, &b->is);
}

static int compare_moves(const void *a, const void *b)
{
    const struct move *x = a, *y = b;
    int order = compare_causes(x, y);
    return order ? order : (x->request > y->request) - (x->request < y->request);
}

void moves_sort(struct move *moves, size_t n)
{
    if (n > 0)
        qsort(moves, n, sizeof *moves, compare_moves);
}

size_t moves_group(const struct move *moves, size_t n, size_t at)
{
    size_t end = at + 1;
    while (end < n && compare_causes(&moves[at], &moves[end]) == 0)
        end++;
    return end - at;
}

void ranges_say(struct output *o, uint64_t (*next)(const void *user, size_t i), const void *user, size_t n)
{
    for (size_t i = 0; i < n;) {
        uint64_t first = next(user, i), last = first;
        const char *comma = i ? ", " : "";
        for (i++; i < n && next(user, i) == last + 1; i++)
            last++;
        if (last == first)
            output_say(o, "%s%llu", comma, (unsigned long long)first);
        else
            output_say(o, "%s%llu-%llu", comma, (unsigned long long)first, (unsigned long long)last);
    }
}

static uint64_t request_of(const void *moves, size_t i)
{
    return ((const struct move *)moves)[i].request;
}

/* The reasons are worth their room where they say more than the failure's own name. */
static void say_side(struct output *o, const struct move_side *s)
{
    if (s->place == MOVE_NOWHERE)
        output_say(o, "nowhere");
    else if (s->place == MOVE_ROW)
        output_say(o, "row%s%s%s", s->reasons[0] ? " (noted: " : "", s->reasons, s->reasons[0] ? ")" : "");
    else if (strcmp(s->reasons, s->type) == 0 || !s->reasons[0])
        output_say(o, "%s (%s)", s->type, s->class);
    else
        output_say(o, "%s (%s; reasons %s)", s->type, s->class, s->reasons);
}

void moves_say(const struct move *moves, size_t n, const char *indent, struct output *o)
{
    char count[NUMBER_BYTES];
    for (size_t at = 0, group; at < n; at += group) {
        group = moves_group(moves, n, at);
        output_say(o, "%s%s request%s: ", indent, number_u64(group, count), group == 1 ? "" : "s");
        say_side(o, &moves[at].was);
        output_say(o, " -> ");
        say_side(o, &moves[at].is);
        output_say(o, ": ");
        ranges_say(o, request_of, &moves[at], group);
        output_say(o, "\n");
    }
}

static void put_side(struct json_out *json, const char *key, const struct move_side *s)
{
    static const char *const places[] = {[MOVE_NOWHERE] = "nowhere", [MOVE_ROW] = "row", [MOVE_FAILURE] = "failure"};
    json_out_key(json, key);
    json_out_object(json);
    json_put_text(json, "error_type", s->type[0] ? s->type : NULL);
    json_put_text(json, "failure_class", s->class[0] ? s->class : NULL);
    json_put_text(json, "place", places[s->place]);
    json_put_text(json, "reasons", s->reasons);
    json_out_object_end(json);
}

void moves_put(const struct move *moves, size_t n, struct json_out *json)
{
    json_out_array(json);
    for (size_t at = 0, group; at < n; at += group) {
        group = moves_group(moves, n, at);
        json_out_object(json);
        json_put_u64(json, "count", group);
        put_side(json, "is", &moves[at].is);
        json_out_key(json, "requests");
        json_out_array(json);
        for (size_t i = 0; i < group; i++)
            json_out_u64(json, moves[at + i].request);
        json_out_array_end(json);
        put_side(json, "was", &moves[at].was);
        json_out_object_end(json);
    }
    json_out_array_end(json);
}
