"""usage: check_story.py README FOLDER
Runs the commands of the section "Why was it left out?" in FOLDER and compares what they say. A line "..." stands
for any number of lines, and so does "..." at the end of a line for the rest of it; counts of compared values may change."""
import re
import subprocess
import sys

readme, folder = sys.argv[1:3]
section = open(readme).read().split("\n## Why was it left out?\n")[1].split("\n## ")[0]
steps = []
for line in section.split("\n"):
    if line.startswith("    $ "):
        steps.append((line[6:], []))
    elif line.startswith("    ") and steps:
        steps[-1][1].append(line[4:])
for i, (command, said) in enumerate(steps):  # a command may go on in the next line
    while command.endswith("\\"):
        command = command[:-1] + said.pop(0)
    steps[i] = command, said
assert len(steps) >= 6, steps


def loose(line):
    return re.sub(r"[\d,]+ values compared", "N values compared", line)


def fits(want, got):
    """want: lines, some of them "..."."""
    if not want:
        return not got
    if want[0] == "...":
        return fits(want[1:], got) or (bool(got) and fits(want, got[1:]))
    if not got:
        return False
    first = loose(want[0])
    same = loose(got[0]).startswith(first[:-4]) if first.endswith(" ...") else first == loose(got[0])
    return same and fits(want[1:], got[1:])


for command, said in steps:
    run = subprocess.run(["bash", "-c", command], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    got = run.stdout.decode().rstrip("\n").split("\n") if run.stdout else []
    assert fits(said, got), f"{command}\nREADME:\n" + "\n".join(said) + "\nreally:\n" + "\n".join(got[:40])
print(f"# figure: {len(steps)} commands of the README say what it says")
