#!/usr/bin/env python3
"""Holds the worker's clock against torch.utils.benchmark: the same operator calls, in the same build of LibTorch.

usage: time_truth.py SUITE_TRUTH --python PYTHON [--rounds 5] [--iterations 50] [--cpu N]

SUITE_TRUTH is the program of tests/suite/truth, built against the LibTorch of the torch that PYTHON imports. In each
round each operator is timed by the one and then by the other, in a fresh process each, on one CPU with one thread: the
median of the worker's samples, the median of Timer.blocked_autorange, and that of 50 times Timer.timeit(1), which
times one call as the worker does (a block of calls has everything in it that the machine did meanwhile). Printed: the
medians over the rounds and their ratios; last the ratio of the shortest calls of all rounds, which other work on the
machine spoils least. `small_add` is 1000 calls of half a microsecond: there Python's own loop is
in its time.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys

# As in tests/suite/truth/operators.hpp.
OPERATORS = {
    "mm": ("a, b = torch.rand(512, 512), torch.rand(512, 512)", "torch.mm(a, b)"),
    "conv2d": ("x, w = torch.rand(8, 64, 56, 56), torch.rand(64, 64, 3, 3)", "torch.conv2d(x, w, None, 1, 1)"),
    "softmax": ("x = torch.rand(256, 8192)", "torch.softmax(x, -1)"),
    "layer_norm": ("x, w, b = torch.rand(512, 1024), torch.rand(1024), torch.rand(1024)",
                   "torch.nn.functional.layer_norm(x, (1024,), w, b)"),
    "gelu": ("x = torch.rand(1024, 1024)", "torch.nn.functional.gelu(x)"),
    "embedding_bag": ("w = torch.rand(100000, 64); at = torch.randint(100000, (65536,)); "
                      "start = torch.arange(0, 65536, 16)", "torch.embedding_bag(w, at, start)"),
    "sort": ("x = torch.rand(64, 4096)", "torch.sort(x, -1)"),
    "small_add": ("a, b = torch.rand(1024), torch.rand(1024)", "for _ in range(1000): torch.add(a, b)"),
}

IN_PYTHON = """
import statistics, sys, torch
from torch.utils.benchmark import Timer
torch.set_num_threads(1)
torch.manual_seed(42)
setup, statement = sys.argv[1:]
timer = Timer(statement, setup="import torch; " + setup, num_threads=1)
blocks = timer.blocked_autorange(min_run_time=0.5).median
single = [timer.timeit(1).median for _ in range(50)]
print(blocks, statistics.median(single), min(single))
"""


def run(command: list[str], cpu: int | None) -> str:
    pin = (lambda: os.sched_setaffinity(0, {cpu})) if cpu is not None else None
    environment = dict(os.environ, OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")
    return subprocess.run(command, capture_output=True, text=True, check=True, preexec_fn=pin, env=environment).stdout


def by_worker(program: str, name: str, iterations: int, cpu: int | None) -> tuple[float, float]:
    out = run([program, "run", "--benchmark", f"operator:{name}", "--configuration", "cpu-infer", "--iterations",
               str(iterations)], cpu)
    lines = [json.loads(line) for line in out.splitlines()]
    samples = [line["nanoseconds"] / 1e9 for line in lines if line["type"] == "sample"]
    return statistics.median(samples), min(samples)


def main() -> int:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("--python", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--iterations", type=int, default=50)
    parser.add_argument("--cpu", type=int)
    arguments = parser.parse_args()
    times: dict[str, list[tuple[float, ...]]] = {name: [] for name in OPERATORS}
    for _ in range(arguments.rounds):
        for name, (setup, statement) in OPERATORS.items():
            worker, shortest = by_worker(arguments.program, name, arguments.iterations, arguments.cpu)
            blocks, single, python_shortest = map(float, run([arguments.python, "-c", IN_PYTHON, setup, statement], arguments.cpu).split())
            times[name].append((worker, single, blocks, shortest, python_shortest))
    print("| operator | worker: ms | timeit(1): ms | ratio | of the rounds | blocked_autorange: ms | ratio | of the rounds | "
          "ratio of the shortest |\n|---|--:|--:|--:|---|--:|--:|---|--:|")
    for name, rounds in times.items():
        cells = [name, f"{statistics.median(worker for worker, *_ in rounds) * 1e3:.3f}"]
        for other in (1, 2):
            ratios = sorted(one[0] / one[other] for one in rounds)
            cells += [f"{statistics.median(one[other] for one in rounds) * 1e3:.3f}",
                      f"{statistics.median(ratios):.3f}", f"{ratios[0]:.3f} to {ratios[-1]:.3f}"]
        cells.append(f"{min(one[3] for one in rounds) / min(one[4] for one in rounds):.3f}")
        print(f"| {' | '.join(cells)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
