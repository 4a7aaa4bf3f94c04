#!/usr/bin/env python3
"""What `tbci why` says of every model, and how long that takes.

usage: hints_table.py WORKER BENCH_TIMELINE [--configurations cpu-train cpu-infer] [--benchmarks NAME ...]
                      [--size ci] [--least 1] [--limit 120]

Each case is recorded in a fresh process of its own, as `tbci why` does, and BENCH_TIMELINE (tests/bench/timeline.cpp)
looks into the timeline. Printed: a row for each case that has a hint of --least percent or more, the largest first;
then how many cases have a hint of each kind, the slowest cases, and what could not be recorded.
"""

import argparse
import collections
import json
import os
import subprocess
import sys
import time

ONE_THREAD = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "MKL_DYNAMIC": "FALSE"}


class Refused(Exception):
    """There is no timeline; the message is the reason."""


def looked_into(options: argparse.Namespace, name: str, configuration: str) -> dict:
    command = [options.worker, "timeline", "--benchmark", name, "--configuration", configuration, "--size", options.size]
    try:
        recorded = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=options.limit,
                                  env={**os.environ, **ONE_THREAD}).stdout
    except subprocess.TimeoutExpired as late:
        raise Refused(f"over {options.limit} s") from late
    last = json.loads(recorded.splitlines()[-1]) if recorded else {"message": "no output"}
    if last.get("type") != "done":
        raise Refused(last.get("message", "no end"))
    seen = subprocess.run([options.look], input=recorded, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if seen.returncode != 0:
        raise Refused(seen.stderr.decode().strip()[-200:])
    return json.loads(seen.stdout)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("worker")
    parser.add_argument("look")
    parser.add_argument("--configurations", nargs="+", default=["cpu-train", "cpu-infer"])
    parser.add_argument("--benchmarks", nargs="+", default=[])
    parser.add_argument("--size", default="ci", choices=["ci", "paper"])
    parser.add_argument("--least", type=float, default=1)
    parser.add_argument("--limit", type=int, default=120)
    return parser.parse_args()


def main() -> int:
    options = parsed()
    lines = subprocess.run([options.worker, "list"], stdout=subprocess.PIPE, check=True).stdout.splitlines()
    listed = [line for line in map(json.loads, lines) if line["type"] == "benchmark"]
    seconds, kinds, missing = {}, collections.Counter(), collections.defaultdict(list)
    print("| case | iteration: ms | hint | operator | gain |\n|---|--:|---|---|--:|")
    for benchmark in listed:
        if options.benchmarks and benchmark["name"] not in options.benchmarks:
            continue
        for configuration in sorted(set(options.configurations) & set(benchmark["configurations"])):
            case = f"{benchmark['name']}/{configuration}"
            begin = time.monotonic()
            try:
                seen = looked_into(options, benchmark["name"], configuration)
            except Refused as reason:
                missing[str(reason)].append(case)
                continue
            seconds[case] = time.monotonic() - begin
            hints = [hint for hint in seen["hints"] if hint["gain"] * 100 >= options.least]
            kinds.update({hint["kind"] for hint in hints})
            for hint in hints:
                print(f"| {case} | {seen['nanoseconds'] / 1e6:.2f} | {hint['kind']} | {hint['operator']} | "
                      f"{hint['gain'] * 100:.1f}% |", flush=True)
    print(f"\n{len(seconds)} cases, size {options.size}; with a hint of {options.least:g}% or more:")
    for kind, count in kinds.most_common():
        print(f"- {kind}: {count}")
    slowest = sorted(seconds.items(), key=lambda one: -one[1])[:5]
    print("slowest: " + ", ".join(f"{case} {took:.1f} s" for case, took in slowest))
    for reason, cases in sorted(missing.items(), key=lambda one: -len(one[1])):
        print(f"- {reason}: {', '.join(cases)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
