#!/usr/bin/env python3
"""The table of docs/suite.md: every model of a worker with what it has, what it reaches and what it costs.

usage: suite_table.py WORKER RUN.json [--compared FILE] > TABLE

RUN.json is what `tbci run --build B --json` printed, with nothing else running beside it. FILE is the output of
tests/suite/reference/compare.py: models in it with 'yes' are marked.
"""

import argparse
import json
import pathlib
import re
import statistics
import subprocess
import sys


def lines_of(command):
    done = subprocess.run(command, capture_output=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def reached(worker, name, configuration):
    lines = lines_of([worker, "operators", "--benchmark", name, "--configuration", configuration])
    return next((len(line["below_autograd"]) for line in lines if line["type"] == "operators"), "?")


def cell(worker, benchmark, configuration, case, slowest):
    if configuration not in benchmark["configurations"]:
        return "the original has none"
    if case is None or "time" not in case:
        return case["processes"][0]["outcome"] if case else "not run"
    samples = [s for process in case["processes"] for s in process["nanoseconds"]]
    slowest.append((max(samples) / 1e6, f"{benchmark['name']}/{configuration}"))
    return f"{case['time'] / 1e6:.0f}, {reached(worker, benchmark['name'], configuration)}"


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("worker")
    parser.add_argument("run", type=pathlib.Path)
    parser.add_argument("--compared", type=pathlib.Path)
    arguments = parser.parse_args()
    run = json.loads(arguments.run.read_text())
    cases = {(case["benchmark"], case["configuration"]): case for case in run["cases"]}
    same = {}
    if arguments.compared:
        rows = re.finditer(r"^\| (\w+) \| ([^|]*) \| (\w+) \|.*\| yes \|$", arguments.compared.read_text(), re.M)
        same = {row.group(1): row.group(3) for row in rows}
    slowest, medians = [], []
    print("| model | task | parameters | train: ms, operators | infer: ms, operators | outputs as the original's |")
    print("|---|---|--:|--:|--:|---|")
    for benchmark in (line for line in lines_of([arguments.worker, "list"]) if line["type"] == "benchmark"):
        name = benchmark["name"]
        cells = [cell(arguments.worker, benchmark, f"cpu-{mode}", cases.get((name, f"cpu-{mode}")), slowest) for mode in ("train", "infer")]
        medians += [cases[key]["time"] / 1e6 for key in cases if key[0] == name and "time" in cases[key]]
        later = "" if benchmark["listed"] == "table1" else " *"
        print(f"| {name}{later} | {benchmark['task']} | {benchmark['parameters']:,} | {cells[0]} | {cells[1]} | {same.get(name, '')} |", flush=True)
    slowest.sort(reverse=True)
    print(f"\n{len(medians)} cases: median iteration {statistics.median(medians):.0f} ms, {sum(m > 80 for m in medians)} over 80 ms; "
          f"slowest single iteration {slowest[0][0]:.0f} ms ({slowest[0][1]}). Beyond its iterations a process takes "
          f"{run['beyond_iterations_median_nanoseconds'] / 1e6:.0f} ms (median); all {run['processes']} processes took {run['wall_nanoseconds'] / 1e9:.0f} s.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
