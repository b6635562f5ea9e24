/* What `diff` says to programs. */
#include "diff.h"
#include "json_put.h"

static void put_list(struct json_out *json, const char *key, const struct difference_list *list)
{
    json_out_key(json, key);
    json_out_array(json);
    for (size_t i = 0; i < list->kept_count; i++) {
        const struct difference *d = &list->kept[i];
        json_out_object(json);
        json_put_text(json, "a", d->kind == DIFF_MISSING ? NULL : d->claimed);
        json_put_text(json, "b", d->kind == DIFF_EXTRA ? NULL : d->ours);
        json_put_text(json, "kind", difference_kind_name(d->kind));
        json_put_text(json, "path", d->path);
        json_put_opt_u64(json, "request_index", (struct opt_u64){d->has_request, d->request});
        json_put_opt_u64(json, "ulp", (struct opt_u64){d->is_number, d->ulps});
        json_out_object_end(json);
    }
    json_out_array_end(json);
}

static void put_maker(struct json_out *json, const char *key, const struct diff_maker *m, const char *name)
{
    json_out_key(json, key);
    json_out_object(json);
    json_put_text(json, "analyzer_version", m->analyzer[0] ? m->analyzer : NULL);
    json_put_text(json, "fingerprint", m->fingerprint[0] ? m->fingerprint : NULL);
    json_put_text(json, "generation", artifact_generation_name(m->generation));
    json_put_text(json, "policy", m->policy[0] ? m->policy : NULL);
    json_put_text(json, "result", name);
    json_out_object_end(json);
}

static void put_contradictions(struct json_out *json, const struct diff_report *r)
{
    json_out_key(json, "contradictions");
    json_out_array(json);
    for (size_t i = 0; i < r->contradiction_count; i++) {
        const struct diff_contradiction *d = &r->contradictions[i];
        json_out_object(json);
        json_put_text(json, "invariant", d->invariant);
        json_put_text(json, "result", d->side ? "b" : "a");
        json_put_text(json, "text", d->text);
        json_out_object_end(json);
    }
    json_out_array_end(json);
}

/* Of the differences; `moved` counts places, the list at "moved" has the requests. */
static void put_counts(struct json_out *json, const struct diff_report *r)
{
    static const struct {
        const char *name;
        enum diff_class class;
    } names[] = {{"derived", DIFF_DERIVED}, {"form", DIFF_FORM},  {"headline", DIFF_HEADLINE},
                 {"moved", DIFF_MOVED},     {"rules", DIFF_RULE}, {"unexplained", DIFF_UNEXPLAINED}};
    json_out_key(json, "counts");
    json_out_object(json);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        json_put_u64(json, names[i].name, r->counts[names[i].class]);
    json_out_object_end(json);
}

static void put_headlines(struct json_out *json, const struct diff_report *r)
{
    json_out_key(json, "headline");
    json_out_array(json);
    for (size_t i = 0; i < HEADLINES; i++)
        if (r->headline_differs[i])
            headline_put(json, i, &r->headlines[0][i], &r->headlines[1][i]);
    json_out_array_end(json);
}

void diff_write_json(const struct diff_report *r, const struct diff_names *names,
                     const struct difference_options *options, struct json_out *json)
{
    json_out_object(json);
    put_maker(json, "a", &r->makers[0], names->of[0]);
    put_maker(json, "b", &r->makers[1], names->of[1]);
    json_put_u64(json, "compared", r->compared);
    put_contradictions(json, r);
    put_counts(json, r);
    put_list(json, "derived", &r->derived);
    json_put_u64(json, "differences", r->differences);
    json_put_text(json, "head", r->head[0] ? r->head : NULL);
    put_headlines(json, r);
    masks_put(&r->masks, json);
    json_out_key(json, "moved");
    moves_put(r->moves, r->move_count, json);
    json_out_key(json, "noted");
    moves_put(r->moves + r->move_count, r->noted_count, json);
    json_put_bool(json, "one_tape", r->one_tape);
    put_list(json, "rules", &r->told);
    json_put_opt_u64(json, "ulp", (struct opt_u64){options->by_value, options->ulp});
    put_list(json, "unexplained", &r->unexplained);
    json_put_text(json, "verdict",
                  r->differences > 0         ? "differ"
                  : r->masks.differences > 0 ? "same_except_masked"
                                             : "same");
    json_out_object_end(json);
}
