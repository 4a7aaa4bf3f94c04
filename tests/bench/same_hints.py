#!/usr/bin/env python3
"""Hints that a build added to itself: there must be none.

usage: same_hints.py WORKER BENCH_TIMELINE [--configurations cpu-train cpu-infer] [--cpu N] [--recordings 3]
                     [--other WORKER] BENCHMARK...

As for a report, each case is recorded --recordings times on either side, in turn, and BENCH_TIMELINE
(tests/bench/timeline.cpp) compares the two. With --other the second side is another worker, as of another build.
Printed: each case with what was added, then how many cases have any. Exit code 1 where a build added something to
itself.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ONE_THREAD = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "MKL_DYNAMIC": "FALSE"}


def record(options: argparse.Namespace, worker: str, benchmark: str, configuration: str, file: pathlib.Path) -> None:
    pin = (lambda: os.sched_setaffinity(0, {options.cpu})) if options.cpu is not None else None
    with file.open("wb") as out:
        subprocess.run([worker, "timeline", "--benchmark", benchmark, "--configuration", configuration], stdout=out,
                       stderr=subprocess.DEVNULL, preexec_fn=pin, env={**os.environ, **ONE_THREAD})


def added(options: argparse.Namespace, benchmark: str, configuration: str) -> list[dict]:
    with tempfile.TemporaryDirectory() as folder:
        sides: tuple[list[str], list[str]] = ([], [])
        for turn in range(options.recordings):
            for side, worker in enumerate([options.worker, options.other or options.worker]):
                file = pathlib.Path(folder, f"{side}-{turn}")
                record(options, worker, benchmark, configuration, file)
                sides[side].append(str(file))
        compared = subprocess.run([options.look, *sides[0], "--", *sides[1]], stdout=subprocess.PIPE, check=True)
        return json.loads(compared.stdout)


def main() -> int:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("worker")
    parser.add_argument("look")
    parser.add_argument("benchmarks", nargs="+")
    parser.add_argument("--configurations", nargs="+", default=["cpu-train", "cpu-infer"])
    parser.add_argument("--other")
    parser.add_argument("--cpu", type=int)
    parser.add_argument("--recordings", type=int, default=3)
    options = parser.parse_args()
    cases = with_any = 0
    for benchmark in options.benchmarks:
        for configuration in options.configurations:
            try:
                found = added(options, benchmark, configuration)
            except subprocess.CalledProcessError:
                print(f"{benchmark}/{configuration}: not recorded", flush=True)
                continue
            cases += 1
            with_any += bool(found)
            what = ", ".join(f"{hint['kind']} {hint['operator']} {hint['gain'] * 100:.1f}%" for hint in found)
            print(f"{benchmark}/{configuration}: {what or 'nothing'}", flush=True)
    print(f"\n{with_any} of {cases} cases have a hint that was added; {options.recordings} recordings on either side")
    return 1 if with_any and not options.other else 0


if __name__ == "__main__":
    sys.exit(main())
