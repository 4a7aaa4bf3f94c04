#!/usr/bin/env python3
"""Compares tbci's change points with other open implementations, on the same histories and interleaved in one run.

    ninja -C build/release bench-change_points
    python3 -m venv peers && peers/bin/pip install ruptures asv apache-otava signal-processing-algorithms
    peers/bin/python tests/bench/change_points.py build/release/tests/bench-change_points

Takes whichever of the others can be imported and names the rest. Histories come from the program (their seeds are
printed); its own times are CPU times of the call alone, as are theirs. Prints markdown. --quick takes few histories.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from dataclasses import dataclass, field
from typing import Callable, Sequence

TOLERANCE = 2  # nights that a found step may be off
FIRST_SEED = 500_001

# kind, nights, histories. An implementation that has used its seconds for a row sees no more of its histories.
PLAN = [
    ("null", 365, 1000), ("ar03", 365, 100), ("ar06", 365, 100), ("slow-runs", 365, 100), ("spikes", 365, 100),
    ("flicker", 365, 100), ("steps", 365, 100), ("small", 365, 100), ("short", 365, 100), ("two-speeds", 365, 100),
    ("null", 6, 200), ("null", 12, 200), ("handful", 6, 200), ("handful", 12, 200), ("handful", 20, 200),
    ("steps", 60, 200), ("steps", 1000, 30), ("null", 1000, 30), ("steps", 3650, 10), ("null", 3650, 10),
]

Finder = Callable[[Sequence[float]], list[int]]


@dataclass
class Peer:
    """An implementation, and how it is called."""
    name: str
    find: Finder
    most_nights: int = 5000  # longer histories would take it minutes each, and are left out


@dataclass
class Score:
    """What one implementation did with one kind of history."""
    histories: int = 0
    steps: int = 0
    hits: int = 0
    false: int = 0
    with_false: int = 0
    right: int = 0
    milliseconds: float = 0
    own_milliseconds: float = 0  # of tbci, on the histories that this one has seen

    def add(self, truth: list[int], found: list[int], milliseconds: float, own: float) -> None:
        hits = matched(truth, found)
        self.histories += 1
        self.steps += len(truth)
        self.hits += hits
        self.false += len(found) - hits
        self.with_false += len(found) > hits
        self.right += hits == len(truth) == len(found)
        self.milliseconds += milliseconds
        self.own_milliseconds += own


def matched(truth: list[int], found: list[int]) -> int:
    """Steps with a change point within the tolerance, each change point used once."""
    hits = place = 0
    for step in truth:
        while place < len(found) and found[place] + TOLERANCE < step:
            place += 1
        if place < len(found) and found[place] <= step + TOLERANCE:
            hits, place = hits + 1, place + 1
    return hits


def peers(missing: list[str]) -> list[Peer]:
    """The others that can be imported, called with their own defaults, or as their users call them."""
    found: list[Peer] = []
    try:
        from asv.step_detect import detect_steps
        found.append(Peer("asv", lambda values: [step[0] for step in detect_steps(values)][1:]))
    except ImportError:
        missing.append("asv")
    try:
        from otava.analysis import compute_change_points
        found.append(Peer("otava", lambda values: [point.index for point in compute_change_points(values)[0]]))
    except ImportError:
        missing.append("apache-otava")
    try:
        from signal_processing_algorithms.energy_statistics.energy_statistics import e_divisive
        # MongoDB's own pipeline asks for 0.001 and so 1,000 permutations; the default of 0.05 has a false one in every
        # twentieth series by its definition.
        found.append(Peer("mongodb 0.05", lambda values: sorted(map(int, e_divisive(values)))))
        found.append(Peer("mongodb 0.001", lambda values: sorted(
            map(int, e_divisive(values, pvalue=0.001, permutations=1000))), most_nights=1000))
    except ImportError:
        missing.append("signal-processing-algorithms")
    try:
        import numpy
        import ruptures

        def kernel(name: str) -> Finder:
            def find(values: Sequence[float]) -> list[int]:
                signal = numpy.log(numpy.asarray(values))
                # The scale is known from differences, the price is the usual 3 log n variances.
                noise = numpy.median(numpy.abs(numpy.diff(signal))) / 0.954
                signal = (signal - signal.mean()) / noise
                if name == "linear":
                    return ruptures.KernelCPD(kernel="linear", min_size=3).fit(signal.reshape(-1, 1)).predict(
                        pen=3 * float(numpy.log(len(values))))[:-1]
                return ruptures.KernelCPD(kernel="rbf", min_size=3).fit(signal.reshape(-1, 1)).predict(
                    pen=float(numpy.log(len(values))))[:-1]
            return find

        found.append(Peer("ruptures linear", kernel("linear")))
        found.append(Peer("ruptures rbf", kernel("rbf")))
    except ImportError:
        missing.append("ruptures")
    return found


def histories(program: str, kind: str, nights: int, count: int) -> list[dict]:
    """Made by the program, each with its true steps."""
    printed = subprocess.run(
        [program, "--kind", kind, "--nights", str(nights), "--count", str(count), "--seed", str(FIRST_SEED),
         "--series"], check=True, capture_output=True, text=True).stdout
    return [record for record in map(json.loads, printed.splitlines()) if "values" in record]


class Program:
    """tbci's answers, one history at a time from a process that stays: measured beside the others, not before them."""

    def __init__(self, program: str) -> None:
        self._process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def answer(self, values: Sequence[float]) -> tuple[list[int], float]:
        """The change points, and the CPU milliseconds they took."""
        assert self._process.stdin and self._process.stdout
        print(json.dumps(values), file=self._process.stdin, flush=True)
        said = json.loads(self._process.stdout.readline())
        return said["found"], float(said["cpu_ms"])

    def end(self) -> None:
        """Closes its input, at which it ends."""
        self._process.communicate()


