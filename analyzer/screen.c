#include "screen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool screen_is_there(void)
{
    const char *term = getenv("TERM");
    return isatty(STDOUT_FILENO) && term && term[0] && strcmp(term, "dumb") != 0;
}

/* A line that wraps could not be drawn over. */
static size_t columns(void)
{
    struct winsize size;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 80;
}

/* Bytes of the first `room` characters. */
static size_t cut(const char *line, size_t room)
{
    size_t n = 0;
    while (line[n] && ((line[n] & 0xc0) == 0x80 || room-- > 0))
        n++;
    return n;
}

enum tt_status screen_draw(struct screen *s, struct output *o, const char *const *lines, unsigned n,
                           struct tt_error *err)
{
    char up[16];
    size_t room = columns();
    enum tt_status st = TT_OK;
    snprintf(up, sizeof up, "\033[%uA", s->drawn);
    if (s->drawn > 0)
        st = output_write(o, tt_view_str(up), err);
    for (unsigned i = 0; st == TT_OK && i < n; i++) {
        st = output_write(o, tt_view_of(lines[i], cut(lines[i], room)), err);
        if (st == TT_OK)
            st = output_write(o, tt_view_str("\033[K\n"), err);
    }
    s->drawn = n;
    return st == TT_OK ? output_finish(o, err) : st;
}
