/* What `check` says to programs. */
#include "check.h"

#include "json_put.h"

static const char *verdict_name(const struct check_report *r)
{
    if (r->list.count > 0)
        return "does_not_hold";
    return r->masks.differences > 0 ? "holds_except_masked" : "holds";
}

static void put_difference(struct json_out *json, const struct difference *d)
{
    json_out_object(json);
    json_put_text(json, "from_tape", d->kind == DIFF_EXTRA ? NULL : d->ours);
    json_put_text(json, "in_result", d->kind == DIFF_MISSING ? NULL : d->claimed);
    json_put_text(json, "kind", difference_kind_name(d->kind));
    json_put_text(json, "path", d->path);
    json_put_opt_u64(json, "request_index", (struct opt_u64){d->has_request, d->request});
    json_put_opt_u64(json, "ulp", (struct opt_u64){d->is_number, d->ulps});
    json_out_object_end(json);
}

/* What the run was judged with, as in trace.timing. */
static void put_limit(struct json_out *json, const struct run *run)
{
    json_out_key(json, "client_limited");
    json_out_object(json);
    json_put_double(json, "limit_ms", client_limit_ms(&run->client_limit));
    json_put_double(json, "limit_percent", client_limit_percent(&run->client_limit));
    json_put_bool(json, "strict", policy_effect(&run->policy, REASON_CLIENT_LIMITED) == REASON_EXCLUDES);
    json_out_object_end(json);
}

void check_write_json(const struct check_report *report, const struct run *run, const struct check_names *names,
                      const struct difference_options *options, struct json_out *json)
{
    static const char *const heads[] = {
        [ARTIFACT_HEADS_UNKNOWN] = "not_compared", [ARTIFACT_HEADS_SAME] = "same", [ARTIFACT_HEADS_DIFFER] = "differs"};
    json_out_object(json);
    put_limit(json, run);
    json_put_u64(json, "compared", report->compared);
    json_put_u64(json, "differences", report->list.count);
    json_put_text(json, "head", heads[report->heads]);
    json_out_key(json, "listed");
    json_out_array(json);
    for (size_t i = 0; i < report->list.kept_count; i++)
        put_difference(json, &report->list.kept[i]);
    json_out_array_end(json);
    json_put_text(json, "made_by", report->made_by[0] ? report->made_by : NULL);
    masks_put(&report->masks, json);
    json_out_key(json, "policy");
    policy_write(&run->policy, json);
    json_put_text(json, "result", names->result);
    json_put_text(json, "tape", names->tape);
    json_put_text(json, "tape_state", reader_state_name(run->tape.state));
    json_put_opt_u64(json, "ulp", (struct opt_u64){options->by_value, options->ulp});
    json_put_text(json, "verdict", verdict_name(report));
    json_out_object_end(json);
}
