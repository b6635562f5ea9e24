/* Labels of time, and the wall clock against the monotonic one. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "audit_parts.h"
#include "utc.h"

/* A clock that is being disciplined runs up to 500 ppm fast or slow; reading the two takes time, too. */
#define SLEW 500e-6
#define READING_MS 10.0

static const char *text_of(const struct json_node *root, const char *key)
{
    const struct json_node *n = json_node_get(root, key);
    return n && n->type == JSON_STRING ? (const char *)n->text.p : "";
}

static void check_label(struct audit *a, const char *key, const char *key_ns)
{
    struct opt_u64 unix_ns = audit_count(a->root, key_ns);
    char label[UTC_BYTES];
    uint64_t seconds;
    if (json_node_get(a->root, key))
        audit_expect(a, utc_parse(text_of(a->root, key), &seconds), "%s %.40s is no UTC time", key,
                     text_of(a->root, key));
    if (!unix_ns.has)
        return;
    utc_format(unix_ns.v, label);
    audit_expect_text(a, "", a->root, key, label);
}

/* run_id is the compact form of started_at. */
static void check_run_id(struct audit *a)
{
    char id[80] = "benchmark-";
    size_t n = strlen(id);
    for (const char *p = text_of(a->root, "started_at"); *p && n < sizeof id - 1; p++)
        if (*p != '-' && *p != ':')
            id[n++] = *p;
    id[n] = '\0';
    audit_expect_text(a, "", a->root, "run_id", id);
}

/* Alone, it has to be a time at least. */
static void check_lone_run_id(struct audit *a)
{
    const char *id = text_of(a->root, "run_id");
    char label[UTC_BYTES] = "";
    uint64_t seconds;
    if (strlen(id) == strlen("benchmark-yyyymmddThhmmssZ"))
        snprintf(label, sizeof label, "%.4s-%.2s-%.5s:%.2s:%.3s", id + 10, id + 14, id + 16, id + 21, id + 23);
    audit_expect(a, strncmp(id, "benchmark-", 10) == 0 && utc_parse(label, &seconds), "run_id %.60s names no time", id);
    audit_cannot(a, "no started_at to compare run_id with");
}

void audit_labels(struct audit *a)
{
    if (!json_node_get(a->root, "started_at")) {
        check_lone_run_id(a);
        return;
    }
    check_label(a, "started_at", "started_at_unix_ns");
    check_label(a, "finished_at", "finished_at_unix_ns");
    check_run_id(a);
    if (json_node_get(a->root, "timestamp_precision"))
        audit_expect_text(a, "", a->root, "timestamp_precision",
                          "nanosecond-unix-fields; ISO labels are second precision");
}

void audit_wall(struct audit *a)
{
    struct opt_u64 from = audit_count(a->root, "started_at_unix_ns"), to = audit_count(a->root, "finished_at_unix_ns");
    struct opt_double wall = audit_double(a->root, "wall_clock_ms");
    uint64_t from_s, to_s;
    double apart, slack = READING_MS;
    if (!wall.has || !utc_parse(text_of(a->root, "started_at"), &from_s) ||
        !utc_parse(text_of(a->root, "finished_at"), &to_s))
        return;
    if (from.has && to.has) {
        apart = to.v >= from.v ? (double)(to.v - from.v) / 1e6 : -(double)(from.v - to.v) / 1e6;
    } else {
        apart = ((double)to_s - (double)from_s) * 1e3;
        slack += 1000; /* whole seconds, cut at both ends */
    }
    audit_expect(
        a, wall.v >= 0 && fabs(apart - wall.v) <= slack + SLEW * wall.v,
        "started_at and finished_at are %.9g ms apart, wall_clock_ms is %.9g: the clock was set meanwhile, or one "
        "of them was edited",
        apart, wall.v);
}
