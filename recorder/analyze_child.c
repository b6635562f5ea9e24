#include "analyze_child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROGRAM "tokentape-analyze"

extern char **environ;

static bool is_program(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

static bool beside_this(char *out, size_t cap)
{
    ssize_t n = readlink("/proc/self/exe", out, cap - 1);
    if (n <= 0)
        return false;
    out[n] = '\0';
    char *slash = strrchr(out, '/');
    if (!slash || (size_t)(slash + 1 - out) + sizeof(PROGRAM) > cap)
        return false;
    memcpy(slash + 1, PROGRAM, sizeof(PROGRAM));
    return is_program(out);
}

static bool in_path(char *out, size_t cap)
{
    const char *at = getenv("PATH");
    while (at && *at) {
        size_t n = strcspn(at, ":");
        int written = snprintf(out, cap, "%.*s/%s", (int)n, at, PROGRAM);
        if (n > 0 && written > 0 && (size_t)written < cap && is_program(out))
            return true;
        at += n + (at[n] == ':');
    }
    return false;
}

enum tt_status analyze_child_find(char *out, size_t cap, struct tt_error *err)
{
    const char *named = getenv("TOKENTAPE_ANALYZE");
    if (named && named[0]) {
        snprintf(out, cap, "%s", named);
        if (is_program(out))
            return TT_OK;
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET,
                       "--output needs the analyzer, but TOKENTAPE_ANALYZE=%s is no program", named);
    }
    if (beside_this(out, cap) || in_path(out, cap))
        return TT_OK;
    return tt_fail(err, TT_USAGE, TT_NO_OFFSET,
                   "--output needs " PROGRAM ", which is neither beside this program nor in PATH "
                   "(install it, set TOKENTAPE_ANALYZE, or leave --output out and analyze the tape elsewhere)");
}

/* The signals that end a run, and the child's own end: all are blocked, and waited for here. */
static void watch_signals(sigset_t *set)
{
    struct sigaction usual = {.sa_handler = SIG_DFL}; /* ignored, children would leave nothing to wait for */
    sigaction(SIGCHLD, &usual, NULL);
    sigemptyset(set);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGQUIT);
    sigaddset(set, SIGCHLD);
    sigprocmask(SIG_BLOCK, set, NULL);
}

/* Its exit status; -1: none. A signal to us is passed on to it. */
static int wait_for(pid_t child, const sigset_t *set)
{
    bool interrupted = false;
    int status = 0;
    pid_t ended;
    while ((ended = waitpid(child, &status, WNOHANG)) == 0) {
        int signal = sigwaitinfo(set, NULL);
        if (signal == SIGCHLD || signal < 0)
            continue;
        interrupted = true;
        kill(child, signal);
    }
    if (interrupted)
        return ANALYZE_CHILD_INTERRUPTED;
    return ended == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void usual_signals(posix_spawnattr_t *attributes)
{
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGHUP);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGTTOU);
    sigaddset(&usual, SIGXFSZ);
    posix_spawnattr_setsigmask(attributes, &none);
    posix_spawnattr_setsigdefault(attributes, &usual);
    posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

#define MOST_ARGUMENTS 10

static void put(const char **argv, size_t *n, const char *argument)
{
    if (argument)
        argv[(*n)++] = argument;
}

static void make_arguments(const char *argv[MOST_ARGUMENTS], const char *program, const char *command, const char *tape,
                           const struct analyze_options *o)
{
    size_t n = 0;
    put(argv, &n, program);
    put(argv, &n, command);
    put(argv, &n, tape);
    put(argv, &n, o->output ? "-o" : o->silent ? "-q" : NULL);
    put(argv, &n, o->output);
    put(argv, &n, o->max_client_error ? "--max-client-error" : NULL);
    put(argv, &n, o->max_client_error);
    put(argv, &n, o->strict_timing ? "--strict-timing" : NULL);
    argv[n] = NULL;
}

int analyze_child_run(const char *program, const char *command, const char *tape, const struct analyze_options *options)
{
    const char *argv[MOST_ARGUMENTS];
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    pid_t child;
    sigset_t set;
    if (posix_spawnattr_init(&attributes) != 0)
        return -1;
    if (posix_spawn_file_actions_init(&actions) != 0) {
        posix_spawnattr_destroy(&attributes);
        return -1;
    }
    make_arguments(argv, program, command, tape, options);
    watch_signals(&set);
    usual_signals(&attributes);
    int failed =
        options->silent ? posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0) : 0;
    if (!failed)
        failed = posix_spawn(&child, program, &actions, &attributes, (char *const *)(uintptr_t)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return failed ? -1 : wait_for(child, &set);
}
