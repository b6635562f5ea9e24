"""usage: second_opinion.py run.tape result.json — the numbers of a result, computed a second time.
Written from the rules alone (README, "How to read it", and the schema's arithmetic): plain streams of LF lines,
chunked bodies. It shares no code with the analyzer, and compares rows and metrics bit for bit."""
import collections
import datetime
import fractions
import json
import math
import re
import sys

sys.path.insert(0, "tests")
import tapes

MARKER = re.compile(r"ANVIL_REQ_-?[0-9]+_[0-9]{5}\b")
CAPTURE_CHARS = 8192
PREFIXES = {"time_to_first_output": ("time_to_first_output_ms", "_ms"), "ttft": ("ttft_ms", "_ms"), "e2e": ("e2e_ms", "_ms"),
            "generation": ("generation_ms", "_ms"), "mean_time_per_output_token": ("tpot_ms", "_ms"),
            "tpot": ("tpot_ms", "_ms"), "effective_prefill_tok_s": ("effective_prefill_tok_s", ""),
            "decode_tok_s": ("decode_tok_s", ""), "prompt_tokens": ("prompt_tokens", ""),
            "completion_tokens": ("output_tokens", ""), "mean_inter_token_latency_ms": ("tpot_ms", "")}


def payload(reads):
    """The de-chunked body as (byte, time) columns, as far as it goes, and whether it came to its end."""
    raw = b"".join(bytes_of(r) for r in reads)
    times = [r["time_ns"] for r in reads for _ in bytes_of(r)]
    body, when, at = b"", [], 0
    while True:
        end = raw.find(b"\r\n", at)
        if end < 0 or not re.fullmatch(rb"[0-9a-fA-F]+", raw[at:end]):
            return body, when, False
        size, at = int(raw[at:end], 16), end + 2
        if size == 0:
            return body, when, raw[at:] == b"\r\n"
        body, when = body + raw[at:at + size], when + times[at:at + size]
        if raw[at + size:at + size + 2] != b"\r\n":
            return body, when, False
        at += size + 2


def bytes_of(read):
    return tapes.base64.b64decode(read["bytes"])


class Answer:
    """What one stream says, and when."""

    def __init__(self, reads):
        self.body, when, self.whole = payload(reads)
        self.first = {}
        self.count = collections.Counter()
        self.finish, self.usage, self.text, self.done_ns = [], {}, "", None
        self.error = False
        self.last_ns = when[-1] if when else None
        at = 0
        while (end := self.body.find(b"\n\n", at)) >= 0 and self.done_ns is None:
            self.event(self.body[at:end].decode(), when[end] if self.body[at:end] == b"data: [DONE]" else when[end + 1])
            at = end + 2

    def event(self, line, ns):
        data = line[len("data: "):]
        if data == "[DONE]":
            self.done_ns = ns
            return
        chunk = json.loads(data)
        self.error |= chunk.get("error") is not None
        self.usage = chunk.get("usage") or self.usage
        for choice in chunk.get("choices", []):
            delta = choice["delta"]
            for name in ("reasoning_content", "content"):
                if delta.get(name):
                    self.count[name] += 1
                    self.first.setdefault(name, ns)
            self.text += delta.get("content") or ""
            if choice.get("finish_reason") is not None:
                self.finish.append(choice["finish_reason"])

    def canary(self, marker):
        text = self.text[:CAPTURE_CHARS]
        found = MARKER.findall(text)
        rest = text[len(marker):]
        seen = {"capture_complete": len(self.text) <= CAPTURE_CHARS, "marker": marker,
                "marker_at_start": text.startswith(marker) and (not rest or rest[0].isspace()),
                "observed_marker_count": len(found), "foreign_marker_count": sum(m != marker for m in found)}
        seen["passed"] = seen["marker_at_start"] and not seen["foreign_marker_count"] and seen["capture_complete"]
        return seen

    def controlled(self, marker, options):
        text = self.text[:CAPTURE_CHARS]
        whole = len(self.text) <= CAPTURE_CHARS
        words = (text[len(marker):] if marker and text.startswith(marker) else text).split()
        code = words.count("code")
        exact = code == options["response_words"] and len(words) == code if whole else None
        strict = options["controlled_output_policy"] == "strict"
        return {"capture_complete": whole, "exact_adherence": exact, "observed_code_words": code,
                "observed_extra_words": len(words) - code, "passed": exact is True if strict else True,
                "policy": options["controlled_output_policy"], "requested_words": options["response_words"]}


