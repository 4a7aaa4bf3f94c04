#!/usr/bin/env python3
"""Holds the worker's clock against torch.utils.benchmark: the same operator calls, in the same build of LibTorch.

usage: time_truth.py SUITE_TRUTH --python PYTHON [--rounds 5] [--iterations 50] [--cpu N] [--keep-heap]

SUITE_TRUTH is the program of tests/suite/truth, built against the LibTorch of the torch that PYTHON imports. In each
round each operator is timed by the one and then by the other, in a fresh process each, on one CPU with one thread: the
median of the worker's samples, the median of Timer.blocked_autorange, and that of 50 times Timer.timeit(1), which
times one call as the worker does (a block of calls has everything in it that the machine did meanwhile). Printed: the
medians over the rounds and their ratios; last the ratio of the shortest calls of all rounds, which other work on the
machine spoils least, and how many pages a call faults in, in the worker and in Python's single calls. `small_add` is
1000 calls of half a microsecond: there Python's own loop is in its time.

--keep-heap: in both, the C library keeps the pages of freed memory. Else it depends on what lies above a tensor whether
they go back, and come again at the next call, so that one and the same call costs more in one process than in another.
"""

import argparse
import json
import os
import resource
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
import resource, statistics, sys, torch
from torch.utils.benchmark import Timer
torch.set_num_threads(1)
torch.manual_seed(42)
setup, statement = sys.argv[1:]
timer = Timer(statement, setup="import torch; " + setup, num_threads=1)
blocks = timer.blocked_autorange(min_run_time=0.5).median
faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
single = [timer.timeit(1).median for _ in range(50)]
faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - faults
print(blocks, statistics.median(single), min(single), faults / 100)  # timeit(1) warms up with a call each time
"""

KEPT = "glibc.malloc.mmap_threshold=1073741824:glibc.malloc.trim_threshold=4294967296"


def run(command: list[str], arguments: argparse.Namespace) -> str:
    cpu = arguments.cpu
    pin = (lambda: os.sched_setaffinity(0, {cpu})) if cpu is not None else None
    environment = dict(os.environ, OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")
    if arguments.keep_heap:
        environment["GLIBC_TUNABLES"] = KEPT
    return subprocess.run(command, capture_output=True, text=True, check=True, preexec_fn=pin, env=environment).stdout


def worker_run(arguments: argparse.Namespace, name: str, iterations: int) -> tuple[list[float], int]:
    """Seconds of each call, and the pages that the process faulted in."""
    faults = resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt
    out = run([arguments.program, "run", "--benchmark", f"operator:{name}", "--configuration", "cpu-infer", "--iterations",
               str(iterations)], arguments)
    faults = resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt - faults
    lines = [json.loads(line) for line in out.splitlines()]
    return [line["nanoseconds"] / 1e9 for line in lines if line["type"] == "sample"], faults


def by_worker(arguments: argparse.Namespace, name: str) -> tuple[float, float, float]:
    samples, faults = worker_run(arguments, name, arguments.iterations)
    _, more_faults = worker_run(arguments, name, 3 * arguments.iterations)
    return statistics.median(samples), min(samples), (more_faults - faults) / (2 * arguments.iterations)


def by_python(arguments: argparse.Namespace, setup: str, statement: str) -> list[float]:
    return [float(word) for word in run([arguments.python, "-c", IN_PYTHON, setup, statement], arguments).split()]


def main() -> int:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("--python", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--iterations", type=int, default=50)
    parser.add_argument("--cpu", type=int)
    parser.add_argument("--keep-heap", action="store_true")
    arguments = parser.parse_args()
    times: dict[str, list[tuple[float, ...]]] = {name: [] for name in OPERATORS}
    for _ in range(arguments.rounds):
        for name, (setup, statement) in OPERATORS.items():
            worker, shortest, faults = by_worker(arguments, name)
            blocks, single, python_shortest, python_faults = by_python(arguments, setup, statement)
            times[name].append((worker, single, blocks, shortest, python_shortest, faults, python_faults))
    print("| operator | worker: ms | timeit(1): ms | ratio | of the rounds | blocked_autorange: ms | ratio | of the rounds | "
          "ratio of the shortest | pages a call: worker | timeit(1) |\n|---|--:|--:|--:|---|--:|--:|---|--:|--:|--:|")
    for name, rounds in times.items():
        cells = [name, f"{statistics.median(worker for worker, *_ in rounds) * 1e3:.3f}"]
        for other in (1, 2):
            ratios = sorted(one[0] / one[other] for one in rounds)
            cells += [f"{statistics.median(one[other] for one in rounds) * 1e3:.3f}",
                      f"{statistics.median(ratios):.3f}", f"{ratios[0]:.3f} to {ratios[-1]:.3f}"]
        cells.append(f"{min(one[3] for one in rounds) / min(one[4] for one in rounds):.3f}")
        cells += [f"{statistics.median(one[place] for one in rounds):.0f}" for place in (5, 6)]
        print(f"| {' | '.join(cells)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
