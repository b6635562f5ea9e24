#include "stall.h"

#include <stdio.h>

#include "progress.h"

#define WORTH_A_WORD_NS 2000000000ull

void stall_heed(struct stall *s, struct sink *sink, uint64_t now_ns, struct talk *talk)
{
    char waiting[32], all[32], note[64];
    uint64_t silent = sink_silence_ns(sink, now_ns);
    if (silent > WORTH_A_WORD_NS && s->lasts_ns == 0 && talk) {
        progress_bytes(sink_backlog_bytes(sink), waiting, sizeof(waiting));
        progress_bytes(sink_room_bytes(sink), all, sizeof(all));
        talk_line(talk, "the disk has taken nothing for %.0f s: what comes in waits in memory (%s, room for %s)",
                  (double)silent / 1e9, waiting, all);
    } else if (silent <= WORTH_A_WORD_NS && s->lasts_ns > 0) {
        snprintf(note, sizeof(note), "the disk took nothing for %.1f s", (double)s->lasts_ns / 1e9);
        sink_put_event(sink, "note", false, note);
    }
    s->lasts_ns = silent > WORTH_A_WORD_NS ? silent : 0;
}

void stall_heed_at_end(struct stall *s, const struct sink *sink, uint64_t now_ns, struct talk *talk)
{
    char waiting[32];
    if (s->lasts_ns > 0 || sink_silence_ns(sink, now_ns) <= WORTH_A_WORD_NS)
        return;
    progress_bytes(sink_backlog_bytes(sink), waiting, sizeof(waiting));
    talk_line(talk, "waiting for the disk, %s are still to be written (SIGINT twice leaves without them)", waiting);
    s->lasts_ns = 1;
}
