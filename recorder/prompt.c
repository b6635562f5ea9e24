#include "prompt.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* One line of filler: about 3.3 characters a token where each digit is one, 4.3 where three are:
 * a window that holds the planned tokens at 3.0 holds the prompt. */
static const char line_front[] = "Entry ";
static const char line_back[] = ": the ledger keeps every line in order and says nothing more about it.\n";

#define DIGITS 9
#define FRONT (sizeof line_front - 1)
#define LINE (FRONT + DIGITS + sizeof line_back - 1)
#define WHOLE_RUN UINT32_MAX /* in place of an index: what all requests of a run share */

/* FNV-1a over the seed, then the finalizer of splitmix64 with the index: neighbouring seeds and
 * indices start far apart. */
static uint64_t first_number(const char *seed, uint32_t index)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (const char *p = seed; *p; p++)
        h = (h ^ (uint8_t)*p) * 0x100000001b3u;
    h += (uint64_t)index * 0x9e3779b97f4a7c15u;
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
    h ^= h >> 31;
    /* Nine digits however many lines follow: a prompt of 2^20 tokens has fewer than a million lines. */
    return 100000000u + h % 899000000u;
}

static void make_line(char line[LINE], uint64_t number)
{
    memcpy(line, line_front, FRONT);
    for (size_t i = DIGITS; i-- > 0; number /= 10)
        line[FRONT + i] = (char)('0' + number % 10);
    memcpy(line + FRONT + DIGITS, line_back, sizeof line_back - 1);
}

static void count_up(char line[LINE])
{
    char *digit = line + FRONT + DIGITS - 1;
    for (; *digit == '9'; digit--)
        *digit = '0';
    ++*digit;
}

/* Lines with running numbers, the last one cut. */
static void fill(char *out, size_t n, const char *seed, uint32_t index)
{
    char line[LINE];
    make_line(line, first_number(seed, index));
    for (; n >= LINE; n -= LINE, out += LINE) {
        memcpy(out, line, LINE);
        count_up(line);
    }
    memcpy(out, line, n);
}

static size_t print(char *out, size_t cap, size_t at, const char *fmt, ...) __attribute__((format(printf, 4, 5)));

static size_t print(char *out, size_t cap, size_t at, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(out + at, cap - at, fmt, args);
    va_end(args);
    assert(n >= 0 && (size_t)n < cap - at);
    return at + (size_t)n;
}

/* Begins with the request's own number: a prefix cache works in blocks of some 16 tokens, and fixed words in front
 * would let the first block of any two prompts be the same. */
static size_t make_header(const struct prompt *p, char *out)
{
    unsigned long long number = first_number(p->seed, p->index);
    if (p->marker[0])
        return print(out, PROMPT_EDGE_BYTES, 0, "%llu opens the ledger of %s, seed %s.", number, p->marker, p->seed);
    return print(out, PROMPT_EDGE_BYTES, 0, "%llu opens the ledger of request %05u, seed %s.", number, p->index,
                 p->seed);
}

static size_t make_tail(const struct prompt *p, char *out)
{
    const size_t cap = PROMPT_EDGE_BYTES;
    size_t n = print(out, cap, 0, "\nThis is request %u. ", p->index);
    if (p->marker[0])
        n = print(out, cap, n, "Begin the answer with %s followed by one space, then write ", p->marker);
    else
        n = print(out, cap, n, "Write ");
    if (p->words)
        return print(out, cap, n,
                     "exactly %u copies of the lower-case word code separated by single spaces. Write nothing else and "
                     "do not stop early.",
                     p->words);
    return print(out, cap, n, "a summary of the above in one line.");
}

size_t prompt_tail_chars(const struct prompt *p)
{
    char tail[PROMPT_EDGE_BYTES];
    return make_tail(p, tail);
}

void prompt_marker(const char *seed, uint32_t index, char *out, size_t cap)
{
    print(out, cap, 0, "ANVIL_REQ_%s_%05u", seed, index);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Header or shared prefix. Returns the characters written. */
static size_t write_front(const struct prompt *p, char *out, size_t room)
{
    if (!p->unique) {
        size_t n = least(p->prefix_chars, room);
        fill(out, n, p->seed, WHOLE_RUN);
        return n;
    }
    char header[PROMPT_EDGE_BYTES];
    size_t n = least(make_header(p, header), room);
    memcpy(out, header, n);
    return n;
}

void prompt_write(const struct prompt *p, char *out)
{
    char tail[PROMPT_EDGE_BYTES];
    size_t tail_chars = make_tail(p, tail);
    assert(p->total_chars > tail_chars);
    size_t room = p->total_chars - tail_chars;
    size_t at = write_front(p, out, room);
    if (at < room)
        out[at++] = '\n';
    fill(out + at, room - at, p->seed, p->index);
    memcpy(out + room, tail, tail_chars);
}
