/* Masking of credentials against a plain reference that sees the whole payload at once,
 * with random texts, chunks and reads. Nothing here is shared with what is tested. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../recorder/redact.h"

#define ROOM 16384
#define MAX_FORMS 160
#define MAX_FORM_BYTES 256

static const char *const secrets[] = {"sk-a+b/c=d", "sk-a+b/c=d\"e&f01", "deadbeef01",
                                      "abababac",   "bacababab",         "zdeadbeef01ssk-a+b/c=dz"};
#define SECRETS (sizeof secrets / sizeof *secrets)

/* ---- the reference ---- */

static char forms[MAX_FORMS][MAX_FORM_BYTES];
static size_t form_count;

static void add_form(const char *text)
{
    assert_true(form_count < MAX_FORMS);
    snprintf(forms[form_count++], MAX_FORM_BYTES, "%s", text);
}

static void base64(const uint8_t *p, size_t n, char *out)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        uint32_t three = (uint32_t)p[i] << 16 | (i + 1 < n ? (uint32_t)p[i + 1] << 8 : 0) | (i + 2 < n ? p[i + 2] : 0);
        for (int k = 18; k >= 0; k -= 6)
            *out++ = letters[three >> k & 63];
    }
    *out = 0;
}

/* What stays the same whatever stands around the secret. */
static void add_base64(const char *secret, size_t before)
{
    char a[MAX_FORM_BYTES], b[MAX_FORM_BYTES], same[MAX_FORM_BYTES];
    uint8_t text[MAX_FORM_BYTES];
    size_t n = strlen(secret), used = 0;
    memset(text, 0, sizeof text);
    memcpy(text + before, secret, n);
    base64(text, (before + n) / 3 * 3 + 6, a);
    memset(text, 0xff, sizeof text);
    memcpy(text + before, secret, n);
    base64(text, (before + n) / 3 * 3 + 6, b);
    for (size_t i = 0; a[i]; i++)
        if (a[i] == b[i])
            same[used++] = a[i];
    same[used] = 0;
    add_form(same);
    for (size_t i = 0; i < used; i++)
        same[i] = same[i] == '+' ? '-' : same[i] == '/' ? '_' : same[i];
    add_form(same);
}

static void add_percent(const char *secret, const char *format, bool all)
{
    char out[MAX_FORM_BYTES] = "";
    for (size_t i = 0, n = 0; secret[i]; i++) {
        bool keep = !all && (strchr("-._~", secret[i]) || ((secret[i] | 32) >= 'a' && (secret[i] | 32) <= 'z') ||
                             (secret[i] >= '0' && secret[i] <= '9'));
        n += (size_t)snprintf(out + n, sizeof out - n, keep ? "%c" : format, secret[i]);
    }
    add_form(out);
}

static void add_json(const char *secret, const char *as_hex, const char *format, const char *slash)
{
    char out[MAX_FORM_BYTES] = "";
    for (size_t i = 0, n = 0; secret[i]; i++) {
        char c = secret[i];
        if (strchr(as_hex, c))
            n += (size_t)snprintf(out + n, sizeof out - n, format, (unsigned)c);
        else
            n += (size_t)snprintf(out + n, sizeof out - n, c == '/' ? slash : strchr("\"\\", c) ? "\\%c" : "%c", c);
    }
    add_form(out);
}

static void make_forms(void)
{
    for (size_t i = 0; i < SECRETS; i++) {
        add_form(secrets[i]);
        for (size_t before = 0; before < 3; before++)
            add_base64(secrets[i], before);
        for (int all = 0; all < 2; all++) {
            add_percent(secrets[i], "%%%02x", all);
            add_percent(secrets[i], "%%%02X", all);
        }
        add_json(secrets[i], "", "", "/");
        add_json(secrets[i], "", "", "\\/");
        add_json(secrets[i], "<>&", "\\u%04x", "/");
        add_json(secrets[i], "<>&='", "\\u%04x", "/");
        add_json(secrets[i], "<>&'+`\"", "\\u%04X", "/");
        add_json(secrets[i], "<>&'\"", "\\u%04X", "\\/");
    }
}

