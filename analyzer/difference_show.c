/* Masks and differences as text and as JSON. */
#include "difference.h"

#include <stdio.h>

#include "json_put.h"

void masks_say_exception(const struct masks *masks, struct output *o)
{
    const char *separator = " except masked: ";
    for (size_t i = 0; i < masks->count; i++)
        if (masks->at[i].differences > 0) {
            output_say(o, "%s%s", separator, masks->at[i].path);
            separator = ", ";
        }
}

void masks_say(const struct masks *masks, struct output *o)
{
    for (size_t i = 0; i < masks->count; i++) {
        const struct mask *m = &masks->at[i];
        if (!m->exists)
            output_say(o, "masked  %s: there is no such field\n", m->path);
        else if (m->differences == 0)
            output_say(o, "masked  %s: does not differ\n", m->path);
        else
            output_say(o, "masked  %s: %llu differ\n", m->path, (unsigned long long)m->differences);
    }
}

void difference_say_rule(const struct difference_options *options, struct output *o)
{
    if (options->by_value)
        output_say(o, "rule    numbers by value, doubles within %llu ulp; order of keys free\n",
                   (unsigned long long)options->ulp);
}

const char *difference_request_text(const struct difference *d, char out[40])
{
    out[0] = '\0';
    if (d->has_request)
        snprintf(out, 40, " (request %llu)", (unsigned long long)d->request);
    return out;
}

const char *difference_ulps_text(const struct difference *d, char out[64])
{
    out[0] = '\0';
    if (d->is_number && d->ulps == 0)
        snprintf(out, 64, " (the same number, written otherwise)");
    else if (d->is_number && d->ulps < 1000000)
        snprintf(out, 64, " (%llu ulp)", (unsigned long long)d->ulps);
    return out;
}

void masks_put(const struct masks *masks, struct json_out *json)
{
    json_out_key(json, "masked");
    json_out_array(json);
    for (size_t i = 0; i < masks->count; i++) {
        json_out_object(json);
        json_put_u64(json, "differences", masks->at[i].differences);
        json_put_bool(json, "exists", masks->at[i].exists);
        json_put_text(json, "path", masks->at[i].path);
        json_out_object_end(json);
    }
    json_out_array_end(json);
}

const char *difference_kind_name(enum diff_kind kind)
{
    static const char *const kinds[] = {
        [DIFF_VALUE] = "value", [DIFF_MISSING] = "missing", [DIFF_EXTRA] = "extra", [DIFF_ORDER] = "order"};
    return kinds[kind];
}
