"""usage: run.py BUILD OUT.json — the recorder against a bare libcurl loop and an asyncio client, interleaved, in one run.

BENCH_ROUNDS (5), BENCH_SECONDS (5: of each paced run), BENCH_LOADS (all; a list of names), BENCH_DIR (where the tapes
go: a disk, not a tmpfs). Errors are read times less the mock server's stamps, all of them by tests/bench/errors.c but
for the asyncio client's own. A figure is the median over the rounds; a ratio is taken within a round, then its median."""
import gzip
import io
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile

from server import Mock, capacity

BUILD, OUT = sys.argv[1], sys.argv[2]
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "5"))
SECONDS = float(os.environ.get("BENCH_SECONDS", "5"))
PYTHON = sys.executable
FLOOD_EVENTS = 20000  # of each stream, a write each


class Load:
    def __init__(self, streams, per_second, each_write=1):
        self.streams, self.per_second, self.each_write = streams, per_second, each_write
        self.flood = per_second is None
        self.name = f"{streams} flood" if self.flood else f"{streams}x{per_second}"
        if each_write > 1:
            self.name += f" by {each_write}"
        self.events = FLOOD_EVENTS if self.flood else int(SECONDS * per_second)


LOADS = [Load(4, 50), Load(64, 50), Load(256, 50), Load(1024, 50), Load(4096, 10), Load(64, None),
         Load(64, None, 8)]  # the last: where a write an event is the server's limit, not the client's


def spend(command, **more):
    """Runs it; its output, CPU seconds, greatest memory in kB and status."""
    with tempfile.NamedTemporaryFile("r") as report:
        child = subprocess.run([f"{BUILD}/tests/bench/spend", report.name] + command, stdout=subprocess.PIPE, **more)
        use = json.load(report)
    return child.stdout.decode(), use["cpu_s"], use["rss_kb"], child.returncode


def figures(events, errors, wall_s, cpu_s, rss_kb, failed):
    return {"events": events, "p50_us": errors["p50_us"], "p99_us": errors["p99_us"], "p999_us": errors["p999_us"],
            "max_us": errors["max_us"], "cpu_us_per_event": 1e6 * cpu_s / events, "events_s": events / wall_s,
            "rss_kb": rss_kb, "failed": failed}


def run_recorder(load, mock, folder):
    tape = os.path.join(folder, "bench.tape")
    environment = dict(os.environ, TOKENTAPE_ANALYZE="/bin/true")  # its time is not the recorder's
    _, cpu_s, rss_kb, status = spend(capacity(BUILD, mock.url, load.streams, tape), env=environment)
    errors = json.loads(spend([f"{BUILD}/tests/bench/tape_errors", tape])[0])
    text, cpu2_s, analyzer_kb, _ = spend([f"{BUILD}/tokentape-analyze", "result", "-q", tape])
    result = json.loads(text)
    facts = figures(result["trace"]["tape"]["events"], errors, result["wall_clock_ms"] / 1e3, cpu_s, rss_kb,
                    result["failed"] + (status not in (0, 1)))
    facts.update(tape_bytes_per_event=os.path.getsize(tape) / facts["events"], analyzer_events_s=facts["events"] / cpu2_s,
                 analyzer_rss_kb=analyzer_kb, lost_reads=result["trace"]["tape"]["lost_reads"])
    if load.name == "64x50":
        facts["json_lines_gzip_bytes_per_event"] = json_lines_gzip(tape) / facts["events"]
    os.remove(tape)
    return facts


def json_lines_gzip(tape):
    out = io.BytesIO()
    with subprocess.Popen([f"{BUILD}/tokentape-analyze", "dump", "--text", tape], stdout=subprocess.PIPE) as dump, \
            gzip.GzipFile(fileobj=out, mode="wb", compresslevel=6) as packed:
        while piece := dump.stdout.read(1 << 20):
            packed.write(piece)
    return len(out.getvalue())


def run_client(load, mock, command):
    output = spend(command)[0]
    lines = [json.loads(line) for line in output.splitlines()]
    errors = next(line for line in lines if "p50_us" in line)
    use = next(line for line in lines if "cpu_s" in line)
    return figures(load.streams * load.events, errors, use["wall_s"], use["cpu_s"], use["rss_kb"], use["failed"])


def run_bare(load, mock, _):
    return run_client(load, mock, [f"{BUILD}/tests/bench/bare_loop", mock.url + "/chat/completions", str(load.streams),
                                   "count" if load.flood else "keep"])


def run_asyncio(load, mock, _):
    return run_client(load, mock, [PYTHON, "tests/bench/asyncio_client.py", mock.url + "/chat/completions",
                                   str(load.streams)])


def clients():
    chosen = {"recorder": run_recorder, "bare": run_bare}
    if subprocess.run([PYTHON, "-c", "import aiohttp"], stderr=subprocess.DEVNULL).returncode == 0:
        chosen["asyncio"] = run_asyncio
    else:
        print("# asyncio client left out: python3-aiohttp is not here", file=sys.stderr)
    return chosen


