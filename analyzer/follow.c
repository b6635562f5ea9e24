#include "follow_parts.h"

#include <stdio.h>

#define TICK_MS 200u /* the tape is looked at this often, however seldom it is shown */
#define RECORDS_AT_A_TIME 65536u

/* Where the reader stands in a tape that was long when it was opened. */
static void put_share(const struct reader_report *report, char state[24])
{
    unsigned percent = (unsigned)((double)report->accepted_bytes * 100 / (double)(report->file_bytes | 1));
    snprintf(state, 24, "reading %u %%", percent < 100 ? percent : 100);
}

static enum tt_status draw(struct follow *f, const struct standing *s, struct tt_error *err)
{
    char lines[STANDING_LINES][STANDING_LINE_BYTES];
    const char *all[STANDING_LINES];
    standing_screen(s, f->options->tape, lines);
    for (unsigned i = 0; i < STANDING_LINES; i++)
        all[i] = lines[i];
    return screen_draw(&f->screen, f->output, all, STANDING_LINES, err);
}

static enum tt_status write_standing(struct follow *f, const struct standing *s, struct tt_error *err)
{
    char line[STANDING_LINE_BYTES];
    if (f->on_screen)
        return draw(f, s, err);
    if (f->options->json) {
        json_out_reset(f->json);
        standing_json(s, f->json);
    } else {
        standing_line(s, line);
    }
    enum tt_status st = f->options->json ? output_write(f->output, json_out_bytes(f->json), err)
                                         : output_printf(f->output, err, "%s\n", line);
    return st == TT_OK ? output_finish(f->output, err) : st;
}

static enum tt_status show(struct follow *f, const char *state, struct tt_error *err)
{
    struct standing s;
    struct run *run = f->loader ? loader_run(f->loader) : NULL;
    const struct reader_report *report = f->loader ? loader_report(f->loader) : NULL;
    tally_standing(&f->tally, run, report, &s);
    if (state)
        snprintf(s.state, sizeof s.state, "%s", state);
    else
        put_share(report, s.state);
    return write_standing(f, &s, err);
}

/* Up to the end of what there is; on a screen a long way is shown. TT_END: got there. */
static enum tt_status read_on(struct follow *f, struct follow_end *end, struct tt_error *err)
{
    struct tape_record rec;
    for (;;) {
        enum tt_status st = TT_OK;
        for (unsigned i = 0; st == TT_OK && i < RECORDS_AT_A_TIME; i++) {
            st = loader_next(f->loader, &rec, err);
            if (st == TT_OK)
                st = tally_take(&f->tally, loader_run(f->loader), &rec, err);
        }
        if (st == TT_OK && f->on_screen) {
            st = show(f, NULL, err);
            end->is_output = st != TT_OK;
        }
        if (st != TT_OK)
            return st;
    }
}

/* One look: opens what can be opened, reads what is there. TT_END: the state is known. */
static enum tt_status look(struct follow *f, struct follow_end *end, struct tt_error *err)
{
    bool later;
    enum tt_status st = f->loader ? TT_OK : follow_open(f, &later, err);
    if (st != TT_OK)
        return later ? TT_OK : st;
    st = read_on(f, end, err);
    if (st == TT_END)
        end->report = *loader_report(f->loader);
    return st;
}

/* Looks and shows until the tape ends; TT_END. */
static enum tt_status watch(struct follow *f, struct follow_end *end, struct tt_error *err)
{
    const struct follow_options *o = f->options;
    unsigned tick_ms = o->interval_ms < TICK_MS ? o->interval_ms : TICK_MS, waited_ms = o->interval_ms;
    for (;;) {
        enum tt_status st = look(f, end, err);
        bool waiting = st == TT_OK, writing = st == TT_END && end->report.state == READER_WRITING;
        if (!waiting && !(writing && !o->once))
            return st;
        end->is_output = true;
        st = TT_OK;
        if (waited_ms >= o->interval_ms) {
            st = show(f, waiting ? "waiting" : reader_state_name(READER_WRITING), err);
            waited_ms = 0;
        }
        if (st == TT_OK)
            st = output_wait(f->output, tick_ms, err);
        if (st != TT_OK)
            return st;
        end->is_output = false;
        waited_ms += tick_ms;
    }
}

/* The last words, and the run for its verdict. A tape that ended before RUN has none. */
static enum tt_status conclude(struct follow *f, struct follow_end *end, struct tt_error *err)
{
    enum tt_status st = TT_OK;
    struct run *run = loader_run(f->loader);
    if (run && end->report.state != READER_WRITING)
        st = loader_finish(f->loader, &end->run, err);
    if (st != TT_OK)
        return st;
    end->is_output = true;
    return show(f, reader_state_name(end->report.state), err);
}

enum tt_status follow_tape(const struct follow_options *options, struct output *o, struct follow_end *end,
                           struct tt_error *err)
{
    struct follow f = {.options = options, .output = o, .on_screen = !options->json && screen_is_there()};
    *end = (struct follow_end){.run = NULL};
    f.json = json_out_create(0);
    enum tt_status st = f.json ? watch(&f, end, err) : tt_fail(err, TT_NOMEM, TT_NO_OFFSET, "out of memory");
    if (st == TT_END)
        st = conclude(&f, end, err);
    tally_free(&f.tally);
    loader_free(f.loader);
    json_out_free(f.json);
    return st;
}