static void mask_naively(const uint8_t *text, size_t n, uint8_t *out)
{
    memcpy(out, text, n);
    for (size_t f = 0; f < form_count; f++) {
        size_t length = strlen(forms[f]), begun = length - 1 < n ? length - 1 : n;
        for (size_t at = 0; at + length <= n; at++)
            if (memcmp(text + at, forms[f], length) == 0)
                memset(out + at, '*', length);
        for (; begun >= 8; begun--) { /* most of one at the end: the text was cut there */
            if (memcmp(text + n - begun, forms[f], begun) == 0) {
                memset(out + n - begun, '*', begun);
                break;
            }
        }
    }
}

/* ---- what is tested ---- */

struct out {
    uint8_t bytes[ROOM];
    uint64_t read_of[ROOM];
    bool in_hit[ROOM];
    size_t n, masked, pieces, hits;
    bool held; /* something went out masked for want of room */
};

static void on_piece(void *ctx, const struct stamp_read *at_read, bool continued, const uint8_t *bytes, size_t n)
{
    struct out *o = ctx;
    uint64_t time_ns = at_read->time_ns;
    (void)continued;
    assert_int_equal(at_read->lag_ns, -(int64_t)time_ns);
    assert_int_equal(at_read->turn, time_ns + 9);
    assert_int_equal(at_read->blind_us, time_ns + 7);
    assert_true(n > 0 && o->n + n <= ROOM);
    for (size_t i = 0; i < n; i++) {
        o->bytes[o->n] = bytes[i];
        o->read_of[o->n++] = time_ns;
    }
    o->pieces++;
}

static void on_hit(void *ctx, const char *stream, uint64_t offset, uint64_t length, const char *rule)
{
    struct out *o = ctx;
    (void)stream;
    assert_true(length > 0 && offset + length <= ROOM);
    o->masked += length;
    o->hits++;
    o->held = o->held || strcmp(rule, "held") == 0;
    memset(o->in_hit + offset, true, length);
}

static uint64_t seed;

static size_t below(size_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(seed >> 33) % n;
}

/* Reads of 1..most bytes; every byte has to come out with the time of its read. */
static void run(const struct redact_rules *rules, const uint8_t *body, size_t n, size_t most, bool chunked,
                struct out *o)
{
    static uint64_t want[ROOM];
    struct redact_calls calls = {.piece = on_piece, .hit = on_hit, .ctx = o};
    memset(o, 0, sizeof(*o));
    struct redact *r = redact_create(rules, &calls);
    assert_non_null(r);
    redact_begin(r, chunked, false);
    for (size_t at = 0, piece; at < n; at += piece) {
        piece = 1 + below(most);
        piece = piece < n - at ? piece : n - at;
        for (size_t i = at; i < at + piece; i++)
            want[i] = at + 5;
        struct stamp_read now = {at + 5, at + 14, -(int64_t)(at + 5), at + 12};
        redact_read(r, &now, body + at, piece);
    }
    redact_finish(r);
    redact_free(r);
    assert_int_equal(o->n, n);
    assert_memory_equal(o->read_of, want, n * sizeof(*want));
}

static struct redact_rules *make_rules(void)
{
    struct tt_view views[SECRETS];
    struct redact_rules *rules;
    size_t left_out;
    for (size_t i = 0; i < SECRETS; i++)
        views[i] = tt_view_str(secrets[i]);
    assert_int_equal(redact_rules_create(&rules, views, SECRETS, &left_out, NULL), TT_OK);
    assert_int_equal(left_out, 0);
    return rules;
}

/* Noise, whole forms, forms cut at either end, forms run into each other. */
static size_t make_text(uint8_t *text, size_t parts)
{
    size_t n = 0;
    for (size_t i = 0; i < parts; i++) {
        const char *form = forms[below(form_count)];
        size_t length = strlen(form), from = below(4) ? 0 : below(length), to = below(3) ? length : below(length + 1);
        for (size_t k = below(3) ? 0 : below(12); k > 0; k--)
            text[n++] = (uint8_t) "abcks-%\\u0ZG. \n\"{"[below(17)];
        for (size_t k = from; k < to; k++)
            text[n++] = (uint8_t)form[k];
    }
    return n;
}

