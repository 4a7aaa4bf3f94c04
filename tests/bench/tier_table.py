#!/usr/bin/env python3
"""What dlrm_tiered takes with caches of 1/32 to all of its rows, mapped and in blocks, with and without prefetching.

usage: tier_table.py WORKER [--processes 5] [--iterations 20] [--configuration cpu-train] [--size ci] [--cpu N]

Processes of all kinds run in turn. Printed: the median over the processes of each one's median time, its ratio to all
tables in memory, lookups, unique rows, the share of unique rows that were in memory, what an iteration reads and writes
of files, how long it waits for rows, and the anonymous memory and the mapped files at the end. Below: by how much
anonymous memory shrank, beside by how much the rows in memory did, and the published numbers of lookups.
"""

import argparse
import itertools
import json
import os
import statistics
import subprocess
import sys

CACHES = ["1", "1/2", "1/4", "1/8", "1/16", "1/32"]


def run(options: argparse.Namespace, cache: str, access: str, prefetch: str) -> dict:
    pin = (lambda: os.sched_setaffinity(0, {options.cpu})) if options.cpu is not None else None
    done = subprocess.run(
        [options.worker, "run", "--benchmark", "dlrm_tiered", "--configuration", options.configuration, "--size",
         options.size, "--iterations", str(options.iterations), "--warmup", "5", "--set", f"cache={cache}", "--set",
         f"access={access}", "--set", f"prefetch={prefetch}"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        preexec_fn=pin)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    if lines[-1]["type"] != "done":
        return {"why": lines[-1].get("message", "it ended early")}
    evidence = {line["name"]: line["value"] for line in lines if line["type"] == "evidence" and "of" not in line}
    return evidence | {"time": statistics.median(line["nanoseconds"] for line in lines if line["type"] == "sample")}


def main() -> int:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("worker")
    parser.add_argument("--processes", type=int, default=5)
    parser.add_argument("--iterations", type=int, default=20)
    parser.add_argument("--configuration", default="cpu-train")
    parser.add_argument("--size", default="ci")
    parser.add_argument("--cpu", type=int)
    options = parser.parse_args()
    kinds = [("1", "mapped", "on"), ("1", "mapped", "off")]
    kinds += itertools.product(CACHES[1:], ("mapped", "blocks"), ("on", "off"))
    results: dict = {kind: [] for kind in kinds}
    for _ in range(options.processes):
        for kind in kinds:
            results[kind].append(run(options, *kind))
    print(f"{options.configuration}, {options.size}, {options.processes} processes of {options.iterations} iterations "
          "by each, in turn")
    print(f"{'cache':>5} {'access':>6} {'prefetch':>8} {'ms':>8} {'ratio':>6} {'hits':>6} {'read KiB':>9} "
          f"{'written KiB':>11} {'waited ms':>9} {'anonymous MiB':>13} {'files MiB':>9}")
    medians = {}
    for kind, processes in results.items():
        if any("why" in process for process in processes):
            print(f"{kind[0]:>5} {kind[1]:>6} {kind[2]:>8} {processes[0].get('why')}")
            continue
        middle = {name: statistics.median(process[name] for process in processes) for name in processes[0]}
        medians[kind] = middle
        base = medians[("1", "mapped", kind[2])]["time"]
        print(f"{kind[0]:>5} {kind[1]:>6} {kind[2]:>8} {middle['time'] / 1e6:8.2f} {middle['time'] / base:6.2f} "
              f"{middle['hits'] / middle['unique rows']:6.1%} {middle['bytes read'] / 1024:9.0f} "
              f"{middle['bytes written'] / 1024:11.0f} {middle['waited for rows'] / 1e6:9.2f} "
              f"{middle['anonymous pages'] / 2**20:13.1f} {middle['file pages'] / 2**20:9.1f}")
    whole = medians[("1", "mapped", "on")]
    print(f"an iteration asks for {whole['lookups']:.0f} rows, {whole['unique rows']:.0f} different ones: "
          f"{whole['lookups'] / whole['unique rows']:.1f} times each (published: 12.7)")
    for cache in ("1/4", "1/8"):
        smaller = medians.get((cache, "mapped", "on"))
        if smaller:
            print(f"with {cache} of the rows in memory: {(whole['anonymous pages'] - smaller['anonymous pages']) / 2**20:.1f} "
                  "MiB of anonymous memory less")
    return 0


if __name__ == "__main__":
    sys.exit(main())
