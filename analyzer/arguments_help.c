#include "arguments.h"

#define COMMON                                                                                                         \
    "  --mode prefix|strict|salvage\n"                                                                                 \
    "                   prefix: read up to the first flaw (default); strict: any flaw is an error;\n"                  \
    "                   salvage: go on behind a flaw, and mark what it took away\n"                                    \
    "  -q, --quiet      no notes on stderr   -v, --verbose   more of them\n"                                           \
    "  --help, --version\n"

#define POLICY                                                                                                         \
    "  --policy NAME|FILE  who counts, and what is withheld: capacity (the standard), serving-comparison,\n"           \
    "                   or a file of your own; 'tokentape-analyze policies' lists and shows them\n"

#define LIMIT                                                                                                          \
    "  --max-client-error MS[,PERCENT]\n"                                                                              \
    "                   what the recorder itself may have added to a time, the larger of the two, before\n"            \
    "                   its request has the reason client_limited (5ms,1%)\n"                                          \
    "  --strict-timing  such a request is excluded: a runner_error, and no throughput is told\n"

#define EXITS                                                                                                          \
    "Exit status: 0 all requests succeeded; 1 some failed; 2 usage, or an output that exists;\n"                       \
    "3 the tape is incomplete, the output covers what it has; 4 the output could not be written;\n"                    \
    "5 unusable input.\n"

static const char program[] =
    "tokentape-analyze COMMAND [options]: recompute everything from a recorded tape\n"
    "\n"
    "  result   run.tape [-o out.json]   every number and verdict, as JSON\n"
    "  summary  run.tape                 the same as a table for people\n"
    "  verify   run.tape [--head HASH]   is the tape complete, torn, cut, damaged, edited?\n"
    "  dump     run.tape [--text]        the records as JSON lines\n"
    "  timeline run.tape --request N     one request, read by read\n"
    "  redact   run.tape copy.tape --keep timing|structure|all-but-prompts\n"
    "                                    a copy without the texts, to give away\n"
    "  explain  run.tape [--request N]   why each request counts or not, and where that stands\n"
    "  failures                          every way a request can fail\n"
    "  reasons                           every reason to leave out, withhold or warn\n"
    "  policies [NAME]                   which of them do what: --policy NAME|FILE\n"
    "  check    run.tape result.json     does this result follow from this tape?\n"
    "  audit    result.json ...          without its tape: is it consistent with itself?\n"
    "  diff     a.json b.json            two results of one tape: what changed, by which rule\n"
    "  whatif   run.tape ... --policy P  who would count under other rules, with which numbers\n"
    "  follow   run.tape [--json]        how a recording stands that is still running\n"
    "\n"
    "COMMAND --help says more. No network, no clock: the same tape gives the same bytes.\n";

static const char result[] =
    "tokentape-analyze result run.tape [-o out.json] [--policy NAME|FILE] [--schema-exact]\n"
    "Writes the result (schema anvil-serving.benchmark/v1) to stdout, or to a new file.\n"
    "\n"
    "  -o, --output FILE   a file that does not exist yet; it appears whole or not at all (-: stdout)\n"
    "  --schema-exact      leave out `trace`, the one key the schema does not have\n" POLICY LIMIT COMMON "\n" EXITS;

static const char summary[] = "tokentape-analyze summary run.tape [--policy NAME|FILE]\n"
                              "A table for people: what counts, what was left out, the distributions.\n"
                              "\n" POLICY LIMIT COMMON "\n" EXITS;

static const char verify[] =
    "tokentape-analyze verify run.tape [--head HASH] [--json]\n"
    "Reads the whole tape and checks every checksum and the hash chain. The head hash in\n"
    "run.tape.head, beside the tape, is compared unless --head gives another.\n"
    "\n"
    "  --head HASH      the 64 hex digits that the recorder printed\n"
    "  --json           one JSON object instead of text\n" COMMON "\n"
    "Exit status: 0 complete; 2 usage; 3 torn, cut or still being written; 4 output not written;\n"
    "5 damaged, edited or no tape.\n";

