/* Every reason, in one table. */
#include <assert.h>
#include <string.h>

#include "reason_parts.h"

/* What of a failure is on the tape. */
#define NOTHING "plan"
#define CALL "plan, start, times of the call"
#define HEADS "plan, start, response heads"
#define BYTES "heads and every byte with its time"

/* Where rules come from: sections of result.md, entries of the campaign plan's list `eligibility`. */
#define RESULT_2 "result.md 2"
#define RESULT_4 "result.md 4"
#define RESULT_5 "result.md 5"
#define RESULT_6 "result.md 6"
#define RESULT_7 "result.md 7"
#define RESULT_9 "result.md 9"
#define PLAN_1 "campaign plan, eligibility 1"
#define PLAN_2 "campaign plan, eligibility 2"
#define PLAN_3 "campaign plan, eligibility 3"
#define PLAN_4 "campaign plan, eligibility 4"
#define PLAN_5 "campaign plan, eligibility 5"
#define PLAN_6 "campaign plan, eligibility 6"
#define OWN "this program"

/* A way for a request to fail, as the schema knows it. */
#define FAILED(of_class, at_phase, of, what_is_kept)                                                                   \
    .scope = REASON_OF_REQUEST, .standard = REASON_EXCLUDES, .class = (of_class), .phase = (at_phase), .fault = (of),  \
    .kept = (what_is_kept), .source = RESULT_7
#define REQUEST(effect, of_class, of)                                                                                  \
    .scope = REASON_OF_REQUEST, .standard = (effect), .class = (of_class), .fault = (of), .kept = BYTES
#define RUN(effect, of) .scope = REASON_OF_RUN, .standard = (effect), .fault = (of), .kept = BYTES
#define ARMS(effect, of) .scope = REASON_OF_ARMS, .standard = (effect), .fault = (of), .kept = BYTES

