"""usage: check_curl.py SCRIPT URL run.tape — for each answer of the script curl's own body, de-chunked by curl, is
the one rebuilt from the tape. The server behind URL plays the script anew, a request at a time."""
import collections
import subprocess
import sys

sys.path.insert(0, "tests")
import tapes


def dechunked(raw):
    """As far as it goes; knows no extensions or trailers, for the mock sends none."""
    out, at = b"", 0
    while (end := raw.find(b"\r\n", at)) >= 0:
        size = int(raw[at:end], 16)
        if size == 0:
            break
        out, at = out + raw[end + 2:end + 2 + size], end + 2 + size + 2
    return out


def rebuilt(request):
    headers = {name.lower(): value for name, value in request.heads[-1]["headers"]}
    return dechunked(request.body()) if headers.get("transfer-encoding") == "chunked" else request.body()


def asked(url):
    r = subprocess.run(["curl", "-s", "--no-buffer", "--noproxy", "*", "--max-time", "20", "-H", "Expect:",
                        "--data-binary", '{"stream":true}', url + "/chat/completions"], stdout=-1, timeout=30)
    return r.returncode, r.stdout


answers = [line.split()[1] for line in open(sys.argv[1]) if line.startswith("answer ")]
tape = tapes.Tape(sys.argv[3])
codes, wrong, total = collections.Counter(), [], 0
for i, name in enumerate(answers):
    code, body = asked(sys.argv[2])
    codes[code] += 1
    total += len(body)
    if body != rebuilt(tape.requests[i]):
        wrong.append((i, name, code, len(body), len(rebuilt(tape.requests[i]))))
    if (code == 0) != (tape.requests[i].done["curl_code"] == 0):
        wrong.append((i, name, "curl says", code, "the tape", tape.requests[i].done["curl_code"]))
assert not wrong, wrong[:10]
assert set(codes) <= {0, 18}, codes  # 18: cut short, on purpose
print(f"# figure: {len(answers)} bodies, {total} bytes, the same from curl and from the tape; {codes[18]} of them cut short")
