#include "talk.h"

#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_LINE 2048

void talk_open(struct talk *t)
{
    struct stat st;
    *t = (struct talk){.fd = STDERR_FILENO, .is_terminal = isatty(STDERR_FILENO)};
    t->is_file = fstat(STDERR_FILENO, &st) == 0 && S_ISREG(st.st_mode);
    if (t->is_file)
        return; /* never blocks, and a second opening would write over what is there */
    int fd = open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd >= 0) {
        t->fd = fd;
        t->own_fd = true;
    }
}

void talk_close(struct talk *t)
{
    if (t->own_fd)
        close(t->fd);
    *t = (struct talk){.fd = STDERR_FILENO};
}

static bool can_write(const struct talk *t, int ms)
{
    struct pollfd p = {.fd = t->fd, .events = POLLOUT};
    return t->is_file || (poll(&p, 1, ms) == 1 && (p.revents & POLLOUT));
}

static void put(const struct talk *t, const char *text, size_t n, int wait_ms)
{
    while (n > 0 && can_write(t, wait_ms)) {
        ssize_t done = send(t->fd, text, n, MSG_DONTWAIT | MSG_NOSIGNAL); /* when stderr is a socket */
        if (done < 0)
            done = write(t->fd, text, n);
        if (done <= 0)
            return;
        text += done;
        n -= (size_t)done;
    }
}

static void wipe(struct talk *t)
{
    if (t->drawn > 0)
        put(t, "\r\033[K", 4, 0);
    t->drawn = 0;
}

static void put_line(struct talk *t, int wait_ms, const char *fmt, va_list args)
{
    char line[MAX_LINE];
    wipe(t);
    int n = vsnprintf(line, sizeof(line) - 1, fmt, args);
    if (n < 0)
        return;
    size_t length = (size_t)n < sizeof(line) - 2 ? (size_t)n : sizeof(line) - 2;
    line[length] = '\n';
    put(t, line, length + 1, wait_ms);
}

void talk_line(struct talk *t, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    put_line(t, 0, fmt, args);
    va_end(args);
}

void talk_line_patient(struct talk *t, int ms, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    put_line(t, ms, fmt, args);
    va_end(args);
}

/* A line that wraps could not be drawn over. */
static size_t columns(const struct talk *t)
{
    struct winsize size;
    return ioctl(t->fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1u : 79;
}

void talk_draw(struct talk *t, const char *text)
{
    char line[512];
    if (!t->is_terminal)
        return;
    int n = snprintf(line, sizeof(line), "\r%.*s\033[K", (int)columns(t), text);
    if (n > 0 && (size_t)n < sizeof(line) && can_write(t, 0)) {
        put(t, line, (size_t)n, 0);
        t->drawn = strlen(text);
    }
}
