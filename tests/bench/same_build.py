#!/usr/bin/env python3
"""Two runs of one build on one machine: how far apart are their medians? Nothing in them is a regression.

usage: same_build.py FIRST.json SECOND.json

Both are what `tbci run --build B --json` printed. Prints, for each metric, how many series there are, the quantiles of
the relative difference of their medians (sizes, so signs do not cancel), and the share that differs by more than 7%; then
the series that do.
"""

import json
import math
import pathlib
import statistics
import sys

METRICS = {"time": "time", "cpu_memory": "CPU memory", "instructions": "instructions"}
LIMIT = 0.07


def values(path):
    cases = json.loads(pathlib.Path(path).read_text())["cases"]
    return {
        (f"{case['benchmark']}/{case['configuration']}", metric): case[metric]
        for case in cases
        for metric in METRICS
        if case.get(metric)
    }


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    first, second = values(sys.argv[1]), values(sys.argv[2])
    both = sorted(first.keys() & second.keys())
    print("| metric | series | median difference | 90% below | 99% below | largest | over 7% |")
    print("|---|---|---|---|---|---|---|")
    over = []
    for metric, name in METRICS.items():
        changes = {s: second[s, metric] / first[s, metric] - 1 for s, m in both if m == metric}
        if not changes:
            continue
        sizes = sorted(abs(change) for change in changes.values())
        at = lambda share: sizes[min(len(sizes) - 1, math.ceil(share * len(sizes)) - 1)]
        beyond = {s: c for s, c in changes.items() if abs(c) > LIMIT}
        over += [f"{s}: {name} {change:+.1%}" for s, change in sorted(beyond.items(), key=lambda i: -abs(i[1]))]
        cells = [statistics.median(sizes), at(0.9), at(0.99), sizes[-1]]
        print(f"| {name} | {len(sizes)} | {' | '.join(f'{c:.1%}' for c in cells)} | {len(beyond)} ({len(beyond) / len(sizes):.1%}) |")
    print("\n" + "\n".join(over) if over else "\nNo series differs by more than 7%.")


if __name__ == "__main__":
    main()