static const char dump[] =
    "tokentape-analyze dump run.tape [--text]\n"
    "One JSON object to a record, in file order; bytes as base64. It holds prompts and answers.\n"
    "\n"
    "  --text           bytes as text; control characters stay escaped\n" COMMON "\n"
    "Exit status: 0 the whole tape; 2 usage; 3 the tape is incomplete; 4 output not written;\n"
    "5 unusable input.\n";

static const char timeline[] =
    "tokentape-analyze timeline run.tape --request N [--json]\n"
    "One request read by read: what each read brought, in ms since its start. No text of it.\n"
    "\n"
    "  --request N      its index; warm-ups follow the measured requests\n"
    "  --json           JSON lines instead of text\n" COMMON "\n"
    "Exit status: 0; 1 the request failed; 2 usage; 3 the tape is incomplete; 4 output not written;\n"
    "5 unusable input.\n";

static const char failures[] = "tokentape-analyze failures [--json]\n"
                               "The table of every way a request can fail: error_type, failure_class, phase,\n"
                               "who has to look, and what it means.\n";

static const char explain[] =
    "tokentape-analyze explain run.tape [--request N] [--run] [--policy NAME|FILE] [--json]\n"
    "tokentape-analyze explain a.tape b.tape ... --run [--policy NAME|FILE] [--json]\n"
    "Why each request counts or not: a line for each (for all of a row that count alike), and of those\n"
    "that are out each rule they break: what it saw, what it wanted, where on the tape that stands\n"
    "(blocks and records as `dump` numbers them, bytes of the request's body as it came).\n"
    "\n"
    "  --request N      all rules of this one: those it breaks, those it keeps, those that do not apply\n"
    "  --run            the rules of the run: why its throughput is withheld, why it has its label;\n"
    "                   of several tapes also whether they may be compared\n"
    "  --json           one JSON object (a list of them for several tapes)\n"
    "  -v               a line for each request, and no \"for the same reasons as\"\n" POLICY LIMIT COMMON "\n" EXITS;

static const char policies[] =
    "tokentape-analyze policies [NAME|FILE] [--json]\n"
    "Who counts, as data. Without a name: the policies that are part of the program. With one: its file,\n"
    "to be read or to begin one of your own with; of a file of yours, whether it is one and what it does.\n"
    "\n"
    "excludes   leaves the request out of rows and metrics; it stands in `failures` with the reason\n"
    "withholds  the throughput of the run, and performance_eligible\n"
    "warns      changes nothing and is said\n"
    "\n"
    "  --json           each with the ids of its reasons\n"
    "  --help, --version\n"
    "\n"
    "Exit status: 0; 2 usage, or a policy that is wrong; 4 output not written; 5 it cannot be read.\n";

static const char reasons[] = "tokentape-analyze reasons [--json]\n"
                              "The table of every reason: what it is about, what `capacity` makes of it, the class of\n"
                              "the failure it makes, what it means, the facts it looks at. Policies name these.\n";

static const char check[] =
    "tokentape-analyze check run.tape result.json [--masked FIELD]... [--ulp N] [--policy FILE] [--json]\n"
    "Recomputes the result from the tape and compares every field, the text of numbers too.\n"
    "trace.tape.head in the result has to be the tape's; a result without `trace` (--schema-exact)\n"
    "is compared without it, which is said. A result of another run is no input. It is judged under the\n"
    "policy that the result names in trace.policy; a policy of your own has to be given again.\n"
    "\n"
    "  --masked FIELD   a field that was changed on purpose, with all below it: base_url,\n"
    "                   trace.connections, request_timings[3].ttft_ms; may be given 64 times\n"
    "  --ulp N          the result is of another program: numbers are compared by value, doubles\n"
    "                   may be N (0 to 4096) units in the last place apart, order of keys is free\n"
    "  --json           one JSON object instead of text, with up to 1,000 differences\n"
    "  --max-client-error MS[,PERCENT], --strict-timing\n"
    "                   as for `result`; without them, as trace.timing.client_limited says\n" POLICY COMMON "\n"
    "Exit status: 0 it holds, or holds except what is masked; 1 it does not; 2 usage; 3 it holds,\n"
    "but the tape is incomplete; 4 output not written; 5 unusable input.\n"
    "Memory: for the result twice its text, at most 256 MiB, and 96 bytes for each of at most 8.4\n"
    "million values; for the tape as FORMAT.md says.\n";

