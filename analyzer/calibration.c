#include "calibration.h"

#include <math.h>
#include <string.h>

#include "json_put.h"

#define MS_NS 1000000u

enum field_type { FIELD_TEXT, FIELD_BOOL, FIELD_U64, FIELD_REAL };

/* Sorted, as they are written. */
static const struct field {
    const char *key;
    enum field_type type;
    size_t offset;
} fields[] = {
    {"arrivals", FIELD_TEXT, offsetof(struct calibration, arrivals)},
    {"cpus", FIELD_U64, offsetof(struct calibration, cpus)},
    {"duration_s", FIELD_REAL, offsetof(struct calibration, duration_s)},
    {"early", FIELD_U64, offsetof(struct calibration, early)},
    {"endpoint_cpu_ns", FIELD_U64, offsetof(struct calibration, endpoint_cpu_ns)},
    {"endpoint_pace", FIELD_REAL, offsetof(struct calibration, endpoint_pace)},
    {"events", FIELD_U64, offsetof(struct calibration, events)},
    {"events_planned", FIELD_U64, offsetof(struct calibration, events_planned)},
    {"failed_requests", FIELD_U64, offsetof(struct calibration, failed_requests)},
    {"lost_reads", FIELD_U64, offsetof(struct calibration, lost_reads)},
    {"masking", FIELD_BOOL, offsetof(struct calibration, masking)},
    {"max_ns", FIELD_U64, offsetof(struct calibration, max_ns)},
    {"over_1ms", FIELD_U64, offsetof(struct calibration, over_1ms)},
    {"over_5ms", FIELD_U64, offsetof(struct calibration, over_5ms)},
    {"p50_ns", FIELD_U64, offsetof(struct calibration, p50_ns)},
    {"p90_ns", FIELD_U64, offsetof(struct calibration, p90_ns)},
    {"p99_9_ns", FIELD_U64, offsetof(struct calibration, p99_9_ns)},
    {"p99_ns", FIELD_U64, offsetof(struct calibration, p99_ns)},
    {"rate", FIELD_REAL, offsetof(struct calibration, rate)},
    {"reads", FIELD_U64, offsetof(struct calibration, reads)},
    {"recorder_cpu_ns", FIELD_U64, offsetof(struct calibration, recorder_cpu_ns)},
    {"span_ns", FIELD_U64, offsetof(struct calibration, span_ns)},
    {"streams", FIELD_U64, offsetof(struct calibration, streams)},
};

enum { FIELDS = sizeof fields / sizeof *fields };

const char *calibration_when_name(enum calibration_when when)
{
    static const char *const names[CALIBRATION_WHENS] = {
        [CALIBRATION_AFTER] = "after", [CALIBRATION_ALONE] = "alone", [CALIBRATION_BEFORE] = "before"};
    return names[when];
}

static bool read_text(char out[CALIBRATION_ARRIVALS_BYTES], const struct json_node *n)
{
    if (n->type != JSON_STRING || n->text.n >= CALIBRATION_ARRIVALS_BYTES || memchr(n->text.p, 0, n->text.n))
        return false;
    memcpy(out, n->text.p, n->text.n);
    out[n->text.n] = '\0';
    return true;
}

static bool read_real(struct opt_real *out, const struct json_node *n)
{
    out->has = json_node_double(n, &out->v);
    return n->type == JSON_NULL || (out->has && isfinite(out->v) && out->v > 0);
}

static bool read_field(struct calibration *c, const struct field *f, const struct json_node *n)
{
    void *at = (char *)c + f->offset;
    if (!n)
        return false;
    switch (f->type) {
    case FIELD_TEXT:
        return read_text(at, n);
    case FIELD_BOOL:
        *(bool *)at = n->type == JSON_TRUE;
        return n->type == JSON_TRUE || n->type == JSON_FALSE;
    case FIELD_U64:
        return json_node_u64(n, at);
    case FIELD_REAL:
        break;
    }
    return read_real(at, n);
}

/* Of n events, `over` are later than the limit, and so is the one at that rank or it is not. */
static bool rank_fits(uint64_t n, unsigned per_mille, uint64_t ns, uint64_t limit_ns, uint64_t over)
{
    uint64_t rank = n / 1000 * per_mille + (n % 1000 * per_mille + 999) / 1000;
    return ns > limit_ns ? over > n - rank : over <= n - rank;
}