def quotient(a, b):
    return None if a is None or b is None or b <= 0 else a / b


def row_of(i, request, answer, options):
    start = request.start["time_ns"]
    first = min(answer.first.values())
    end = answer.done_ns if answer.done_ns is not None else answer.last_ns
    ttfo, ttft, e2e = ((t - start) / 1e6 for t in (first, answer.first["content"], end))
    out, prompt = answer.usage.get("completion_tokens"), answer.usage.get("prompt_tokens")
    generation = e2e - ttfo
    steps = None if out is None else out - 1
    tpot = quotient(generation, steps)
    return {
        "request_index": i, "planned_context_tokens": request.plan["context_tokens"], "prompt_tokens": prompt,
        "output_tokens": out, "output_token_source": "content_chunks" if out is None else "usage",
        "time_to_first_output_ms": ttfo, "ttft_ms": ttft, "e2e_ms": e2e, "generation_ms": generation,
        "visible_generation_ms": e2e - ttft, "effective_prefill_tok_s": quotient(prompt, ttfo / 1000),
        "decode_tok_s": quotient(steps, generation / 1000) if steps and steps > 0 else None,
        "mean_inter_token_latency_ms": tpot, "mean_time_per_output_token_ms": tpot, "tpot_ms": tpot,
        "reasoning_chunks": answer.count["reasoning_content"], "content_chunks": answer.count["content"],
        "visible_content_truncated": len(answer.text) > CAPTURE_CHARS,
        "request_canary": answer.canary(request.plan["marker"]) if options["request_canaries"] else None,
        "controlled_output": answer.controlled(request.plan["marker"], options) if options["response_words"] else None}


def class_of(request, answer, options):
    """The class of the first step that fails, None where all hold."""
    status = request.done["http_status"]
    stream = any(k.lower() == "content-type" and v.startswith("text/event-stream") for k, v in request.heads[-1]["headers"]
                 ) if request.heads else False
    if not 200 <= status <= 299:
        return "request_error"
    graced = request.done["reason"] == "done_grace"
    if request.done["curl_code"] != 0 and not graced or stream and not answer.whole and not graced and answer.body:
        return "request_error"
    if not stream or answer.error or not answer.count["content"] or not (answer.finish or answer.done_ns is not None):
        return "stream_validation_failed"
    if options["request_canaries"] and not answer.canary(request.plan["marker"])["passed"]:
        return "request_canary_failed"
    if options["response_words"] and not answer.controlled(request.plan["marker"], options)["passed"]:
        return "controlled_output_failed"
    return None


