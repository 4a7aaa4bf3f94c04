#!/usr/bin/env python3
"""Nights of `tbci serve` on real LibTorch, real git and real rebuilds: is each fault reported once, with its commit, whatever happens?

A repository of `tbci-miniature` gets its days one after the other, as the nightlies of a branch. Eight days bring a fault, each of
another kind, two of them faults that break a case; five faults are taken back later. `tbci serve` is killed with SIGKILL in each
night, at a moment drawn from the seed, and started again. In one night the disk is full for a while (a file system of its own holds the
state folder, which needs root), in another one the repository is away. Prints the table of truth against reports, in Markdown.

    tests/bench/real_nights.py BUILD_FOLDER [--nights 30] [--seed N] [--cpu N] [--no-kills] [--keep FOLDER]

TBCI_LIBTORCH names the LibTorch (deploy/deps --print-torch). Exit code 0: each fault was reported once with its commit, nothing else was
reported, and each night came to its end.
"""
import argparse
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

CONFIG = """[service]
port = 0
[measure]
benchmarks = ["dlrm", "lennard_jones", "resnet18"]
configurations = ["cpu-infer"]
processes = 3
processes_at_most = 6
iterations = 10
leak_iterations = 40
alternate = "all"
time_limit = 120
[thresholds]
most_pairs = 24
[report]
channels = ["folder"]
"""

# Kind and strength. The order is drawn from the seed.
FAULTS = [("embedding-bag-bounds", 3), ("activation-validity", 3), ("addmm-dtype", 3), ("error-handling", 200),
          ("memory-kept", 3), ("memory-peak", 3), ("tanh-crash", 1), ("embedding-bag-refusal", 1)]
BREAKS = ("tanh-crash", "embedding-bag-refusal")
REVERTED = 3  # of the others
APART = 3     # nights from one fault to the next
GIVE_UP_S = 2400  # a night that is not done by then stands still
FULL_DISK, OUTAGE = 0.4, 0.6  # which part of the nights is over when they happen


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="build folder with tbci and tbci-miniature")
    parser.add_argument("--nights", type=int, default=30, help="at least 10; with fewer than 28 there are fewer faults")
    parser.add_argument("--seed", type=int, default=1, help="of the days, the faults and the moments")
    parser.add_argument("--cpu", type=int, help="measure on this CPU alone (default: the last one)")
    parser.add_argument("--no-kills", action="store_true", help="the service runs undisturbed")
    parser.add_argument("--keep", type=pathlib.Path, help="keep the repository and the state here")
    arguments = parser.parse_args()
    if "TBCI_LIBTORCH" not in os.environ:
        sys.exit("TBCI_LIBTORCH is not set: deploy/deps --print-torch says what to set it to")
    if arguments.nights < 10:
        sys.exit("--nights must be at least 10: three from one fault to the next, and four at the end")
    arguments.build = arguments.build.resolve()
    return arguments


