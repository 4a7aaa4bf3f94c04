#!/usr/bin/env python3
"""Nights in which nothing changed: how much is suspected, how much confirmed, and what does such a night cost?

    TBCI_LIBTORCH=$(deploy/deps --print-torch) tests/bench/same_nights.py FOLDER --program new=build/release/tbci
        [--program old=OTHER/tbci] [--every 1] [--parts 12] [--sparse old=3] [--measure 'new=alternate = "all"']
        [--benchmarks NAME...] [--families NAME...] [--python PYTHON]

A repository of two days; its library holds nothing but the day, so the builds are two binaries that do the same. Each
program checks the second day against the first, part by part of the suite, and the parts of several programs take
turns. --every 3: every third benchmark. --sparse old=3: that program checks each third part only, and the ratio is of
the parts that both checked. --benchmarks: these alone; --families: workers have these alone. --measure: a line of [measure] for that program; the rest is each program's default. Workers are compiled without optimisation (by CXX,
else c++, with -O0 at the end of each call), and before the parts, in a night of one benchmark that does not count.
FOLDER keeps all of it; a second call does only what is missing. --python: the one that makes the packages of the backend
aoti, whose time is printed apart.
"""

import argparse
import contextlib
import json
import os
import pathlib
import shutil
import sqlite3
import stat
import subprocess
import sys
import time

DAYS = ["2026-01-06", "2026-01-07"]
CONFIG = """[measure]
{more}
benchmarks = {benchmarks}
configurations = ["cpu-train", "cpu-infer"]
[[subject]]
name = "same"
{families}
[subject.nightlies]
kind = "git-days"
branch = "main"
[subject.source]
repository = "{repository}"
torch = "{torch}"
compiled = ["*.c"]
recipe = [["sh", "-c", "mkdir -p build && cc -shared -o build/libnothing.so nothing.c"]]
preload = ["build/libnothing.so"]
{aoti}
"""


def make_repository(folder):
    if (folder / ".git").exists():
        return
    folder.mkdir(parents=True)

    def git(*words, **environment):
        subprocess.run(["git", "-C", folder, "-c", "user.name=N", "-c", "user.email=n@example.org", *words], check=True,
                       env={**os.environ, **environment})

    git("init", "--quiet", "--initial-branch=main")
    for day in DAYS:
        (folder / "nothing.c").write_text(f'const char tbci_nothing[] = "{day}";\n')
        git("add", ".")
        git("commit", "--quiet", "-m", day, GIT_AUTHOR_DATE=f"{day}T12:00:00Z", GIT_COMMITTER_DATE=f"{day}T12:00:00Z")


def compiler_without_optimisation(folder):
    path = folder / "unoptimised-compiler"
    compiler = os.environ.get("CXX", "c++")
    # What AOTInductor generates says -O3 itself, and is what is measured.
    path.write_text(f'#!/bin/sh\ncase " $* " in *" -O3 "*) exec {compiler} "$@" ;; esac\nexec {compiler} "$@" -O0\n')
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def check(program, folder, workers, compiler, config):
    """One night; its seconds go into a file, and where that is there the night was."""
    done = folder / "seconds"
    if done.exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    state = folder / "state"
    shutil.rmtree(state, ignore_errors=True)  # of a call that was stopped: its time is not known
    state.mkdir()
    workers.mkdir(exist_ok=True)
    (state / "workers").symlink_to(workers.resolve())
    (folder / "tbci.toml").write_text(config)
    packages_before, started = seconds_of_packages(workers), time.monotonic()
    with open(folder / "log", "a", encoding="utf-8") as log:
        status = subprocess.run(
            [program, "--config", folder / "tbci.toml", "--state", state, "check", "--nightly", DAYS[1], "--baseline", DAYS[0]],
            env={**os.environ, "CXX": str(compiler)}, stdout=log, stderr=log, check=False).returncode
    seconds = time.monotonic() - started
    if stage_of_night(state) != "done":
        sys.exit(f"same_nights: {program} ended with {status} before the night was done: see {folder / 'log'}")
    done.write_text(f"{seconds:.1f} {seconds_of_packages(workers) - packages_before:.1f}")


def seconds_of_packages(workers):
    """What AOTInductor took for all packages beside these workers."""
    made = [json.loads(file.read_text()) for file in workers.glob("*/packages/*.json")]
    return sum(package.get("nanoseconds", 0) for package in made) / 1e9


def stage_of_night(state):
    with contextlib.closing(sqlite3.connect(f"file:{state / 'tbci.sqlite'}?mode=ro", uri=True)) as connection:
        row = connection.execute("SELECT stage FROM night WHERE name = ?", (DAYS[1],)).fetchone()
        return row[0] if row else "none"


def seconds_of_processes(connection, purpose):
    """Two that take turns by iteration run at once, so their seconds are twice those of the clock."""
    return connection.execute("SELECT coalesce(sum(wall_ns), 0) / 1e9 FROM measurement JOIN run ON run.id = run_id "
                              "WHERE purpose = ?", (purpose,)).fetchone()[0]


