#!/usr/bin/env python3
"""What one fault in PyTorch's real source costs each model of the suite, as in Table 5 of the TorchBench paper.

usage: pytorch_source_models.py MATERIAL DIR WORKER [--fault gemm-template] [--benchmarks NAME ...]
                  [--configurations cpu-train cpu-infer] [--rounds 3] [--iterations 3] [--warmup 1] [--limit 300]
                  [--minutes N] [--cpu N] [--seed 1]

    tests/bench/pytorch_source/prepare MATERIAL DIR
    cmake -S suite -B BUILD -G Ninja -DCMAKE_PREFIX_PATH=DIR/base -DCMAKE_CXX_COMPILER=clang++-16 -DCMAKE_BUILD_TYPE=Quick
    ninja -C BUILD tbci-worker           # WORKER is BUILD/tbci-worker

Puts the fault into DIR's checkout, builds it into DIR/with-FAULT and takes it out again. Then each case is measured in
rounds: a process with the libraries as they were and one with the fault, in a random order. A process's time is the median
of its iterations, a round's slowdown is the time with the fault over the time without it, a case's slowdown is the median
of its rounds; beside it stand the smallest and the largest. Slower is a case that is slower by 7% in every round: the
first round in which it is not is its last. --limit: seconds for one process; a case that takes longer is named below the
table. --minutes: after these no case is begun. Exit code 1 where no case is slower.
"""
import argparse
import collections
import json
import math
import os
import pathlib
import random
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "pytorch_source"))
import edits  # noqa: E402
import faults  # noqa: E402

PAPER = {65839: "15.64x on average, 51.37x at most"}
SLOWER = 1.07
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


class Failed(Exception):
    """The worker does not run this; the message is its reason."""


def build_with(arguments):
    """Where the libraries with the fault are; they are built where they are not there."""
    source, prefix = arguments.folder / "src/pytorch", arguments.folder / f"with-{arguments.fault}"
    if (prefix / "done").exists():
        return prefix / "lib"

    def git(*words):
        return subprocess.run(["git", "-C", source, *words], check=True, stdout=subprocess.PIPE, text=True).stdout

    if git("status", "--porcelain", "--untracked-files=no"):
        sys.exit(f"{source} has changes that are not committed: the fault is put into a clean checkout")
    git("checkout", "--quiet", "main")
    try:
        faults.FAULTS[arguments.fault].apply(edits.Tree(source))
        subprocess.run([arguments.material / "build", source, prefix], check=True, stdout=sys.stderr)
    finally:
        git("checkout", "--quiet", "--force", "main")
    (prefix / "done").touch()
    return prefix / "lib"