def schedule(nights, draw):
    """Of each fault its day, and of some the day that takes it back (1-based; the first day has no nightly before it).

    What breaks a case hides the case's other faults, so it is gone again before the next fault comes."""
    faults = draw.sample(FAULTS, min(len(FAULTS), (nights - 4) // APART))
    measured = [kind for kind, _ in faults if kind not in BREAKS]
    reverted = draw.sample(measured, min(REVERTED, len(measured)))
    planned, reverts = [], []
    for index, (kind, strength) in enumerate(faults):
        day = 2 + APART * index
        planned.append(f"{kind}@{day}:*{strength}")
        if kind in BREAKS:
            reverts.append(f"{kind}@{day + draw.randint(1, APART - 1)}")
        elif kind in reverted:
            reverts.append(f"{kind}@{min(nights - 2, day + draw.randint(2, 6))}")
    return planned, reverts


class Subject:
    """The upstream repository, whose branch moves on by a day at a time."""

    def __init__(self, build, folder, nights, draw):
        faults, reverts = schedule(nights, draw)
        command = [build / "tbci-miniature", "generate", folder / "whole", "--json", "--seed", str(draw.randint(1, 1000)),
                   "--days", str(nights + 1), "--commits", "7", "--all-build"]
        command += [word for fault in faults for word in ("--fault", fault)]
        command += [word for revert in reverts for word in ("--revert", revert)]
        self.truth = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        self.days = [nightly["day"] for nightly in self.truth["nightlies"]]
        self.repository = folder / "upstream.git"
        subprocess.run(["git", "clone", "--quiet", "--bare", folder / "whole", self.repository], check=True)
        self.publish(0)

    def publish(self, day, where=None):
        tip = self.truth["nightlies"][day]["commit"]
        subprocess.run(["git", "-C", where or self.repository, "update-ref", "refs/heads/main", tip], check=True)

    @contextlib.contextmanager
    def away(self):
        gone = self.repository.with_name("gone.git")
        self.repository.rename(gone)
        try:
            yield gone
        finally:
            gone.rename(self.repository)


class Service:
    def __init__(self, build, folder):
        self.command = [build / "tbci", "--config", folder / "tbci.toml", "--state", folder / "state", "serve"]
        self.log = open(folder / "serve.log", "a")
        self.database = folder / "state" / "tbci.sqlite"
        self.kills = 0
        self.process = None

    def start(self):
        self.process = subprocess.Popen(self.command, stdout=self.log, stderr=self.log)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.kills += 1
        self.start()

    def stop(self):
        time.sleep(2)  # it may have been started this moment, and not listen for signals yet
        self.process.terminate()
        return self.process.wait(60)

    def rows(self, query, *values):
        try:
            with contextlib.closing(sqlite3.connect(f"file:{self.database}?mode=ro", uri=True, timeout=20)) as connection:
                return connection.execute(query, values).fetchall()
        except sqlite3.OperationalError:  # not there yet, or its writer was killed this moment
            return []

    def stage(self, night):
        found = self.rows("SELECT stage FROM night WHERE name = ?", night)
        return found[0][0] if found else ""

    def wait(self, night, condition, limit):
        end = time.monotonic() + limit
        while time.monotonic() < end:
            if self.process.poll() is not None:
                sys.exit(f"tbci serve ended with {self.process.returncode}; its log is {self.log.name}")
            if condition(self.stage(night)):
                return True
            time.sleep(0.2)
        return False


@contextlib.contextmanager
def own_disk(folder, size_mib):
    """A file system for the state, so that it can be full; nothing where this is not root."""
    folder.mkdir()
    mounted = os.geteuid() == 0 and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size_mib}m", "tbci-nights", folder], capture_output=True).returncode == 0
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "--lazy", folder], check=False)


