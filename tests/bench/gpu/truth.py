#!/usr/bin/env python3
"""Holds the worker's numbers of a GPU against workloads whose cost is known.

usage: truth.py SUITE_TRUTH [--rounds 1] [--tolerance 0.02] [--overhead 50] [--configuration gpu-infer]

SUITE_TRUTH is the program of tests/suite/truth; its gpu_known.hpp says what each workload does. The truths:

Split of an iteration, each share within 2 points: a spin is active, two spins side by side are active once, a spin and
 a wait of the host as long are half active and half idle; copies between the host and the GPU are movement, those within
 the GPU are active; a copy and a wait as long are half movement and half idle; nothing is idle.
Time: a spin lasts as long as its name says, by a clock of the GPU that was measured at start-up with spins of two other
 lengths. The median may be off by --tolerance, and over that by --overhead microseconds, in which the kernel is started
 and its end is heard of. What CUPTI calls active may be off by --tolerance and 5 microseconds.
Memory, within 1%: a tensor of N bytes raises the peak of the allocator by N over that of a process that makes none.
Leaks, within 1% and in the interval: 0 where all is dropped; else N, rounded up to the 512 bytes that CUDA's allocator
 counts in.

What is timed runs alone; what looks at memory runs four at a time. Exit code 1 if something is outside, 2 if there is no
GPU.
"""

import argparse
import concurrent.futures
import json
import re
import shutil
import statistics
import subprocess
import sys

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
LIMIT_SECONDS = 60
POINTS = 2
ACTIVE_SLACK_US = 5
LONG_US = 20000
COPIED, COPIED_ON_GPU = 256 * MIB, 4 * GIB  # for some milliseconds each, beside which the start of a copy is nothing

# Active, movement and idle, in percent.
SPLITS = {
    "nothing": (0, 0, 100),
    f"spin:{LONG_US}": (100, 0, 0),
    f"spins:{LONG_US}": (100, 0, 0),
    f"spin-sleep:{LONG_US}": (50, 0, 50),
    f"to-gpu:{COPIED}": (0, 100, 0),
    f"from-gpu:{COPIED}": (0, 100, 0),
    f"on-gpu:{COPIED_ON_GPU}": (100, 0, 0),
    f"copy-sleep:{COPIED}": (0, 50, 50),
}
# Microseconds of an iteration, and of them those in which the GPU is active.
TIMES = {
    "nothing": (0, 0),
    "spin:100": (100, 100),
    "spin:1000": (1000, 1000),
    f"spin:{LONG_US}": (LONG_US, LONG_US),
    f"spins:{LONG_US}": (LONG_US, LONG_US),
    f"spin-sleep:{LONG_US}": (2 * LONG_US, LONG_US),
}
TOUCHED = (MIB, 16 * MIB, 256 * MIB, 4 * GIB)
KEPT = (512, 1000, 64 * KIB, MIB)


class Run:
    """One process: its samples in microseconds, and the fields of `memory` and `done`, or why it failed."""

    def __init__(self, program: str, configuration: str, benchmark: str, *options: str):
        self.samples, self.fields, self.failed, self.kind, self.said = [], {}, "", "", ""
        command = [program, "run", "--benchmark", benchmark, "--configuration", configuration, *options]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            self.failed = f"over {LIMIT_SECONDS} s"
            return
        self.said = done.stderr
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        for line in lines:
            if line["type"] == "sample":
                self.samples.append(line["nanoseconds"] / 1e3)
            elif line["type"] in ("memory", "done"):
                self.fields.update(line)
            elif line["type"] == "error":
                self.failed, self.kind = line["message"], line["kind"]
        if not self.failed and (not lines or lines[-1]["type"] != "done"):
            self.failed = f"it ended with {done.returncode}: {' '.join(self.said.splitlines()[-1:])}"

    def split(self) -> tuple[float, float, float] | None:
        """Microseconds that were active, movement and idle."""
        parts = [self.fields.get(f"gpu_{part}_nanoseconds") for part in ("active", "movement", "idle")]
        return None if None in parts else tuple(part / 1e3 for part in parts)

    def why_no_split(self) -> str:
        found = re.search(r"no split of the GPU's time: (.*)", self.said)
        return found[1] if found else "the worker does not say why"

    def growth(self) -> tuple[float, float, float] | None:
        parts = [self.fields.get(f"gpu_growth_{part}bytes") for part in ("", "low_", "high_")]
        return None if None in parts else tuple(parts)


