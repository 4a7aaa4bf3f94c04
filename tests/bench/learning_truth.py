#!/usr/bin/env python3
"""Whether `tbci scale dlrm --over samples|parameters|compute` finds the entropy of the clicks, and a build that learns worse.

usage: learning_truth.py BUILD LIBTORCH [--ways samples parameters compute] [--rounds 5] [--days 6 7]
                         [--keep FOLDER]

BUILD is tbci's build folder. Makes a repository of three days, each a library that is laid over LIBTORCH: the second day
changes nothing, the third one rounds all weights to bf16 after each step of the optimizer (rounded_weights.cpp). Runs
tbci on the second and the third day against the first. Printed for each way: exponent, constant and its distance from
the entropy, what a doubling takes away, the verdict of each day, and how long the run took.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from miniature_subject import subject

FAULT = pathlib.Path(__file__).with_name("rounded_weights.cpp")
NOTHING = "int nothing_is_replaced_here = {};\n"
MAKEFILE = """build/libminiature.so: kernels/weights.cpp
\tmkdir -p build
\tg++ -std=c++20 -O1 -fPIC -shared -isystem $(TORCH)/include $< -o $@ -L$(TORCH)/lib -ltorch_cpu -lc10
"""


def commit(repository: pathlib.Path, day: int, text: str) -> None:
    (repository / "kernels" / "weights.cpp").write_text(text)
    date = f"2026-01-0{day}T12:00:00+0000"
    names = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER")
             for what, value in (("DATE", date), ("NAME", "bench"), ("EMAIL", "bench@localhost"))}
    for arguments in (["add", "."], ["commit", "--quiet", "-m", f"day {day}"]):
        subprocess.run(["git", "-C", repository, *arguments], check=True, env={**os.environ, **names})


def make_repository(repository: pathlib.Path) -> None:
    (repository / "kernels").mkdir(parents=True)
    subprocess.run(["git", "init", "--quiet", "--initial-branch", "main", repository], check=True)
    (repository / "Makefile").write_text(MAKEFILE)
    commit(repository, 5, NOTHING.format(1))
    commit(repository, 6, NOTHING.format(2))
    commit(repository, 7, FAULT.read_text())


def scale(options: argparse.Namespace, folder: pathlib.Path, way: str, day: int) -> dict:
    done = subprocess.run([f"{options.build}/tbci", "--config", folder / "tbci.toml", "--state", folder / "state", "--json",
                           "scale", "dlrm", "--build", f"2026-01-0{day}", "--against", "2026-01-05", "--over", way,
                           "--rounds", str(options.rounds)], stdout=subprocess.PIPE, check=False,
                          env={**os.environ, "TBCI_LIBTORCH": options.libtorch})
    return json.loads(done.stdout)["cases"][0]


def law_of(build: dict) -> str:
    if "law" not in build:
        return build["no_law"]
    law = build["law"]
    return (f"b {law['b']['value']:.3f} [{law['b']['low']:.3f} to {law['b']['high']:.3f}], c {law['c']['value']:.4f} "
            f"[{law['c']['low']:.4f} to {law['c']['high']:.4f}], entropy {build['entropy']:.4f}, off by "
            f"{100 * (law['c']['value'] / build['entropy'] - 1):+.2f}%; a doubling takes away "
            f"{100 * build['doubling']['share']:.0f}%, {build['doubling']['gained']:.5f} nats at the end")


def show(way: str, what: str, case: dict, seconds: float) -> None:
    change = case["change"]
    verdict = "the same" if change["same"] else "worse" if change["worse"] else "better" if change["better"] else "as well"
    ratio = [100 * (change["loss_ratio"][end] - 1) for end in ("value", "low", "high")]
    print(f"{way}, {what}: learns {verdict} ({ratio[0]:+.3f}% [{ratio[1]:+.3f} to {ratio[2]:+.3f}]); "
          f"{seconds:.0f} s for both builds")
    for name, build in zip(("before", "after"), case["builds"]):
        losses = ", ".join(f"{point['loss']:.4f}" for point in build["points"])
        print(f"  {name}: {law_of(build)}\n    losses {losses}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build")
    parser.add_argument("libtorch")
    parser.add_argument("--ways", nargs="+", default=["samples", "parameters", "compute"])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--days", nargs="+", type=int, default=[6, 7])
    parser.add_argument("--keep")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(options.keep or temporary)
        if not (folder / "tbci.toml").exists():
            make_repository(folder / "repository")
            (folder / "tbci.toml").write_text('[measure]\nbenchmarks = ["dlrm"]\nconfigurations = ["cpu-train"]\n'
                                              + subject(folder / "repository", ["dlrm"]))
        for way in options.ways:
            for day in options.days:
                what = {6: "nothing changed", 7: "weights rounded to bf16"}[day]
                started = time.monotonic()
                case = scale(options, folder, way, day)
                show(way, what, case, time.monotonic() - started)
    return 0


if __name__ == "__main__":
    sys.exit(main())
