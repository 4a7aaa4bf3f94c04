#!/usr/bin/env python3
"""Twenty generated days: does `tbci check` name each culprit exactly, or the set that cannot be told apart?

Each day is a repository of `tbci-miniature` with one fault (kind, position, strength), with and without neighbours that
do not build, and with none. `tbci check` runs on real LibTorch, real git and real rebuilds, with two of the suite's
benchmarks in the configuration that the fault slows. Prints a Markdown table, a line as each day ends.

    tests/bench/twenty_days.py BUILD_FOLDER [--days FIRST-LAST] [--keep FOLDER]

TBCI_LIBTORCH names the LibTorch (deploy/deps --print-torch). Takes about 1 to 3 minutes a day.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

# kind, position among the last day's 70 commits, strength, neighbours that do not build, benchmarks. (The commit after a
# stretch that does not build repairs it, so it brings no fault.)
DAYS = [
    ("embedding-bag-bounds", 3, 1, [], ["dlrm", "lennard_jones"]),
    ("embedding-bag-bounds", 35, 1, [32, 33, 36], ["dlrm", "lennard_jones"]),
    ("embedding-bag-bounds", 69, 1, [], ["dlrm", "lennard_jones"]),
    ("embedding-bag-bounds", 20, 1, "culprit", ["dlrm", "lennard_jones"]),
    ("embedding-bag-bounds", 50, 2, [47, 48, 51, 52], ["dlrm", "lennard_jones"]),
    ("activation-validity", 8, 1, [], ["nvidia_deeprecommender", "dlrm"]),
    ("activation-validity", 41, 1, [38, 39], ["nvidia_deeprecommender", "dlrm"]),
    ("activation-validity", 60, 1, "culprit", ["nvidia_deeprecommender", "dlrm"]),
    ("addmm-dtype", 12, 1, [], ["lennard_jones", "dlrm"]),
    ("addmm-dtype", 37, 1, [35, 38], ["lennard_jones", "dlrm"]),
    ("addmm-dtype", 66, 1.5, [], ["lennard_jones", "dlrm"]),
    ("addmm-dtype", 25, 1, "culprit", ["lennard_jones", "dlrm"]),
    ("error-handling", 17, 1, [], ["soft_actor_critic", "dlrm"]),
    ("error-handling", 53, 1, [49, 50, 51], ["soft_actor_critic", "dlrm"]),
    ("memory-kept", 30, 1, [], ["dlrm", "lennard_jones"]),
    ("memory-kept", 58, 1, [56, 59], ["dlrm", "lennard_jones"]),
    ("memory-peak", 45, 1, [], ["resnet18", "lennard_jones"]),
    ("memory-peak", 14, 1, [11, 12, 15], ["resnet18", "lennard_jones"]),
    ("none", 0, 1, [], ["dlrm", "lennard_jones", "nvidia_deeprecommender"]),
    ("none", 0, 1, [30, 31], ["resnet18", "soft_actor_critic"]),
]

CONFIG = """[measure]
processes = 5
processes_at_most = 5
benchmarks = {benchmarks}
configurations = ["cpu-infer"]
[[subject]]
name = "demo"
worker_families = ["dlrm", "lennard_jones", "deeprecommender", "resnet", "soft_actor_critic"]
[subject.nightlies]
kind = "git-days"
[subject.source]
repository = "{repository}"
torch = "${{TBCI_LIBTORCH}}"
compiled = ["kernels/**", "Makefile"]
recipe = [["make", "-j{{jobs}}", "TORCH={{torch}}"]]
preload = ["build/libminiature.so"]
"""


def generate(build, folder, day, number):
    kind, position, strength, neighbours, _ = day
    command = [build / "tbci-miniature", "generate", folder / "repository", "--json", "--seed", str(number)]
    command += ["--clean"] if kind == "none" else ["--fault", f"{kind}@{position}*{strength}"]
    if neighbours == "culprit":
        command += ["--unbuildable-beside-culprit"]
    elif neighbours:
        for place in neighbours:
            command += ["--unbuildable", str(place)]
    outcome = subprocess.run(command, capture_output=True, text=True)
    if outcome.returncode != 0:
        sys.exit(f"day {number}: {outcome.stderr}")
    return json.loads(outcome.stdout)


def check(build, folder, truth, benchmarks, workers):
    state = folder / "state"
    state.mkdir()
    (state / "workers").symlink_to(workers)
    config = folder / "tbci.toml"
    config.write_text(CONFIG.format(benchmarks=json.dumps(benchmarks), repository=folder / "repository"))
    command = [build / "tbci", "--config", config, "--state", state, "check", "--json"]
    begin = time.monotonic()
    outcome = subprocess.run(command, capture_output=True, text=True)
    seconds = time.monotonic() - begin
    if outcome.returncode not in (0, 1) or not outcome.stdout:
        sys.exit(f"tbci check ended with {outcome.returncode}: {outcome.stderr}")
    return json.loads(outcome.stdout), seconds, state


def figures(build, folder, state, truth):
    """Builds and measurements that the bisection asked for, from the database."""
    import sqlite3
    database = sqlite3.connect(f"file:{state / 'tbci.sqlite'}?mode=ro", uri=True)
    row = database.execute("SELECT builds, measurements FROM bisection").fetchone()
    return row if row else (0, 0)


def verdict(answer, truth):
    found = {tuple(sorted(r["suspects"])) for r in answer["regressions"]}
    wanted = {tuple(sorted(c["indistinguishable"])) for c in truth["culprits"]}
    if found == wanted:
        if not wanted:
            return True, "nothing filed"
        size = len(next(iter(wanted)))
        return True, "exact" if size == 1 else f"the set of {size}"
    if not found:
        return False, "not found"
    return False, "WRONG: " + "; ".join(",".join(c[:10] for c in group) or "no culprit" for group in sorted(found))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="build folder with tbci and tbci-miniature")
    parser.add_argument("--days", default=f"1-{len(DAYS)}", help="which of them, as 3-7")
    parser.add_argument("--keep", type=pathlib.Path, help="keep repositories and states here")
    arguments = parser.parse_args()
    if "TBCI_LIBTORCH" not in os.environ:
        sys.exit("TBCI_LIBTORCH is not set: deploy/deps --print-torch says what to set it to")
    first, _, last = arguments.days.partition("-")
    build = arguments.build.resolve()
    right = total = 0
    with tempfile.TemporaryDirectory() as temporary:
        base = arguments.keep.resolve() if arguments.keep else pathlib.Path(temporary)
        workers = base / "workers"
        workers.mkdir(parents=True, exist_ok=True)
        print("| day | fault | at | strength | do not build | found | largest change | answer | builds | measurements | s |")
        print("|---|---|---|---|---|---|---|---|---|---|---|", flush=True)
        for number in range(int(first), int(last or first) + 1):
            day = DAYS[number - 1]
            folder = base / f"day-{number}"
            folder.mkdir()
            truth = generate(build, folder, day, number)
            answer, seconds, state = check(build, folder, truth, day[4], workers)
            good, said = verdict(answer, truth)
            builds, measurements = figures(build, folder, state, truth)
            changes = [r["change"] for r in answer["regressions"]]
            known = [c for c in changes if c is not None]
            largest = f"{max(known):+.1%}" if known else ("new" if changes else "")
            series = ", ".join(sorted({r["series"] for r in answer["regressions"]}))
            kind, position, strength, neighbours, _ = day
            around = "the culprit and the next" if neighbours == "culprit" else ", ".join(map(str, neighbours)) or "two, drawn"
            print(f"| {number} | {kind} | {position or ''} | {strength} | {around} | {series} | {largest} | {said} | {builds} | {measurements} | {seconds:.0f} |", flush=True)
            right += good
            total += 1
    print(f"\n{right} of {total} right")
    sys.exit(0 if right == total else 1)


if __name__ == "__main__":
    main()
