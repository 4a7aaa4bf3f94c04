#!/usr/bin/env python3
"""Does `tbci bisect` find known culprits among 70 commits on PyTorch's real source, rebuilding it?

    tests/bench/pytorch_source/prepare MATERIAL DIR
    tests/bench/pytorch_source.py TBCI MATERIAL DIR [--seed N] [--state FOLDER] [--only FAULT,...] [--keep-products]

Makes the day (pytorch_source/generate.py) in DIR's repository, bisects it from end to end, first for each culprit's series
alone, then for all of them together, and prints a Markdown table. Each search starts without finished builds, but with the
checkout and the compiler cache that the one before it left (--keep-products: with the builds as well). Rebuild times are
those of the database, checkout and copies included. Cold: prepare with TBCI_PYTORCH_COLD=1. Exit code 0: all found.
"""
import argparse
import json
import os
import pathlib
import shutil
import sqlite3
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
SUBJECT = "pytorch-source"


def make_day(repository, seed, faults):
    command = [sys.executable, HERE / "pytorch_source/generate.py", repository, "--seed", str(seed)]
    if faults:
        command += ["--faults", ",".join(faults)]
    outcome = subprocess.run(command, capture_output=True, text=True)
    if outcome.returncode != 0:
        sys.exit(outcome.stderr)
    return json.loads(outcome.stdout)


class Bench:
    def __init__(self, arguments):
        self.tbci = arguments.tbci.resolve()
        self.state = arguments.state.resolve()
        self.keep_products = arguments.keep_products
        self.environment = {**os.environ, "TBCI_PYTORCH_MATERIAL": str(arguments.material.resolve()),
                            "TBCI_PYTORCH_SOURCE": str(arguments.folder.resolve())}
        subject = self.state / "subjects" / SUBJECT
        subject.mkdir(parents=True, exist_ok=True)
        # Where the material's script looks for the compiler cache: beside the folder of the checkouts.
        if not (subject / "ccache").exists():
            (subject / "ccache").symlink_to(arguments.folder.resolve() / "ccache")

    def forget(self):
        if self.keep_products:
            return
        shutil.rmtree(self.state / "subjects" / SUBJECT / "products", ignore_errors=True)
        for file in self.state.glob("tbci.sqlite*"):
            file.unlink()

    def bisect(self, truth, series):
        """The answer, the seconds that it took, and the seconds of each build that was really made."""
        self.forget()
        command = [self.tbci, "--config", HERE.parent.parent / "configs/pytorch-source-1.13.toml", "--state", self.state,
                   "bisect", "--from", truth["base"], "--to", truth["head"], "--series", ",".join(series), "--json"]
        begin = time.time()
        outcome = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=self.environment)
        seconds = time.time() - begin
        if outcome.returncode not in (0, 1) or not outcome.stdout:
            sys.exit(f"tbci bisect ended with {outcome.returncode}")
        database = sqlite3.connect(f"file:{self.state / 'tbci.sqlite'}?mode=ro", uri=True)
        rows = database.execute("SELECT state, (finished_ms - started_ms) / 1000.0 FROM build WHERE kind = 'commit' "
                                "AND started_ms >= ? AND finished_ms IS NOT NULL", (begin * 1000,)).fetchall()
        return json.loads(outcome.stdout), seconds, rows


def verdict(answer, culprits):
    """What was found of what was to be found, and whether that is all of it and nothing else."""
    right = True
    said = []
    for culprit in culprits:
        for series in culprit["series"]:
            found = next(a for a in answer["answers"] if a["series"] == series)
            exact = found["suspects"] == [culprit["commit"]]
            right = right and exact
            change = "" if found["change"] is None else f" {found['change']:+.1%}"
            low, high = found["interval"]
            within = "" if low is None else f" [{low:+.1%}, {high:+.1%}]"
            what = "exact" if exact else "WRONG: " + (", ".join(s[:10] for s in found["suspects"]) or found["reason"])
            said.append(f"{series}: {what}{change}{within}")
    return right, "; ".join(said)


def row_of(name, culprits, answer, seconds, rows):
    right, said = verdict(answer, culprits)
    times = [s for state, s in rows]
    failed = sum(state == "failed" for state, s in rows)
    # The first fills the checkout and the build tree: 70 commits of rebuilds do not pay for that.
    again = times[1:] or [0.0]
    positions = ", ".join(str(c["position"]) for c in culprits)
    print(f"| {name} | {positions} | {said} | {answer['builds']} | {len(times)} ({failed}) | {times[0] if times else 0:.0f} | "
          f"{statistics.median(again):.0f} | {max(again):.0f} | {answer['measurements']} | {seconds:.0f} |", flush=True)
    return right


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tbci", type=pathlib.Path, help="the program")
    parser.add_argument("material", type=pathlib.Path, help="folder with the scripts prepare and build")
    parser.add_argument("folder", type=pathlib.Path, help="what pytorch_source/prepare made")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--state", type=pathlib.Path, help="state folder of tbci; default: DIR/state")
    parser.add_argument("--only", default="", help="these faults alone are in the day")
    parser.add_argument("--searches", default="each,together")
    parser.add_argument("--keep-products", action="store_true")
    arguments = parser.parse_args()
    arguments.state = arguments.state or arguments.folder / "state"
    truth = make_day(arguments.folder / "src/pytorch", arguments.seed, [f for f in arguments.only.split(",") if f])
    bench = Bench(arguments)
    culprits = truth["culprits"]
    searches = [(c["fault"], [c]) for c in culprits] if "each" in arguments.searches else []
    if "together" in arguments.searches:
        searches.append(("together", culprits))
    print(f"Seed {truth['seed']}, {len(truth['commits'])} commits, {len(truth['broken'])} do not compile\n")
    print("| search | at | answer | builds asked for | made (do not compile) | first, s | median, s | worst, s | measurements | all, s |")
    print("|---|---|---|--:|--:|--:|--:|--:|--:|--:|", flush=True)
    right = [row_of(name, chosen, *bench.bisect(truth, [s for c in chosen for s in c["series"]]))
             for name, chosen in searches]
    print(f"\n{sum(right)} of {len(right)} right")
    sys.exit(0 if all(right) else 1)


if __name__ == "__main__":
    main()
