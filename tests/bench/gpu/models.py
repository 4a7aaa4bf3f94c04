#!/usr/bin/env python3
"""Runs every case of a worker on a GPU once, several side by side: which of them run, and why the others do not.

usage: models.py WORKER OUT.jsonl [--configurations gpu-infer,gpu-train] [--size ci] [--jobs 8] [--limit 60]

OUT.jsonl gets a line for each case: its outcome, the median of its times (of processes side by side, so of little use)
and how the GPU spent an iteration. Exit code 1 if a case neither ran nor was refused as unsupported, or if none ran.
"""

import argparse
import collections
import concurrent.futures
import json
import statistics
import subprocess
import sys


def run(arguments, case):
    benchmark, configuration = case
    answer = {"benchmark": benchmark, "configuration": configuration}
    command = [arguments.worker, "run", "--benchmark", benchmark, "--configuration", configuration, "--size",
               arguments.size, "--gpu-traced", "5"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=arguments.limit)
    except subprocess.TimeoutExpired:
        return answer | {"outcome": "time limit"}
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    error = next((line for line in lines if line["type"] == "error"), None)
    if error is not None:
        return answer | {"outcome": error["kind"], "message": error["message"][:300]}
    if done.returncode != 0 or not lines or lines[-1]["type"] != "done":
        return answer | {"outcome": f"exit code {done.returncode}", "message": done.stderr[-300:]}
    samples = [line["nanoseconds"] for line in lines if line["type"] == "sample"]
    return answer | {"outcome": "done", "median_ns": statistics.median(samples),
                     "lines": [line for line in lines if line["type"] in ("memory", "done")]}


def idle_share(answer):
    parts = [answer["lines"][-1].get(f"gpu_{part}_nanoseconds") for part in ("active", "movement", "idle")]
    return parts[2] / sum(parts) if None not in parts and sum(parts) > 0 else None


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("worker")
    parser.add_argument("out")
    parser.add_argument("--configurations", default="gpu-infer,gpu-train")
    parser.add_argument("--size", default="ci")
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("--limit", type=float, default=60)
    arguments = parser.parse_args()
    listed = subprocess.run([arguments.worker, "list"], capture_output=True, text=True, check=True).stdout.splitlines()
    names = [line["name"] for line in map(json.loads, listed) if line["type"] == "benchmark"]
    cases = [(name, configuration) for name in names for configuration in arguments.configurations.split(",")]
    outcomes, idle = collections.Counter(), []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool, open(arguments.out, "w", encoding="utf-8") as file:
        for answer in pool.map(lambda case: run(arguments, case), cases):
            outcomes[answer["outcome"]] += 1
            print(json.dumps(answer), file=file, flush=True)
            if answer["outcome"] == "done":
                share = idle_share(answer)
                idle += [] if share is None else [share]
            else:
                print(f"{answer['benchmark']}/{answer['configuration']}: {answer['outcome']}: {answer.get('message', '')}")
    print(f"{len(cases)} cases: {', '.join(f'{count} {outcome}' for outcome, count in outcomes.most_common())}")
    if idle:
        print(f"The GPU is idle in {statistics.median(idle):.0%} of an iteration (median of {len(idle)} cases, traced).")
    return 0 if outcomes["done"] > 0 and outcomes.keys() <= {"done", "unsupported"} else 1


if __name__ == "__main__":
    sys.exit(main())