class Verdicts:
    def __init__(self):
        self.inside, self.outside = 0, []

    def cell(self, what: str, good: bool) -> str:
        if good:
            self.inside += 1
        else:
            self.outside.append(what)
        return "yes" if good else "**no**"

    def failed(self, what: str, columns: int, why: str) -> str:
        self.outside.append(what)
        return f"| {what} | failed: {why} {'| ' * (columns - 3)}| **no** |"


def short(name: str) -> str:
    kind, _, amount = name.partition(":")
    if not amount:
        return kind
    if kind.startswith("spin"):
        return f"{kind}, {int(amount) / 1e3:g} ms"
    return f"{kind}, {int(amount) // MIB} MiB"


def print_splits(timed: list[dict[str, Run]], verdicts: Verdicts) -> None:
    print("\n| workload | active | movement | idle | truth | off by, points | within 2 |\n|---|--:|--:|--:|---|--:|---|")
    for name, truth in SPLITS.items():
        for runs in timed:
            split = runs[name].split()
            if split is None or sum(split) <= 0:
                print(verdicts.failed(f"split of {short(name)}", 7, runs[name].failed or runs[name].why_no_split()))
                continue
            shares = [100 * part / sum(split) for part in split]
            off = max(abs(share - part) for share, part in zip(shares, truth))
            cells = [short(name), *(f"{share:.2f}%" for share in shares), " / ".join(f"{part}" for part in truth),
                     f"{off:.2f}", verdicts.cell(f"split of {short(name)}", off <= POINTS)]
            print(f"| {' | '.join(cells)} |")


def print_times(timed: list[dict[str, Run]], verdicts: Verdicts, tolerance: float, overhead: float) -> None:
    print("\n| workload | known: ms | median: ms | over it: us | smallest to largest: ms | active by CUPTI: ms | within |\n"
          "|---|--:|--:|--:|---|--:|---|")
    for name, (known, active) in TIMES.items():
        for runs in timed:
            run = runs[name]
            split = run.split()
            if run.failed or split is None:
                print(verdicts.failed(f"time of {short(name)}", 7, run.failed or run.why_no_split()))
                continue
            over = statistics.median(run.samples) - known
            good = -tolerance * known <= over <= tolerance * known + overhead
            good = good and abs(split[0] - active) <= tolerance * active + ACTIVE_SLACK_US
            cells = [short(name), f"{known / 1e3:.3f}", f"{statistics.median(run.samples) / 1e3:.4f}", f"{over:+.1f}",
                     f"{min(run.samples) / 1e3:.4f} to {max(run.samples) / 1e3:.4f}", f"{split[0] / 1e3:.4f}",
                     verdicts.cell(f"time of {short(name)}", good)]
            print(f"| {' | '.join(cells)} |")


def print_machine(timed: list[dict[str, Run]]) -> None:
    """What was measured beside, and is compared with no truth here."""
    said = "".join(run.said for runs in timed for run in runs.values())
    clocks = [float(found) for found in re.findall(r"SM clock has ([\d.]+) MHz", said)]
    starts = [float(found) for found in re.findall(r"hear of its end takes (-?[\d.]+) us", said)]
    if clocks:
        print(f"\nThe SM clock at start-up, of {len(clocks)} processes: {min(clocks):.2f} to {max(clocks):.2f} MHz; "
              f"to start a spin and to hear of its end took {min(starts):.1f} to {max(starts):.1f} us.")
    for name in SPLITS:
        kind, _, amount = name.partition(":")
        samples = [sample for runs in timed for sample in runs[name].samples]
        if kind in ("to-gpu", "from-gpu", "on-gpu") and samples:
            median = statistics.median(samples)
            print(f"{short(name)}: {median / 1e3:.3f} ms, {int(amount) / median / 1e3:.1f} GB/s.")


