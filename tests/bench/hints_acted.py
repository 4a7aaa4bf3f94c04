#!/usr/bin/env python3
"""Acts upon hints of models and measures whether that gives what they promise.

usage: hints_acted.py WORKER BENCH_TIMELINE TABLE [--each 5] [--rounds 7] [--cpu N]

TABLE is what hints_table.py printed. Of each of the two kinds of hints that can be acted upon without changing a model,
the --each models are taken that promise the most; a model is taken once for each kind. The actions:
- page faults: the allocator keeps what is freed (MALLOC_TRIM_THRESHOLD_, MALLOC_MMAP_MAX_, glibc's own variables);
- small calls in a row, in training: the variant `fused-steps` (docs/patches.md).
The promise is the gain of all hints of that kind, less what is left of it after the action: medians of three timelines
each. The saving is that of the medians of --rounds processes, before and after in turn. Exit code 1 where fewer than
four fifths of the cases save at least half of what was promised.
"""

import argparse
import collections
import json
import os
import pathlib
import statistics
import subprocess
import sys

ONE_THREAD = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "MKL_DYNAMIC": "FALSE"}
KEEP = {"MALLOC_TRIM_THRESHOLD_": str(1 << 34), "MALLOC_MMAP_MAX_": "0", "MALLOC_TOP_PAD_": str(1 << 26)}
ACTIONS = {"page faults": ([], KEEP), "small calls in a row": (["--variant", "fused-steps"], {})}
NOTHING: tuple[list[str], dict[str, str]] = ([], {})


def lines_of(options: argparse.Namespace, command: str, case: str, action: tuple[list[str], dict[str, str]]) -> bytes:
    name, configuration = case.split("/")
    arguments, variables = action
    pin = (lambda: os.sched_setaffinity(0, {options.cpu})) if options.cpu is not None else None
    return subprocess.run([options.worker, command, "--benchmark", name, "--configuration", configuration, *arguments],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, preexec_fn=pin,
                          env={**os.environ, **ONE_THREAD, **variables}).stdout


def promised(options: argparse.Namespace, case: str, kind: str, action: tuple[list[str], dict[str, str]]) -> float:
    gains = []
    for _ in range(3):
        seen = subprocess.run([options.look], input=lines_of(options, "timeline", case, action), stdout=subprocess.PIPE,
                              check=True).stdout
        gains.append(sum(hint["gain"] for hint in json.loads(seen)["hints"] if hint["kind"] == kind))
    return statistics.median(gains)


def time_of(options: argparse.Namespace, case: str, action: tuple[list[str], dict[str, str]]) -> float:
    lines = [json.loads(line) for line in lines_of(options, "run", case, action).splitlines() if line.startswith(b"{")]
    return statistics.median(line["nanoseconds"] for line in lines if line["type"] == "sample")


def most_promising(options: argparse.Namespace, kind: str) -> list[str]:
    """Cases by the sum of their hints in the table."""
    sums: collections.Counter = collections.Counter()
    for line in options.table.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 5 and cells[2] == kind and (kind == "page faults" or cells[0].endswith("-train")):
            sums[cells[0]] += float(cells[4].rstrip("%"))
    return [case for case, _ in sums.most_common()]


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("worker")
    parser.add_argument("look")
    parser.add_argument("table", type=pathlib.Path)
    parser.add_argument("--each", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--cpu", type=int)
    return parser.parse_args()


def main() -> int:
    options = parsed()
    print("| case | hint | promised | before: ms | after: ms | saved | of the promise |\n|---|---|--:|--:|--:|--:|--:|")
    kept = total = 0
    for kind, action in ACTIONS.items():
        for case in most_promising(options, kind)[: options.each]:
            promise = promised(options, case, kind, NOTHING) - promised(options, case, kind, action)
            before, after = [], []
            for _ in range(options.rounds):
                before.append(time_of(options, case, NOTHING))
                after.append(time_of(options, case, action))
            old, new = statistics.median(before), statistics.median(after)
            saved = 1 - new / old
            total += 1
            kept += saved >= promise / 2
            print(f"| {case} | {kind} | {promise * 100:.1f}% | {old / 1e6:.2f} | {new / 1e6:.2f} | {saved * 100:.1f}% | "
                  f"{saved / promise if promise > 0 else float('nan'):.2f} |", flush=True)
    print(f"\n{kept} of {total} save at least half of what was promised; {options.rounds} processes each, in turn")
    return 0 if kept >= 0.8 * total else 1


if __name__ == "__main__":
    sys.exit(main())