static const struct reason_entry table[REASON_CODES] =
    {
        [REASON_NONE] = {.id = "none", .error_type = "none", .meaning = "the request counts", .kept = BYTES},
        [REASON_NOT_BUILT] =
            {
                .id = "not_built",
                .error_type = "not_built",
                FAILED(FAILURE_REQUEST_ERROR, "plan", "client", NOTHING),
                .meaning = "the body could not be built as planned, so nothing was sent",
                .inputs = "PLAN fault",
                .judge = reason_not_built,
            },
        [REASON_NOT_SENT] =
            {
                .id = "not_sent",
                .error_type = "not_sent",
                FAILED(FAILURE_RUNNER_ERROR, "run", "client", NOTHING),
                .meaning = "the run ended before its turn came",
                .inputs = "START",
                .judge = reason_not_sent,
            },
        [REASON_NOT_RECORDED] =
            {
                .id = "not_recorded",
                .error_type = "not_recorded",
                FAILED(FAILURE_RUNNER_ERROR, "run", "client", BYTES),
                .meaning = "the tape ends before the request did",
                .inputs = "START, DONE",
                .judge = reason_not_recorded,
            },
        [REASON_CANCELLED] =
            {
                .id = "cancelled",
                .error_type = "cancelled",
                FAILED(FAILURE_RUNNER_ERROR, "run", "client", BYTES),
                .meaning = "the run was interrupted meanwhile",
                .inputs = "DONE reason",
                .judge = reason_cancelled,
            },
        [REASON_REDIRECT_REFUSED] =
            {
                .id = "redirect_refused",
                .error_type = "redirect_refused",
                FAILED(FAILURE_REQUEST_ERROR, "headers", "client", HEADS),
                .meaning = "the server redirects; redirects are never followed",
                .inputs = "status of HEAD",
                .judge = reason_status,
            },
        [REASON_HTTP_STATUS] =
            {
                .id = "http_status",
                .error_type = "http_status",
                FAILED(FAILURE_REQUEST_ERROR, "headers", "either", BYTES),
                .meaning = "the status is not 2xx (the message has it, and Retry-After in seconds): 4xx for the "
                           "client, 5xx for the server",
                .inputs = "status of HEAD",
                .judge = reason_status,
            },
        [REASON_LOST_RECORDS] =
            {
                .id = "lost_records",
                .error_type = "lost_records",
                FAILED(FAILURE_RUNNER_ERROR, "run", "client", "what was not lost"),
                .meaning = "some of its reads are not on the tape (full ring, or a hole in a damaged tape)",
                .inputs = "LOST records, holes of the tape",
                .judge = reason_lost,
            },
        [REASON_DNS] =
            {
                .id = "dns_error",
                .error_type = "dns_error",
                FAILED(FAILURE_REQUEST_ERROR, "resolve", "network", CALL),
                .meaning = "the server's name did not resolve",
                .inputs = "DONE reason, libcurl code, head, body, times of the call",
                .judge = reason_call_end,
            },
        [REASON_PROXY] =
            {
                .id = "proxy_error",
                .error_type = "proxy_error",
                FAILED(FAILURE_REQUEST_ERROR, "connect", "network", CALL),
                .meaning = "the proxy did not resolve, took no connection, or would not pass one on",
                .inputs = "DONE reason, libcurl code, head, body, times of the call",
                .judge = reason_call_end,
            },
        [REASON_CONNECT_REFUSED] =
            {
                .id = "connect_refused",
                .error_type = "connect_refused",
                FAILED(FAILURE_REQUEST_ERROR, "connect", "server", CALL),
                .meaning = "nothing listens at that address and port",
                .inputs = "DONE reason, libcurl code, head, body, times of the call",
                .judge = reason_call_end,
            },
        [REASON_CONNECT] =
            {
                .id = "connect_error",
                .error_type = "connect_error",
                FAILED(FAILURE_REQUEST_ERROR, "connect", "network", CALL),
                .meaning = "no connection could be made",
                .inputs = "DONE reason, libcurl code, head, body, times of the call",
                .judge = reason_call_end,
            },
        [REASON_NO_LOCAL_PORT] =
            {
                .id = "no_local_port",
                .error_type = "no_local_port",
                FAILED(FAILURE_REQUEST_ERROR, "connect", "client", CALL),
                .meaning = "no local port was free for one more connection (or no address leads to the server)",
                .inputs = "DONE reason, libcurl code, head, body, times of the call",
                .judge = reason_call_end,
            },
        [REASON_CONNECT_TIMEOUT] =
            {
                .id = "connect_timeout",
                .error_type = "connect_timeout",
                FAILED(FAILURE_REQUEST_ERROR, "connect", "network", CALL),
                .meaning = "no connection within the timeout",
                .inputs = "DONE reason, libcurl code, head, body, times of the call",
                .judge = reason_call_end,
            },
        [REASON_TLS] =
            {
                .id = "tls_error",
                .error_type = "tls_error",
                FAILED(FAILURE_REQUEST_ERROR, "tls", "either", CALL),
                .meaning = "the TLS handshake or the certificate check failed",
                .inputs = "DONE reason, libcurl code, head, body, times of the call",
                .judge = reason_call_end,
            },
        [REASON_SEND] =
            {
                .id = "send_error",
                .error_type = "send_error",
                FAILED(FAILURE_REQUEST_ERROR, "send", "either", CALL),
                .meaning = "the request could not be sent whole",
                .inputs = "DONE reason, libcurl code, head, body, times of the call",
                .judge = reason_call_end,
            },
        [REASON_SEND_TIMEOUT] =
            {
                .id = "send_timeout",
                .error_type = "send_timeout",
                FAILED(FAILURE_REQUEST_ERROR, "send", "server", CALL),
                .meaning = "the server stopped taking the request before it was whole",
                .inputs = "DONE reason, libcurl code, head, body, times of the call",
                .judge = reason_call_end,
            },
        [REASON_STALE_CONNECTION] =
            {
                .id = "stale_connection",
                .error_type = "stale_connection",
                FAILED(FAILURE_REQUEST_ERROR, "send", "either", CALL),
                .meaning = "a reused connection was dead; the request was not sent a second time",
                .inputs = "DONE reason, libcurl code, head, body, times of the call",
                .judge = reason_call_end,
            },
        [REASON_HEADER_TIMEOUT] =
            {
                .id = "header_timeout",
                .error_type = "header_timeout",
                FAILED(FAILURE_REQUEST_ERROR, "headers", "server", CALL),
                .meaning = "no response head within the timeout",
                .inputs = "DONE reason, libcurl code, head, body, times of the call",
                .judge = reason_call_end,
            },
        [REASON_NO_RESPONSE] =
            {
                .id = "no_response",
                .error_type = "no_response",
                FAILED(FAILURE_REQUEST_ERROR, "headers", "server", CALL),
                .meaning = "the connection ended before a response head",
                .inputs = "DONE reason, libcurl code, head, body, times of the call",
                .judge = reason_call_end,
            },
        [REASON_NOT_HTTP] =
            {
                .id = "not_http",
                .error_type = "not_http",
                FAILED(FAILURE_REQUEST_ERROR, "headers", "server", CALL),
                .meaning = "the answer is not HTTP",
                .inputs = "DONE reason, libcurl code, head, body, times of the call",
                .judge = reason_call_end,
            },
        [REASON_INACTIVITY_BEFORE_OUTPUT] =
            {
                .id = "inactivity_timeout_before_output",
                .error_type = "inactivity_timeout_before_output",
                FAILED(FAILURE_REQUEST_ERROR, "body", "server", BYTES),
                .meaning = "2xx, then no byte for the timeout, before any output",
                .inputs = "DONE reason, libcurl code, head, body, times of the call",
                .judge = reason_call_end,
            },
        [REASON_INACTIVITY] =
            {
                .id = "inactivity_timeout",
                .error_type = "inactivity_timeout",
                FAILED(FAILURE_REQUEST_ERROR, "body", "server", BYTES),
                .meaning = "2xx and output, then no byte for the timeout",
                .inputs = "DONE reason, libcurl code, head, body, times of the call",
                .judge = reason_call_end,
            },
        [REASON_CONNECTION_RESET] =
            {
                .id = "connection_reset",
                .error_type = "connection_reset",
                FAILED(FAILURE_REQUEST_ERROR, "body", "either", BYTES),
                .meaning = "the connection was reset inside the body",
                .inputs = "DONE reason, libcurl code, head, body, times of the call",
                .judge = reason_call_end,
            },
        [REASON_TRUNCATED_BODY] =
            {
                .id = "truncated_body",
                .error_type = "truncated_body",
                FAILED(FAILURE_REQUEST_ERROR, "body", "server", BYTES),
                .meaning = "the connection closed before the body was whole",
                .inputs = "DONE reason, libcurl code, head, body, times of the call",
                .judge = reason_call_end,
            },
        [REASON_BAD_CHUNK] =
            {
                .id = "bad_chunk",
                .error_type = "bad_chunk",
                FAILED(FAILURE_REQUEST_ERROR, "body", "server", BYTES),
                .meaning = "the chunked framing of the body breaks its grammar",
                .inputs = "DONE reason, libcurl code, head, body, times of the call",
                .judge = reason_call_end,
            },
        [REASON_BAD_FRAMING] =
            {
                .id = "bad_framing",
                .error_type = "bad_framing",
                FAILED(FAILURE_REQUEST_ERROR, "headers", "server", BYTES),
                .meaning = "the headers that frame the body contradict each other",
                .inputs = "DONE reason, libcurl code, head, body, times of the call",
                .judge = reason_call_end,
            },
        [REASON_BODY_NEVER_ENDED] =
            {
                .id = "body_never_ended",
                .error_type = "body_never_ended",
                FAILED(FAILURE_REQUEST_ERROR, "body", "server", BYTES),
                .meaning = "given up after the done-grace, yet no event was [DONE]",
                .inputs = "DONE reason, libcurl code, head, body, times of the call",
                .judge = reason_call_end,
            },
        [REASON_HTTP2] =
            {
                .id = "http2_error",
                .error_type = "http2_error",
                FAILED(FAILURE_REQUEST_ERROR, "body", "either", BYTES),
                .meaning = "the HTTP/2 stream failed",
                .inputs = "DONE reason, libcurl code, head, body, times of the call",
                .judge = reason_call_end,
            },
        [REASON_TRANSPORT] =
            {
                .id = "transport_error",
                .error_type = "transport_error",
                FAILED(FAILURE_REQUEST_ERROR, "body", "either", BYTES),
                .meaning = "libcurl ended the transfer for another reason (the message has its code)",
                .inputs = "DONE reason, libcurl code, head, body, times of the call",
                .judge = reason_call_end,
            },
        [REASON_CLIENT] =
            {
                .id = "client_error",
                .error_type = "client_error",
                FAILED(FAILURE_REQUEST_ERROR, "send", "client", CALL),
                .meaning = "the recorder itself ended the transfer (memory, callback, option)",
                .inputs = "DONE reason, libcurl code, head, body, times of the call",
                .judge = reason_call_end,
            },
        [REASON_EVENT_TOO_LARGE] =
            {
                .id = "event_too_large",
                .error_type = "event_too_large",
                FAILED(FAILURE_STREAM_VALIDATION, "content", "server", BYTES),
                .meaning = "an event passes 16 MiB, or its share of 64 MiB",
                .inputs = "DONE reason, libcurl code, head, body, times of the call",
                .judge = reason_call_end,
            },
        [REASON_EMPTY_BODY] =
            {
                .id = "empty_body",
                .error_type = "empty_body",
                FAILED(FAILURE_STREAM_VALIDATION, "body", "server", HEADS),
                .meaning = "2xx without a byte of body",
                .inputs = "bytes of payload",
                .judge = reason_empty_body,
            },
        [REASON_COMPRESSED_BODY] =
            {
                .id = "compressed_body",
                .error_type = "compressed_body",
                FAILED(FAILURE_STREAM_VALIDATION, "body", "server", BYTES),
                .meaning = "the body is compressed, though that was not asked for: its events have no times",
                .inputs = "content-encoding",
                .judge = reason_compressed,
            },
        [REASON_NOT_AN_EVENT_STREAM] =
            {
                .id = "not_an_event_stream",
                .error_type = "not_an_event_stream",
                FAILED(FAILURE_STREAM_VALIDATION, "headers", "server", BYTES),
                .meaning = "2xx with another content type than text/event-stream",
                .inputs = "content-type, events",
                .judge = reason_not_events,
            },
        [REASON_IN_BAND_ERROR] =
            {
                .id = "in_band_error",
                .error_type = "in_band_error",
                FAILED(FAILURE_STREAM_VALIDATION, "content", "server", BYTES),
                .meaning = "an error object or error event inside a 2xx stream",
                .inputs = "error events and objects",
                .judge = reason_in_band_error,
            },
        [REASON_NO_VISIBLE_OUTPUT] =
            {
                .id = "no_visible_output",
                .error_type = "no_visible_output",
                FAILED(FAILURE_STREAM_VALIDATION, "content", "server", BYTES),
                .meaning = "reasoning or tool calls, but no content",
                .inputs = "chunks by kind",
                .judge = reason_silence,
            },
        [REASON_EMPTY_FINISH] =
            {
                .id = "empty_finish",
                .error_type = "empty_finish",
                FAILED(FAILURE_STREAM_VALIDATION, "content", "server", BYTES),
                .meaning = "the model finished without having said anything",
                .inputs = "chunks by kind, finish reasons",
                .judge = reason_silence,
            },
        [REASON_NO_OUTPUT] =
            {
                .id = "no_output",
                .error_type = "no_output",
                FAILED(FAILURE_STREAM_VALIDATION, "content", "server", BYTES),
                .meaning = "neither output nor a finish reason was streamed",
                .inputs = "chunks by kind, finish reasons",
                .judge = reason_silence,
            },
        [REASON_NO_TERMINAL] =
            {
                .id = "no_terminal",
                .error_type = "no_terminal",
                FAILED(FAILURE_STREAM_VALIDATION, "content", "server", BYTES),
                .meaning = "the stream ended with neither [DONE] nor a finish reason",
                .inputs = "[DONE], finish reasons",
                .judge = reason_no_terminal,
            },
        [REASON_CANARY] =
            {
                .id = "canary_failed",
                .error_type = "canary_failed",
                FAILED(FAILURE_CANARY, "content", "server", BYTES),
                .meaning = "the answer does not begin with its own marker, or holds another request's",
                .inputs = "own marker, foreign markers, capture",
                .judge = reason_canary,
            },
        [REASON_CANARY_CAPTURE_LIMIT] =
            {
                .id = "canary_capture_limit",
                .error_type = "capture_limit",
                FAILED(FAILURE_CANARY, "content", "client", BYTES),
                .meaning = "the canary holds as far as the capture of 8192 characters goes, which is cut",
                .inputs = "own marker, foreign markers, capture",
                .judge = reason_canary,
            },
        [REASON_CONTROLLED_OUTPUT] =
            {
                .id = "controlled_output_failed",
                .error_type = "controlled_output_failed",
                FAILED(FAILURE_CONTROLLED_OUTPUT, "content", "server", BYTES),
                .meaning = "the words are not those asked for, under the strict policy",
                .inputs = "words, capture, controlled_output_policy",
                .judge = reason_controlled,
            },
        [REASON_CONTROLLED_OUTPUT_CAPTURE_LIMIT] =
            {
                .id = "controlled_output_capture_limit",
                .error_type = "capture_limit",
                FAILED(FAILURE_CONTROLLED_OUTPUT, "content", "client", BYTES),
                .meaning = "the words cannot be counted: the capture of 8192 characters is cut",
                .inputs = "words, capture, controlled_output_policy",
                .judge = reason_controlled,
            },
        [REASON_MARKER_NOT_FIRST] =
            {
                .id = "marker_not_first",
                .error_type = "marker_not_first",
                REQUEST(REASON_IGNORED, FAILURE_CANARY, "server"),
                .meaning = "the answer does not begin with its own marker",
                .source = PLAN_4,
                .inputs = "own marker, capture",
                .judge = reason_canary,
            },
        [REASON_FOREIGN_MARKER] =
            {
                .id = "foreign_marker",
                .error_type = "foreign_marker",
                REQUEST(REASON_IGNORED, FAILURE_CANARY, "server"),
                .meaning = "the answer holds the marker of another request",
                .source = PLAN_4,
                .inputs = "foreign markers in the text",
                .judge = reason_canary,
            },
        [REASON_FOREIGN_MARKER_IN_REASONING] =
            {
                .id = "foreign_marker_in_reasoning",
                .error_type = "foreign_marker_in_reasoning",
                REQUEST(REASON_IGNORED, FAILURE_STREAM_VALIDATION, "server"),
                .meaning = "the reasoning holds the marker of another request",
                .source = PLAN_4,
                .inputs = "foreign markers in the reasoning",
                .judge = reason_reasoning_marker,
            },
        [REASON_CAPTURE_INCOMPLETE] =
            {
                .id = "capture_incomplete",
                .error_type = "capture_incomplete",
                REQUEST(REASON_IGNORED, FAILURE_STREAM_VALIDATION, "client"),
                .meaning = "the capture is cut, so not all of the text was looked at",
                .source = PLAN_4,
                .inputs = "characters of visible text, parameter capture",
                .judge = reason_capture,
            },
        [REASON_CONTROLLED_NOT_EXACT] =
            {
                .id = "controlled_output_not_exact",
                .error_type = "controlled_output_not_exact",
                REQUEST(REASON_IGNORED, FAILURE_STREAM_VALIDATION, "server"),
                .meaning = "the words are not shown to be exactly those asked for, whatever the policy of the run",
                .source = PLAN_5,
                .inputs = "words, capture",
                .judge = reason_controlled,
            },
        [REASON_CANARIES_OFF] =
            {
                .id = "canaries_off",
                .error_type = "canaries_off",
                REQUEST(REASON_IGNORED, FAILURE_RUNNER_ERROR, "client"),
                .meaning = "the run asked for no markers, so nobody can tell whose answer it is",
                .source = PLAN_4,
                .inputs = "request_canaries",
                .judge = reason_canaries_off,
            },
        [REASON_FINISH_NOT_ALLOWED] =
            {
                .id = "finish_reason_not_allowed",
                .error_type = "finish_reason_not_allowed",
                REQUEST(REASON_IGNORED, FAILURE_STREAM_VALIDATION, "server"),
                .meaning = "a finish reason is missing or none of those allowed",
                .source = PLAN_3,
                .inputs = "finish reasons, parameter finish_reasons",
                .judge = reason_finish,
            },
        [REASON_USAGE_NOT_EXACT] =
            {
                .id = "usage_not_exact",
                .error_type = "usage_not_exact",
                REQUEST(REASON_IGNORED, FAILURE_STREAM_VALIDATION, "server"),
                .meaning = "output tokens are counted, prompt tokens are not",
                .source = PLAN_2,
                .inputs = "usage",
                .judge = reason_usage,
            },
        [REASON_CACHED_IN_UNIQUE_MODE] =
            {
                .id = "cached_tokens_in_unique_mode",
                .error_type = "cached_tokens_in_unique_mode",
                REQUEST(REASON_WARNS, FAILURE_STREAM_VALIDATION, "server"),
                .meaning = "the server reports cached prompt tokens although no two prompts share a prefix",
                .source = RESULT_9,
                .inputs = "prompt_cache_mode, cached tokens",
                .judge = reason_cached,
            },
        [REASON_PREFIX_FILLS_PROMPT] =
            {
                .id = "shared_prefix_fills_prompt",
                .error_type = "shared_prefix_fills_prompt",
                REQUEST(REASON_WARNS, FAILURE_RUNNER_ERROR, "client"),
                .meaning = "the shared prefix is as long as the whole prompt",
                .source = RESULT_9,
                .inputs = "prompt_cache_mode, shared_prefix_tokens, planned context",
                .judge = reason_prefix,
            },
        [REASON_UPLOAD_SLOW] =
            {
                .id = "upload_above_1_percent_of_ttfo",
                .error_type = "upload_above_1_percent_of_ttfo",
                REQUEST(REASON_WARNS, FAILURE_STREAM_VALIDATION, "either"),
                .meaning = "sending the request took more than 1 % of the time to first output",
                .source = RESULT_9,
                .inputs = "SEND, time to first output",
                .judge = reason_upload,
            },
        [REASON_PROMPT_OFF_PLAN] =
            {
                .id = "prompt_tokens_far_from_plan",
                .error_type = "prompt_tokens_far_from_plan",
                REQUEST(REASON_WARNS, FAILURE_STREAM_VALIDATION, "either"),
                .meaning = "the server counts prompt tokens more than 10 % away from the plan",
                .source = RESULT_9,
                .inputs = "prompt tokens, planned context",
                .judge = reason_prompt,
            },
        [REASON_BURST_DELIVERY] =
            {
                .id = "burst_delivery",
                .error_type = "burst_delivery",
                REQUEST(REASON_WARNS, FAILURE_STREAM_VALIDATION, "network"),
                .meaning = "all output came in the last 1 % of the request's time",
                .source = OWN,
                .inputs = "first output, last byte, chunks",
                .judge = reason_burst,
            },
        [REASON_USAGE_MISSING] =
            {
                .id = "usage_missing",
                .error_type = "usage_missing",
                REQUEST(REASON_WARNS, FAILURE_STREAM_VALIDATION, "server"),
                .meaning = "no completion token count: token rates are null",
                .source = PLAN_2,
                .inputs = "usage",
                .of_rows = true,
                .judge = reason_usage,
            },
        [REASON_USAGE_ODD] =
            {
                .id = "usage_numbers_odd",
                .error_type = "usage_numbers_odd",
                REQUEST(REASON_WARNS, FAILURE_STREAM_VALIDATION, "server"),
                .meaning = "usage holds counts that are no integers >= 0; they are taken as absent",
                .source = RESULT_2,
                .inputs = "usage",
                .judge = reason_usage_odd,
            },
        [REASON_PAYLOADS_NOT_JSON] =
            {
                .id = "payloads_not_json",
                .error_type = "payloads_not_json",
                REQUEST(REASON_WARNS, FAILURE_STREAM_VALIDATION, "server"),
                .meaning = "some event payloads are not JSON and were passed over",
                .source = RESULT_2,
                .inputs = "payloads of events",
                .judge = reason_payloads,
            },
        [REASON_EVENTS_AFTER_DONE] =
            {
                .id = "events_after_done",
                .error_type = "events_after_done",
                REQUEST(REASON_WARNS, FAILURE_STREAM_VALIDATION, "server"),
                .meaning = "events follow [DONE]; they change nothing",
                .source = RESULT_2,
                .inputs = "events behind [DONE]",
                .judge = reason_after_done,
            },
        [REASON_CLIENT_LIMITED] =
            {
                .id = "client_limited",
                .error_type = "client_limited",
                REQUEST(REASON_WARNS, FAILURE_RUNNER_ERROR, "client"),
                .meaning = "the recorder itself may have made more of a time than --max-client-error allows",
                .source = OWN,
                .inputs = "START, SEND, lag and blind of the reads that decided TTFO, TTFT and E2E",
                .judge = reason_client_limited,
            },
        [REASON_NO_ROW] =
            {
                .id = "no_row",
                .error_type = "no_row",
                REQUEST(REASON_EXCLUDES, FAILURE_STREAM_VALIDATION, "either"),
                .meaning = "no row can be formed: start, output, content or end was not seen",
                .source = RESULT_4,
                .inputs = "times of start, output, content and end",
                .always = true,
                .judge = reason_no_row,
            },
        [REASON_TAPE_INCOMPLETE] =
            {
                .id = "tape_incomplete",
                .error_type = "tape_incomplete",
                RUN(REASON_WITHHOLDS, "client"),
                .meaning = "the tape is torn, cut, damaged, edited or still being written",
                .source = RESULT_6,
                .inputs = "state of the tape",
                .judge = reason_tape,
            },
        [REASON_END_MISSING] =
            {
                .id = "end_missing",
                .error_type = "end_missing",
                RUN(REASON_WITHHOLDS, "client"),
                .meaning = "the tape has no END, so the run may have gone on",
                .source = RESULT_6,
                .inputs = "END",
                .judge = reason_end,
            },
        [REASON_P95_IS_MAX] =
            {
                .id = "p95_is_max",
                .error_type = "p95_is_max",
                RUN(REASON_WARNS, "client"),
                .meaning = "with fewer than 20 samples p95 is the greatest of them",
                .source = RESULT_9,
                .inputs = "requests that count",
                .is_warning = true,
                .judge = reason_p95,
            },
        [REASON_READS_LOST] =
            {
                .id = "reads_lost",
                .error_type = "reads_lost",
                RUN(REASON_WITHHOLDS, "client"),
                .meaning = "reads were lost in recording",
                .source = RESULT_6,
                .inputs = "LOST records",
                .is_warning = true,
                .judge = reason_reads_lost,
            },
        [REASON_TAPE_HAS_HOLES] =
            {
                .id = "tape_has_holes",
                .error_type = "tape_has_holes",
                RUN(REASON_WITHHOLDS, "client"),
                .meaning = "holes in the tape",
                .source = RESULT_6,
                .inputs = "blocks passed over by salvage",
                .is_warning = true,
                .judge = reason_holes,
            },
        [REASON_NOT_ALL_COMPLETE] =
            {
                .id = "not_all_complete_and_terminal",
                .error_type = "not_all_complete_and_terminal",
                RUN(REASON_IGNORED, "server"),
                .meaning = "not every planned request has a whole answer with [DONE] or a finish reason",
                .source = PLAN_1,
                .inputs = "plan, answers, [DONE], finish reasons",
                .judge = reason_complete,
            },
        [REASON_REQUESTS_EXCLUDED] =
            {
                .id = "requests_excluded",
                .error_type = "requests_excluded",
                RUN(REASON_WITHHOLDS, "server"),
                .meaning = "not every planned request counts",
                .source = RESULT_5,
                .inputs = "plan, requests that count",
                .judge = reason_excluded,
            },
        [REASON_TOKENS_NOT_COUNTED] =
            {
                .id = "tokens_not_counted",
                .error_type = "tokens_not_counted",
                RUN(REASON_WITHHOLDS, "server"),
                .meaning = "a request that counts has no exact count of output tokens, so there is no sum",
                .source = RESULT_5,
                .inputs = "usage of requests that count",
                .always = true,
                .judge = reason_tokens,
            },
        [REASON_NO_DURATION] =
            {
                .id = "no_duration",
                .error_type = "no_duration",
                RUN(REASON_WITHHOLDS, "client"),
                .meaning = "the run took no time, so there is no rate",
                .source = RESULT_5,
                .inputs = "run_start, run_end",
                .always = true,
                .judge = reason_duration,
            },
        [REASON_PROTOCOL_REASONING] =
            {
                .id = "protocol_reasoning",
                .error_type = "protocol_reasoning",
                RUN(REASON_IGNORED, "server"),
                .meaning = "a request that counts streamed reasoning: measurement_protocol is capacity-v4-reasoning, "
                           "else capacity-v3",
                .source = RESULT_6,
                .inputs = "reasoning chunks of requests that count",
                .judge = reason_protocol,
            },
        [REASON_PROTOCOL_DIFFERS] =
            {
                .id = "measurement_protocol_differs",
                .error_type = "measurement_protocol_differs",
                ARMS(REASON_IGNORED, "either"),
                .meaning = "the runs compared have different measurement protocols",
                .source = PLAN_6,
                .inputs = "measurement_protocol of each",
                .judge = reason_arms,
            },
};

const struct reason_entry *reason_describe(enum reason_code code)
{
    assert(code < REASON_CODES);
    return &table[code];
}

enum reason_code reason_find(struct tt_view id)
{
    for (unsigned code = REASON_NONE + 1; code < REASON_CODES; code++)
        if (tt_view_equal(id, table[code].id))
            return (enum reason_code)code;
    return REASON_NONE;
}