static const char redact[] =
    "tokentape-analyze redact run.tape copy.tape --keep timing|structure|all-but-prompts\n"
    "A copy to give away: a new tape with the same times, lengths, events, counts and verdicts,\n"
    "whose ORIGIN record names the head hash of this one. No level keeps the prompts.\n"
    "\n"
    "  --keep timing            no text of the answers, no ids and names of the server's\n"
    "  --keep structure         no text of the answers; ids, models, headers and keys stay\n"
    "  --keep all-but-prompts   the answers stay as they are, and may well quote the prompts\n"
    "\n"
    "Text becomes filler of the same length; white space stays, and so do request markers and\n"
    "the word `code` where the run asked for them. Options, model and base URL of the run, markers and\n"
    "hashes of the prompts stay on every level.\n" COMMON "\n"
    "Exit status: 0 the whole tape; 2 usage, or a copy that exists; 3 the tape is incomplete, and so\n"
    "is the copy; 4 the copy could not be written; 5 unusable input.\n";

static const char audit[] =
    "tokentape-analyze audit result.json... [--require proven] [--json]\n"
    "tokentape-analyze audit --list [--json]\n"
    "Results without their tape, of any generation of the schema: every invariant that a result\n"
    "can carry is proven, contradicted, or cannot be proven here, with the reason. What cannot be\n"
    "proven is no pass: a measurement that was changed with all that follows from it contradicts\n"
    "nothing. One result: all of it; many (up to 4,096): a line each, and totals.\n"
    "\n"
    "  --require proven   exit 3 when something could not be proven\n"
    "  --list             the invariants: since which generation, from which rule\n"
    "  --json             a list with one object per result\n"
    "  -v, --verbose      of many results, too, what was proven and what could not be\n"
    "  --help, --version\n"
    "\n"
    "Exit status: 0 nothing contradicts; 1 something does; 2 usage; 3 not all is proven (--require);\n"
    "4 output not written; 5 a result is unusable: no JSON, another schema, a key twice, NaN.\n"
    "Memory: of one result at a time twice its text, at most 256 MiB, and 96 bytes for each of at\n"
    "most 8.4 million values.\n";

static const char diff[] =
    "tokentape-analyze diff a.json b.json [--masked FIELD]... [--ulp N] [--json]\n"
    "Two results of one tape, made by other analyzers or under other policies: which requests moved\n"
    "between rows and failures and for which reason, which numbers that people quote moved with them,\n"
    "and - first, with a ! - what is explained by no rule: a time that changed in a row that stayed, a\n"
    "sum that does not follow from its own rows, anything at all where both were made in the same way.\n"
    "Results of two tapes are no input. Without `trace` (--schema-exact) it is not proven that they\n"
    "are of one, which is said.\n"
    "\n"
    "  --masked FIELD   a field that may differ, with all below it; may be given 64 times\n"
    "  --ulp N          numbers are compared by value, doubles may be N (0 to 4096) units in the last\n"
    "                   place apart, order of keys is free\n"
    "  --json           one JSON object instead of text, with up to 1,000 differences of each kind\n"
    "  -v, --verbose    list what only follows from the rest, too\n"
    "  --help, --version\n"
    "\n"
    "Exit status: 0 nothing differs, or nothing but what is masked; 1 something does; 2 usage;\n"
    "4 output not written; 5 unusable input, or of two tapes.\n";

