#!/usr/bin/env python3
"""How well does a pair of processes know the ratio of two equal builds: one process after the other, and in turn?

usage: alternating_pairs.py WORKER [--pairs 15] [--cpu 1] [--cases A/cpu-infer,...]

WORKER is a tbci-worker; it is both builds. Each round measures every case as a pair of processes one after the other, and
as a pair whose iterations take turns (docs/decisions/0027-pairs-by-iteration.md), so that both see the same machine. For
each case it prints the root mean square of the pairs' effects (their true effect is 0): of the processes' medians, and, of
the pairs that take turns, of the medians of the iterations' ratios; then the mean effect of the latter with its standard
error, the level of the processes that take turns relative to those alone, and the seconds of a pair.
"""

import argparse
import json
import math
import os
import socket
import statistics
import subprocess
import time

CASES = "dlrm/cpu-infer,resnet18/cpu-infer,lennard_jones/cpu-infer,dlrm/cpu-train,resnet18/cpu-train,lennard_jones/cpu-train"
ONE_THREAD = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "MKL_DYNAMIC": "FALSE"}


def start(arguments, case, order=None, end=None):
    benchmark, configuration = case.split("/")
    command = ["taskset", "-c", str(arguments.cpu), arguments.worker, "run", "--benchmark", benchmark]
    command += ["--configuration", configuration, *(["--alternate", order] if order else [])]
    return subprocess.Popen(
        command, stdin=end or subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        env={**os.environ, **ONE_THREAD},
    )


def samples(process):
    lines = [json.loads(line) for line in process.communicate()[0].splitlines()]
    assert process.returncode == 0, lines[-1]
    return [math.log(line["nanoseconds"]) for line in lines if line["type"] == "sample"]


def one_after_the_other(arguments, case):
    return samples(start(arguments, case)), samples(start(arguments, case))


def in_turn(arguments, case):
    ends = socket.socketpair()
    both = [start(arguments, case, order, end) for order, end in zip(("first", "second"), ends)]
    for end in ends:
        end.close()
    return tuple(samples(process) for process in both)


class Case:
    def __init__(self):
        self.after_other, self.medians, self.ratios = [], [], []
        self.alone, self.turns = [], []  # levels
        self.seconds = [0.0, 0.0]

    def measure(self, arguments, name):
        begin = time.monotonic()
        first, second = one_after_the_other(arguments, name)
        middle = time.monotonic()
        one, other = in_turn(arguments, name)
        self.seconds[0] += middle - begin
        self.seconds[1] += time.monotonic() - middle
        self.after_other.append(statistics.median(second) - statistics.median(first))
        self.medians.append(statistics.median(other) - statistics.median(one))
        self.ratios.append(statistics.median(b - a for a, b in zip(one, other)))
        self.alone += [statistics.median(first), statistics.median(second)]
        self.turns += [statistics.median(one), statistics.median(other)]

    def row(self, name):
        pairs = len(self.ratios)
        cells = [f"{math.sqrt(statistics.mean(e * e for e in effects)):.1%}" for effects in (self.after_other, self.medians, self.ratios)]
        error = statistics.stdev(self.ratios) / math.sqrt(pairs)
        cells.append(f"{statistics.mean(self.ratios):+.1%} ± {error:.1%}")
        cells.append(f"{math.expm1(statistics.median(self.turns) - statistics.median(self.alone)):+.0%}")
        cells += [f"{seconds / pairs:.2f}" for seconds in self.seconds]
        return f"| {name} | " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("worker")
    parser.add_argument("--pairs", type=int, default=15)
    parser.add_argument("--cpu", type=int, default=1)
    parser.add_argument("--cases", default=CASES)
    arguments = parser.parse_args()
    cases = {name: Case() for name in arguments.cases.split(",")}
    for _ in range(arguments.pairs):
        for name, case in cases.items():
            case.measure(arguments, name)
    print("| case | one after the other | in turn, medians | in turn, ratios | mean effect | level | s, after | s, in turn |")
    print("|---|---|---|---|---|---|---|---|")
    for name, case in cases.items():
        print(case.row(name))


if __name__ == "__main__":
    main()
