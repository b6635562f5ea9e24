#include "policy.h"

#include <stdio.h>
#include <string.h>

#include "json_put.h"
#include "reason.h"

#define CAPACITY "capacity"

void policy_begin(struct policy *p)
{
    *p = (struct policy){.name = CAPACITY, .version = 1};
    for (unsigned code = 0; code < REASON_CODES; code++)
        p->effects[code] = (unsigned char)reason_describe((enum reason_code)code)->standard;
}

const char *policy_name(const struct policy *p)
{
    return p->name[0] ? p->name : CAPACITY;
}

uint64_t policy_version(const struct policy *p)
{
    return p->name[0] ? p->version : 1;
}

enum reason_effect policy_effect(const struct policy *p, enum reason_code code)
{
    return p->name[0] ? (enum reason_effect)p->effects[code] : reason_describe(code)->standard;
}

size_t policy_count(const struct policy *p, enum reason_effect effect)
{
    size_t n = 0;
    for (unsigned code = REASON_NONE + 1; code < REASON_CODES; code++)
        n += !reason_describe((enum reason_code)code)->always && policy_effect(p, (enum reason_code)code) == effect;
    return n;
}

bool policy_allows_finish(const struct policy *p, const char *finish_reason)
{
    for (size_t i = 0; i < p->finish_count; i++)
        if (strcmp(p->finish_reasons[i], finish_reason) == 0)
            return true;
    return p->finish_count == 0;
}

const char *policy_capture_name(enum policy_capture capture)
{
    return capture == POLICY_CAPTURE_COMPLETE ? "complete" : "first-8192";
}

bool policy_is_changed(const struct policy *p)
{
    return p->without.bits[0] != 0 || p->without.bits[1] != 0 || p->capture_changed || p->strict_timing;
}

static void add_change(char out[POLICY_CHANGES_BYTES], const char *separator, const char *text)
{
    size_t n = strlen(out);
    snprintf(out + n, POLICY_CHANGES_BYTES - n, "%s%s", separator, text);
}

/* As many as there is room for, with what may stand behind them. */
static void add_without(const struct policy *p, char out[POLICY_CHANGES_BYTES])
{
    const char *separator = "without ";
    char more[40];
    size_t left_out = 0;
    for (unsigned code = REASON_NONE + 1; code < REASON_CODES; code++)
        if (reason_set_has(&p->without, (enum reason_code)code)) {
            const char *id = reason_describe((enum reason_code)code)->id;
            if (strlen(out) + strlen(id) + 80 > POLICY_CHANGES_BYTES) {
                left_out++;
                continue;
            }
            add_change(out, separator, id);
            separator = ", ";
        }
    snprintf(more, sizeof more, "%zu more", left_out);
    if (left_out)
        add_change(out, " and ", more);
}

const char *policy_changes(const struct policy *p, char out[POLICY_CHANGES_BYTES])
{
    static const char begin[] = ", changed (";
    out[0] = '\0';
    if (!policy_is_changed(p))
        return out;
    add_change(out, "", begin);
    add_without(p, out);
    if (p->capture_changed)
        add_change(out, out[sizeof begin - 1] ? "; capture " : "capture ", policy_capture_name(p->capture));
    if (p->strict_timing)
        add_change(out, out[sizeof begin - 1] ? "; " : "", "strict timing");
    add_change(out, "", ")");
    return out;
}

enum tt_status policy_without(struct policy *p, const char *id, struct tt_error *err)
{
    enum reason_code code = reason_find(tt_view_str(id));
    if (code == REASON_NONE)
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET,
                       "there is no reason '%.60s'; 'tokentape-analyze reasons' lists them", id);
    if (reason_describe(code)->always)
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET,
                       "no policy can do without %s: there would be nothing to count; leave it out", id);
    if (!p->name[0])
        policy_begin(p);
    if (p->effects[code] == REASON_IGNORED)
        return tt_fail(err, TT_USAGE, TT_NO_OFFSET, "the policy %s does not name the reason %s; leave it out",
                       policy_name(p), id);
    p->effects[code] = REASON_IGNORED;
    reason_set_add(&p->without, code);
    return TT_OK;
}

void policy_set_strict_timing(struct policy *p)
{
    if (!p->name[0])
        policy_begin(p);
    if (p->effects[REASON_CLIENT_LIMITED] == REASON_EXCLUDES)
        return;
    p->effects[REASON_CLIENT_LIMITED] = REASON_EXCLUDES;
    p->strict_timing = true;
}

void policy_set_capture(struct policy *p, enum policy_capture capture)
{
    if (!p->name[0])
        policy_begin(p);
    p->capture_changed = p->capture_changed != (p->capture != capture); /* back again is no change */
    p->capture = capture;
}

static void hash_text(uint64_t *h, const char *text)
{
    do { /* with its end, so that two texts are not one */
        *h = (*h ^ (unsigned char)*text) * 0x100000001b3u;
    } while (*text++);
}

void policy_fingerprint(const struct policy *p, char out[17])
{
    uint64_t h = 0xcbf29ce484222325u;
    for (unsigned code = REASON_NONE + 1; code < REASON_CODES; code++) {
        hash_text(&h, reason_describe((enum reason_code)code)->id);
        hash_text(&h, reason_effect_name(policy_effect(p, (enum reason_code)code)));
    }
    hash_text(&h, policy_capture_name(p->capture));
    for (size_t i = 0; i < p->finish_count; i++)
        hash_text(&h, p->finish_reasons[i]);
    snprintf(out, 17, "%016llx", (unsigned long long)h);
}

void policy_write(const struct policy *p, struct json_out *o)
{
    char fingerprint[17];
    policy_fingerprint(p, fingerprint);
    json_out_object(o);
    json_put_text(o, "capture", policy_capture_name(p->capture));
    json_put_text(o, "fingerprint", fingerprint);
    json_put_text(o, "name", policy_name(p));
    json_put_text(o, "source", p->own ? "file" : "built-in");
    json_put_u64(o, "version", policy_version(p));
    json_out_key(o, "without");
    json_out_array(o);
    for (unsigned code = REASON_NONE + 1; code < REASON_CODES; code++)
        if (reason_set_has(&p->without, (enum reason_code)code))
            json_out_cstring(o, reason_describe((enum reason_code)code)->id);
    json_out_array_end(o);
    json_out_object_end(o);
}
