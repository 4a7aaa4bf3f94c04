#!/usr/bin/env python3
"""Whether `tbci predict --what-if` predicts what a slower operator costs: predicted beside measured.

usage: what_if_truth.py WORKER SLOWER BENCH_TIMELINE [--comparisons 40] [--processes 3] [--iterations 15] [--cpu N]
                        [--seed 1] [--benchmarks NAME...]

SLOWER is the library of tests/suite/truth/slower.cpp, BENCH_TIMELINE the program of tests/bench/timeline.cpp. Each
comparison takes a case and a part of an iteration between 8% and 30% by the seed, and in turn a kernel of one operator
that takes longer, or a cost of each call of one operator. It is predicted from recordings of the build as it is, one
for each process. Then processes run without and with the fault in turn; the ratio of their medians is what is
measured. The library wraps the operator in both, so that its own cost is in neither. It also slows the page faults of a
call, which a slower kernel does not: so the allocator keeps what is freed, and there are hardly any. Printed: each
comparison, the mean and the largest distance of predicted and measured, in points of the iteration, the geometric mean
of the factor between the two, and how many are within 3 points.
"""

import argparse
import json
import math
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

from cause_truth import BENCHMARKS, ONE_THREAD, operators_of, plant, record, look

ONE_THREAD |= {"MALLOC_TRIM_THRESHOLD_": str(1 << 40), "MALLOC_MMAP_MAX_": "0", "MALLOC_TOP_PAD_": str(1 << 28)}


def median_time(options: argparse.Namespace, case: tuple[str, str], slower: str) -> float:
    pin = (lambda: os.sched_setaffinity(0, {options.cpu})) if options.cpu is not None else None
    done = subprocess.run([options.worker, "run", "--benchmark", case[0], "--configuration", case[1], "--iterations",
                           str(options.iterations), "--preload", options.slower], stdout=subprocess.PIPE, check=True,
                          stderr=subprocess.DEVNULL, preexec_fn=pin,
                          env={**os.environ, **ONE_THREAD, "TBCI_SLOWER": slower})
    lines = map(json.loads, done.stdout.splitlines())
    return statistics.median(line["nanoseconds"] for line in lines if line["type"] == "sample")


def measured_growth(options: argparse.Namespace, case: tuple[str, str], slower: str) -> float:
    sides: tuple[list[float], list[float]] = ([], [])
    for _ in range(options.processes):
        for side, how in enumerate((slower.rsplit(":", 1)[0] + ":0", slower)):
            sides[side].append(median_time(options, case, how))
    return statistics.median(sides[1]) / statistics.median(sides[0])


def predicted_growth(options: argparse.Namespace, case: tuple[str, str], slower: str, operator: str) -> float:
    kind, number = slower.split(":", 1)[0], float(slower.rsplit(":", 1)[1])
    change = f"{operator}={1 + number}" if kind == "kernel" else f"{operator}=+{number}ns"
    with tempfile.TemporaryDirectory() as folder:
        files = [pathlib.Path(folder, str(index)) for index in range(options.processes)]
        for file in files:
            record(options, case, slower.rsplit(":", 1)[0] + ":0", file)
        seen = look(options, "--what-if", change, *map(str, files))
    return statistics.median(one["after"] / one["before"] for one in seen)


def main() -> int:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("worker")
    parser.add_argument("slower")
    parser.add_argument("look")
    parser.add_argument("--comparisons", type=int, default=40)
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("--iterations", type=int, default=15)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cpu", type=int)
    parser.add_argument("--benchmarks", nargs="+", default=BENCHMARKS)
    options = parser.parse_args()
    options.slower, options.keep = str(pathlib.Path(options.slower).resolve()), None
    chance = random.Random(options.seed)
    cases = [(name, configuration) for name in options.benchmarks for configuration in ("cpu-train", "cpu-infer")]
    known: dict = {}
    pairs = []
    print(f"seed {options.seed}, {options.processes} processes by each, in turn")
    while len(pairs) < options.comparisons:
        kind, case, share = ("kernel", "call")[len(pairs) % 2], chance.choice(cases), chance.uniform(0.08, 0.30)
        if case not in known:
            known[case] = operators_of(options, case)
            _, dispatch, operators = known[case]
            for one in operators.values():  # as detect/timeline/what_if.cpp has it
                one["innermost"] |= one["nanoseconds"] > 10 * dispatch * one["calls"]
        planted = plant(kind, share, *known[case], chance)
        if planted is None:
            continue
        slower, operator = planted
        predicted, measured = predicted_growth(options, case, slower, operator), measured_growth(options, case, slower)
        pairs.append((predicted, measured))
        print(f"{'/'.join(case)}, {slower}: predicted {100 * (predicted - 1):+.1f}%, measured "
              f"{100 * (measured - 1):+.1f}%", flush=True)
    points = [100 * abs(predicted - measured) for predicted, measured in pairs]
    factor = math.exp(statistics.fmean(abs(math.log(predicted / measured)) for predicted, measured in pairs))
    print(f"{len(pairs)} comparisons: off by {statistics.fmean(points):.1f} points on average, {max(points):.1f} at "
          f"most; a factor of {factor:.3f} on average; within 3 points: {sum(point <= 3 for point in points)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
