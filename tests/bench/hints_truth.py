#!/usr/bin/env python3
"""Holds the split of a CPU's time and the hints against workloads whose truth is known.

usage: hints_truth.py SUITE_TRUTH BENCH_TIMELINE [--rounds 3] [--cpu N] [--iterations 5] [--kinds zero ...]
                      [--faults-in fill ...] [--no-splits] [--no-hints]

SUITE_TRUTH is the program of tests/suite/truth, BENCH_TIMELINE that of tests/bench/timeline.cpp. A workload of the splits
times its parts in its own iterations; one of the hints times what it plants at start-up. Both say what it is, and the
timeline is looked into. Printed are medians over the
rounds. The splits: each part, and how far it is from the truth in points; workloads with page faults once for each
operator of --faults-in, in which the faults are. The hints: for each kind at 2, 5 and 10% of an
iteration, the gain that is promised, what the change saves, and the largest gain of any hint of another kind.
Exit code 1 where a part is off by more than 3 points, a hint from 5% on is missing or promises more than twice or less
than half of what the change saves, or a hint promises over 2% where nothing is planted.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys

PARTS = ["100-0-0-0", "0-100-0-0", "0-0-100-0", "0-0-0-100", "40-30-20-10", "25-25-25-25", "10-20-30-40", "70-10-10-10"]
WRITERS = ["fill", "copy", "add", "sqrt", "exp", "tanh", "product", "long_product"]
KINDS = {"zero": "small calls in a row", "loop": "small calls in a row", "root": "tensor of one element",
         "convert": "same copy each time", "inner": "same copy each time", "fault": "page faults", "short": "short calls"}


def look(arguments: argparse.Namespace, benchmark: str) -> tuple[dict, dict]:
    """The truth as the workload says it, and what the timeline shows."""
    pin = (lambda: os.sched_setaffinity(0, {arguments.cpu})) if arguments.cpu is not None else None
    environment = dict(os.environ, OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")
    worker = subprocess.run([arguments.program, "timeline", "--benchmark", benchmark, "--configuration", "cpu-infer",
                             "--iterations", str(arguments.iterations)], capture_output=True, check=True,
                            preexec_fn=pin, env=environment)
    seen = subprocess.run([arguments.look], input=worker.stdout, capture_output=True, check=True).stdout
    truth = [line for line in worker.stderr.decode().splitlines() if line.startswith("{")]
    return json.loads(truth[-1]), json.loads(seen)


def workloads(writers: list[str]) -> list[str]:
    with_faults = [parts for parts in PARTS if not parts.endswith("-0")]
    return [parts for parts in PARTS if parts not in with_faults] + [
        f"{parts}:{writer}" for writer in writers for parts in with_faults]


def splits(arguments: argparse.Namespace) -> bool:
    good = True
    print("| computing-copying-asleep-faulting, wanted | active: seen | off | movement: seen | off | idle: seen | off |\n"
          "|---|--:|--:|--:|--:|--:|--:|")
    for parts in workloads(arguments.faults_in):
        pairs = [look(arguments, f"parts:{parts}") for _ in range(arguments.rounds)]
        cells = [parts]
        for part in ("active", "movement", "idle"):
            seen = statistics.median(seen[part] for _, seen in pairs)
            off = statistics.median(seen[part] - truth[part] for truth, seen in pairs)
            good = good and abs(off) <= 0.03
            cells += [f"{seen * 100:.1f}%", f"{off * 100:+.1f}"]
        print(f"| {' | '.join(cells)} |", flush=True)
    return good


def hints(arguments: argparse.Namespace) -> bool:
    good = True
    print("\n| planted | share, wanted | the change saves | promised | ratio | any other hint, at most | a recorded "
          "iteration |\n|---|--:|--:|--:|--:|--:|--:|")
    for name in arguments.kinds:
        kind = KINDS[name]
        for thousandths in (0, 20, 50, 100):
            pairs = [look(arguments, f"hint:{name}-{thousandths}") for _ in range(arguments.rounds)]
            saves = statistics.median(truth["saves"] for truth, _ in pairs)
            promised = statistics.median(sum(hint["gain"] for hint in seen["hints"] if hint["kind"] == kind)
                                         for _, seen in pairs)
            other = statistics.median(max([hint["gain"] for hint in seen["hints"]
                                           if hint["kind"] != kind or thousandths == 0], default=0)
                                      for _, seen in pairs)
            recorded = statistics.median(seen["recorded"] for _, seen in pairs)
            ratio = promised / saves if saves > 0 else 0
            if thousandths >= 50:
                good = good and 0.5 <= ratio <= 2
            good = good and other <= 0.02
            print(f"| {name} | {thousandths / 10:.0f}% | {saves * 100:.1f}% | {promised * 100:.1f}% | "
                  f"{f'{ratio:.2f}' if thousandths else ''} | {other * 100:.1f}% | {recorded:.2f}x |", flush=True)
    return good


def main() -> int:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("look")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--iterations", type=int, default=5)
    parser.add_argument("--cpu", type=int)
    parser.add_argument("--kinds", nargs="*", choices=KINDS, default=list(KINDS))
    parser.add_argument("--faults-in", nargs="+", choices=WRITERS, default=WRITERS)
    parser.add_argument("--no-splits", action="store_true")
    parser.add_argument("--no-hints", action="store_true")
    arguments = parser.parse_args()
    good = arguments.no_splits or splits(arguments)
    return 0 if (arguments.no_hints or hints(arguments)) and good else 1


if __name__ == "__main__":
    sys.exit(main())