def print_peaks(memory: list[dict[str, Run]], verdicts: Verdicts) -> None:
    print("\n| touched: bytes | peak over that of a process that touches none: bytes | error | within 1% |\n|--:|--:|--:|---|")
    for size in TOUCHED:
        for runs in memory:
            touch, nothing = runs[f"gpu-touch:{size}"], runs["nothing"]
            if touch.failed or nothing.failed:
                print(verdicts.failed(f"peak of {size}", 4, touch.failed or nothing.failed))
                continue
            over = touch.fields["gpu_peak_bytes"] - nothing.fields["gpu_peak_bytes"]
            off = over / size - 1
            print(f"| {size} | {over} | {off:+.2%} | {verdicts.cell(f'peak of {size}', abs(off) <= 0.01)} |")


def print_leaks(memory: list[dict[str, Run]], verdicts: Verdicts) -> None:
    print("\n| workload | truth: bytes an iteration | measured (99%) | iterations | within |\n|---|--:|--:|--:|---|")
    truths = {"nothing": 0, **{f"gpu-touch:{size}": 0 for size in TOUCHED},
              **{f"gpu-keep:{size}": -(-size // 512) * 512 for size in KEPT}}
    for name, truth in truths.items():
        for runs in memory:
            growth = runs[name].growth()
            if growth is None:
                print(verdicts.failed(f"leak of {name}", 5, runs[name].failed or "it reports no growth"))
                continue
            value, low, high = growth
            good = abs(value - truth) <= 0.01 * truth and low <= truth <= high
            print(f"| {name} | {truth} | {value:.0f} ({low:.0f} to {high:.0f}) | {runs[name].fields['growth_iterations']} "
                  f"| {verdicts.cell(f'leak of {name}', good)} |")


def name_of_gpu() -> str:
    if shutil.which("nvidia-smi") is None:
        return "nvidia-smi is not there"
    query = ["nvidia-smi", "--query-gpu=name,driver_version,clocks.sm,clocks.max.sm,clocks.mem", "--format=csv,noheader"]
    try:
        told = subprocess.run(query, capture_output=True, text=True, timeout=20).stdout.splitlines()
    except subprocess.TimeoutExpired:
        return "nvidia-smi does not answer"
    return f"{told[0]} (name, driver, SM clock now and at the most, memory's clock)" if told else "nvidia-smi lists none"


def main() -> int:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--tolerance", type=float, default=0.02)
    parser.add_argument("--overhead", type=float, default=50, help="microseconds")
    parser.add_argument("--configuration", default="gpu-infer")
    arguments = parser.parse_args()

    def run(name: str, *options: str) -> Run:
        return Run(arguments.program, arguments.configuration, name, *options)

    first = run("nothing", "--iterations", "1", "--gpu-traced", "1")
    if first.failed:
        print(f"the GPU is not there: {first.failed}" if first.kind == "unsupported" else f"nothing runs: {first.failed}")
        return 2 if first.kind == "unsupported" else 1
    timed, memory = [], []
    for _ in range(arguments.rounds):
        timed.append({name: run(name, "--iterations", "20", "--gpu-traced", "5") for name in {**SPLITS, **TIMES}})
        names = ["nothing", *(f"gpu-touch:{size}" for size in TOUCHED), *(f"gpu-keep:{size}" for size in KEPT)]
        with concurrent.futures.ThreadPoolExecutor(max_workers=4) as four:
            runs = four.map(lambda name: run(name, "--iterations", "5", "--leak-iterations", "60"), names)
            memory.append(dict(zip(names, runs)))
    verdicts = Verdicts()
    print(name_of_gpu())
    print_splits(timed, verdicts)
    print_times(timed, verdicts, arguments.tolerance, arguments.overhead)
    print_machine(timed)
    print_peaks(memory, verdicts)
    print_leaks(memory, verdicts)
    print(f"\n{verdicts.inside} within, {len(verdicts.outside)} outside"
          f"{': ' + ', '.join(verdicts.outside) if verdicts.outside else ''}.")
    return 1 if verdicts.outside else 0


if __name__ == "__main__":
    sys.exit(main())
