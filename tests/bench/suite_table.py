#!/usr/bin/env python3
"""The table of docs/suite.md: every model of a worker with what it has, what it reaches and what it costs.

usage: suite_table.py WORKER [--compared FILE] > TABLE

Each configuration of the CPU runs three fresh processes on one CPU (the last one that this process may use), 3 warm-ups and
10 iterations in ci size; the time is the median of the processes' medians. FILE is the output of
tests/suite/reference/compare.py: models in it with 'yes' are marked. Nothing else should run beside it.
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time

PROCESSES = 3


def lines_of(command):
    begin = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()], time.monotonic() - begin


def measured(worker, name, configuration):
    """Median milliseconds of an iteration and milliseconds beyond the iterations; or the worker's own word."""
    medians, beyond = [], []
    for _ in range(PROCESSES):
        lines, wall = lines_of([worker, "run", "--benchmark", name, "--configuration", configuration])
        last = lines[-1] if lines else {"type": "error", "kind": "crashed"}
        if last["type"] != "done":
            return last.get("kind", "crashed"), None
        samples = [line["nanoseconds"] for line in lines if line["type"] == "sample"]
        medians.append(statistics.median(samples) / 1e6)
        beyond.append(wall * 1e3 - (sum(samples) + last["warmup_nanoseconds"]) / 1e6)
    return statistics.median(medians), statistics.median(beyond)


def reached(worker, name, configuration):
    lines, _ = lines_of([worker, "operators", "--benchmark", name, "--configuration", configuration])
    return next((len(line["below_autograd"]) for line in lines if line["type"] == "operators"), None)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("worker")
    parser.add_argument("--compared", type=pathlib.Path)
    arguments = parser.parse_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    same = set()
    if arguments.compared:
        same = {m.group(1) for m in re.finditer(r"^\| (\w+) \|.*\| yes \|$", arguments.compared.read_text(), re.M)}
    listed, _ = lines_of([arguments.worker, "list"])
    overheads, slowest = [], 0.0
    print("| model | task | parameters | train: ms, operators | infer: ms, operators | as original |")
    print("|---|---|--:|--:|--:|---|")
    for benchmark in (line for line in listed if line["type"] == "benchmark"):
        cells = []
        for mode in ("train", "infer"):
            configuration = f"cpu-{mode}"
            if configuration not in benchmark["configurations"]:
                cells.append("the original has none")
                continue
            took, beyond = measured(arguments.worker, benchmark["name"], configuration)
            if beyond is None:
                cells.append(took)
                continue
            overheads.append(beyond)
            slowest = max(slowest, took)
            cells.append(f"{took:.0f}, {reached(arguments.worker, benchmark['name'], configuration)}")
        later = "" if benchmark["listed"] == "table1" else " *"
        print(f"| {benchmark['name']}{later} | {benchmark['task']} | {benchmark['parameters']:,} | {cells[0]} | {cells[1]} | "
              f"{'yes' if benchmark['name'] in same else ''} |", flush=True)
    print(f"\n{len(overheads)} configurations; slowest iteration {slowest:.0f} ms; beyond its iterations a process takes "
          f"{statistics.median(overheads):.0f} ms (median), {max(overheads):.0f} ms (worst)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
