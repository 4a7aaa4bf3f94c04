#!/usr/bin/env python3
"""Looks for leaks in every benchmark of a worker, and says of each what an iteration leaves behind.

usage: leaks.py WORKER [--leak-iterations 100] [--leak-milliseconds 500] [--floor 512] [--models A,B]
                [--configurations cpu-train,cpu-infer] [--preload LIBRARY]... [--cpu N]

A row a case: the growth by the allocator's count and of the resident set, in bytes an iteration, each with what it lies
between (99%), and how many iterations it is from. A leak is one whose lower end is over the floor, as tbci judges where
the other build leaks nothing. Exit code 1 if there is one.
"""

import argparse
import json
import os
import subprocess
import sys


def lines_of(command: list[str], cpu: int | None) -> list[dict]:
    pin = (lambda: os.sched_setaffinity(0, {cpu})) if cpu is not None else None
    environment = dict(os.environ, OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=pin, env=environment, check=False)
    return [json.loads(line) for line in done.stdout.splitlines()]


def text_of(memory: dict, what: str) -> str:
    low, high = memory.get(f"{what}_growth_low_bytes"), memory.get(f"{what}_growth_high_bytes")
    interval = f" ({low:.0f} to {high:.0f})" if low is not None and high is not None else ""
    return f"{memory[f'{what}_growth_bytes']:.0f}{interval}"


def main() -> int:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("worker")
    parser.add_argument("--leak-iterations", default="100")
    parser.add_argument("--leak-milliseconds", default="500")
    parser.add_argument("--floor", type=float, default=512)
    parser.add_argument("--models", default="")
    parser.add_argument("--configurations", default="cpu-train,cpu-infer")
    parser.add_argument("--preload", action="append", default=[])
    parser.add_argument("--cpu", type=int)
    arguments = parser.parse_args()
    wanted = [name for name in arguments.models.split(",") if name]
    preload = [word for library in arguments.preload for word in ("--preload", library)]
    leaks, resident, highest, failed, cases, seconds, fewest = [], [], [], [], 0, 0.0, 10**9
    print("| case | iterations | heap | resident |\n|---|--:|--:|--:|")
    for benchmark in lines_of([arguments.worker, "list"], arguments.cpu):
        if benchmark["type"] != "benchmark" or (wanted and benchmark["name"] not in wanted):
            continue
        for configuration in arguments.configurations.split(","):
            if configuration not in benchmark["configurations"]:
                continue
            case = f"{benchmark['name']}/{configuration}"
            lines = lines_of([arguments.worker, "run", "--benchmark", benchmark["name"], "--configuration", configuration,
                              "--leak-iterations", arguments.leak_iterations,
                              "--leak-milliseconds", arguments.leak_milliseconds, *preload], arguments.cpu)
            memory = next((line for line in lines if line["type"] == "memory"), None)
            if memory is None or lines[-1]["type"] != "done":
                failed.append(case)
                print(f"| {case} | | failed: {lines[-1].get('message', '') if lines else 'silent'} | |", flush=True)
                continue
            cases += 1
            seconds += lines[-1]["growth_nanoseconds"] / 1e9
            fewest = min(fewest, memory["growth_iterations"])
            print(f"| {case} | {memory['growth_iterations']} | {text_of(memory, 'cpu')} | {text_of(memory, 'rss')} |", flush=True)
            highest.append((memory.get("cpu_growth_low_bytes", 0), case))
            if memory.get("cpu_growth_low_bytes", 0) > arguments.floor:
                leaks.append(case)
            if memory.get("rss_growth_low_bytes", 0) > arguments.floor:
                resident.append(case)
    print(f"\n{cases} cases, {len(leaks)} leak{': ' + ', '.join(leaks) if leaks else ''}. "
          f"Resident set alone over the floor: {', '.join(sorted(set(resident) - set(leaks))) or 'none'}. "
          f"Failed: {', '.join(failed) or 'none'}.")
    if highest:
        print(f"Highest lower end: {max(highest)[0]:.0f} bytes ({max(highest)[1]}); fewest iterations {fewest}; "
              f"looking took {seconds:.0f} s in all, {seconds / cases:.2f} s a case.")
    return 1 if leaks else 0


if __name__ == "__main__":
    sys.exit(main())
