"""usage: check_hostile.py FOLDER   gives every tape of FOLDER (tests/hostile_tapes.py) to every command that reads one, and
every result (tests/hostile_results.py) likewise.

Which those are is taken from --help, and so are the exit statuses that may be: a new command is tested as soon as it is
there. Each has to stay within the memory that format/limits.h allows, to end, and to say nothing a terminal would obey."""
import collections
import concurrent.futures
import os
import re
import resource
import select
import subprocess
import sys
import time

folder = sys.argv[1]
TAPE, RESULT = "fixtures/good/plain.tape", "fixtures/good/plain.json"
ANALYZE = os.environ["BUILD"] + "/tokentape-analyze"
SECONDS = 60  # generous: what takes a second here may take many on a busy machine under a sanitizer
# Controls, C1, marks that turn the direction of writing and other line ends: never as they are, on either stream.
OBEYED = re.compile(rb"[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]|\xd8\x9c")
CONTROLS = bytes(n for n in range(256) if n != 10 and (n < 32 or n == 127))
# Where the usage line has several optional words of which one has to stand there.
ASKS_FOR_ONE_OF = {"whatif": ["--full-capture", "--without", "http_status"]}


def limit(name):
    """A constant of format/limits.h."""
    with open("format/limits.h") as f:
        value = re.search(rf"#define {name} (.*?)(/\*|\n)", f.read()).group(1)
    return eval(re.sub(r"(?<=\d)u(ll)?\b", "", value))


def help_of(*words):
    return subprocess.run([ANALYZE, *words, "--help"], capture_output=True, text=True, check=True).stdout


def invocations():
    """(command, words, exit statuses) for each way to read a tape or a result."""
    for command in re.findall(r"^  (\w[\w-]*) ", help_of(), re.M):
        text = help_of(command)
        usage = text.split("\n")[0].split()[2:]
        if not re.search(r"\b(run\.tape|result\.json|a\.json)", " ".join(usage)):
            continue
        needed = re.sub(r"\[[^\]]*\]\S*", "", " ".join(usage)).split()  # without what is optional
        needed = [w.removesuffix("...") for w in needed] + ASKS_FOR_ONE_OF.get(command, [])
        words = [{"run.tape": "TAPE", "result.json": "RESULT", "a.json": "RESULT", "b.json": RESULT, "copy.tape": "COPY", "N": "0"}.get(w, w.split("|")[0]) for w in needed]
        statuses = {int(n) for n in re.findall(r"(?:Exit status[^:]*: |;\s)(\d)\b", text)} - {2, 4}  # usage, a full disk
        flags = [["--mode", m] for m in ("salvage", "strict") if "--mode" in text]
        flags += [[f] for f in ("--json", "--text") if re.search(rf"^  {f}\b", text, re.M)]
        once = ["--once"] if "--once" in text else []
        for more in ([], *flags):
            yield command, [ANALYZE, command, "-q", *once, *words, *more], statuses
        yield command, [ANALYZE, command, *once, *words], statuses  # and with what it says on stderr


class Output:
    """What a program writes, looked at as it comes: some write far more than it is good to keep."""

    def __init__(self, fd):
        self.fd, self.bytes, self.lines, self.tail, self.bad = fd, 0, 0, b"", None

    def take(self):
        piece = os.read(self.fd, 1 << 20)
        self.bytes += len(piece)
        self.lines += piece.count(b"\n")
        text = self.tail + piece
        self.tail = piece[-3:]
        if not self.bad and (len(text.translate(None, CONTROLS)) != len(text) or not text.isascii()):
            found = OBEYED.search(text)
            self.bad = text[max(0, found.start() - 60):found.end() + 20] if found else None
        return len(piece) > 0


def run(words):
    """Exit status (None: it did not end), peak memory in KiB, seconds, what it wrote to both streams."""
    out, err = os.pipe(), os.pipe()
    began = time.monotonic()
    pid = os.posix_spawn(words[0], words, os.environ, file_actions=[
        (os.POSIX_SPAWN_DUP2, out[1], 1), (os.POSIX_SPAWN_DUP2, err[1], 2), (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0)])
    os.close(out[1])
    os.close(err[1])
    streams = [Output(out[0]), Output(err[0])]
    open_ones, ended = list(streams), True
    while open_ones:
        ready = select.select([s.fd for s in open_ones], [], [], max(0, SECONDS - (time.monotonic() - began)))[0]
        if not ready:
            os.kill(pid, 9)
            ended = False
            break
        open_ones = [s for s in open_ones if s.fd not in ready or s.take()]
    _, status, use = os.wait4(pid, 0)
    os.close(out[0])
    os.close(err[0])
    return os.waitstatus_to_exitcode(status) if ended else None, use.ru_maxrss, use.ru_utime + use.ru_stime, streams