def measure(loads, chosen):
    """{load: {client: [figures of round 1, ...]}}; the order of the clients turns with each round."""
    taken = {load.name: {name: [] for name in chosen} for load in loads}
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_DIR", os.path.dirname(OUT))) as top:
        for turn in range(ROUNDS):
            for load in loads:
                order = list(chosen)
                for name in order[turn % len(order):] + order[:turn % len(order)]:
                    with tempfile.TemporaryDirectory(dir=top) as folder:
                        mock = Mock(BUILD, folder, load.events, load.per_second, load.each_write)
                        try:
                            taken[load.name][name].append(chosen[name](load, mock, folder))
                        finally:
                            mock.stop()
                    print(f"# round {turn + 1}/{ROUNDS} {load.name} {name}", file=sys.stderr)
    return taken


def median(rounds, key):
    values = [r[key] for r in rounds if r.get(key) is not None]
    return statistics.median(values) if values else None


def ratio(upper, lower, key):
    values = [u[key] / l[key] for u, l in zip(upper, lower) if u.get(key) and l.get(key)]
    return statistics.median(values) if values else None


def show(value, digits=0):
    return "-" if value is None else f"{value:,.{digits}f}"


def print_table(taken):
    print(f"{'load':<13} {'client':<9} {'p50 us':>9} {'p99 us':>10} {'p99.9 us':>10} {'CPU us/ev':>9} {'events/s':>9} "
          f"{'RSS MB':>7} {'disk B/ev':>9}")
    for load, by_client in taken.items():
        for client, rounds in by_client.items():
            print(f"{load:<13} {client:<9} {show(median(rounds, 'p50_us')):>9} {show(median(rounds, 'p99_us')):>10} "
                  f"{show(median(rounds, 'p999_us')):>10} {show(median(rounds, 'cpu_us_per_event'), 2):>9} "
                  f"{show(median(rounds, 'events_s')):>9} {show(median(rounds, 'rss_kb') / 1024, 1):>7} "
                  f"{show(median(rounds, 'tape_bytes_per_event'), 1):>9}")
            failed = sum(r["failed"] for r in rounds)
            if failed:
                print(f"{'':<13} {failed} requests failed")


def ratios(taken):
    out = {}
    for load, c in taken.items():
        out[load] = {"recorder_over_bare_p50": ratio(c["recorder"], c["bare"], "p50_us"),
                     "recorder_over_bare_p99": ratio(c["recorder"], c["bare"], "p99_us"),
                     "recorder_over_bare_cpu_per_event": ratio(c["recorder"], c["bare"], "cpu_us_per_event"),
                     "bare_over_recorder_events_s": ratio(c["bare"], c["recorder"], "events_s")}
        if c.get("asyncio"):
            out[load]["asyncio_over_recorder_p99"] = ratio(c["asyncio"], c["recorder"], "p99_us")
            out[load]["asyncio_over_recorder_cpu_per_event"] = ratio(c["asyncio"], c["recorder"], "cpu_us_per_event")
    return out


def print_ratios(compared):
    print(f"{'load':<13} {'p50: recorder/bare':>19} {'p99: recorder/bare':>19} {'CPU: recorder/bare':>19} "
          f"{'rate: bare/recorder':>20} {'p99: asyncio/recorder':>22}")
    for load, r in compared.items():
        print(f"{load:<13} {show(r['recorder_over_bare_p50'], 2):>19} {show(r['recorder_over_bare_p99'], 2):>19} "
              f"{show(r['recorder_over_bare_cpu_per_event'], 2):>19} {show(r['bare_over_recorder_events_s'], 2):>20} "
              f"{show(r.get('asyncio_over_recorder_p99'), 1):>22}")
    print()


def print_rest(taken):
    print("(flood: bytes wait in the socket buffers, so its errors are the server's lead, not a client's delay; by 8: as many\n"
          "events in a write of the server, which else is most of what a flood takes on a shared machine)\n")
    for load, c in taken.items():
        print(f"analyzer, {load}: {show(median(c['recorder'], 'analyzer_events_s'))} events/s per core, "
              f"{show(median(c['recorder'], 'analyzer_rss_kb') / 1024, 1)} MB")
    if "64x50" in taken:
        rounds = taken["64x50"]["recorder"]
        print(f"tape {show(median(rounds, 'tape_bytes_per_event'), 1)} bytes an event; its records as JSON lines through "
              f"gzip -6: {show(median(rounds, 'json_lines_gzip_bytes_per_event'), 1)}")


def machine():
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "unknown")
    return {"cpu": model, "cpus": len(os.sched_getaffinity(0)), "kernel": platform.release(),
            "load_average": os.getloadavg()[0]}


def main():
    wanted = os.environ.get("BENCH_LOADS")
    loads = [load for load in LOADS if not wanted or load.name in wanted.split(",")]
    if not loads:
        sys.exit(f"bench: BENCH_LOADS={wanted} names none of {', '.join(load.name for load in LOADS)}")
    os.makedirs(os.path.dirname(OUT), exist_ok=True)
    host = machine()
    taken = measure(loads, clients())
    compared = ratios(taken)
    print(f"{host['cpus']} CPUs ({host['cpu']}), Linux {host['kernel']}, load {host['load_average']:.2f} at the start; "
          f"server and client on the same CPUs; {ROUNDS} rounds, {SECONDS:g} s of each paced load\n")
    print_ratios(compared)
    print_table(taken)
    print_rest(taken)
    with open(OUT, "w") as f:
        json.dump({"machine": host, "rounds": ROUNDS, "seconds": SECONDS, "loads": taken, "ratios": compared}, f, indent=2)
    print(f"\nas JSON: {OUT}")


main()