@dataclass
class Row:
    """One kind of history, with the score of each implementation."""
    kind: str
    nights: int
    scores: dict[str, Score] = field(default_factory=dict)


def compare(program: str, others: list[Peer], kind: str, nights: int, count: int, seconds: float) -> Row:
    """Every implementation sees a history before any sees the next one."""
    row = Row(kind, nights)
    running = Program(program)
    for history in histories(program, kind, nights, count):
        found, own = running.answer(history["values"])
        row.scores.setdefault("tbci", Score()).add(history["steps"], found, own, own)
        for peer in others:
            if nights > peer.most_nights:
                continue
            score = row.scores.setdefault(peer.name, Score())
            if score.milliseconds > seconds * 1e3:
                continue
            began = time.process_time()
            found = sorted(int(night) for night in peer.find(history["values"]))
            took = (time.process_time() - began) * 1e3
            score.add(history["steps"], found, took, own)
    running.end()
    return row


def print_row(row: Row) -> None:
    """One line an implementation."""
    for name, score in row.scores.items():
        ratio = score.milliseconds / score.own_milliseconds if score.own_milliseconds > 0 else 0
        of_steps = f"{score.hits} of {score.steps}" if score.steps else "-"
        print(f"| {row.kind} {row.nights} | {name} | {score.histories} | {of_steps} | {score.false} | "
              f"{score.with_false} | {score.right} | {score.milliseconds / score.histories:.3f} | {ratio:.0f} |",
              flush=True)


def main() -> int:
    """Runs the plan and prints the table."""
    parser = argparse.ArgumentParser(description="Change points beside other implementations, as markdown")
    parser.add_argument("program", help="bench-change_points, built with optimisation")
    parser.add_argument("--quick", action="store_true", help="a tenth of the histories")
    parser.add_argument("--seconds", type=float, default=20, help="CPU time of one implementation for one row")
    parser.add_argument("--kind", help="only this kind of history")
    parser.add_argument("--nights", type=int, help="only histories of this length")
    arguments = parser.parse_args()
    missing: list[str] = []
    others = peers(missing)
    for package in missing:
        print(f"not compared, because it is not installed: {package} (pip install {package})", file=sys.stderr)
    print(f"Seeds from {FIRST_SEED} on. Found: within {TOLERANCE} nights. CPU ms a history; ratio: to tbci on the same.")
    print("\n| history | implementation | histories | steps found | false | with false | all right | ms | ratio |")
    print("|---|---|---|---|---|---|---|---|---|")
    for kind, nights, count in PLAN:
        if (arguments.kind and kind != arguments.kind) or (arguments.nights and nights != arguments.nights):
            continue
        print_row(compare(arguments.program, others, kind, nights, max(1, count // 10) if arguments.quick else count,
                          arguments.seconds))
    return 0


if __name__ == "__main__":
    sys.exit(main())