static bool errors_fit(const struct calibration *c)
{
    const uint64_t ns[] = {c->p50_ns, c->p90_ns, c->p99_ns, c->p99_9_ns, c->max_ns};
    static const unsigned per_mille[] = {500, 900, 990, 999, 1000};
    if (c->events == 0)
        return c->max_ns == 0 && c->over_1ms == 0;
    for (size_t i = 0; i < sizeof ns / sizeof *ns; i++)
        if ((i > 0 && ns[i] < ns[i - 1]) || !rank_fits(c->events, per_mille[i], ns[i], MS_NS, c->over_1ms) ||
            !rank_fits(c->events, per_mille[i], ns[i], 5 * MS_NS, c->over_5ms))
            return false;
    return true;
}

static bool load_fits(const struct calibration *c)
{
    bool flood = strcmp(c->arrivals, "flood") == 0;
    if (!flood && strcmp(c->arrivals, "spread") != 0 && strcmp(c->arrivals, "step") != 0)
        return false;
    return c->rate.has == !flood && c->duration_s.has == !flood && c->streams > 0 && c->cpus > 0 &&
           c->events_planned > 0 && c->events_planned % c->streams == 0 && c->endpoint_pace.has &&
           c->endpoint_pace.v <= 1;
}

bool calibration_read(struct calibration *c, const struct json_node *object)
{
    *c = (struct calibration){.masking = false};
    if (!object || object->type != JSON_OBJECT_BEGIN)
        return false;
    for (size_t i = 0; i < FIELDS; i++)
        if (!read_field(c, &fields[i], json_node_get(object, fields[i].key)))
            return false;
    return load_fits(c) && c->events <= c->events_planned && c->early <= c->events && c->over_5ms <= c->over_1ms &&
           c->over_1ms <= c->events && c->failed_requests <= c->streams && (c->events == 0 || c->reads > 0) &&
           errors_fit(c);
}

/* CALIBRATION_WHENS: at no time that there is. */
static enum calibration_when when_of(const struct json_node *object)
{
    const struct json_node *when = json_node_get(object, "when");
    if (!when)
        return CALIBRATION_ALONE;
    for (unsigned i = 0; i < CALIBRATION_WHENS; i++)
        if (i != CALIBRATION_ALONE && when->type == JSON_STRING &&
            tt_view_equal(when->text, calibration_when_name((enum calibration_when)i)))
            return (enum calibration_when)i;
    return CALIBRATION_WHENS;
}

static bool take(struct calibrations *all, const struct json_node *object)
{
    struct calibration c;
    if (!calibration_read(&c, object))
        return false;
    enum calibration_when when = when_of(object);
    if (when == CALIBRATION_WHENS || all->has[when])
        return false;
    all->at[when] = c;
    all->has[when] = true;
    return true;
}

enum tt_status calibration_take(struct calibrations *all, struct tt_view detail)
{
    struct json_tree *tree = NULL;
    struct tt_error err;
    enum tt_status st = TT_MALFORMED;
    if (detail.p && detail.n <= CALIBRATION_MAX_BYTES)
        st = json_tree_parse(&tree, detail, &err);
    if (st == TT_NOMEM)
        return st;
    if (st != TT_OK || !take(all, json_tree_root(tree)))
        all->damaged++;
    json_tree_free(tree);
    return TT_OK;
}

void calibration_write(const struct calibration *c, struct json_out *o)
{
    json_out_object(o);
    for (size_t i = 0; i < FIELDS; i++) {
        const void *at = (const char *)c + fields[i].offset;
        const struct opt_real *real = at;
        json_out_key(o, fields[i].key);
        if (fields[i].type == FIELD_TEXT)
            json_out_cstring(o, at);
        else if (fields[i].type == FIELD_BOOL)
            json_out_bool(o, *(const bool *)at);
        else if (fields[i].type == FIELD_U64)
            json_out_u64(o, *(const uint64_t *)at);
        else if (real->has)
            json_out_double(o, real->v);
        else
            json_out_null(o);
    }
    json_out_object_end(o);
}
