#!/usr/bin/env python3
"""Compares a build with itself by dlrm_hybrid, two ranks on two CPUs. Nothing that it finds is a regression.

usage: hybrid_same.py WORKER [COMPARISONS [PAIRS]]

A comparison (40) has this many pairs (5). The two workers of a pair, with two ranks each on the same two CPUs, iterate in turn
(docs/decisions/0027-pairs-by-iteration.md). The effect of a pair is the median ratio of neighbouring iterations; that of a
comparison is the median over its pairs. Beside it, of the same processes: the median of one side's medians by the other's.
Prints how many comparisons differ by more than 7%, and the quantiles.
"""

import json
import math
import socket
import statistics
import subprocess
import sys

LIMIT = 0.07


def samples(process):
    output = process.communicate(timeout=120)[0]
    lines = [json.loads(line) for line in output.splitlines()]
    if process.returncode != 0:
        sys.exit(f"the worker failed: {lines[-1]}")
    return [line["nanoseconds"] for line in lines if line["type"] == "sample"]


def pair(worker):
    ends = socket.socketpair()
    command = [worker, "run", "--benchmark", "dlrm_hybrid", "--configuration", "cpu-train", "--ranks", "2", "--alternate"]
    both = [subprocess.Popen([*command, order], stdin=end, stdout=subprocess.PIPE, text=True) for order, end in zip(("first", "second"), ends)]
    for end in ends:
        end.close()
    return [samples(process) for process in both]


def compare(worker, pairs):
    effects, sides = [], ([], [])
    for _ in range(pairs):
        both = pair(worker)
        effects.append(statistics.median(math.log(second / first) for first, second in zip(*both)))
        for side, times in zip(sides, both):
            side.append(statistics.median(times))
    first, second = map(statistics.median, sides)
    return math.expm1(statistics.median(effects)), second / first - 1, first


def show(name, differences):
    sizes = sorted(abs(difference) for difference in differences)
    over = sum(size > LIMIT for size in sizes)
    quantiles = f"median {statistics.median(sizes):.2%}, 90% below {sizes[math.ceil(0.9 * len(sizes)) - 1]:.2%}, largest {sizes[-1]:.2%}"
    print(f"{name}: {over} of {len(sizes)} over {LIMIT:.0%}; {quantiles}")


def main():
    if len(sys.argv) not in (2, 3, 4):
        sys.exit(__doc__)
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 40
    pairs = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    ratios, medians, times = zip(*(compare(sys.argv[1], pairs) for _ in range(count)))
    print(f"{count} comparisons of {pairs} pairs; the median iteration takes {statistics.median(times) / 1e6:.1f} ms")
    show("by ratios of neighbouring iterations", ratios)
    show("by medians of processes", medians)


main()
