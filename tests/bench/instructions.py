"""usage: instructions.py BUILD — instructions per event, counted by callgrind: the recorder (I/O thread and writer
thread) and the analyzer (`result`). Each is run over a short and a long recording; the difference over the difference
of their events is the cost of an event, without start and end. The functions named are those that cost most, by
themselves, in that difference. Paced so that a read is an event: the dearest case."""
import json
import os
import re
import subprocess
import sys
import tempfile

from server import Mock, capacity

BUILD = sys.argv[1]
STREAMS, PER_SECOND, SHORT, LONG = 16, 20, 60, 180  # events of each stream: 3 s and 9 s of it


def callgrind(folder, command):
    """{thread or 0: {function: instructions}}"""
    out = f"{folder}/callgrind"
    subprocess.run(["valgrind", "-q", "--tool=callgrind", "--separate-threads=yes", f"--callgrind-out-file={out}", *command],
                   check=True, stdout=subprocess.DEVNULL, env=dict(os.environ, TOKENTAPE_ANALYZE="/bin/true"))
    threads = {}
    for name in sorted(os.listdir(folder)):
        if re.fullmatch(r"callgrind-\d+", name):
            threads[int(name.split("-")[1])] = (costs(f"{folder}/{name}"), costs(f"{folder}/{name}", "--inclusive=yes"))
            os.remove(f"{folder}/{name}")
    return threads


def costs(path, *options):
    """By function; where a library has no names, by library. Inclusive, a function may stand there twice, by two names
    of its file."""
    text = subprocess.run(["callgrind_annotate", "--threshold=100", "--auto=no", *options, path], check=True,
                          capture_output=True).stdout
    found = {}
    for line in text.decode().splitlines():
        m = re.match(r"\s*([\d,]+) \(\s*[\d.]+%\)\s+(\S+)(?: \[(\S+)\])?", line)
        if m and m[2] != "PROGRAM":
            name = m[2].split(":")[-1]
            if name.startswith("0x") and m[3]:
                name = "in " + m[3].split("/")[-1].split(".so")[0]
            cost, before = int(m[1].replace(",", "")), found.get(name, 0)
            found[name] = max(before, cost) if options else before + cost
    return found


def record(events):
    with tempfile.TemporaryDirectory(dir=f"{BUILD}/tests") as folder:
        mock = Mock(BUILD, folder, events, PER_SECOND)
        try:
            threads = callgrind(folder, capacity(BUILD, mock.url, STREAMS, f"{folder}/t.tape"))
        finally:
            mock.stop()
        result = json.loads(subprocess.run([f"{BUILD}/tokentape-analyze", "result", "-q", f"{folder}/t.tape"], check=True,
                                           capture_output=True).stdout)["trace"]["tape"]
        analyzer = callgrind(folder, [f"{BUILD}/tokentape-analyze", "result", "-q", f"{folder}/t.tape"])
        return threads, analyzer, result["events"], result["reads"]


def show_inside(what, function, short, long, events):
    print(f"{what:<24} {(long[1][function] - short[1][function]) / events:>8,.0f}   all that {function}() calls included")


def show(what, short, long, events):
    short, long = short[0], long[0]
    total = (sum(long.values()) - sum(short.values())) / events
    rise = sorted(((long[f] - short.get(f, 0)) / events, f) for f in long)[::-1][:3]
    print(f"{what:<24} {total:>8,.0f}   " + ", ".join(f"{name} {cost:,.0f}" for cost, name in rise))


def main():
    (short_threads, short_analyzer, short_events, _), (threads, analyzer, events, reads) = record(SHORT), record(LONG)
    more = events - short_events
    print(f"{events} events in {reads} reads, {STREAMS} streams; instructions per event\n")
    print(f"{'path':<24} {'total':>8}   most by itself")
    for thread, name in zip(sorted(threads), ("recorder, I/O thread", "recorder, writer thread")):
        show(name, short_threads[thread], threads[thread], more)
        if "capture_read" in threads[thread][1]:
            show_inside("  of it, a read's own", "capture_read", short_threads[thread], threads[thread], more)
    thread = min(analyzer)
    show("analyzer, result", short_analyzer[thread], analyzer[thread], more)
    show_inside("  of it, the stream's", "stream_read", short_analyzer[thread], analyzer[thread], more)


main()
