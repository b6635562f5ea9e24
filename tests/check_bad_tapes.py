"""usage: check_bad_tapes.py FOLDER   prints what the analyzer says of each tape in it, as FOLDER/EXPECTED.txt has it, once
that is what tests/bad_tapes.py means"""
import json
import os
import subprocess
import sys

sys.path.insert(0, "tests")
import bad_tapes
import tapes

folder = sys.argv[1]


def run(path, command, *flags):
    """Exit status, stdout, and the line on stderr, if any, with the name of the tape taken out of it."""
    r = subprocess.run([tapes.ANALYZE, command, path, *flags], capture_output=True, timeout=60)
    line = r.stderr.decode().removeprefix("tokentape-analyze: ").replace(path, "TAPE")
    assert r.returncode in (0, 1, 3, 5) and line.count("\n") == (1 if line else 0), (path, command, r)
    return r.returncode, r.stdout.decode(), line.rstrip("\n")


def look(defect, path):
    """Lines for EXPECTED.txt, and what is wrong with them."""
    status, text, line = run(path, "verify")
    state = text.split("\n")[0] if text else None
    result_status, _, result_line = run(path, "result")
    salvaged = sorted({json.loads(row)["block"] for row in run(path, "dump", "--mode", "salvage")[1].splitlines()})
    flaw = json.loads(run(path, "verify", "--json")[1])["flaw"] if text else None
    wrong = [state, line, result_line, salvaged] if state != defect.state or defect.words not in line + result_line or \
        defect.salvaged not in (None, salvaged) or (flaw and ": ".join(flaw["causes"]) != flaw["line"]) else None
    lines = [defect.name, f"  verify {status} {state or '-'}", f"  result {result_status}", "  salvage"]
    lines[1] += ": " + line if line else ""
    lines[2] += ": " + result_line if result_line else ""
    lines[3] += "".join(f" {n}" for n in salvaged)
    return lines, wrong


failed = 0
for d in bad_tapes.defects():
    lines, wrong = look(d, os.path.join(folder, d.name + ".tape"))
    print("\n".join(lines))
    if wrong:
        failed += 1
        print(f"{d.name}: meant {d.state}, '{d.words}', {d.salvaged}; is {wrong}", file=sys.stderr)
sys.exit(1 if failed else 0)