def counts(folder):
    whole, packages = [*map(float, (folder / "seconds").read_text().split()), 0.0][:2]  # no packages: an older file
    with contextlib.closing(sqlite3.connect(f"file:{folder / 'state' / 'tbci.sqlite'}?mode=ro", uri=True)) as connection:
        def one(query):
            return connection.execute(query).fetchone()[0]
        return {
            "seconds": whole - packages,
            "packages": packages,
            "series": one("SELECT count(DISTINCT series) FROM finding WHERE phase = 'screen'"),
            "suspected": one("SELECT count(*) FROM finding WHERE phase = 'screen' AND verdict = 'suspect'"),
            "confirmed": one("SELECT count(*) FROM finding WHERE phase = 'confirm' AND verdict = 'regression'"),
            "processes": one("SELECT count(*) FROM measurement"),
            **{purpose: seconds_of_processes(connection, purpose) for purpose in ("screen", "confirm")},
        }


def show(name, rows):
    total = {key: sum(row[key] for row in rows) for key in rows[0]}
    print(f"{name}: {len(rows)} parts, {total['series']} series, {total['suspected']} suspected "
          f"({100 * total['suspected'] / max(1, total['series']):.1f}%), {total['confirmed']} confirmed, "
          f"{total['processes']} processes ({total['screen']:.0f} s in the screen, {total['confirm']:.0f} s confirming), "
          f"{total['seconds']:.0f} s"
          + (f" and {total['packages']:.0f} s for packages" if total["packages"] else ""))
    return total


def named(words, what):
    pairs = dict(word.partition("=")[::2] for word in words)
    if not all(pairs) or not all(pairs.values()):
        sys.exit(f"same_nights: {what} takes NAME=VALUE")
    return pairs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--program", action="append", default=[], metavar="NAME=TBCI")
    parser.add_argument("--sparse", action="append", default=[], metavar="NAME=N")
    parser.add_argument("--measure", action="append", default=[], metavar="NAME=LINE")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--parts", type=int, default=12)
    parser.add_argument("--benchmarks", nargs="+", default=[])
    parser.add_argument("--families", nargs="+", default=[])
    parser.add_argument("--python")
    arguments = parser.parse_args()
    programs, sparse = named(arguments.program, "--program"), named(arguments.sparse, "--sparse")
    more = named(arguments.measure, "--measure")
    unknown = (set(sparse) | set(more)) - set(programs)
    if unknown or arguments.every < 1 or arguments.parts < 1 or not all(n.isdigit() and int(n) for n in sparse.values()):
        sys.exit(f"same_nights: no --program of this name, or a number below 1: {', '.join(sorted(unknown)) or sparse}")
    if not programs or not os.environ.get("TBCI_LIBTORCH"):
        sys.exit("same_nights: name a --program, and LibTorch in TBCI_LIBTORCH (see --help)")
    folder = arguments.folder.absolute()
    make_repository(folder / "repository")
    compiler = compiler_without_optimisation(folder)
    first = next(iter(programs.values()))
    listed = json.loads(subprocess.run([first, "--json", "suite", "list"], check=True, capture_output=True, text=True).stdout)
    names = [benchmark["name"] for benchmark in listed["benchmarks"]
             if not arguments.benchmarks or benchmark["name"] in arguments.benchmarks][:: arguments.every]
    aoti = f"[subject.aoti]\npython = {json.dumps(arguments.python)}" if arguments.python else ""
    families = f"worker_families = {json.dumps(arguments.families)}" if arguments.families else ""

    def night(name, part, benchmarks):
        config = CONFIG.format(benchmarks=json.dumps(benchmarks), repository=folder / "repository",
                               torch=os.environ["TBCI_LIBTORCH"], more=more.get(name, ""), families=families, aoti=aoti)
        check(programs[name], folder / name / part, folder / name / "workers", compiler, config)

    for name in programs:
        night(name, "warm-up", names[:1])
    rows = {name: {} for name in programs}
    for part in range(arguments.parts):
        # Neighbours in the list are of one kind, so a part takes its benchmarks from the whole of it.
        benchmarks = names[part :: arguments.parts]
        for name in programs if part % 2 == 0 else reversed(programs):
            if benchmarks and part % int(sparse.get(name, 1)) == 0:
                night(name, f"part-{part}", benchmarks)
                rows[name][part] = counts(folder / name / f"part-{part}")
                print(f"part {part} of {name}: {rows[name][part]}", flush=True)
    print()
    for name in programs:
        show(name, list(rows[name].values()))
    for name in list(programs)[1:]:
        common = sorted(set(rows[name]) & set(rows[next(iter(programs))]))
        print(f"\nThe parts that both checked ({len(common)}):")
        ours = show(next(iter(programs)), [rows[next(iter(programs))][part] for part in common])
        theirs = show(name, [rows[name][part] for part in common])
        print(f"seconds of {next(iter(programs))} / {name}: {ours['seconds'] / theirs['seconds']:.2f}")


if __name__ == "__main__":
    main()
