"""The mock server as the benchmarks use it: one script, each event with the stamp of its write."""
import os
import subprocess
import time

EVENT = ('event {"id":"m","object":"chat.completion.chunk","created":1790043514,"model":"mock","choices":[{"index":0,'
         '"delta":{"content":"tok "},"logprobs":null,"finish_reason":null}],"mock_ns":"${stamp}"}')


class Mock:
    """Answers every request with `events` events, per_second of them a second (None: as fast as the sockets take them),
    `each_write` of them in a write."""

    def __init__(self, build, folder, events, per_second, each_write=1):
        pace = f" every {1000000 // per_second}us" if per_second else ""
        script, port = os.path.join(folder, "script"), os.path.join(folder, "port")
        with open(script, "w") as f:
            f.write("\n".join(["answer bench", "head 200 content-type=text/event-stream chunked",
                               f"repeat {events // each_write}{pace}", "join", *[EVENT] * each_write, "edge", "end", 'event {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}',
                               'event {"choices":[],"usage":{"prompt_tokens":${prompt_tokens},"completion_tokens":${outputs}}}',
                               "done", "finish", ""]))
        self.child = subprocess.Popen([f"{build}/tests/mock_server", "--script", script, "--port-file", port, "--log-writes", "0",
                                       "--die-with-parent"], stdout=subprocess.DEVNULL)
        for _ in range(400):
            if os.path.exists(port):
                break
            time.sleep(0.025)
        with open(port) as f:
            self.url = f"http://127.0.0.1:{f.read().strip()}/v1"

    def stop(self):
        self.child.terminate()
        self.child.wait()


def capacity(build, url, streams, tape):
    """The recorder's command line: one request a stream, all at once."""
    return [f"{build}/tokentape-record", "capacity", "--base-url", url, "--model", "mock", "--max-model-len", "32768",
            "--requests", str(streams), "--concurrency", str(streams), "--ctx-tokens", "128", "--max-tokens", "16",
            "--prompt-cache-mode", "unique", "--timeout", "60", "--tape", tape, "-q"]