/* Puts chunk heads between; `payload` says which bytes are not framing. */
static size_t chunk(const uint8_t *text, size_t n, size_t most, uint8_t *out, bool *payload)
{
    static const char *const ends[] = {"\r\n", ";a=b\r\n", "  \r\n", "\n"};
    size_t used = 0;
    memset(payload, 0, ROOM * sizeof(*payload));
    for (size_t at = 0, size; at < n; at += size) {
        size = 1 + below(most);
        size = size < n - at ? size : n - at;
        used += (size_t)snprintf((char *)out + used, ROOM - used, below(2) ? "%zx%s" : "%02zX%s", size, ends[below(4)]);
        memset(payload + used, true, size);
        memcpy(out + used, text + at, size);
        used += size;
        memcpy(out + used, "\r\n", 2);
        used += 2;
    }
    return used + (size_t)snprintf((char *)out + used, ROOM - used, "0\r\n\r\n");
}

static void whole_bodies(void **state)
{
    (void)state;
    static struct out o;
    static uint8_t text[ROOM], want[ROOM];
    struct redact_rules *rules = make_rules();
    seed = 1;
    for (int round = 0; round < 4000; round++) {
        size_t n = make_text(text, 1 + below(6)), most = below(2) ? 1 + below(5) : 1 + below(200);
        mask_naively(text, n, want);
        run(rules, text, n, most, false, &o);
        if (!o.held && memcmp(o.bytes, want, n) != 0)
            fail_msg("round %d: %.*s\nwant %.*s\ngot  %.*s", round, (int)n, (char *)text, (int)n, (char *)want, (int)n,
                     (char *)o.bytes);
        for (size_t i = 0; i < n; i++) {
            assert_true(o.bytes[i] == want[i] || (o.held && o.bytes[i] == '*'));
            assert_int_equal(o.in_hit[i], o.bytes[i] != text[i]); /* no text has a star of its own */
        }
    }
    redact_rules_free(rules);
}

static void chunked_bodies(void **state)
{
    (void)state;
    static struct out o;
    static uint8_t text[ROOM], want[ROOM], body[ROOM];
    static bool payload[ROOM];
    struct redact_rules *rules = make_rules();
    size_t held = 0;
    seed = 2;
    for (int round = 0; round < 4000; round++) {
        size_t n = make_text(text, 1 + below(4)), masked = 0, at = 0;
        size_t bytes = chunk(text, n, below(2) ? 1 : 1 + below(60), body, payload);
        mask_naively(text, n, want);
        run(rules, body, bytes, below(3) ? 1 + below(80) : 1, true, &o);
        for (size_t i = 0; i < bytes; i++) {
            uint8_t expected = payload[i] ? want[at++] : body[i];
            if (o.bytes[i] != expected)
                fail_msg("round %d: byte %zu of %.*s\ngot %.*s", round, i, (int)bytes, (char *)body, (int)bytes,
                         (char *)o.bytes);
            masked += o.bytes[i] != body[i];
        }
        assert_true(o.masked >= masked);
        held += o.held;
    }
    assert_int_equal(held, 0); /* even single bytes in chunk and read have room */
    redact_rules_free(rules);
}

/* Bytes that are no chunked body, or nearly one: no credential that stands whole on the wire comes out. */
static void broken_framing(void **state)
{
    (void)state;
    static struct out o;
    static uint8_t body[ROOM];
    struct redact_rules *rules = make_rules();
    seed = 3;
    for (int round = 0; round < 30000; round++) {
        size_t n = 0, whole = 0;
        for (size_t parts = 1 + below(8); parts > 0; parts--) {
            const char *secret = secrets[below(SECRETS)];
            for (size_t k = below(8); k > 0; k--)
                body[n++] = (uint8_t) "0123abde;\r\n\r\n\r\n x"[below(18)];
            size_t length = below(3) ? strlen(secret) : below(strlen(secret));
            memcpy(body + n, secret, length);
            n += length;
        }
        for (size_t i = 0; i < SECRETS; i++)
            whole += memmem(body, n, secrets[i], strlen(secrets[i])) != NULL;
        run(rules, body, n, 1 + below(40), true, &o);
        for (size_t i = 0; i < SECRETS; i++)
            if (memmem(o.bytes, n, secrets[i], strlen(secrets[i])))
                fail_msg("round %d: %.*s\ngot %.*s", round, (int)n, (char *)body, (int)n, (char *)o.bytes);
        assert_true(whole == 0 || o.masked > 0);
    }
    redact_rules_free(rules);
}

