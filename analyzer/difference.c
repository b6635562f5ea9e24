#include "difference.h"

#include <stdio.h>
#include <stdlib.h>

enum tt_status difference_list_begin(struct difference_list *list, struct tt_error *err)
{
    *list = (struct difference_list){.kept = calloc(DIFFERENCES_KEPT, sizeof *list->kept)};
    return list->kept ? TT_OK : tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "no memory for a report");
}

void difference_list_add(struct difference_list *list, const struct diff_entry *e)
{
    double a, b;
    list->count++;
    if (list->kept_count == DIFFERENCES_KEPT)
        return;
    struct difference *d = &list->kept[list->kept_count++];
    *d = (struct difference){.kind = e->kind};
    snprintf(d->path, sizeof d->path, "%s", e->path);
    d->has_request = json_node_u64(e->request, &d->request);
    diff_value_texts(e->claimed, e->ours, d->claimed, d->ours);
    if (e->kind != DIFF_VALUE || !json_node_double(e->claimed, &a) || !json_node_double(e->ours, &b))
        return;
    d->is_number = !json_number_is_integer(e->claimed->text) || !json_number_is_integer(e->ours->text);
    d->ulps = diff_ulps(a, b);
}

void difference_list_free(struct difference_list *list)
{
    free(list->kept);
    list->kept = NULL;
}

enum tt_status masks_check(const char *const *paths, size_t n, struct tt_error *err)
{
    const struct json_node *unused;
    for (size_t i = 0; i < n; i++)
        if (strlen(paths[i]) >= DIFF_PATH_BYTES || !diff_path_find(NULL, paths[i], &unused))
            return tt_fail(err, TT_USAGE, TT_NO_OFFSET,
                           "--masked '%.80s' is no field; give its path, as in base_url or request_timings[3].ttft_ms",
                           paths[i]);
    return TT_OK;
}

void masks_begin(struct masks *masks, const struct difference_options *options, const struct json_node *claimed,
                 const struct json_node *ours)
{
    *masks = (struct masks){.count = options->masked_count};
    for (size_t i = 0; i < masks->count; i++) {
        const struct json_node *a = NULL, *b = NULL;
        struct mask *m = &masks->at[i];
        m->path = options->masked[i];
        m->exists = diff_path_find(claimed, m->path, &a) && diff_path_find(ours, m->path, &b) && (a || b);
    }
}

bool masks_hide(struct masks *masks, const char *path)
{
    for (size_t i = 0; i < masks->count; i++)
        if (diff_path_covers(masks->at[i].path, path)) {
            masks->at[i].differences++;
            masks->differences++;
            return true;
        }
    return false;
}
