#!/usr/bin/env python3
"""Recorded peaks of memory, as they are and with a growth laid over: what does `tbci detect` say of them?

    tests/bench/recorded_memory.py TBCI DATABASE [--growth 0.075] [--mebibytes 64]

DATABASE is that of a state folder in which `tbci compare` held two builds against each other that are the same but for a document. A
series' pairs go to `tbci detect` as they were measured, with 3% more, and with the growth (the larger of both) more. Prints how
many got which verdict. Exit code 0: what is the same and 3% more is never a regression, and the growth always one, where they were decided.
"""
import argparse
import collections
import contextlib
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

QUERY = """SELECT c.benchmark || '/' || c.configuration, b.name, m.ordinal, m.cpu_peak_bytes FROM measurement m
JOIN measured_case c ON c.id = m.case_id JOIN run r ON r.id = m.run_id JOIN build b ON b.id = m.build_id
WHERE m.outcome = 'done' AND m.cpu_peak_bytes IS NOT NULL AND r.key LIKE 'compare/%' ORDER BY m.id"""


def recorded(database):
    """The pairs of each series: the processes of the same ordinal."""
    peaks = collections.defaultdict(lambda: collections.defaultdict(dict))
    with contextlib.closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        for series, build, ordinal, peak in connection.execute(QUERY):
            peaks[series][build].setdefault(ordinal, peak)
    for series, builds in sorted(peaks.items()):
        if len(builds) == 2:
            before, after = builds.values()
            pairs = [[before[at], after[at]] for at in sorted(before) if at in after]
            if len(pairs) >= 2:
                yield series, pairs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tbci", type=pathlib.Path)
    parser.add_argument("database", type=pathlib.Path)
    parser.add_argument("--growth", type=float, default=0.075)
    parser.add_argument("--mebibytes", type=float, default=64)
    arguments = parser.parse_args()
    grown = {"as measured": lambda peak: peak, "3% more": lambda peak: peak * 1.03,
             "grown": lambda peak: peak + max(arguments.growth * peak, arguments.mebibytes * 2**20)}
    series = list(recorded(arguments.database))
    verdicts = collections.defaultdict(collections.Counter)
    for name, grow in grown.items():
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
            for one, pairs in series:
                line = {"series": one, "unit": "bytes", "metric": "cpu_memory", "pairs": [[a, grow(b)] for a, b in pairs]}
                print(json.dumps(line), file=file)
            file.flush()
            told = subprocess.run([arguments.tbci, "detect", "--input", file.name], capture_output=True, text=True, check=False)
        verdicts[name].update(json.loads(line)["verdict"] for line in told.stdout.splitlines())
    jitter = max(abs(after / before - 1) for _, pairs in series for before, after in pairs)
    print(f"{len(series)} series, {min(len(p) for _, p in series)} to {max(len(p) for _, p in series)} pairs each; "
          f"two processes of one pair differ by {jitter:.2%} at the most\n\n| peaks | verdicts |\n|---|---|")
    for name, counter in verdicts.items():
        print(f"| {name} | {', '.join(f'{count} {verdict}' for verdict, count in counter.most_common())} |")
    false = verdicts["as measured"]["regression"] + verdicts["3% more"]["regression"]
    sys.exit(1 if false or set(verdicts["grown"]) - {"regression", "more"} else 0)


if __name__ == "__main__":
    main()
