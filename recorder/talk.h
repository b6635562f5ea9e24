/* What is said to the person: stderr, and never a wait for it. A paused terminal pane
 * must not stop a recording, so a line that cannot be written at once is dropped. */
#ifndef RECORDER_TALK_H
#define RECORDER_TALK_H

#include <stdbool.h>
#include <stddef.h>

struct talk {
    int fd;
    bool own_fd; /* opened here, apart from the shell's own: its flags are ours alone */
    bool is_terminal, is_file;
    size_t drawn; /* columns of the line that is redrawn in place, 0: none */
};

/* Ways to stderr that cannot block. */
void talk_open(struct talk *t);
void talk_close(struct talk *t);

/* One line; a line break is added. A drawn line is wiped first. */
void talk_line(struct talk *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same, but waits up to `ms` for the terminal: for what is said when nothing is at stake any more. */
void talk_line_patient(struct talk *t, int ms, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Redraws the line the cursor stands in (terminals only). */
void talk_draw(struct talk *t, const char *text);

#endif