def wrong_with(status, kib, streams, statuses, most_kib):
    if status is None:
        return f"did not end in {SECONDS} s"
    if status not in statuses:
        return f"exit status {status}"
    if kib > most_kib:
        return f"{kib} KiB of memory, {most_kib} allowed"
    for name, s in zip(("stdout", "stderr"), streams):
        if s.bad:
            return f"{name} has {s.bad!r}"
    return "more than a line on stderr" if streams[1].lines > 1 else None


def check_copy(copy, words):
    """Whatever redact was given, what it leaves is a tape that holds, or nothing."""
    status, _, _, streams = run([ANALYZE, "verify", "-q", copy])
    for name in (copy, copy + ".head"):
        if os.path.exists(name):
            os.unlink(name)
    return None if status in (0, 3) else f"its copy: verify says {status}"


def try_one(job):
    tape, size, (command, words, statuses) = job
    copy = f"{folder}/copy.{os.getpid()}.{id(job)}"
    path = f"{folder}/{tape}" if is_result(tape) else f"{folder}/{tape}.tape"
    places = {"TAPE": TAPE, "RESULT": RESULT, "COPY": copy, "RESULT" if is_result(tape) else "TAPE": path}
    words = [places.get(w, w) for w in words]
    status, kib, seconds, streams = run(words)
    limit = limit_with_result(os.path.getsize(path), size) if is_result(tape) else limit_with_tape(command, size)
    most = limit if not SANITIZED else 1 << 40
    wrong = wrong_with(status, kib, streams, statuses, most)
    if not wrong and os.path.exists(copy):
        wrong = check_copy(copy, words) if status in (0, 1, 3) else "a copy is left behind"
    return command, tape, kib, seconds, wrong and f"{' '.join(words[1:])}: {wrong}"


SHOW, RUN, PER_REQUEST, ALL_OF_THEM, PER_CHECKED = (limit("TAPE_" + name) for name in (
    "MAX_SHOW_BYTES", "MAX_RUN_BYTES", "RUN_BYTES_PER_REQUEST", "MAX_ANALYZER_BYTES", "CHECK_BYTES_PER_REQUEST"))
with open(ANALYZE, "rb") as f:
    SANITIZED = b"__asan_" in f.read()


def is_result(name):
    return name.endswith(".json")


def limit_with_result(length, values):
    """In KiB, as the help of audit has it, beside what a small tape and a report may take."""
    return (RUN + 2 * length + 96 * values) >> 10


def limit_with_tape(command, requests):
    """In KiB, as FORMAT.md has it."""
    if command in ("verify", "dump"):
        return SHOW >> 10
    most = min(RUN + requests * PER_REQUEST, ALL_OF_THEM)
    return most + (requests * PER_CHECKED if command == "check" else 0) >> 10


ALL, ONLY = os.environ.get("HOSTILE") == "all", os.environ.get("HOSTILE_ONLY", "").split()


MANY = ("file_", "block_", "index_", "number_", "option_", "bombs_", "evil_", "plans_", "requests_", "streams_",  # several of each kind
        "values_too_many")  # takes ten seconds, and is read by the same code in each command


def jobs_of(n, tape, requests, ways):
    """Every tape goes to every command, of several that are alike each to every third one; in which of its ways goes
    round, and a harmless tape sees them all."""
    kind = "RESULT" if is_result(tape) else "TAPE"
    for k, some in enumerate(some for some in ways.values() if kind in some[0][1]):
        if not ALL and tape.startswith(MANY) and (n + k) % 3:
            continue
        for turn in range(len(some) if ALL or tape == "harmless" else 1):
            yield tape, requests, some[(n // 3 + k + turn) % len(some)]


ways = collections.defaultdict(list)
for way in invocations():
    if not ONLY or way[0] in ONLY:
        ways[way[0]].append(way)
with open(folder + "/LIST") as f:
    tapes = [(name, int(requests)) for name, requests in (line.split() for line in f)]
peak, slow, failures = collections.defaultdict(lambda: (0, "")), [], []
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    jobs = [job for n, (tape, requests) in enumerate(tapes) for job in jobs_of(n, tape, requests, ways)]
    for command, tape, kib, seconds, wrong in pool.map(try_one, jobs):
        peak[command] = max(peak[command], (kib, tape))
        slow.append((seconds, command, tape))
        if wrong:
            failures.append(wrong)
            print(wrong[:600], file=sys.stderr, flush=True)
print(f"# figure: {len(tapes)} files, read {len(jobs)} times by {len(ways)} commands in {sum(map(len, ways.values()))} ways; most memory in MiB: " +
      ", ".join(f"{c} {k >> 10} ({t})" for c, (k, t) in sorted(peak.items())))
print(f"# figure: (less than {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MiB cannot be told from here) slowest: " + ", ".join(f"{s:.1f} s {c} {t}" for s, c, t in sorted(slow, reverse=True)[:5]) +
      f"; {sum(s for s, _, _ in slow):.0f} s in all")
print(f"{len(failures)} of {len(jobs)} went wrong", file=sys.stderr)
sys.exit(1 if failures else 0)
