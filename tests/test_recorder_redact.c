/* Masking of credentials: every form, at every cut of reads and chunks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../recorder/redact.h"

#define ROOM 65536
#define MAX_OFFSETS 256

struct out {
    uint8_t bytes[ROOM];
    size_t n, pieces, hits, continued;
    uint64_t read_of[ROOM]; /* the time each byte came out with */
    const char *last_rule, *last_stream;
    uint64_t offsets[MAX_OFFSETS]; /* of the hits */
};

static void on_piece(void *ctx, const struct stamp_read *at_read, bool continued, const uint8_t *bytes, size_t n)
{
    struct out *o = ctx;
    uint64_t time_ns = at_read->time_ns;
    assert_int_equal(at_read->lag_ns, (int64_t)time_ns * 2);
    assert_int_equal(at_read->turn, time_ns * 3);
    assert_int_equal(at_read->blind_us, time_ns * 5);
    assert_true(n > 0 && o->n + n <= ROOM);
    memcpy(o->bytes + o->n, bytes, n);
    for (size_t i = 0; i < n; i++)
        o->read_of[o->n + i] = time_ns;
    o->n += n;
    o->pieces++;
    o->continued += continued;
}

static void on_hit(void *ctx, const char *stream, uint64_t offset, uint64_t length, const char *rule)
{
    struct out *o = ctx;
    assert_true(length > 0);
    if (o->hits < MAX_OFFSETS)
        o->offsets[o->hits] = offset;
    o->hits++;
    o->last_rule = rule;
    o->last_stream = stream;
}

static struct redact_rules *rules_of(const char *a, const char *b)
{
    struct tt_view secrets[2] = {tt_view_str(a), tt_view_str(b)};
    struct redact_rules *rules;
    size_t left_out;
    assert_int_equal(redact_rules_create(&rules, secrets, b ? 2 : 1, &left_out, NULL), TT_OK);
    return rules;
}

/* The body cut into a first read of `cut` bytes and then reads of `step`; byte k's read has time k0 + 1, k0 its first
 * byte. */
static void run(const struct redact_rules *rules, const uint8_t *body, size_t n, size_t cut, size_t step, bool chunked,
                bool compressed, struct out *o)
{
    o->n = o->pieces = o->hits = o->continued = 0;
    o->last_rule = o->last_stream = "";
    struct redact_calls calls = {.piece = on_piece, .hit = on_hit, .ctx = o};
    struct redact *r = redact_create(rules, &calls);
    assert_non_null(r);
    redact_begin(r, chunked, compressed);
    for (size_t at = 0; at < n;) {
        size_t piece = at == 0 && cut ? cut : step;
        if (piece > n - at)
            piece = n - at;
        uint64_t time_ns = at + 1;
        struct stamp_read now = {time_ns, time_ns * 3, (int64_t)time_ns * 2, time_ns * 5};
        redact_read(r, &now, body + at, piece);
        at += piece;
    }
    redact_finish(r);
    redact_free(r);
    assert_int_equal(o->n, n);
    for (size_t i = 0; i < o->hits && i < MAX_OFFSETS; i++)
        assert_int_equal(o->bytes[o->offsets[i]], '*'); /* a hit points at a masked byte */
    for (size_t i = 0; i < n; i++) {
        uint64_t want = cut && i < cut ? 1 : (cut ? cut : 0) + (i - (cut ? cut : 0)) / step * step + 1;
        assert_int_equal(o->read_of[i], want);
    }
}

static size_t chunk(const uint8_t *payload, size_t n, size_t size, uint8_t *out, const char *trailer)
{
    size_t used = 0;
    for (size_t at = 0; at < n; at += size) {
        size_t piece = n - at < size ? n - at : size;
        used += (size_t)snprintf((char *)out + used, ROOM - used, "%zx;x=%zu\r\n", piece, at);
        memcpy(out + used, payload + at, piece);
        used += piece;
        memcpy(out + used, "\r\n", 2);
        used += 2;
    }
    used += (size_t)snprintf((char *)out + used, ROOM - used, "0\r\n%s\r\n", trailer);
    return used;
}

/* Takes the payload out again; written apart from the code under test. */
static size_t unchunk(const uint8_t *body, size_t n, uint8_t *out)
{
    size_t at = 0, used = 0;
    while (at < n) {
        size_t size = strtoul((const char *)body + at, NULL, 16);
        while (body[at] != '\n')
            at++;
        at++;
        if (size == 0)
            break;
        memcpy(out + used, body + at, size);
        used += size;
        at += size + 2;
    }
    return used;
}

static bool contains(const uint8_t *p, size_t n, const char *what)
{
    return memmem(p, n, what, strlen(what)) != NULL;
}

