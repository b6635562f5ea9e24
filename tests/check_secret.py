"""usage: check_secret.py script FOLDER          the corpus, each stream with the caller's credential before and behind it
       check_secret.py search FOLDER KEY     is the key, in any form, in any file there, in any read of a tape?"""
import base64
import glob
import os
import sys
import urllib.parse

sys.path.insert(0, "tests")


def quoted(data):
    return "".join(f"\\x{b:02x}" for b in data)


def script(folder):
    framings = [("chunked", 1, 1), ("chunked", 7, 5), ("close", 0, 11)]
    ordinal = 0
    for path in sorted(glob.glob(os.path.join(folder, "*.sse"))):
        body = open(path, "rb").read()
        if len(body) > 16384:
            continue
        for framing, cut, write in framings:
            edges = (f" cut {cut}" if cut else "") + f" write {write}"
            print(f"answer {os.path.basename(path)[:-4]}_{ordinal} requests {ordinal}")
            print(f"  head 200 content-type=text/event-stream {framing}\n  header x-request-id: ${{auth}}")
            print(f'  whole{edges} ": ${{auth}}\\n{quoted(body)}\\n\\ndata: ${{auth}}\\n\\n"')
            ordinal += 1


def forms(key):
    for text in (key, "Bearer " + key):
        yield text.encode()
        encoded = base64.b64encode(text.encode())
        yield encoded.rstrip(b"=")[:-2]
        yield urllib.parse.quote(text, safe="").encode()


def texts(folder):
    """Every file as it is; of tapes also each body as received, and without its chunk framing."""
    import tapes
    for path in sorted(glob.glob(os.path.join(folder, "*"))):
        yield path, open(path, "rb").read()
        if not path.endswith(".tape"):
            continue
        for number, request in tapes.Tape(path).requests.items():
            body = request.body()
            yield f"{path} {number}", body
            if ["Transfer-Encoding", "chunked"] in request.heads[0]["headers"]:
                yield f"{path} {number} without framing", dechunked(body)


def dechunked(raw):
    out, at = b"", 0
    while (end := raw.find(b"\r\n", at)) >= 0 and (size := int(raw[at:end], 16)):
        out, at = out + raw[end + 2:end + 2 + size], end + 2 + size + 2
    return out


def search(folder, key):
    found, n, size = [], 0, 0
    for where, data in texts(folder):
        n, size = n + 1, size + len(data)
        found += [(where, form[:6]) for form in forms(key) if form in data]
    assert not found, found[:10]
    print(f"# figure: {len(os.listdir(folder))} files and every body, {n} texts, {size} bytes: the key is in none")


if sys.argv[1] == "script":
    script(sys.argv[2])
else:
    search(*sys.argv[2:])
