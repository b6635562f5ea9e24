#include "redact_frame.h"

void redact_frame_begin(struct redact_frame *f, bool chunked)
{
    *f = (struct redact_frame){.state = chunked ? FRAME_SIZE : FRAME_RAW};
}

static int digit_value(uint8_t c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static enum redact_byte fall_back(struct redact_frame *f)
{
    f->state = FRAME_RAW;
    return REDACT_PAYLOAD;
}

static enum redact_byte go_on(struct redact_frame *f, enum redact_frame_state state)
{
    f->state = state;
    return REDACT_LINE;
}

static enum redact_byte end_size_line(struct redact_frame *f)
{
    f->line_empty = true;
    return go_on(f, f->left > 0 ? FRAME_DATA : FRAME_TRAILER);
}

static enum redact_byte take_size_byte(struct redact_frame *f, uint8_t c)
{
    int digit = digit_value(c);
    if (digit >= 0 && f->left <= UINT64_MAX >> 4) {
        f->left = f->left << 4 | (uint64_t)digit;
        f->size_seen = true;
        return REDACT_LINE;
    }
    if (digit >= 0 || !f->size_seen)
        return fall_back(f);
    switch (c) {
    case '\n':
        return end_size_line(f);
    case '\r':
        return go_on(f, FRAME_SIZE_LF);
    case ';':
    case ' ':
    case '\t':
        return go_on(f, FRAME_EXTENSION);
    default:
        return fall_back(f);
    }
}

static enum redact_byte next_chunk(struct redact_frame *f)
{
    f->size_seen = false;
    f->left = 0;
    return go_on(f, FRAME_SIZE);
}

static enum redact_byte take_trailer_byte(struct redact_frame *f, uint8_t c)
{
    if (c == '\n' && f->line_empty)
        f->state = FRAME_RAW;
    if (c == '\n')
        f->line_empty = true;
    else if (c != '\r')
        f->line_empty = false;
    return REDACT_LINE;
}

static enum redact_byte take_byte(struct redact_frame *f, uint8_t c)
{
    switch (f->state) {
    case FRAME_SIZE:
        return take_size_byte(f, c);
    case FRAME_SIZE_LF:
        return c == '\n' ? end_size_line(f) : fall_back(f);
    case FRAME_EXTENSION:
        return c == '\n' ? end_size_line(f) : REDACT_LINE;
    case FRAME_DATA_END:
        if (c == '\r')
            return go_on(f, FRAME_DATA_LF);
        return c == '\n' ? next_chunk(f) : fall_back(f);
    case FRAME_DATA_LF:
        return c == '\n' ? next_chunk(f) : fall_back(f);
    case FRAME_TRAILER:
        return take_trailer_byte(f, c);
    case FRAME_RAW:
    case FRAME_DATA:
        break;
    }
    return REDACT_PAYLOAD;
}

size_t redact_frame_next(struct redact_frame *f, const uint8_t *p, size_t n, enum redact_byte *kind)
{
    if (n == 0)
        return 0;
    *kind = REDACT_PAYLOAD;
    if (f->state == FRAME_RAW)
        return n;
    if (f->state != FRAME_DATA) {
        *kind = take_byte(f, *p);
        return 1;
    }
    size_t take = n < f->left ? n : (size_t)f->left;
    f->left -= take;
    if (f->left == 0)
        f->state = FRAME_DATA_END;
    return take;
}
