#!/usr/bin/env python3
"""How often deploy/demo is right: many demos in a clean clone, each with a fault at another place, and clean ones.

    tests/bench/demos.py FOLDER [--faults 20] [--clean 10] [--seed 1]

FOLDER is a folder that is not there yet; the last commit of this checkout is cloned into it. The kinds of fault take
turns; the place of each comes from the seed. A demo is right where it exits with 0: one issue that names the commit
into which the generator put the fault, or none on a clean day. What each printed lies in FOLDER/demo-NUMBER.log. Prints
a table as it goes; exit code 1 if a demo is wrong.
"""

import argparse
import pathlib
import random
import re
import subprocess
import sys
import time

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
COMMITS_OF_A_DAY = 70
KINDS = ["embedding-bag-bounds", "memory-peak", "addmm-dtype", "error-handling", "activation-validity", "memory-kept",
         "embedding-bag-refusal", "tanh-crash", "tanh-overflow", "library-configuration"]


def demo(clone, number, options):
    """Seconds that it took, of them building tbci, and its exit code."""
    begin = time.monotonic()
    with open(clone / f"demo-{number}.log", "w+", encoding="utf-8", errors="replace") as log:
        ended = subprocess.run([clone / "deploy/demo", "--fresh", *options], cwd=clone, stdout=log,
                               stderr=subprocess.STDOUT, check=False)
        log.seek(0)
        building = re.search(r"building tbci (\d+) s", log.read())
    return round(time.monotonic() - begin), building[1] if building else "-", ended.returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--faults", type=int, default=20)
    parser.add_argument("--clean", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.folder.exists():
        parser.error(f"{options.folder} is there already: name a folder that is not")
    subprocess.run(["git", "clone", "--quiet", CHECKOUT, options.folder], check=True)
    clone = options.folder.resolve()
    commit = subprocess.run(["git", "-C", clone, "rev-parse", "--short", "HEAD"], check=True, capture_output=True,
                            text=True).stdout.strip()
    print(f"commit {commit}, seed {options.seed}\n\n| `deploy/demo --fresh` | s | building tbci, s | answer |\n|---|--:|--:|---|")
    chosen = random.Random(options.seed).sample(range(2, COMMITS_OF_A_DAY - 2), options.faults)
    calls = [["--fault", f"{KINDS[i % len(KINDS)]}@{place}"] for i, place in enumerate(chosen)]
    calls += [["--clean"]] * options.clean
    wrong = 0
    for number, call in enumerate(calls, 1):
        seconds, building, code = demo(clone, number, call)
        wrong += code != 0
        answer = "right" if code == 0 else f"**exit code {code}**: see demo-{number}.log"
        print(f"| `{' '.join(call)}` | {seconds} | {building} | {answer} |", flush=True)
    print(f"\n{len(calls) - wrong} of {len(calls)} right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
