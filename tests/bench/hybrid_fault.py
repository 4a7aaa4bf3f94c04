#!/usr/bin/env python3
"""A slower c10d::alltoall_base_ in all ranks of dlrm_hybrid: in which part of the time does it show?

usage: hybrid_fault.py WORKER SLOWER-LIBRARY [PROCESSES]

SLOWER-LIBRARY is libsuite-slower.so (tests/suite/truth/slower.cpp). Each call takes some milliseconds more, in both ranks;
training makes four in an iteration. Prints the medians over the processes (5), with 0 as what to compare with.
"""

import json
import os
import statistics
import subprocess
import sys

PARTS = ("compute", "communication exposed", "communication hidden", "waiting")


def run(worker, library, nanoseconds):
    command = [worker, "run", "--benchmark", "dlrm_hybrid", "--configuration", "cpu-train", "--iterations", "40", "--preload", library]
    environment = {**os.environ, "TBCI_SLOWER": f"call:c10d::alltoall_base_:{nanoseconds}"}
    lines = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True, env=environment).stdout.splitlines()
    objects = list(map(json.loads, lines))
    time = statistics.median(line["nanoseconds"] for line in objects if line["type"] == "sample")
    evidence = {(line["name"], line.get("of")): line["value"] for line in objects if line["type"] == "evidence"}
    return [time, *(evidence[part, rank] for rank in ("rank 0", "rank 1") for part in PARTS)]


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    processes = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    planted = (0.0, 0.25, 0.5, 1.0)
    runs = {each: [] for each in planted}
    for _ in range(processes):
        for each in planted:
            runs[each].append(run(sys.argv[1], sys.argv[2], int(each * 1e6)))
    print("| ms a call | iteration | " + " | ".join(f"{rank}: {part}" for rank in (0, 1) for part in PARTS) + " |")
    print("|" + "---|" * (2 + 2 * len(PARTS)))
    for each in planted:
        print(f"| {each} | " + " | ".join(f"{statistics.median(column) / 1e6:.2f}" for column in zip(*runs[each])) + " |")


main()