def fill(folder):
    ballast = folder / "ballast"
    with open(ballast, "wb", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(b"\0" * 65536):
            pass
    return ballast


def disturb(arguments, service, subject, number, draw, disk):
    """One night's mishaps, while it runs. Returns what happened."""
    night = subject.days[number]
    happened = []
    over = number / arguments.nights
    if abs(over - OUTAGE) < 0.5 / arguments.nights:
        with subject.away() as gone:
            subject.publish(number, gone)
            time.sleep(20)
        happened.append("the repository was away for 20 s")
    else:
        subject.publish(number)
    if disk and abs(over - FULL_DISK) < 0.5 / arguments.nights:
        service.wait(night, lambda stage: stage == "measure", 300)
        ballast = fill(service.database.parent)
        time.sleep(20)
        ballast.unlink()
        happened.append("the disk was full for 20 s")
    if not arguments.no_kills:
        wanted = draw.choice(["install", "measure", "measure", "confirm", "bisect"])
        order = ["install", "measure", "confirm", "bisect", "report", "done", "failed"]
        service.wait(night, lambda stage: stage in order[order.index(wanted):], 300)
        time.sleep(draw.uniform(0, 6))
        happened.append(f"killed in `{service.stage(night) or 'install'}`")
        service.kill()
    return happened


def live(arguments, service, subject, draw, disk):
    """All nights; of each what happened, its seconds and its end."""
    lived = {}
    for number in range(1, arguments.nights + 1):
        night = subject.days[number]
        begun = time.monotonic()
        happened = disturb(arguments, service, subject, number, draw, disk)
        over = service.wait(night, lambda stage: stage in ("done", "failed"), GIVE_UP_S)
        lived[night] = (happened, time.monotonic() - begun, service.stage(night) if over else "stands still")
        print(f"{night}: {lived[night][2]} after {lived[night][1]:.0f} s; {', '.join(happened)}", file=sys.stderr, flush=True)
        if not over:
            break
    return lived


def judge(service, subject):
    """What was reported of each fault, and what was reported besides. Returns lines of a table, and what is wrong."""
    rows = service.rows("SELECT n.name, r.series, r.suspects, r.report_id, r.standing FROM regression r JOIN night n ON n.id = r.night_id "
                        "WHERE r.verdict = 'regression' ORDER BY r.id")
    found = [(night, series, json.loads(suspects), report, standing) for night, series, suspects, report, standing in rows]
    reverts = {commit["fault"]: commit["day"] for commit in subject.truth["commits"] if commit["kind"] == "revert"}
    lines, wrong = [], []
    known = set()
    for culprit in subject.truth["culprits"]:
        of_it = [one for one in found if set(one[2]) <= set(culprit["indistinguishable"]) and one[2]]
        reports = {one[3] for one in of_it}
        known |= {id(one) for one in of_it}
        nights = ", ".join(sorted({one[0] for one in of_it})) or "never"
        standings = ", ".join(sorted({one[4] for one in of_it}))
        series = ", ".join(sorted({one[1] for one in of_it}))
        lines.append(f"| {culprit['day']} | {culprit['fault']} | {culprit['commit'][:10]} | {nights} | {len(reports)} | {series} | "
                     f"{reverts.get(culprit['fault'], '')} | {standings} |")
        if len(reports) != 1 or None in reports:
            wrong.append(f"{culprit['fault']} has {len(reports)} reports in place of one")
        if any(one[0] != culprit["day"] for one in of_it):
            wrong.append(f"{culprit['fault']} was found again, or late: {nights}")
        gone = reverts.get(culprit["fault"])
        if of_it and gone and any(one[4] != "recovered" for one in of_it):
            wrong.append(f"{culprit['fault']} was taken back on {gone} and is: {standings}")
        if of_it and not gone and any(one[4] != "open" for one in of_it):
            wrong.append(f"{culprit['fault']} is still there and is: {standings}")
    # A revert is a change as well: what it takes back may have made something else smaller.
    reverting = {commit["commit"] for commit in subject.truth["commits"] if commit["kind"] == "revert"}
    for night, series, suspects, report, standing in (one for one in found if id(one) not in known):
        if suspects and set(suspects) <= reverting:
            lines.append(f"| {night} | (a revert) | {suspects[0][:10]} | {night} | 1 | {series} | | {standing} |")
            continue
        wrong.append(f"{night}: {series} without a cause, or by wrong commits {[s[:10] for s in suspects]} (report {report}, {standing})")
    return lines, wrong


def main():
    arguments = parse()
    draw = random.Random(arguments.seed)
    print(f"seed {arguments.seed}, {arguments.nights} nights", flush=True)
    with contextlib.ExitStack() as stack:
        folder = arguments.keep or pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tbci-nights-")))
        folder = folder.resolve()
        folder.mkdir(parents=True, exist_ok=True)
        disk = stack.enter_context(own_disk(folder / "state", 3072))
        if not disk:
            print("The disk is never full: this is not root, or may not mount a file system.")
        upstream = Subject(arguments.build, folder, arguments.nights, draw)
        families = ["dlrm", "lennard_jones", "resnet"]
        text = subject(upstream.repository, families).replace('name = "demo"\n', 'name = "demo"\npoll = 1\n')
        text = text.replace("[subject.source]\n", "[subject.source]\nneeded_free_gib = 1\n")
        runner = "" if arguments.cpu is None else f"[runner]\ncpus = [{arguments.cpu}]\n"
        (folder / "tbci.toml").write_text(CONFIG + runner + text)
        service = Service(arguments.build, folder)
        service.start()
        try:
            lived = live(arguments, service, upstream, draw, disk)
        finally:
            code = service.stop()
        lines, wrong = judge(service, upstream)
        wrong += [f"{night}: {end}" for night, (_, _, end) in lived.items() if end != "done"]
        if code != 0:
            wrong.append(f"tbci serve ended with {code} at SIGTERM")
        if arguments.keep and disk:
            subprocess.run(["cp", "-a", folder / "state", folder / "state-kept"], check=True)
        print("\n| day | fault | culprit | found on | reports | series | taken back on | now |\n|---|---|---|---|--:|---|---|---|")
        print("\n".join(lines))
        seconds = sorted(one[1] for one in lived.values())
        kinds = [word for happened, _, _ in lived.values() for word in happened if not word.startswith("killed")]
        print(f"\n{len(lived)} nights, {service.kills} kills; {'; '.join(kinds) or 'nothing else'}. "
              f"A night took {seconds[0]:.0f} to {seconds[-1]:.0f} s, the middle one {seconds[len(seconds) // 2]:.0f} s.")
        for line in wrong:
            print(f"WRONG: {line}")
        return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