def rounded(x):
    """The double nearest to the root of a fraction, exactly."""
    if x == 0:
        return 0.0
    scale = 1 << (2 * max(0, 200 - (x.numerator.bit_length() - x.denominator.bit_length()) // 2))
    root = math.isqrt(x.numerator * scale // x.denominator)  # 200 bits: no double lies that close to a tie
    return float(fractions.Fraction(2 * root + 1, 2 * math.isqrt(scale)))


def statistics(values):
    values = sorted(float(v) for v in values if v is not None)
    n = len(values)
    names = ("mean", "stddev", "mean_ci95_low", "mean_ci95_high", "min", "p25", "p50", "p75", "p90", "p95", "p99", "max")
    if n == 0:
        return {"samples": 0, **dict.fromkeys(names)}
    mean = math.fsum(values) / n
    exact = [fractions.Fraction(v) for v in values]
    centre = sum(exact) / n
    spread = rounded(sum((v - centre) ** 2 for v in exact) / (n - 1)) if n > 1 else 0.0
    half = (1.96 * spread) / math.sqrt(n)
    ranks = [values[max(0, math.ceil(fractions.Fraction(q * n, 100)) - 1)] for q in (25, 50, 75, 90, 95, 99)]
    return {"samples": n, **dict(zip(names, [mean, spread, mean - half, mean + half, values[0], *ranks, values[-1]]))}


def metrics_of(rows, answers, total, wall_ms):
    out = {}
    for prefix, (column, unit) in PREFIXES.items():
        for name, value in statistics([r[column] for r in rows]).items():
            out[f"{prefix}_{name}{'' if name == 'samples' else unit}"] = value
    tokens = [r["output_tokens"] for r in rows]
    prompts = [r["prompt_tokens"] for r in rows if r["prompt_tokens"] is not None]
    canaries = [r["request_canary"] for r in rows if r["request_canary"]]
    controlled = [r["controlled_output"]["exact_adherence"] for r in rows if r["controlled_output"]]
    seen = [x for x in controlled if x is not None]
    cached = [(a.usage["prompt_tokens_details"]["cached_tokens"] / a.usage["prompt_tokens"])
              for a in answers if "prompt_tokens_details" in a.usage]
    whole = len(rows) == total and None not in tokens
    out.update(
        prompt_tokens=sum(prompts), prompt_token_samples=len(prompts), output_tokens=None if None in tokens else sum(tokens),
        content_chunks=sum(r["content_chunks"] for r in rows), reasoning_chunks=sum(r["reasoning_chunks"] for r in rows),
        request_canary_samples=len(canaries), request_canary_passed=sum(c["passed"] for c in canaries),
        controlled_output_samples=len(controlled), controlled_output_exact_adherence=sum(seen),
        controlled_output_exact_adherence_rate=sum(seen) / len(seen) if seen else None,
        controlled_output_unobservable=len(controlled) - len(seen), throughput_performance_eligible=len(rows) == total,
        throughput_tok_s=sum(tokens) / (wall_ms / 1000) if whole else None,
        content_chunks_s=sum(r["content_chunks"] for r in rows) / (wall_ms / 1000) if None in tokens else None,
        output_token_sources=dict(collections.Counter(r["output_token_source"] for r in rows)),
        prefix_cache_hit_avg=math.fsum(cached) / len(cached) if cached else None)
    return out


def same(what, mine, theirs):
    assert mine.keys() == theirs.keys(), (what, sorted(mine.keys() ^ theirs.keys()))
    for k in mine:
        assert json.dumps(mine[k], sort_keys=True) == json.dumps(theirs[k], sort_keys=True), (what, k, mine[k], theirs[k])


def stamp(event, document, name):
    ns = event["realtime_ns"]
    at = datetime.datetime.fromtimestamp(ns // 1_000_000_000, datetime.timezone.utc)
    assert document[f"{name}_at_unix_ns"] == ns and document[f"{name}_at"] == at.strftime("%Y-%m-%dT%H:%M:%SZ")
    return at


def main(path, json_path):
    tape, document = tapes.Tape(path), json.load(open(json_path))
    options = tape.of("RUN")[0]["options"]
    planned = [i for i in sorted(tape.requests) if not tape.requests[i].plan["warmup"]]
    answers = {i: Answer(tape.requests[i].reads) for i in planned}
    classes = {i: class_of(tape.requests[i], answers[i], options) for i in planned}
    rows = [row_of(i, tape.requests[i], answers[i], options) for i in planned if classes[i] is None]
    assert len(document["request_timings"]) == len(rows), (len(document["request_timings"]), len(rows))
    for mine, theirs in zip(rows, document["request_timings"]):
        same(f"row {mine['request_index']}", mine, theirs)
    failed = {f["request_index"]: f for f in document["failures"]}
    assert {i: f["failure_class"] for i, f in failed.items()} == {i: c for i, c in classes.items() if c}, classes
    for i, f in failed.items():
        start, done = tape.requests[i].start, tape.requests[i].done
        assert f["elapsed_ms"] == (done["time_ns"] - start["time_ns"]) / 1e6
        if f.get("response_timing"):
            same(f"timing of failure {i}", row_of(i, tape.requests[i], answers[i], options), f["response_timing"])
        if "response_metadata" in f:
            assert f["response_metadata"]["finish_reasons"] == answers[i].finish
            assert f["response_metadata"]["stream_terminal_observed"] == bool(answers[i].finish or answers[i].done_ns)
    begin, end = tape.event("run_start"), tape.event("run_end")
    wall_ms = (end["time_ns"] - begin["time_ns"]) / 1e6
    assert document["wall_clock_ms"] == wall_ms
    same("metrics", metrics_of(rows, [answers[r["request_index"]] for r in rows], len(planned), wall_ms), document["metrics"])
    started = stamp(begin, document, "started")
    stamp(end, document, "finished")
    assert document["run_id"] == started.strftime("benchmark-%Y%m%dT%H%M%SZ")
    plans = collections.Counter(str(tape.requests[i].plan["context_tokens"]) for i in planned)
    assert document["context_distribution"] == dict(plans)
    assert document["measurement_protocol"] == ("capacity-v4-reasoning" if any(r["reasoning_chunks"] for r in rows) else "capacity-v3")
    print("# figure:", len(rows), "rows,", len(failed), "failures and", len(document["metrics"]), "metrics computed a second time, all alike")


main(*sys.argv[1:])
