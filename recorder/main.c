/* tokentape-record: drives an endpoint and keeps every byte it answers, with its time. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "calibrate.h"
#include "capacity.h"
#include "dry_run.h"
#include "workload.h"

static int fail(const struct tt_error *err)
{
    fprintf(stderr, "tokentape-record: %s\n", err->line);
    return EXIT_USAGE;
}

static int dry_run(const struct options *o)
{
    struct workload *w;
    struct tt_error err;
    if (workload_create(&w, o, o->max_model_len, &err) != TT_OK)
        return fail(&err);
    dry_run_print(o, w);
    workload_free(w);
    return fflush(stdout) == 0 ? EXIT_ALL_SUCCEEDED : EXIT_NOT_WRITTEN;
}

static int run(const struct options *o, const struct stamp_base *base)
{
    if (o->command == COMMAND_CALIBRATE)
        return calibrate_run(o, base);
    return o->dry_run ? dry_run(o) : capacity_run(o, base);
}

/* With stderr closed, the tape would get its number, and what is said would go into the tape. */
static void fill_standard_descriptors(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0)
            return;
}

int main(int argc, char **argv)
{
    fill_standard_descriptors();
    struct stamp_base base = stamp_take_base();
    char utc[STAMP_UTC_TEXT];
    struct options o = {0};
    enum options_action action;
    struct tt_error err;
    stamp_utc_text(&base, utc);
    int status = EXIT_ALL_SUCCEEDED;
    if (options_parse(argc, argv, utc, &o, &action, &err) != TT_OK)
        status = fail(&err);
    else if (action == OPTIONS_HELP)
        fputs(options_help(o.command), stdout);
    else if (action == OPTIONS_VERSION)
        puts("tokentape-record " TOKENTAPE_VERSION);
    else
        status = run(&o, &base);
    if (o.api_key)
        explicit_bzero(o.api_key, strlen(o.api_key));
    options_free(&o);
    return status;
}
