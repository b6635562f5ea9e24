/* Which command takes what, and how a line of words is taken apart. */
#include <string.h>

#include "arguments_parts.h"

enum { /* which options a command takes */
       TAKES_TAPE = 1,
       TAKES_OUTPUT = 2,
       TAKES_SCHEMA_EXACT = 4,
       TAKES_HEAD = 8,
       TAKES_JSON = 16,
       TAKES_TEXT = 32,
       TAKES_REQUEST = 64,
       TAKES_MASKED = 128,
       TAKES_KEEP = 256,
       TAKES_REQUIRE = 512,
       TAKES_POLICY = 2048,
       TAKES_VARIANTS = 4096,
       TAKES_RUN = 8192, /* and a request, but needs none */
       TAKES_LIMIT = 16384,
       TAKES_LIVE_TAPE = 1024 /* one that may still be written: read in prefix mode, as there is none other for it */
};

static const struct {
    const char *name;
    unsigned takes;
    const char *files; /* what they are; NULL: none */
    unsigned least, most;
} commands[] = {
    [COMMAND_NONE] = {"", 0, NULL, 0, 0},
    [COMMAND_RESULT] = {"result", TAKES_TAPE | TAKES_OUTPUT | TAKES_SCHEMA_EXACT | TAKES_POLICY | TAKES_LIMIT, "a tape",
                        1, 1},
    [COMMAND_SUMMARY] = {"summary", TAKES_TAPE | TAKES_POLICY | TAKES_LIMIT, "a tape", 1, 1},
    [COMMAND_VERIFY] = {"verify", TAKES_TAPE | TAKES_HEAD | TAKES_JSON, "a tape", 1, 1},
    [COMMAND_DUMP] = {"dump", TAKES_TAPE | TAKES_TEXT, "a tape", 1, 1},
    [COMMAND_TIMELINE] = {"timeline", TAKES_TAPE | TAKES_REQUEST | TAKES_JSON, "a tape", 1, 1},
    [COMMAND_FAILURES] = {"failures", TAKES_JSON, NULL, 0, 0},
    [COMMAND_CHECK] = {"check", TAKES_TAPE | TAKES_MASKED | TAKES_JSON | TAKES_POLICY | TAKES_LIMIT,
                       "a tape and a result", 2, 2},
    [COMMAND_REDACT] = {"redact", TAKES_TAPE | TAKES_KEEP, "a tape and a name for the copy", 2, 2},
    [COMMAND_AUDIT] = {"audit", TAKES_REQUIRE | TAKES_JSON, "results", 1, ARGUMENTS_MAX_FILES},
    [COMMAND_FOLLOW] = {"follow", TAKES_LIVE_TAPE | TAKES_JSON, "a tape", 1, 1},
    [COMMAND_WHATIF] = {"whatif", TAKES_TAPE | TAKES_POLICY | TAKES_LIMIT | TAKES_VARIANTS | TAKES_JSON, "tapes", 1,
                        ARGUMENTS_MAX_ARMS},
    [COMMAND_DIFF] = {"diff", TAKES_MASKED | TAKES_JSON, "two results", 2, 2},
    [COMMAND_POLICIES] = {"policies", TAKES_JSON, "the name of a policy", 0, 1},
    [COMMAND_EXPLAIN] = {"explain", TAKES_TAPE | TAKES_RUN | TAKES_POLICY | TAKES_LIMIT | TAKES_JSON, "a tape", 1, 64},
    [COMMAND_REASONS] = {"reasons", TAKES_JSON, NULL, 0, 0},
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

struct option {
    const char *name;
    char letter;
    unsigned needs;                                             /* 0: every command takes it */
    size_t flag;                                                /* offset of the bool it sets, when it has no value */
    enum tt_status (*set)(struct parser *p, const char *value); /* NULL: a flag */
    unsigned repeats;                                           /* which commands take it more than once */
};

#define FLAG(field) offsetof(struct arguments, field)

static const struct option options[] = {
    {"help", 'h', 0, FLAG(help), NULL, 0},
    {"version", 0, 0, FLAG(version), NULL, 0},
    {"quiet", 'q', 0, FLAG(quiet), NULL, 0},
    {"verbose", 'v', 0, FLAG(verbose), NULL, 0},
    {"output", 'o', TAKES_OUTPUT, 0, arguments_set_output, 0},
    {"schema-exact", 0, TAKES_SCHEMA_EXACT, FLAG(schema_exact), NULL, 0},
    {"head", 0, TAKES_HEAD, 0, arguments_set_head, 0},
    {"json", 0, TAKES_JSON, FLAG(json), NULL, 0},
    {"text", 0, TAKES_TEXT, FLAG(text), NULL, 0},
    {"request", 0, TAKES_REQUEST | TAKES_RUN, 0, arguments_set_request, 0},
    {"mode", 0, TAKES_TAPE, 0, arguments_set_mode, 0},
    {"masked", 0, TAKES_MASKED, 0, arguments_set_masked, TAKES_MASKED},
    {"ulp", 0, TAKES_MASKED, 0, arguments_set_ulp, 0},
    {"max-client-error", 0, TAKES_LIMIT, 0, arguments_set_max_client_error, 0},
    {"strict-timing", 0, TAKES_LIMIT, FLAG(strict_timing), NULL, 0},
    {"keep", 0, TAKES_KEEP, 0, arguments_set_keep, 0},
    {"require", 0, TAKES_REQUIRE, 0, arguments_set_require, 0},
    {"list", 0, TAKES_REQUIRE, FLAG(list), NULL, 0},
    {"run", 0, TAKES_RUN, FLAG(run), NULL, 0},
    {"policy", 0, TAKES_POLICY, 0, arguments_set_policy, TAKES_VARIANTS},
    {"without", 0, TAKES_VARIANTS, 0, arguments_set_without, TAKES_VARIANTS},
    {"full-capture", 0, TAKES_VARIANTS, FLAG(full_capture), NULL, 0},
    {"interval", 0, TAKES_LIVE_TAPE, 0, arguments_set_interval, 0},
    {"once", 0, TAKES_LIVE_TAPE, FLAG(once), NULL, 0},
    {"wait", 0, TAKES_LIVE_TAPE, FLAG(wait), NULL, 0},
};

_Static_assert(sizeof options / sizeof options[0] <= ARGUMENTS_OPTIONS, "each has a place in what was seen");

static const struct option *find_option(const char *name, size_t n)
{
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        if (strlen(options[i].name) == n && memcmp(options[i].name, name, n) == 0)
            return &options[i];
    return NULL;
}

static const struct option *find_letter(char letter)
{
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        if (options[i].letter && options[i].letter == letter)
            return &options[i];
    return NULL;
}

static enum tt_status apply(struct parser *p, const struct option *o, const char *shown, const char *value)
{
    enum command command = p->out->command;
    if (o->needs && !(commands[command].takes & o->needs))
        return tt_fail(p->err, TT_USAGE, TT_NO_OFFSET, "%s is no option of %s; see tokentape-analyze %s --help", shown,
                       command ? commands[command].name : "tokentape-analyze itself", commands[command].name);
    bool *seen = &p->seen[o - options];
    if (*seen && !(commands[command].takes & o->repeats))
        return tt_fail(p->err, TT_USAGE, TT_NO_OFFSET, "%s is given twice; keep one", shown);
    *seen = true;
    if (!o->set) {
        if (value)
            return tt_fail(p->err, TT_USAGE, TT_NO_OFFSET, "%s takes no value; leave '=%.40s' out", shown, value);
        *(bool *)((char *)p->out + o->flag) = true;
        return TT_OK;
    }
    if (!value && p->at < p->argc)
        value = p->argv[p->at++];
    if (!value)
        return tt_fail(p->err, TT_USAGE, TT_NO_OFFSET, "%s needs a value; put it behind the option", shown);
    return o->set(p, value);
}

static enum tt_status unknown(struct parser *p, const char *arg)
{
    return tt_fail(p->err, TT_USAGE, TT_NO_OFFSET, "unknown option %.80s; see tokentape-analyze %s%s--help", arg,
                   commands[p->out->command].name, p->out->command ? " " : "");
}

static enum tt_status take_long(struct parser *p, const char *arg)
{
    size_t n = strcspn(arg + 2, "=");
    const struct option *o = find_option(arg + 2, n);
    char shown[24] = "--";
    if (!o)
        return unknown(p, arg);
    memcpy(shown + 2, o->name, strlen(o->name) + 1);
    return apply(p, o, shown, arg[2 + n] == '=' ? arg + 2 + n + 1 : NULL);
}

/* -q and -qv; -o FILE and -oFILE. */
static enum tt_status take_letters(struct parser *p, const char *arg)
{
    for (const char *c = arg + 1; *c; c++) {
        const struct option *o = find_letter(*c);
        const char shown[3] = {'-', *c, 0};
        if (!o)
            return unknown(p, arg);
        bool attached = o->set && c[1];
        enum tt_status st = apply(p, o, shown, attached ? c + 1 : NULL);
        if (st != TT_OK || attached)
            return st;
    }
    return TT_OK;
}

static enum tt_status take_word(struct parser *p, const char *arg)
{
    struct arguments *a = p->out;
    if (a->command == COMMAND_NONE) {
        for (size_t i = 1; i < COMMANDS; i++)
            if (strcmp(arg, commands[i].name) == 0)
                a->command = (enum command)i;
        if (a->command != COMMAND_NONE)
            return TT_OK;
        return tt_fail(p->err, TT_USAGE, TT_NO_OFFSET, "unknown command '%.40s'; see tokentape-analyze --help", arg);
    }
    const char *name = commands[a->command].name, *files = commands[a->command].files;
    if (!files)
        return tt_fail(p->err, TT_USAGE, TT_NO_OFFSET, "'%.200s': %s reads no file; leave it out", arg, name);
    if (a->file_count == commands[a->command].most)
        return tt_fail(p->err, TT_USAGE, TT_NO_OFFSET, "'%.200s' is one file too many: %s reads %s, %u at the most",
                       arg, name, files, commands[a->command].most);
    if (a->file_count == 0 && (commands[a->command].takes & (TAKES_TAPE | TAKES_LIVE_TAPE)))
        a->tape = arg;
    a->files[a->file_count++] = arg;
    return TT_OK;
}

static enum tt_status check(struct parser *p)
{
    const struct arguments *a = p->out;
    const char *name = commands[a->command].name;
    if (a->help || a->version)
        return TT_OK;
    if (a->command == COMMAND_NONE)
        return tt_fail(p->err, TT_USAGE, TT_NO_OFFSET, "no command; see tokentape-analyze --help");
    if (a->list && a->file_count > 0)
        return tt_fail(p->err, TT_USAGE, TT_NO_OFFSET, "'%.200s': %s --list reads no file; leave it out", a->files[0],
                       name);
    if (a->file_count < commands[a->command].least && !a->list)
        return tt_fail(p->err, TT_USAGE, TT_NO_OFFSET, "%s needs %s; give the file name%s", name,
                       commands[a->command].files, commands[a->command].most > 1 ? "s" : "");
    if ((commands[a->command].takes & TAKES_REQUEST) && !a->has_request)
        return tt_fail(p->err, TT_USAGE, TT_NO_OFFSET, "%s needs a request; give --request N", name);
    if ((commands[a->command].takes & TAKES_KEEP) && !a->has_keep)
        return tt_fail(p->err, TT_USAGE, TT_NO_OFFSET,
                       "%s needs to know what stays; give --keep timing, structure or all-but-prompts", name);
    if ((commands[a->command].takes & TAKES_VARIANTS) &&
        a->policy_count + a->without_count + a->full_capture + a->strict_timing == 0)
        return tt_fail(p->err, TT_USAGE, TT_NO_OFFSET,
                       "%s needs something to change; give --policy, --without, --full-capture or --strict-timing",
                       name);
    if ((commands[a->command].takes & TAKES_RUN) && a->file_count > 1 && (!a->run || a->has_request))
        return tt_fail(p->err, TT_USAGE, TT_NO_OFFSET,
                       "'%.200s': several tapes are compared as runs; give --run without --request, or one tape",
                       a->files[1]);
    if (a->quiet && a->verbose)
        return tt_fail(p->err, TT_USAGE, TT_NO_OFFSET, "--quiet and --verbose exclude each other; leave one out");
    if (a->once && (a->wait || a->interval_ms))
        return tt_fail(p->err, TT_USAGE, TT_NO_OFFSET, "--once waits for nothing: leave %s out",
                       a->wait ? "--wait" : "--interval");
    return TT_OK;
}

enum tt_status arguments_parse(int argc, char *const *argv, struct arguments *out, struct tt_error *err)
{
    struct parser p = {.argc = argc, .at = 1, .argv = argv, .out = out, .err = err};
    *out = (struct arguments){.mode = READER_PREFIX, .client_limit = CLIENT_LIMIT_DEFAULT};
    while (p.at < argc) {
        const char *arg = argv[p.at++];
        enum tt_status st = TT_OK;
        if (p.options_ended || arg[0] != '-' || arg[1] == 0)
            st = take_word(&p, arg);
        else if (strcmp(arg, "--") == 0)
            p.options_ended = true;
        else
            st = arg[1] == '-' ? take_long(&p, arg) : take_letters(&p, arg);
        if (st != TT_OK)
            return st;
    }
    return check(&p);
}
