#!/usr/bin/env python3
"""Does a bisection that is killed with SIGKILL at fifty points go on without repeating what was finished, to the same answer?

A day of `tbci-miniature` is bisected twice on real LibTorch, real git and real rebuilds: once undisturbed, once killed again and
again, each time a random moment after one more build or measurement was finished. After each kill all that was finished before must still
be there, with the same times; in the end nothing may have been measured or built twice.

    tests/bench/killed_bisection.py BUILD_FOLDER [--kills 50] [--seed N] [--keep FOLDER]

TBCI_LIBTORCH names the LibTorch (deploy/deps --print-torch). Exit code 0: all of that holds.
"""
import argparse
import collections
import contextlib
import json
import os
import pathlib
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

from miniature_subject import subject

CONFIG = """[measure]
benchmarks = ["lennard_jones"]
configurations = ["cpu-infer"]
processes = 3
processes_at_most = 3
"""


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="build folder with tbci and tbci-miniature")
    parser.add_argument("--kills", type=int, default=50, help="least number, or the bisection was too short")
    parser.add_argument("--seed", type=int, default=1, help="of the day and of the moments")
    parser.add_argument("--keep", type=pathlib.Path, help="keep the repository and the states here")
    arguments = parser.parse_args()
    if "TBCI_LIBTORCH" not in os.environ:
        sys.exit("TBCI_LIBTORCH is not set: deploy/deps --print-torch says what to set it to")
    return arguments


class Day:
    def __init__(self, build, folder, seed):
        self.build, self.folder = build, folder
        made = subprocess.run([build / "tbci-miniature", "generate", folder / "repository", "--json", "--seed", str(seed),
                               "--fault", "addmm-dtype@37*1.3"], capture_output=True, text=True, check=True)
        truth = json.loads(made.stdout)
        self.culprit = truth["culprits"][0]["indistinguishable"]
        self.ends = [nightly["commit"] for nightly in truth["nightlies"]][-2:]
        (folder / "tbci.toml").write_text(CONFIG + subject(folder / "repository", ["lennard_jones"]))

    def start(self, state):
        return subprocess.Popen([self.build / "tbci", "--config", self.folder / "tbci.toml", "--state", self.folder / state,
                                 "bisect", "--json", "--from", self.ends[0], "--to", self.ends[1]],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finished(database):
    """What was paid for: each finished build and measurement with its time. Also whether a build is under way."""
    if not database.exists():
        return {}, False
    with contextlib.closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=10)) as connection:
        try:
            builds = connection.execute("SELECT name, finished_ms FROM build WHERE kind = 'commit'").fetchall()
            rows = connection.execute("SELECT run.key, build.name, case_id, ordinal, measurement.started_ms FROM measurement "
                                      "JOIN run ON run.id = run_id JOIN build ON build.id = build_id").fetchall()
        except sqlite3.OperationalError:  # killed before the tables were there
            return {}, False
    paid = {("build", name): time for name, time in builds if time is not None}
    paid.update({("measurement", *row[:4]): row[4] for row in rows})
    return paid, any(time is None for _, time in builds)


def killed_once(day, database, draw):
    """Starts it, and kills it a moment after something more was finished. Its output where it came to its end before."""
    before, _ = finished(database)
    process = day.start("killed")
    while process.poll() is None and len(finished(database)[0]) <= len(before):
        time.sleep(0.01)
    if process.poll() is None:
        time.sleep(draw.random() ** 2 * 0.6)
        process.send_signal(signal.SIGKILL)
    output, error = process.communicate()
    if process.returncode == -signal.SIGKILL:
        return None
    if process.returncode not in (0, 1):
        sys.exit(f"tbci bisect ended with {process.returncode}: {error}")
    return json.loads(output)


def repeated(paid):
    """What was measured twice: a run that is begun again has `@` and its environment behind its key."""
    counts = collections.Counter((key[1].split("@")[0], *key[2:]) for key in paid if key[0] == "measurement")
    return [what for what, count in counts.items() if count > 1]


def named(answer):
    return sorted(sorted(step["suspects"]) for one in answer["answers"] for step in one["steps"])


def counts(paid):
    kinds = collections.Counter(key[0] for key in paid)
    return f"{kinds['build']} builds and {kinds['measurement']} measurements"


def play(arguments, folder):
    day = Day(arguments.build.resolve(), folder, arguments.seed)
    whole = day.start("whole")
    output, error = whole.communicate()
    if whole.returncode != 1:
        sys.exit(f"undisturbed, tbci bisect ended with {whole.returncode}: {error}")
    undisturbed = json.loads(output)
    (folder / "killed").mkdir()
    (folder / "killed/workers").symlink_to(folder / "whole/workers")
    database = folder / "killed/tbci.sqlite"
    draw, kills, in_builds, lost, answer = random.Random(arguments.seed), 0, 0, 0, None
    while True:
        before, _ = finished(database)
        answer = killed_once(day, database, draw)
        after, building = finished(database)
        lost += sum(after.get(key) != value for key, value in before.items())
        if answer is not None:
            break
        kills += 1
        in_builds += building
    twice = repeated(after)
    same, right = named(answer) == named(undisturbed), named(answer) == [sorted(day.culprit)]
    print(f"Seed {arguments.seed}. {kills} kills, {in_builds} of them within a build. Finished in the end: {counts(after)}; "
          f"undisturbed: {counts(finished(folder / 'whole/tbci.sqlite')[0])}.")
    print(f"Lost or changed by a kill: {lost}. Measured twice: {len(twice)}. Culprit: {'the same' if same else 'ANOTHER ONE'}, "
          f"and {'right' if right else 'WRONG'}.")
    return kills >= arguments.kills and lost == 0 and not twice and same and right


def main():
    arguments = parse()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep.resolve() if arguments.keep else pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        sys.exit(0 if play(arguments, folder) else 1)


if __name__ == "__main__":
    main()
