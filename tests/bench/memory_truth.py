#!/usr/bin/env python3
"""Holds the worker's memory numbers against workloads that take and keep a known amount.

usage: memory_truth.py SUITE_TRUTH [--rounds 3]

Peaks: a process that touches N bytes in each iteration against one that touches none. Growth: one that keeps N
 bytes of every iteration; by the allocator's count it is what the allocator sets aside, so a header more.
"""

import argparse
import json
import subprocess
import sys

KIB, MIB = 1 << 10, 1 << 20


def memory_of(program: str, benchmark: str, *options: str) -> dict:
    command = [program, "run", "--benchmark", benchmark, "--configuration", "cpu-infer", *options]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return next(line for line in map(json.loads, out.splitlines()) if line["type"] == "memory")


def main() -> int:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    worst = 0.0
    print("| touched: MiB | peak over that of a process that touches none: MiB | error |\n|--:|--:|--:|")
    for size in (16, 32, 64, 128, 256, 512, 1024):
        for _ in range(arguments.rounds):
            peaks = [memory_of(arguments.program, f"touch:{bytes_}")["cpu_peak_bytes"] for bytes_ in (0, size * MIB)]
            over = (peaks[1] - peaks[0]) / MIB
            worst = max(worst, abs(over / size - 1))
            print(f"| {size} | {over:.2f} | {over / size - 1:+.2%} |", flush=True)
    print("\n| kept of each iteration: bytes | heap: bytes an iteration (99%) | resident (99%) |\n|--:|--:|--:|")
    for size in (0, KIB, 64 * KIB, MIB):
        for _ in range(arguments.rounds):
            memory = memory_of(arguments.program, f"keep:{size}" if size else "churn", "--leak-iterations", "100")
            cells = [f"{memory[f'{w}_growth_bytes']:.0f} ({memory[f'{w}_growth_low_bytes']:.0f} to "
                     f"{memory[f'{w}_growth_high_bytes']:.0f})" for w in ("cpu", "rss")]
            print(f"| {size} | {cells[0]} | {cells[1]} |", flush=True)
    print(f"\nLargest error of a peak: {worst:.2%}")
    return 1 if worst > 0.02 else 0


if __name__ == "__main__":
    sys.exit(main())
