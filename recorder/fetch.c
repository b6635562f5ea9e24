#include "fetch.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t keep(char *bytes, size_t one, size_t n, void *ctx)
{
    (void)one;
    struct fetch *f = ctx;
    size_t room = f->o.cap_bytes - f->n, take = n < room ? n : room;
    if (take > 0)
        memcpy(f->bytes + f->n, bytes, take);
    f->n += take;
    f->cut = f->cut || take < n;
    return n;
}

static void finished(struct multi_client *client, int curl_code)
{
    struct fetch *f = (struct fetch *)client;
    f->over = true;
    f->curl_code = curl_code;
    f->status = multi_easy_status(f->easy);
    if (curl_code == 0)
        f->error[0] = '\0';
    else if (!f->error[0])
        snprintf(f->error, sizeof(f->error), "%s", multi_error_name(curl_code));
    f->o.done(f->o.ctx, f);
}

struct fetch *fetch_start(const struct fetch_options *options)
{
    struct fetch *f = calloc(1, sizeof(*f));
    if (!f)
        return NULL;
    f->o = *options;
    f->client.finished = finished;
    f->bytes = malloc(options->cap_bytes + 1);
    f->easy = f->bytes ? multi_easy_create(options->multi, &f->client, f->error) : NULL;
    if (!f->easy) {
        fetch_free(f);
        return NULL;
    }
    multi_easy_get(f->easy, options->url, options->headers, options->own_connection, keep, f);
    if (!multi_add(options->multi, f->easy)) {
        f->over = true;
        fetch_free(f);
        return NULL;
    }
    return f;
}

void fetch_free(struct fetch *f)
{
    if (!f)
        return;
    if (f->easy && !f->over)
        multi_remove(f->o.multi, f->easy);
    multi_easy_free(f->easy);
    free(f->bytes);
    free(f);
}
