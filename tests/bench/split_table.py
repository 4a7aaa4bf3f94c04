#!/usr/bin/env python3
"""Figures 1 and 2 of the TorchBench paper on a CPU: active, movement and idle of the suite, by domain.

usage: split_table.py WORKER BENCH_TIMELINE [--configurations cpu-train cpu-infer] [--size ci] [--limit 120] [--cpu N]

Each case is recorded in a fresh process with one thread, and BENCH_TIMELINE (tests/bench/timeline.cpp) splits its time,
as `tbci characterise` does. Printed: the arithmetic means of the parts by domain and of all, the geometric mean of
GFLOP/s where there are any, and Table 2 of the paper beside them; then the case with the largest share of each part,
and what could not be recorded.
"""

import argparse
import collections
import json
import math
import os
import statistics
import subprocess
import sys

ONE_THREAD = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "MKL_DYNAMIC": "FALSE"}
PARTS = ("active", "movement", "idle")
# Table 2, on an A100: active, movement, idle.
PAPER = {
    "cpu-train": {"computer vision": (53.1, 2.1, 44.8), "nlp": (84.9, 1.3, 13.8), "recommendation": (75.4, 0.4, 24.2),
                  "reinforcement learning": (10.2, 5.0, 84.8), "speech": (28.8, 0.3, 70.9)},
    "cpu-infer": {"computer vision": (62.8, 1.4, 35.7), "nlp": (64.7, 0.8, 34.5), "recommendation": (51.4, 0.1, 48.5),
                  "reinforcement learning": (19.3, 8.4, 72.3), "speech": (50.3, 0.3, 49.4)},
}


def split_of(options: argparse.Namespace, name: str, configuration: str) -> dict | str:
    """What the timeline shows, or why there is none."""
    pin = (lambda: os.sched_setaffinity(0, {options.cpu})) if options.cpu is not None else None
    command = [options.worker, "timeline", "--benchmark", name, "--configuration", configuration, "--size", options.size]
    try:
        recorded = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=options.limit,
                                  preexec_fn=pin, env={**os.environ, **ONE_THREAD}).stdout
    except subprocess.TimeoutExpired:
        return f"over {options.limit} s"
    last = json.loads(recorded.splitlines()[-1]) if recorded else {"message": "no output"}
    if last.get("type") != "done":
        return last.get("message", "no end")
    seen = subprocess.run([options.look], input=recorded, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return json.loads(seen.stdout) if seen.returncode == 0 else seen.stderr.decode().strip()[-200:]


def row(domain: str, configuration: str, group: list[dict]) -> str:
    cells = [f"{statistics.fmean(one[part] for one in group) * 100:.1f}%" for part in PARTS]
    speeds = [one["flops"] / one["nanoseconds"] for one in group if one["flops"] > 0]
    cells.append(f"{math.exp(statistics.fmean(map(math.log, speeds))):.1f} ({len(speeds)})" if speeds else "-")
    paper = PAPER.get(configuration.replace("gpu", "cpu"), {}).get(domain)
    cells.append(" / ".join(f"{part}%" for part in paper) if paper else "")
    return f"| {domain}, {configuration} | {len(group)} | " + " | ".join(cells) + " |"


def main() -> int:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("worker")
    parser.add_argument("look")
    parser.add_argument("--configurations", nargs="+", default=["cpu-train", "cpu-infer"])
    parser.add_argument("--size", default="ci", choices=["ci", "paper"])
    parser.add_argument("--limit", type=int, default=120)
    parser.add_argument("--cpu", type=int)
    options = parser.parse_args()
    lines = subprocess.run([options.worker, "list"], stdout=subprocess.PIPE, check=True).stdout.splitlines()
    listed = [line for line in map(json.loads, lines) if line["type"] == "benchmark"]
    missing, largest = collections.defaultdict(list), []
    print("| domain | cases | active | movement | idle | GFLOP/s (cases) | the paper, on a GPU |\n"
          "|---|--:|--:|--:|--:|--:|---|")
    for configuration in options.configurations:
        groups, most = collections.defaultdict(list), {}
        for benchmark in listed:
            if configuration not in benchmark["configurations"]:
                continue
            seen = split_of(options, benchmark["name"], configuration)
            if isinstance(seen, str):
                missing[seen].append(f"{benchmark['name']}/{configuration}")
                continue
            groups[benchmark["domain"]].append(seen)
            groups["all"].append(seen)
            for part in PARTS:
                most[part] = max(most.get(part, (0, "")), (seen[part], benchmark["name"]))
        for domain in sorted(groups, key=lambda name: (name == "all", name)):
            print(row(domain, configuration, groups[domain]), flush=True)
        for part, (share, name) in most.items():
            largest.append(f"{part}, {configuration}: {name} {share * 100:.1f}%")
    print(f"\nsize {options.size}, one thread; the largest part of " + "; ".join(largest))
    for reason, cases in missing.items():
        print(f"- {reason}: {', '.join(cases)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