static const char key[] = "sk-a+b/c=d\"e_0123456789";
/* by hand, with the tools of others */
static const char *const forms[] = {
    "sk-a+b/c=d\"e_0123456789",
    "%73%6B%2D%61%2B%62%2F%63%3D%64%22%65%5F%30%31%32%33%34%35%36%37%38%39",
    "%73%6b%2d%61%2b%62%2f%63%3d%64%22%65%5f%30%31%32%33%34%35%36%37%38%39",
    "sk-a%2Bb%2Fc%3Dd%22e_0123456789",
    "sk-a%2bb%2fc%3dd%22e_0123456789",
    "sk-a+b/c=d\\\"e_0123456789",
    "sk-a+b\\/c=d\\\"e_0123456789",
    "sk-a\\u002bb/c\\u003dd\\\"e_0123456789",
    "sk-a\\u002Bb/c\\u003Dd\\\"e_0123456789",
    "c2stYStiL2M9ZCJlXzAxMjM0NTY3ODk", /* key */
    "NrLWErYi9jPWQiZV8wMTIzNDU2Nzg5",  /* x + key, without the characters that x decides */
    "zay1hK2IvYz1kImVfMDEyMzQ1Njc4O",  /* xx + key */
};

static void forms_at_every_cut(void **state)
{
    (void)state;
    static struct out o;
    static uint8_t text[512], body[ROOM], plain[ROOM];
    struct redact_rules *rules = rules_of(key, NULL);
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
        size_t n = (size_t)snprintf((char *)text, sizeof text, "data: {\"x\":\"%s\"} and %s\n\n", forms[f], forms[f]);
        for (size_t cut = 0; cut < n; cut++) {
            run(rules, text, n, cut, ROOM, false, false, &o);
            if (contains(o.bytes, o.n, forms[f]) || o.hits < 2)
                fail_msg("form %zu cut at %zu: %.*s", f, cut, (int)o.n, (char *)o.bytes);
            assert_memory_equal(o.bytes, text, 11);
            assert_memory_equal(o.bytes + n - 2, "\n\n", 2);
        }
        for (size_t size = 1; size < 40; size += 3) {
            size_t bytes = chunk(text, n, size, body, "");
            for (size_t step = 1; step < 60; step += 7) {
                run(rules, body, bytes, 0, step, true, false, &o);
                size_t m = unchunk(o.bytes, o.n, plain);
                assert_int_equal(m, n);
                if (contains(plain, m, forms[f]) || contains(plain, m, "0123456789") || contains(plain, m, "%38%39"))
                    fail_msg("form %zu, chunks of %zu, reads of %zu: %.*s", f, size, step, (int)m, (char *)plain);
                assert_memory_equal(plain, text, 11);
            }
        }
    }
    redact_rules_free(rules);
}

static void reads_keep_their_times(void **state)
{
    (void)state;
    static struct out o;
    struct redact_rules *rules = rules_of("secret-key-1", NULL);
    const char text[] = "data: secret-key-2 secret-key-1 secret-ke";
    for (size_t step = 1; step < sizeof text; step++)
        run(rules, (const uint8_t *)text, sizeof text - 1, 0, step, false, false, &o);
    run(rules, (const uint8_t *)text, sizeof text - 1, 10, ROOM, false, false, &o); /* "... secr" waits */
    assert_int_equal(o.pieces, 4); /* data:, secr, the rest, and what the end lets go */
    assert_int_equal(o.continued, 2);
    assert_memory_equal(o.bytes, "data: secret-key-2 ************ *********", 41);
    redact_rules_free(rules);
}

static void prefixes_and_overlaps(void **state)
{
    (void)state;
    static struct out o;
    struct redact_rules *rules = rules_of("abcabcabd", "abcabcabdxyz");
    const char text[] = "abcabcabcabd abcabcabdxyz abcabcabdxy abcabcab.";
    for (size_t step = 1; step < sizeof text; step++) {
        run(rules, (const uint8_t *)text, sizeof text - 1, 0, step, false, false, &o);
        assert_memory_equal(o.bytes, "abc********* ************ *********xy abcabcab.", sizeof text - 1);
    }
    redact_rules_free(rules);
}

static void trailers_and_extensions(void **state)
{
    (void)state;
    static struct out o;
    static uint8_t body[ROOM];
    struct redact_rules *rules = rules_of("secret-key-1", NULL);
    const char text[] = "5;k=secret-key-1\r\nhello\r\n0\r\nx-echo: secret-key-1\r\n\r\n";
    for (size_t step = 1; step < sizeof text; step++) {
        run(rules, (const uint8_t *)text, sizeof text - 1, 0, step, true, false, &o);
        assert_memory_equal(o.bytes, "5;k=************\r\nhello\r\n0\r\nx-echo: ************\r\n\r\n", sizeof text - 1);
        assert_string_equal(o.last_stream, "trailer");
    }
    size_t n = chunk((const uint8_t *)"secret-key-1", 12, 1, body, "");
    run(rules, body, n, 0, ROOM, true, false, &o);
    assert_int_equal(o.hits, 1);
    redact_rules_free(rules);
}

static void compressed_bodies_become_filler(void **state)
{
    (void)state;
    static struct out o;
    struct redact_rules *rules = rules_of("secret-key-1", NULL);
    const char text[] = "4\r\n\x1f\x8b\x08\x01\r\n0\r\n\r\n";
    run(rules, (const uint8_t *)text, sizeof text - 1, 0, 3, true, true, &o);
    assert_memory_equal(o.bytes, "4\r\n****\r\n0\r\n\r\n", sizeof text - 1);
    assert_int_equal(o.hits, 1);
    assert_string_equal(o.last_rule, "compressed");
    redact_rules_free(rules);
}

