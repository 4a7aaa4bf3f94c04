#!/usr/bin/env python3
"""What tbci itself costs while its workers measure.

usage: runner_cost.py TBCI ARGUMENTS...          as in: runner_cost.py tbci --config C run --build B
       runner_cost.py --pipe SUITE_TRUTH         what a line of the protocol costs a worker, outside its timed region

Runs the program and looks at it every 20 ms: its own CPU time (of all its threads, in ns, by schedstat; its children's
is not in it), its memory, what it reads and writes. An interval counts for measuring if a child of it runs at both ends.
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import time


def cpu_nanoseconds(process: pathlib.Path) -> int:
    return sum(int((task / "schedstat").read_text().split()[0]) for task in (process / "task").iterdir())


def children_of(process: pathlib.Path) -> set[str]:
    return {child for task in (process / "task").iterdir() for child in (task / "children").read_text().split()}


def counters(process: pathlib.Path) -> dict[str, int]:
    return {name: int(value) for name, value in (line.split(": ") for line in (process / "io").read_text().splitlines())}


def watch(command: list[str]) -> int:
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    process = pathlib.Path("/proc") / str(child.pid)
    measuring_wall = measuring_cpu = workers = 0
    seen: set[str] = set()
    peak, io, previous = 0, {}, None
    while child.poll() is None:
        try:
            now, cpu, running = time.monotonic_ns(), cpu_nanoseconds(process), children_of(process)
            io = counters(process)
            status = (process / "status").read_text()
        except (FileNotFoundError, ProcessLookupError):
            break
        peak = next((int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")), peak)
        if previous and running & previous[2]:
            measuring_wall += now - previous[0]
            measuring_cpu += cpu - previous[1]
        workers += len(running - seen)
        seen |= running
        previous = (now, cpu, running)
        time.sleep(0.02)
    child.wait()
    if not previous or measuring_wall == 0:
        print("no child of it was seen to run")
        return 1
    print(f"{workers} children; while one ran ({measuring_wall / 1e9:.1f} s): {measuring_cpu / 1e6:.1f} ms of CPU, "
          f"{measuring_cpu / measuring_wall:.4%} of one CPU, {measuring_cpu / max(workers, 1) / 1e3:.0f} us a child. "
          f"In all {previous[1] / 1e6:.1f} ms of CPU. "
          f"Largest resident set {peak / 1024:.1f} MiB; read {io.get('rchar', 0) / 1e6:.2f} MB, wrote "
          f"{io.get('wchar', 0) / 1e6:.2f} MB, of it {io.get('write_bytes', 0) / 1e6:.2f} MB to the disk.")
    return child.returncode


def pipe(program: str, iterations: int = 20000) -> int:
    command = [program, "run", "--benchmark", "nothing", "--configuration", "cpu-infer", "--iterations", str(iterations)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as worker:
        at, samples = [], []
        for line in worker.stdout:
            fields = json.loads(line)
            if fields["type"] == "sample":
                at.append(time.monotonic_ns())
                samples.append(fields["nanoseconds"])
    whole = (at[-1] - at[0]) / (len(at) - 1)
    print(f"{len(samples)} iterations of nothing: {statistics.median(samples)} ns in the timed region (median), "
          f"{whole - statistics.fmean(samples):.0f} ns an iteration beside it: the line, the pipe, the reader")
    return 0


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        sys.exit(2)
    if sys.argv[1] == "--pipe":
        sys.exit(pipe(*sys.argv[2:3]))
    sys.exit(watch(sys.argv[1:]))
