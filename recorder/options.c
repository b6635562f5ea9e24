#include "options_table.h"

#include <stdlib.h>

#include "text.h"

static const struct flag *find(struct flag_table table, const char *name, size_t n)
{
    for (size_t i = 0; i < table.count; i++)
        if (strlen(table.flags[i].name) == n && memcmp(table.flags[i].name, name, n) == 0)
            return &table.flags[i];
    return NULL;
}

static enum tt_status unknown(struct flag_table table, const char *arg, size_t n, struct tt_error *err)
{
    char shown[TEXT_SHOWN_BYTES], name[64];
    size_t cut = n < sizeof name ? n : sizeof name - 1;
    memcpy(name, arg, cut);
    name[cut] = '\0';
    const char *nearest = options_nearest(table, arg, n);
    return tt_fail(err, TT_USAGE, TT_NO_OFFSET, "%s: no such flag: %s%s%s", text_shown(name, shown),
                   nearest ? "did you mean " : "see --help for the flags", nearest ? nearest : "", nearest ? "?" : "");
}

/* A stray argument may be half of a URL with a password or a key: it is counted, not shown. */
static enum tt_status stray(int position, struct tt_error *err)
{
    return tt_fail(err, TT_USAGE, TT_NO_OFFSET,
                   "argument %d belongs to no flag: quote values that hold spaces, and name each value's flag (--help)",
                   position);
}

/* -q, -v, -vv; false when it is none of them */
static bool short_flags(const char *arg, struct options *o)
{
    if (arg[1] == '\0')
        return false;
    size_t quiet = 0, verbose = 0;
    for (const char *p = arg + 1; *p; p++) {
        quiet += *p == 'q';
        verbose += *p == 'v';
    }
    if (quiet + verbose != strlen(arg) - 1)
        return false;
    o->quiet = o->quiet || quiet > 0;
    o->verbose += (unsigned)verbose;
    return true;
}

/* One long flag at argv[*i], and its value. */
static enum tt_status long_flag(int argc, char **argv, int *i, struct given *g, struct tt_error *err)
{
    const char *arg = argv[*i];
    const char *equals = strchr(arg, '=');
    size_t n = equals ? (size_t)(equals - arg) : strlen(arg);
    struct flag_table table = options_flags(g->o.command);
    const struct flag *flag = find(table, arg, n);
    if (!flag)
        return unknown(table, arg, n, err);
    bool *seen = &g->seen[flag - table.flags];
    if (*seen && flag->kind != FLAG_LIST)
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET, "%s is given twice: keep one", flag->name);
    *seen = true;
    const char *value = equals ? equals + 1 : NULL;
    if (flag->kind == FLAG_SWITCH && value)
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET, "%s takes no value: leave out what follows '='", flag->name);
    if (flag->kind != FLAG_SWITCH && !value) {
        if (*i + 1 >= argc || strncmp(argv[*i + 1], "--", 2) == 0)
            return tt_fail(err, TT_USAGE, TT_NO_OFFSET, "%s has no value: write %s VALUE, or %s=VALUE", flag->name,
                           flag->name, flag->name);
        value = argv[++*i];
    }
    return options_take(g, flag, value, err);
}

static bool asks(const char *arg, const char *name, const char *letter, enum options_action says,
                 enum options_action *action)
{
    if (strcmp(arg, name) != 0 && strcmp(arg, letter) != 0)
        return false;
    *action = says;
    return true;
}

static bool asks_for_words(const char *arg, enum options_action *action)
{
    return asks(arg, "--help", "-h", OPTIONS_HELP, action) || asks(arg, "--version", "-V", OPTIONS_VERSION, action);
}

static enum tt_status take_all(int argc, char **argv, struct given *g, enum options_action *action,
                               struct tt_error *err)
{
    for (int i = 2; i < argc; i++) {
        const char *arg = argv[i];
        if (asks_for_words(arg, action))
            return TT_OK;
        if (strcmp(arg, "--verbose") == 0) {
            g->o.verbose++;
            continue;
        }
        if (arg[0] == '-' && arg[1] != '-' && short_flags(arg, &g->o))
            continue;
        if (arg[0] == '-' && arg[1] != '-' && arg[1] != '\0')
            return unknown(options_flags(g->o.command), arg, strlen(arg) < 3 ? strlen(arg) : 2, err);
        if (strncmp(arg, "--", 2) != 0)
            return stray(i, err);
        enum tt_status code = long_flag(argc, argv, &i, g, err);
        if (code != TT_OK)
            return code;
    }
    return TT_OK;
}

static const struct options defaults = {
    .requests = 60,
    .concurrency = 20,
    .connect_rate = 1000,
    .shared_prefix_tokens = 8000,
    .max_tokens = 64,
    .margin = 1024,
    .timeout_s = 900,
    .chars_per_token = 3.0,
    .done_grace_s = 5,
    .keep_bodies = true,
    .calibration = {.rate = 50, .duration_s = 3, .max_error_ms = 1, .dir = "."},
};

#define CALIBRATE_STREAMS 64

static enum tt_status take_command(int argc, char **argv, struct options *o, enum options_action *action,
                                   struct tt_error *err)
{
    if (argc < 2)
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET,
                       "no command: write tokentape-record capacity --base-url URL --model "
                       "NAME, or --help for all flags");
    char shown[TEXT_SHOWN_BYTES];
    if (asks_for_words(argv[1], action) || strcmp(argv[1], "capacity") == 0)
        return TT_OK;
    if (strcmp(argv[1], "calibrate") == 0) {
        o->command = COMMAND_CALIBRATE;
        o->concurrency = CALIBRATE_STREAMS;
        return TT_OK;
    }
    return tt_fail(err, TT_USAGE, TT_NO_OFFSET,
                   "%s: no such command: the commands are capacity and calibrate; see --help",
                   argv[1][0] == '-' ? "the flags come after the command" : text_shown(argv[1], shown));
}

enum tt_status options_parse(int argc, char **argv, const char *utc_start, struct options *out,
                             enum options_action *action, struct tt_error *err)
{
    struct given g = {.o = defaults};
    memset(out, 0, sizeof *out);
    *action = OPTIONS_RUN;
    enum tt_status code = take_command(argc, argv, &g.o, action, err);
    if (code == TT_OK && *action == OPTIONS_RUN)
        code = take_all(argc, argv, &g, action, err);
    if (code == TT_OK && *action == OPTIONS_RUN)
        code = g.o.command == COMMAND_CALIBRATE ? options_check_calibrate(&g, err) : options_check(&g, utc_start, err);
    if (code == TT_OK)
        *out = g.o;
    else
        options_free(&g.o);
    return code;
}

void options_free(struct options *o)
{
    if (!o)
        return;
    if (o->api_key)
        explicit_bzero(o->api_key, strlen(o->api_key));
    free(o->api_key);
    free(o->base_url);
    free(o->chat_url);
    free(o->models_url);
    secret_free(o->chat_target);
    secret_free(o->models_target);
    transport_free(&o->transport);
    free(o->seed);
    free(o->tape_path);
    memset(o, 0, sizeof *o);
}
