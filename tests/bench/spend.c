/* What a command used: its seconds, CPU seconds and greatest memory, as a line of JSON in a file.
 * usage: spend FILE COMMAND [ARGUMENT ...]; ends with the command's status.
 * A program of its own, because Linux counts the memory of the process that called exec as the new program's:
 * started by an interpreter, every program would seem to need what the interpreter has. */
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: spend FILE COMMAND [ARGUMENT ...]\n");
        return 2;
    }
    double began = seconds_now();
    pid_t child = fork();
    if (child == 0) {
        execv(argv[2], argv + 2);
        perror(argv[2]);
        _exit(127);
    }
    int status;
    struct rusage use;
    if (child < 0 || wait4(child, &status, 0, &use) != child) {
        perror("spend");
        return 127;
    }
    FILE *out = fopen(argv[1], "w");
    if (!out) {
        perror(argv[1]);
        return 127;
    }
    fprintf(out, "{\"wall_s\": %.6f, \"cpu_s\": %.6f, \"rss_kb\": %ld}\n", seconds_now() - began,
            seconds(use.ru_utime) + seconds(use.ru_stime), use.ru_maxrss);
    fclose(out);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