/* Text without a credential passes untouched, and where nothing begins one each read is one piece. */
static void innocent_bodies(void **state)
{
    (void)state;
    static struct out o;
    static uint8_t body[ROOM];
    struct redact_rules *rules = make_rules();
    seed = 4;
    for (int round = 0; round < 300; round++) {
        size_t n = 1 + below(2000);
        for (size_t i = 0; i < n; i++)
            body[i] = (uint8_t) "sk-abcde/+=%\\u0\r\n"[below(17)];
        run(rules, body, n, 1 + below(100), below(2) == 0, &o);
        assert_memory_equal(o.bytes, body, n);
        assert_int_equal(o.masked, 0);
    }
    memset(body, '.', ROOM);
    run(rules, body, 1000, 1, false, &o);
    assert_int_equal(o.pieces, 1000);
    redact_rules_free(rules);
}

static void texts(void **state)
{
    (void)state;
    static uint8_t text[ROOM], want[ROOM];
    struct redact_rules *rules = make_rules();
    seed = 5;
    for (int round = 0; round < 2000; round++) {
        size_t n = make_text(text, 1 + below(4));
        mask_naively(text, n, want);
        bool hit = memcmp(text, want, n) != 0;
        assert_int_equal(redact_text(rules, text, n, "head", NULL) > 0, hit);
        assert_memory_equal(text, want, n);
    }
    redact_rules_free(rules);
}

/* Every form in single bytes, read by read. */
static void single_bytes_in_chunk_and_read(void **state)
{
    (void)state;
    static struct out o;
    static uint8_t text[ROOM], body[ROOM];
    static bool payload[ROOM];
    struct redact_rules *rules = make_rules();
    seed = 6;
    for (size_t f = 0; f < form_count; f++) {
        size_t n = (size_t)snprintf((char *)text, ROOM, "data: .%s.\n\n", forms[f]), at = 0;
        size_t bytes = chunk(text, n, 1, body, payload);
        run(rules, body, bytes, 1, true, &o);
        for (size_t i = 0; i < bytes; i++) {
            bool secret = payload[i] && at >= 7 && at < n - 3;
            assert_int_equal(o.bytes[i], secret ? '*' : body[i]);
            at += payload[i];
        }
    }
    redact_rules_free(rules);
}

/* Of credentials one of which begins the other the longer is told, once; and what ends in a trailer is masked too. */
static void told_once(void **state)
{
    (void)state;
    static struct out o;
    static const struct {
        const char *body, *want;
        bool chunked;
        size_t hits;
    } cases[] = {
        {"sk-a+b/c=d\"e&f01", "****************", false, 1},
        {"sk-a+b/c=d\"e&f0.", "**********\"e&f0.", false, 1},
        {"zdeadbeef01ssk-a+b/c=dz", "***********************", false, 2}, /* one inside was told before */
        {"zdeadbeef01ssk-a+b/c=d", "**********************", false, 3},
        {"zdeadbeef01t", "z**********t", false, 1},
        {"a\r\nsk-a+b/c=d\r\n0\r\nx: deadbeef0", "a\r\n**********\r\n0\r\nx: *********", true, 2},
    };
    struct redact_rules *rules = make_rules();
    seed = 7;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t n = strlen(cases[i].body);
        for (size_t most = 1; most <= n; most++) {
            run(rules, (const uint8_t *)cases[i].body, n, most, cases[i].chunked, &o);
            if (memcmp(o.bytes, cases[i].want, n) != 0)
                fail_msg("%s: got %.*s", cases[i].body, (int)n, (char *)o.bytes);
            assert_int_equal(o.hits, cases[i].hits);
        }
    }
    redact_rules_free(rules);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_bodies),   cmocka_unit_test(chunked_bodies),
        cmocka_unit_test(broken_framing), cmocka_unit_test(innocent_bodies),
        cmocka_unit_test(texts),          cmocka_unit_test(single_bytes_in_chunk_and_read),
        cmocka_unit_test(told_once),
    };
    make_forms();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