def worker_lines(arguments, libraries, *words):
    pin = (lambda: os.sched_setaffinity(0, {arguments.cpu})) if arguments.cpu is not None else None
    done = subprocess.run([arguments.worker, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, preexec_fn=pin,
                          timeout=arguments.limit, env={**os.environ, **ONE_THREAD, "LD_LIBRARY_PATH": str(libraries)})
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    last = lines[-1] if lines else {}
    if last.get("type") != "done":
        raise Failed(last.get("message", f"exit code {done.returncode}"))
    return lines


def time_of(arguments, libraries, case):
    """Milliseconds of an iteration."""
    lines = worker_lines(arguments, libraries, "run", "--benchmark", case[0], "--configuration", case[1], "--size", "ci",
                         "--iterations", str(arguments.iterations), "--warmup", str(arguments.warmup))
    return statistics.median(line["nanoseconds"] for line in lines if line["type"] == "sample") / 1e6


def cases_of(arguments):
    listed = worker_lines(arguments, arguments.folder / "base/lib", "list")
    return [(line["name"], configuration) for line in listed if line["type"] == "benchmark"
            for configuration in arguments.configurations
            if configuration in line["configurations"]
            and (not arguments.benchmarks or line["name"] in arguments.benchmarks)]


def measure(arguments, case, with_fault):
    """Milliseconds without the fault, and with it, by round."""
    sides = {"without": arguments.folder / "base/lib", "with": with_fault}
    rounds = []
    while len(rounds) < arguments.rounds and all(each["with"] / each["without"] >= SLOWER for each in rounds):
        rounds.append({side: time_of(arguments, sides[side], case) for side in random.sample(sorted(sides), 2)})
    return rounds


def slowdown_of(rounds):
    ratios = sorted(each["with"] / each["without"] for each in rounds)
    return statistics.median(ratios), ratios[0], ratios[-1]


def summary(name, slower, others):
    text = f"{name}: {len(slower)} of {len(slower) + len(others)} are slower by 7%"
    if slower:
        most = max(slower, key=slower.get)
        text += (f", {statistics.mean(slower.values()):.2f}x on average, {slower[most]:.2f}x at most ({most}), "
                 f"{statistics.geometric_mean(slower.values()):.2f}x in the geometric mean")
    if others:
        text += f"; the others {statistics.geometric_mean(others):.3f}x in the geometric mean"
    return text


def print_table(arguments, with_fault):
    print("| model | configuration | without: ms | with: ms | slowdown | rounds |\n|---|---|--:|--:|--:|---|")
    slower, others = collections.defaultdict(dict), collections.defaultdict(list)
    reasons, end, left = collections.defaultdict(list), time.monotonic() + 60 * arguments.minutes, 0
    for case in cases_of(arguments):
        if time.monotonic() > end:
            left += 1
            continue
        try:
            rounds = measure(arguments, case, with_fault)
        except (Failed, subprocess.TimeoutExpired) as reason:
            said = f"more than {arguments.limit:.0f} s" if isinstance(reason, subprocess.TimeoutExpired) else str(reason)
            reasons[said].append("/".join(case))
            continue
        slowdown, least, most = slowdown_of(rounds)
        if least < SLOWER:
            others[case[1]].append(slowdown)
            continue
        slower[case[1]][case[0]] = slowdown
        times = [statistics.median(each[side] for each in rounds) for side in ("without", "with")]
        print(f"| {case[0]} | {case[1]} | {times[0]:.2f} | {times[1]:.2f} | {slowdown:.2f} | {least:.2f} to {most:.2f} |",
              flush=True)
    print()
    for configuration in arguments.configurations:
        if slower[configuration] or others[configuration]:
            print(summary(configuration, slower[configuration], others[configuration]))
    if left:
        print(f"{left} cases are still to be measured")
    for reason, names in sorted(reasons.items()):
        print(f"- {reason} ({len(names)}: {', '.join(names[:3])}{', ...' if len(names) > 3 else ''})")
    return any(slower.values())


def main():
    parser = argparse.ArgumentParser(usage=__doc__.replace("%", "%%"))
    parser.add_argument("material", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("worker", type=pathlib.Path)
    parser.add_argument("--fault", choices=sorted(faults.FAULTS), default="gemm-template")
    parser.add_argument("--benchmarks", nargs="+", default=[])
    parser.add_argument("--configurations", nargs="+", default=["cpu-train", "cpu-infer"])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--iterations", type=int, default=3)
    parser.add_argument("--warmup", type=int, default=1)
    parser.add_argument("--limit", type=float, default=300)
    parser.add_argument("--minutes", type=float, default=math.inf)
    parser.add_argument("--cpu", type=int)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for name in ("material", "folder", "worker"):
        setattr(arguments, name, getattr(arguments, name).resolve())
    random.seed(arguments.seed)
    with_fault = build_with(arguments)
    request = faults.FAULTS[arguments.fault].pull_request
    print(f"{arguments.fault}, like pull request {request}; seed {arguments.seed}, up to {arguments.rounds} rounds, size ci, "
          f"{arguments.iterations} iterations after {arguments.warmup}\n")
    found = print_table(arguments, with_fault)
    if request in PAPER:
        print(f"The paper: {PAPER[request]}")
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main())
