#!/usr/bin/env python3
"""Which models of a worker run in which precision: the table of docs/precision.md.

usage: precisions.py WORKER [--cases cpu-infer/amp cpu-train/bf16 ...] [--benchmarks NAME ...] > TABLE

A cell is the share of one iteration's operators that compute in the precision's type (the worker's `computed_in`), or
`no`: then the reason stands below the table. `-`: the original has no such configuration.
"""

import argparse
import collections
import json
import subprocess

LIMIT_SECONDS = 300
DEFAULT_CASES = ["cpu-infer/amp", "cpu-infer/bf16", "cpu-infer/fp16", "cpu-train/amp", "cpu-train/bf16"]
TYPE_ON_CPU = {"amp": "bf16", "bf16": "bf16", "fp16": "fp16"}


def lines_of(command: list[str]) -> list[dict]:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_SECONDS)
    except subprocess.TimeoutExpired:
        return [{"type": "error", "kind": "time", "message": f"over {LIMIT_SECONDS} s"}]
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return lines or [{"type": "error", "kind": "crashed", "message": f"exit code {done.returncode}"}]


def cell(worker: str, name: str, case: str) -> tuple[str, str]:
    """The cell, and the reason where it is `no`."""
    configuration, precision = case.split("/")
    last = lines_of([worker, "run", "--benchmark", name, "--configuration", configuration, "--precision", precision,
                     "--warmup", "0", "--iterations", "1"])[-1]
    if last["type"] != "done":
        return "no", f"{last.get('kind', 'crashed')}: {last.get('message', 'it ended without done')}"
    counts = last["computed_in"]
    share = counts.get(TYPE_ON_CPU[precision], 0) / sum(counts.values())
    return f"{100 * share:.0f}%", ""


def main() -> None:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("worker")
    parser.add_argument("--cases", nargs="+", default=DEFAULT_CASES)
    parser.add_argument("--benchmarks", nargs="+", default=[])
    arguments = parser.parse_args()
    benchmarks = [line for line in lines_of([arguments.worker, "list"]) if line["type"] == "benchmark"]
    print("| model | " + " | ".join(arguments.cases) + " |")
    print("|---" * (len(arguments.cases) + 1) + "|")
    works, reasons = collections.Counter(), collections.defaultdict(list)
    for benchmark in benchmarks:
        name = benchmark["name"]
        if arguments.benchmarks and name not in arguments.benchmarks:
            continue
        cells = []
        for case in arguments.cases:
            if case.split("/")[0] not in benchmark["configurations"]:
                cells.append("-")
                continue
            text, reason = cell(arguments.worker, name, case)
            cells.append(text)
            works[case, text != "no"] += 1
            if reason:
                reasons[reason].append(f"{name} ({case})")
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
    print()
    for case in arguments.cases:
        print(f"{case}: {works[case, True]} run, {works[case, False]} do not")
    print()
    for reason, names in sorted(reasons.items()):
        print(f"- {reason}\n  {', '.join(names)}")


if __name__ == "__main__":
    main()