static const char whatif[] =
    "tokentape-analyze whatif run.tape... [--policy NAME|FILE]... [--without REASON]... [--full-capture]\n"
    "Who would count under other rules: each variant against a base, on the same tapes. Per variant the\n"
    "requests that come in, go out, or are left out for another reason, with the reasons; and how the\n"
    "numbers that people quote move. They are those of 'result --policy'.\n"
    "\n"
    "The base is the first of several --policy, else capacity. Several tapes (up to 16) are the arms of\n"
    "a comparison: a rule that takes more from one than from another is said, and so is what a policy\n"
    "asks of them all.\n"
    "\n"
    "  --policy NAME|FILE   a variant (when two or more are given, the first is the base); up to 15\n"
    "  --without REASON     the base without this reason ('tokentape-analyze reasons' has them); up to 15\n"
    "  --full-capture       the base, with markers and words judged on the complete text\n"
    "  --strict-timing      the base, without requests whose times may be the client's own\n"
    "  --max-client-error MS[,PERCENT]   when they may (5,1)\n"
    "  --json               one JSON object instead of text, with every number, moved or not\n" COMMON "\n"
    "Exit status, under the base: 0 all requests succeeded; 1 some failed; 2 usage, a policy that is\n"
    "wrong, a reason that is unknown or that no policy can do without; 3 a tape is incomplete; 4 output\n"
    "not written; 5 unusable input.\n";

static const char follow[] =
    "tokentape-analyze follow run.tape [--interval SECONDS] [--json]\n"
    "Shows how a recording stands until it ends: requests, what came per second over the last 5 s of\n"
    "the tape, TTFO and TTFT of what ended well. It reads the file and asks who holds the recorder's\n"
    "lock; it takes none, and the recorder does not notice. On a terminal it draws over itself,\n"
    "elsewhere it prints a line at a time. What it shows is up to half a second old.\n"
    "\n"
    "  --interval SECONDS   between two shows: 0.1 to 3600 (1); the end is shown when it comes\n"
    "  --json           JSON lines instead of text; metrics have their names in the result\n"
    "  --once           show how it stands now and leave\n"
    "  --wait           wait for the tape when it is not there yet\n"
    "  -q, --quiet      no notes on stderr   -v, --verbose   more of them\n"
    "  --help, --version\n"
    "\n"
    "planned, started, in flight, done and failed count measured requests; failed: ended, and the\n"
    "answer was none or not good. p50 and p95 are those of the result once the tape has ended.\n"
    "\n"
    "Exit status: 0 the tape ended and all requests succeeded; 1 some failed; 2 usage; 3 the tape\n"
    "ended torn, cut, damaged or edited, or (--once) is still being written; 4 output not written;\n"
    "5 unusable input.\n";

const char *arguments_help(enum command command)
{
    switch (command) {
    case COMMAND_RESULT:
        return result;
    case COMMAND_SUMMARY:
        return summary;
    case COMMAND_VERIFY:
        return verify;
    case COMMAND_DUMP:
        return dump;
    case COMMAND_TIMELINE:
        return timeline;
    case COMMAND_FAILURES:
        return failures;
    case COMMAND_CHECK:
        return check;
    case COMMAND_REDACT:
        return redact;
    case COMMAND_AUDIT:
        return audit;
    case COMMAND_FOLLOW:
        return follow;
    case COMMAND_DIFF:
        return diff;
    case COMMAND_EXPLAIN:
        return explain;
    case COMMAND_POLICIES:
        return policies;
    case COMMAND_REASONS:
        return reasons;
    case COMMAND_WHATIF:
        return whatif;
    case COMMAND_NONE:
        break;
    }
    return program;
}
