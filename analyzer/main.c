/* tokentape-analyze: prints and exits; everything else is in the library. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"

/* A closed standard stream must not become the number of a file that is opened later:
 * writing to a closed stdout has to fail. */
static void guard_streams(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 2 ? O_WRONLY : O_RDONLY) < 0)
            _exit(EXIT_NO_OUTPUT);
}

/* Ends as the signal ends a program, which is what a shell and `set -o pipefail` know. */
static int leave_quietly(void)
{
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
    return EXIT_READER_GONE; /* the signal is blocked */
}

/* What the outcome has to say on stderr, and the status to exit with. */
static int leave(const struct outcome *out, bool quiet)
{
    if (out->exit == EXIT_READER_GONE)
        return leave_quietly();
    command_say_note(out, quiet);
    if (out->error.code != TT_OK && (out->exit == EXIT_USAGE || out->exit >= EXIT_NO_OUTPUT))
        fprintf(stderr, "tokentape-analyze: %s\n", out->error.line);
    return (int)out->exit;
}

static int print(const char *text)
{
    struct output *o;
    struct outcome out = {.exit = EXIT_ALL_SUCCEEDED};
    enum tt_status st = output_create(&o, NULL, &out.error);
    if (st == TT_OK)
        st = output_write(o, tt_view_str(text), &out.error);
    if (st == TT_OK)
        st = output_finish(o, &out.error);
    output_free(o);
    if (st != TT_OK)
        command_fail_output(&out);
    return leave(&out, false);
}

int main(int argc, char **argv)
{
    struct arguments a;
    struct outcome out = {.exit = EXIT_ALL_SUCCEEDED};
    guard_streams();
    signal(SIGPIPE, SIG_IGN); /* a stderr that nobody reads must not cost an output: see leave() */
    signal(SIGXFSZ, SIG_IGN); /* a limit on the size of files is an error with a line and a status */
    if (arguments_parse(argc, argv, &a, &out.error) != TT_OK) {
        fprintf(stderr, "tokentape-analyze: %s\n", out.error.line);
        return EXIT_USAGE;
    }
    if (a.help)
        return print(arguments_help(a.command));
    if (a.version)
        return print("tokentape-analyze " TOKENTAPE_VERSION "\n");
    if (a.command == COMMAND_FOLLOW)
        nice(10); /* it may share its processors with the recorder, and with the server that is measured */
    command_run(&a, &out);
    return leave(&out, a.quiet);
}
