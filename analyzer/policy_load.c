/* Policies by name, by file, and as a result claims to be made under one. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "json_tree.h"
#include "policy_parts.h"

static const struct policy_built_in built_ins[] = {
    {"capacity", policy_capacity_text},
    {"serving-comparison", policy_serving_comparison_text},
};
enum { BUILT_INS = sizeof built_ins / sizeof *built_ins };

const struct policy_built_in *policy_built_ins(size_t *n)
{
    *n = BUILT_INS;
    return built_ins;
}

const char *policy_built_in_text(const char *name)
{
    for (size_t i = 0; i < BUILT_INS; i++)
        if (strcmp(name, built_ins[i].name) == 0)
            return built_ins[i].text;
    return NULL;
}

enum tt_status policy_wrong(struct tt_error *err, const char *fmt, ...)
{
    char line[sizeof err->line];
    va_list args;
    va_start(args, fmt);
    vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    return tt_fail(err, TT_USAGE, TT_NO_OFFSET, "%s", line);
}

static enum tt_status read_text(struct policy *p, const char *text, struct tt_error *err)
{
    struct json_tree *tree;
    enum tt_status st = json_tree_parse(&tree, tt_view_str(text), err);
    if (st != TT_OK)
        return st;
    st = policy_read(p, json_tree_root(tree), false, err);
    json_tree_free(tree);
    return st;
}

/* A document that is none is as wrong as one that breaks a rule; a file that cannot be read is neither. */
static enum tt_status load_file(struct policy *p, const char *path, struct tt_error *err)
{
    struct json_tree *tree;
    enum tt_status st = json_tree_load(&tree, path, POLICY_MAX_BYTES, err);
    if (st == TT_MALFORMED && err->offset != TT_NO_OFFSET)
        return policy_wrong(err, "%s at byte %llu; 'tokentape-analyze policies capacity' shows a policy", err->line,
                            (unsigned long long)err->offset);
    if (st == TT_MALFORMED || st == TT_LIMIT)
        return policy_wrong(err, "%s; 'tokentape-analyze policies capacity' shows a policy", err->line);
    if (st != TT_OK)
        return st;
    st = policy_read(p, json_tree_root(tree), true, err);
    json_tree_free(tree);
    return st == TT_OK ? TT_OK : tt_wrap(err, "policy %.200s", path);
}

enum tt_status policy_load(struct policy *p, const char *name_or_file, struct tt_error *err)
{
    const char *text = policy_built_in_text(name_or_file);
    if (text)
        return read_text(p, text, err);
    if (strpbrk(name_or_file, "/."))
        return load_file(p, name_or_file, err);
    return policy_wrong(err, "there is no policy '%.60s'; give capacity, serving-comparison or a file (./NAME)",
                        name_or_file);
}