static void garbage_is_searched_raw(void **state)
{
    (void)state;
    static struct out o;
    struct redact_rules *rules = rules_of("secret-key-1", NULL);
    const char *const texts[] = {"no chunk secret-key-1", "3\r\nabcXsecret-key-1",
                                 "fffffffffffffffffff\r\nsecret-key-1", "0\r\n\r\nsecret-key-1", "\r\nsecret-key-1"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t step = 1; step < 40; step++) {
            run(rules, (const uint8_t *)texts[i], strlen(texts[i]), 0, step, true, false, &o);
            assert_false(contains(o.bytes, o.n, "secret-key-1"));
            assert_int_equal(o.hits, 1);
        }
    redact_rules_free(rules);
}

/* Extensions so long that what waits passes all room: the credential still does not come out. */
static void endless_framing_leaks_nothing(void **state)
{
    (void)state;
    static struct out o;
    static uint8_t body[ROOM], plain[ROOM];
    const char secret[] = "secret-key-1";
    struct redact_rules *rules = rules_of(secret, NULL);
    size_t n = 0;
    for (size_t i = 0; i < 12; i++)
        n += (size_t)snprintf((char *)body + n, ROOM - n, "1;%0900d\r\n%c\r\n", 0, secret[i]);
    n += (size_t)snprintf((char *)body + n, ROOM - n, "0\r\n\r\n");
    for (size_t step = 100; step < 2000; step += 300) {
        run(rules, body, n, 0, step, true, false, &o);
        size_t m = unchunk(o.bytes, o.n, plain);
        assert_int_equal(m, 12);
        assert_memory_equal(plain, "************", 12);
    }
    redact_rules_free(rules);
}

static void texts_and_fillers(void **state)
{
    (void)state;
    struct redact_rules *rules = rules_of("secret-key-1", NULL);
    struct out o = {0};
    struct redact_calls calls = {.piece = on_piece, .hit = on_hit, .ctx = &o};
    uint8_t text[] = "Bearer secret-key-1; secret-key-2; secret-k";
    assert_int_equal(redact_text(rules, text, sizeof text - 1, "head", &calls), 2);
    assert_string_equal((char *)text, "Bearer ************; secret-key-2; ********");
    assert_int_equal(o.hits, 2);
    redact_rules_free(rules);
    const char *const fillers[] = {"short",       "EMPTY", "none", "DUMMY", "xxxxxxxxxxxxxxxx", "sk-no-key-required",
                                   "token-abc123"};
    for (size_t i = 0; i < sizeof fillers / sizeof *fillers; i++) {
        struct tt_view secret = tt_view_str(fillers[i]);
        size_t left_out;
        assert_int_equal(redact_rules_create(&rules, &secret, 1, &left_out, NULL), TT_OK);
        assert_int_equal(left_out, 1);
        assert_true(redact_rules_empty(rules));
        redact_rules_free(rules);
    }
}

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

/* Random texts over the letters of the secrets, against masking the payload in one piece. */
static void random_against_one_piece(void **state)
{
    (void)state;
    static struct out o, whole;
    static uint8_t text[ROOM], body[ROOM], plain[ROOM];
    struct redact_rules *rules = rules_of("abababac", "bacabababa");
    uint64_t seed = 7;
    for (int round = 0; round < 3000; round++) {
        size_t n = 1 + next_random(&seed) % 200;
        for (size_t i = 0; i < n; i++)
            text[i] = (uint8_t) "abababc"[next_random(&seed) % 7];
        run(rules, text, n, 0, ROOM, false, false, &whole);
        size_t bytes = chunk(text, n, 1 + next_random(&seed) % 9, body, "");
        run(rules, body, bytes, 0, 1 + next_random(&seed) % 30, true, false, &o);
        assert_int_equal(unchunk(o.bytes, o.n, plain), n);
        assert_memory_equal(plain, whole.bytes, n);
        assert_false(contains(plain, n, "abababac") || contains(plain, n, "bacabababa"));
        for (size_t i = 0; i < n; i++) /* nothing else was touched */
            if (whole.bytes[i] != '*')
                assert_int_equal(whole.bytes[i], text[i]);
        if (!contains(text, n, "abababac") && !contains(text, n, "bacabababa") && whole.hits > 0)
            assert_string_equal(whole.last_rule, "cut_off");
    }
    redact_rules_free(rules);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_at_every_cut),
        cmocka_unit_test(reads_keep_their_times),
        cmocka_unit_test(prefixes_and_overlaps),
        cmocka_unit_test(trailers_and_extensions),
        cmocka_unit_test(compressed_bodies_become_filler),
        cmocka_unit_test(garbage_is_searched_raw),
        cmocka_unit_test(endless_framing_leaks_nothing),
        cmocka_unit_test(texts_and_fillers),
        cmocka_unit_test(random_against_one_piece),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
