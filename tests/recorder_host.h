/* A made-up /proc and /sys, for tests of what the recorder reads of a host. */
#ifndef TESTS_RECORDER_HOST_H
#define TESTS_RECORDER_HOST_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static char root[64];

static inline bool host_make(void)
{
    snprintf(root, sizeof(root), "/tmp/host-XXXXXX");
    return mkdtemp(root) != NULL;
}

/* A file of it; folders on the way are made. */
static inline void host_put(const char *path, const char *text)
{
    char full[256];
    snprintf(full, sizeof(full), "%s%s", root, path);
    for (char *p = full + strlen(root) + 1; *p; p++)
        if (*p == '/') {
            *p = '\0';
            mkdir(full, 0700);
            *p = '/';
        }
    FILE *f = fopen(full, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static inline int host_remove(void **state)
{
    (void)state;
    char *argv[] = {"rm", "-rf", root, NULL};
    pid_t child = fork();
    if (child == 0) {
        execvp("rm", argv);
        _exit(127);
    }
    return waitpid(child, NULL, 0) == child ? 0 : -1;
}

#endif
