#!/usr/bin/env python3
"""Two runs of one build on one machine: how far apart are their medians? Nothing in them is a regression.

usage: same_build.py FIRST SECOND

Each is what `tbci run --build B --json` printed, or DATABASE#KEY: the run of that key in a state folder's
database; DATABASE#KEY@NAME: what it measured on the build of that name (of `tbci compare`, say, whose two builds are the same but for a document,
and take turns). Prints, for each metric, how many series there are, the quantiles of
the relative difference of their medians (sizes, so signs do not cancel), and the share that differs by more than 7%; then
the series that do. Of two builds that took turns it prints the same for the median of their pairs' ratios, and how the machine moved meanwhile.
"""

import collections
import json
import math
import pathlib
import sqlite3
import statistics
import sys

METRICS = {"time": "time", "cpu_memory": "CPU memory", "instructions": "instructions"}
LIMIT = 0.07


COLUMNS = {"time": "median_ns", "cpu_memory": "cpu_peak_bytes", "instructions": "instructions_median"}


def stored_values(database, key, build=None):
    """Of each series the values of its processes, in the order that they ran in."""
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    rows = connection.execute(
        f"SELECT c.benchmark || '/' || c.configuration, {', '.join(f'm.{column}' for column in COLUMNS.values())} "
        "FROM measurement m JOIN measured_case c ON c.id = m.case_id JOIN run r ON r.id = m.run_id "
        "JOIN build b ON b.id = m.build_id WHERE r.key = ? AND m.outcome = 'done' AND (? IS NULL OR b.name = ?) "
        "ORDER BY m.ordinal",
        (key, build, build),
    ).fetchall()
    collected = collections.defaultdict(list)
    for case, *numbers in rows:
        for metric, number in zip(COLUMNS, numbers):
            if number:
                collected[case, metric].append(number)
    return collected


def values(path):
    if "#" in path:
        database, place = path.split("#", 1)
        return stored_values(database, *place.split("@", 1))
    cases = json.loads(pathlib.Path(path).read_text())["cases"]
    return {
        (f"{case['benchmark']}/{case['configuration']}", metric): [case[metric]]
        for case in cases
        for metric in METRICS
        if case.get(metric)
    }


def of_medians(first, second):
    return statistics.median(second) / statistics.median(first) - 1


def of_pairs(first, second):
    return statistics.median(after / before for before, after in zip(first, second)) - 1


def show(first, second, difference):
    both = sorted(first.keys() & second.keys())
    print("| metric | series | median difference | 90% below | 99% below | largest | over 7% |")
    print("|---|---|---|---|---|---|---|")
    over = []
    for metric, name in METRICS.items():
        changes = {s: difference(first[s, metric], second[s, metric]) for s, m in both if m == metric}
        if not changes:
            continue
        sizes = sorted(abs(change) for change in changes.values())
        at = lambda share: sizes[min(len(sizes) - 1, math.ceil(share * len(sizes)) - 1)]
        beyond = {s: c for s, c in changes.items() if abs(c) > LIMIT}
        over += [f"{s}: {name} {change:+.1%}" for s, change in sorted(beyond.items(), key=lambda i: -abs(i[1]))]
        cells = [statistics.median(sizes), at(0.9), at(0.99), sizes[-1]]
        print(f"| {name} | {len(sizes)} | {' | '.join(f'{c:.1%}' for c in cells)} | {len(beyond)} ({len(beyond) / len(sizes):.1%}) |")
    print("\n" + "\n".join(over) if over else "\nNo series differs by more than 7%.")


def show_rounds(values):
    """How fast the machine was when: the values of each round over the cases, against those of all rounds."""
    rounds = collections.defaultdict(list)
    for (_, metric), numbers in values.items():
        for round_, number in enumerate(numbers if metric == "time" else []):
            rounds[round_].append(number / statistics.median(numbers))
    print("\nTimes of the rounds, against those of all: " + ", ".join(f"{statistics.median(rounds[s]):.3f}" for s in sorted(rounds)))


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    first, second = values(sys.argv[1]), values(sys.argv[2])
    show(first, second, of_medians)
    if all("@" in path for path in sys.argv[1:]):
        print("\nIn pairs of processes that ran after each other, as tbci decides:\n")
        show(first, second, of_pairs)
        show_rounds(first)


if __name__ == "__main__":
    main()
