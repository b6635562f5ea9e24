"""usage: check_peer.py config REQUESTS CHUNK_SIZE           prints a configuration of the npm mock
       check_peer.py check CHUNKS CONNECTIONS run.tape     holds a run against it and its result against that"""
import json
import sys

WORDS = 16


def config(requests, chunk_size):
    """Each request gets its own marker back; the last one an error instead."""
    print(f"streaming:\n  chunkSize: {chunk_size}\n  chunkIntervalMs: 10\nrules:")
    for i in range(int(requests)):
        marker = f"ANVIL_REQ_0_{i:05d}"
        answer = {"id": f"peer-{i}", "model": "{{jmes request body.model}}",
                  "choices": [{"message": {"role": "assistant", "content": marker + " code" * WORDS}}]}
        if i == int(requests) - 1:
            answer = {"error": {"message": "out of luck", "type": "server_error"}}
        print(f"  - path: '^/v1/chat/completions$'\n    method: POST\n"
              f"    match: \"contains(body.messages[-1].content, '{marker}')\"\n"
              f"    response:\n      status: 200\n      content: '{json.dumps(answer)}'")
    print("  - path: '^/v1/models$'\n    method: GET\n    response:\n      status: 200\n"
          "      content: '{\"object\":\"list\",\"data\":[{\"id\":\"peer\",\"max_model_len\":16384}]}'")


def check(chunks, connections, path):
    sys.path.insert(0, "tests")
    import tapes
    tape, document = tapes.Tape(path), tapes.result(path)
    chunks, last = int(chunks), len(tape.requests) - 1
    rows = document["request_timings"]
    assert document["max_context_tokens"] == 16384, "the window its /models tells"
    assert [r["request_index"] for r in rows] == list(range(last)), document["failures"]
    for row in rows:
        i = row["request_index"]
        trace, request = document["trace"]["requests"][i], tape.requests[i]
        assert row["content_chunks"] == chunks and row["reasoning_chunks"] == 0, row
        assert row["request_canary"]["passed"] and row["request_canary"]["observed_marker_count"] == 1, row
        assert row["controlled_output"]["exact_adherence"] and row["controlled_output"]["observed_code_words"] == WORDS
        # no usage: chunks are counted, and nothing is derived from them
        assert row["output_token_source"] == "content_chunks" and row["output_tokens"] is None
        assert row["prompt_tokens"] is None and row["tpot_ms"] is None and row["decode_tok_s"] is None
        assert row["time_to_first_output_ms"] == row["ttft_ms"] <= row["e2e_ms"]
        assert trace["finish_reasons"] == ["stop"] and trace["stream_terminal_observed"]
        if chunks == 1:  # role, content and finish reason in one event
            assert trace["first_content_ms"] == trace["last_content_ms"] == trace["finish_ms"], trace
        assert trace["done_ms"] == row["e2e_ms"]
        assert b'"id":"peer-%d"' % i in request.body(), "its own answer"
    failure, = document["failures"]
    assert (failure["failure_class"], failure["error_type"]) == ("stream_validation_failed", "in_band_error"), failure
    reused = sum(bool(r.conn["reused"]) for r in tape.requests.values())
    assert (reused > 0) == (connections != "fresh"), reused
    heads = {name.lower(): value for name, value in tape.requests[0].heads[-1]["headers"]}
    print("# figure:", len(rows), "rows, 1 failure,", reused, "on kept connections,",
          sum(len(r.reads) for r in tape.requests.values()), "reads; server", heads.get("server", "of no name"))


{"config": config, "check": check}[sys.argv[1]](*sys.argv[2:])
