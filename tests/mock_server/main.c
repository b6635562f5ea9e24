/* mock_server: plays scripted answers on a loopback port. See README.md. */
#include "server.h"

#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static const char usage[] =
    "usage: mock_server --script FILE [--port N] [--port-file FILE] [--address 127.x.y.z | ::1]\n"
    "  [--unix-socket PATH] [--log FILE] [--log-heads] [--log-writes N] [--model NAME] [--max-model-len N] [--words "
    "N]\n"
    "  [--chars-per-token X] [--read-delay 20ms] [--receive-buffer BYTES] [--segment BYTES]\n"
    "  [--die-with-parent]\n";

static const struct option long_options[] = {{"script", required_argument, NULL, 's'},
                                             {"port", required_argument, NULL, 'p'},
                                             {"port-file", required_argument, NULL, 'P'},
                                             {"address", required_argument, NULL, 'a'},
                                             {"log", required_argument, NULL, 'l'},
                                             {"log-writes", required_argument, NULL, 'w'},
                                             {"log-heads", no_argument, NULL, 'H'},
                                             {"unix-socket", required_argument, NULL, 'u'},
                                             {"model", required_argument, NULL, 'm'},
                                             {"max-model-len", required_argument, NULL, 'M'},
                                             {"words", required_argument, NULL, 'W'},
                                             {"chars-per-token", required_argument, NULL, 'c'},
                                             {"read-delay", required_argument, NULL, 'r'},
                                             {"receive-buffer", required_argument, NULL, 'R'},
                                             {"segment", required_argument, NULL, 'S'},
                                             {"die-with-parent", no_argument, NULL, 'd'},
                                             {"help", no_argument, NULL, 'h'},
                                             {NULL, 0, NULL, 0}};

struct paths {
    const char *script, *log, *port_file;
    bool heads;
};

static uint64_t number(const char *name, const char *text, uint64_t most)
{
    char *end;
    unsigned long long v = strtoull(text, &end, 10);
    if (*end || end == text || v > most)
        mock_die("--%s %s: a number up to %" PRIu64 " is wanted", name, text, most);
    return v;
}

static void take_option(int c, const char *value, struct server_options *o, struct paths *paths)
{
    switch (c) {
    case 's':
        paths->script = value;
        break;
    case 'p':
        o->port = (uint16_t)number("port", value, 65535);
        break;
    case 'P':
        paths->port_file = value;
        break;
    case 'a':
        o->address = value;
        break;
    case 'l':
        paths->log = value;
        break;
    case 'H':
        paths->heads = true;
        break;
    case 'u':
        o->unix_path = value;
        break;
    case 'w':
        o->log_writes = number("log-writes", value, 10000000);
        break;
    case 'm':
        o->model = value;
        break;
    case 'M':
        o->max_model_len = number("max-model-len", value, 1u << 30);
        break;
    case 'W':
        o->words = number("words", value, 65536);
        break;
    case 'c':
        o->chars_per_token = strtod(value, NULL);
        break;
    case 'r':
        if (!step_parse_duration(value, &o->read_delay_ns))
            mock_die("--read-delay %s: a time like 20ms is wanted", value);
        break;
    case 'R':
        o->receive_buffer = (int)number("receive-buffer", value, 1u << 30);
        break;
    case 'S':
        o->segment = (int)number("segment", value, 65495);
        break;
    case 'd':
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        break;
    case 'h':
        fputs(usage, stdout);
        exit(0);
    default:
        fputs(usage, stderr);
        exit(2);
    }
}

static void add_builtin(struct script *b, const char *name, const char *method, const char *head, const char *body)
{
    b->answers = mock_grow(b->answers, (b->n + 1) * sizeof *b->answers);
    struct answer *a = &b->answers[b->n++];
    *a = (struct answer){0};
    snprintf(a->name, sizeof a->name, "%s", name);
    snprintf(a->method, sizeof a->method, "%s", method);
    const char *wrong = step_parse(a, head, 0);
    if (!wrong)
        wrong = step_parse(a, body, 0);
    if (wrong)
        mock_die("built-in answer: %s", wrong);
}

/* What GET .../models and everything else is answered unless the script has an answer of its own. */
static void load_builtin(struct server *s)
{
    struct buffer line = {0};
    buffer_text(&line, "body \"{\\\"object\\\":\\\"list\\\",\\\"data\\\":[{\\\"id\\\":\\\"");
    buffer_text(&line, s->options.model);
    buffer_text(&line, "\\\",\\\"object\\\":\\\"model\\\"");
    if (s->options.max_model_len)
        buffer_format(&line, ",\\\"max_model_len\\\":%" PRIu64, s->options.max_model_len);
    buffer_text(&line, "}]}\"");
    buffer_append(&line, "", 1);
    add_builtin(&s->builtin, "models", "GET", "head 200 content-type=application/json", line.p);
    add_builtin(&s->builtin, "not_found", "*", "head 404 content-type=text/plain", "body \"no answer for this\\n\"");
    buffer_free(&line);
}

static void tell_port(uint16_t port, const struct server_options *o, const char *path)
{
    if (o->unix_path)
        printf("listening %s\n", o->unix_path);
    else
        printf("listening %s:%u\n", o->address, port);
    fflush(stdout);
    if (!path)
        return;
    char draft[4096];
    snprintf(draft, sizeof draft, "%s.new", path); /* renamed, so that a reader never sees half of it */
    FILE *f = fopen(draft, "w");
    if (!f || fprintf(f, "%u\n", port) < 0 || fclose(f) != 0 || rename(draft, path) != 0)
        mock_die("cannot write %s", path);
}

int main(int argc, char **argv)
{
    struct server s = {
        .options = {.model = "mock", .address = "127.0.0.1", .chars_per_token = 3.0, .log_writes = 4096}};
    struct paths paths = {0};
    for (int c; (c = getopt_long(argc, argv, "", long_options, NULL)) != -1;)
        take_option(c, optarg, &s.options, &paths);
    if (!paths.script || optind != argc) {
        fputs(usage, stderr);
        return 2;
    }
    script_load(&s.script, paths.script);
    load_builtin(&s);
    log_open(&s.log, paths.log);
    s.log.heads = paths.heads;
    tell_port(server_listen(&s), &s.options, paths.port_file);
    server_run(&s);
    server_free(&s);
    return 0;
}
