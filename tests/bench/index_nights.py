#!/usr/bin/env python3
"""Thirty nights of `tbci serve` on an index that behaves like PyTorch's: is each checked, and only what can be?

The wheels are a real torch, packed from where it is installed, with the version and the commit of each night
(tests/index). Some nights have a trouble: no wheel, one for another Python only, one that was taken back before or after
its night, a commit of the branch `nightly`, the commit of the night before, a main that is pushed back. In some the index
answers wrongly for a while. No night is slower than another, so nothing may be reported. At last `tbci nightly list` and
`range` say what they know of these nights. Prints the table of truth against what tbci did, in Markdown.

    tests/bench/index_nights.py build/dev/tbci [--nights 30] [--installed SITE_PACKAGES] [--keep FOLDER]

Without --installed it is the torch of TBCI_LIBTORCH (deploy/deps --print-torch). All nights together take 7 GB of the
disk, 10 to 20 minutes and a compiler. Exit code 0: all is as it should be.
"""
import argparse
import contextlib
import json
import os
import pathlib
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
INDEX, SUITE = HERE.parent / "index", HERE / "python_suite"
sys.path.insert(0, str(INDEX))
import installed_wheel  # noqa: E402
import night_plan  # noqa: E402
import night_repository  # noqa: E402

CONFIG = """[service]
port = 0
[measure]
configurations = ["cpu-infer"]
processes = 2
processes_at_most = 2
iterations = 20
leak_iterations = 0
alternate = "{alternate}"
time_limit = 120
{benchmarks}[thresholds]
relative = 0.5
screen = 0.25
most_pairs = 16
[report]
channels = ["folder"]
{runner}[[subject]]
name = "torch"
poll = 1
{worker}[subject.nightlies]
kind = "pip"
package = "torch"
index = "{index}"
pre_release = true
python = "{python}"
[subject.source]
repository = "{repository}"
branch = "main"
recipe = [["false"]]
libtorch = "none"
"""
# A model in Python, so that nothing is compiled: against each nightly the native worker takes a minute. It takes no turns.
OWN_SUITE = {"alternate": "none", "benchmarks": "", "worker": f'worker_source = "{SUITE}"\n'}
NATIVE_SUITE = {"alternate": "all", "benchmarks": 'benchmarks = ["lennard_jones"]\n',
                "worker": 'worker_families = ["lennard_jones"]\nworker_optimized = false\n'}
# Makes an environment with the pip of the packages: one before 25.3 downloads all wheels to say what it would install.
PYTHON = """#!/bin/sh
[ "$2 $3" = "-m venv" ] || exec {python} "$@"
{python} -I -m venv --without-pip "$4" && cp -a {pip} "$4"/lib/python3*/site-packages && cp -a {programs} "$4"/bin
"""

TAKEN_BACK_AT_ONCE = 26  # beside night_plan.YANKED, which is taken back a day later
GIVE_UP_S = 900  # a night that is not done by then stands still
POLLS_WITHOUT_NIGHT = 3  # looks at the list, after which a night that has not begun does not begin

# What the index does wrong while a night is installed. All of it passes: the night is checked as if nothing had been.
MISHAPS = {
    3: {"on": "listing", "kind": "503", "count": 8},
    7: {"on": "file", "kind": "cut:0.4", "count": 4, "match": "torch-"},
    10: {"on": "file", "kind": "429:1", "count": 2, "match": "torch-"},
    13: {"on": "listing", "kind": "not-html", "count": 2},
    16: {"on": "file", "kind": "wrong-length-long", "count": 1, "match": "torch-"},
    20: {"on": "listing", "kind": "cut:0.5", "count": 3},
    24: {"on": "listing", "kind": "empty", "count": 2},
    28: {"on": "file", "kind": "503:1", "count": 3, "match": "torch-"},
}


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tbci", type=pathlib.Path)
    parser.add_argument("--nights", type=int, default=night_plan.COUNT, help="only the first N of them")
    parser.add_argument("--installed", type=pathlib.Path, metavar="SITE_PACKAGES", help="where torch is installed")
    parser.add_argument("--cpu", type=int, help="measure on this CPU alone (default: the last one)")
    parser.add_argument("--native", action="store_true", help="the worker of suite/, compiled against each nightly")
    parser.add_argument("--old-pip", action="store_true", help="the pip that this Python's environments begin with")
    parser.add_argument("--no-mishaps", action="store_true", help="the index never answers wrongly")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER", help="keep everything here")
    options = parser.parse_args()
    if options.installed is None and "TBCI_LIBTORCH" not in os.environ:
        sys.exit("name --installed, or set TBCI_LIBTORCH (deploy/deps --print-torch)")
    if not 2 <= options.nights <= night_plan.COUNT:
        sys.exit(f"--nights is from 2 to {night_plan.COUNT}")
    options.installed = (options.installed or pathlib.Path(os.environ["TBCI_LIBTORCH"]).parent).resolve()
    options.tbci = options.tbci.resolve()
    return options


def make_python(site_packages, folder, old_pip):
    """A Python for the packages: the environment's own, if they lie in one."""
    own = site_packages.parents[2] / "bin" / "python"
    python = str(own if own.exists() else sys.executable)
    pip = [str(path) for path in site_packages.glob("pip*") if path.name.startswith("pip-") or path.name == "pip"]
    programs = [str(path) for path in own.parent.glob("pip*")]
    if old_pip or not pip or not programs:
        return python
    made = folder / "python"
    made.write_text(PYTHON.format(python=python, pip=" ".join(pip), programs=" ".join(programs)))
    made.chmod(0o755)
    return made


class Nights:
    """The index, its wheels and its repository, on one day after the other."""

    def __init__(self, options, folder):
        self.folder = folder / "nights"
        wheels = folder / "wheels"
        wheels.mkdir(exist_ok=True)
        for info in sorted(options.installed.glob("*.dist-info")):
            package = info.name.split("-")[0]
            if package not in ("torch", "pip"):
                installed_wheel.pack(options.installed, wheels, package=package)
        subprocess.run([sys.executable, INDEX / "thirty_nights.py", "--installed", options.installed, "--dependencies", wheels,
                        self.folder], check=True)
        self._change()
        self.truth = json.loads((self.folder / "truth.json").read_text())["nights"][:options.nights]
        self.repository = self.folder / night_repository.REPOSITORY
        self.log = folder / "requests.jsonl"
        self._server = subprocess.Popen(
            [sys.executable, INDEX / "index_server.py", self.folder / "scenario.json", "--log", self.log, "--cache", folder / "cache",
             "--keep", "2", "--html-shape", "sha256-fragment", "--until-stdin-closes"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.url = self._server.stdout.readline().strip()

    def _change(self):
        file = self.folder / "scenario.json"
        scenario = json.loads(file.read_text())
        for entry in scenario["files"]:
            if "path" in entry:  # pip before 23.2 refuses names such as typing_extensions where the index gives their metadata
                entry["metadata_sha256"] = ""
            if entry.get("appears_at") == TAKEN_BACK_AT_ONCE:
                entry |= {"yanked": "built with assertions", "yanked_at": TAKEN_BACK_AT_ONCE}
        file.write_text(json.dumps(scenario))

    def set_day(self, day, fault):
        night_repository.set_day(self.folder, day)
        order = {"day": day, "faults": [fault] if fault else []}
        urllib.request.urlopen(self.url + "_control", json.dumps(order).encode()).close()

    def requests(self):
        return [json.loads(line) for line in self.log.read_text().splitlines()] if self.log.exists() else []

    def looks(self):
        """How often a service has looked at the list: pip reads it, then tbci."""
        return sum(request["path"] == "/torch/" and not request["fault"] for request in self.requests()) // 2

    def commits(self, since, until):
        """Of main, by git itself: those between the commits of two nights."""
        ends = f"{self.truth[since]['main_commit']}..{self.truth[until]['main_commit']}"
        return subprocess.run(["git", "-C", self.repository, "rev-list", ends], capture_output=True, text=True, check=True).stdout.split()

    def stop(self):
        self._server.stdin.close()
        self._server.wait(20)


class Service:
    def __init__(self, options, folder):
        self.tbci = [options.tbci, "--config", folder / "tbci.toml", "--state", folder / "state"]
        self.log = open(folder / "serve.log", "a")
        self.database = folder / "state" / "tbci.sqlite"
        self.process = subprocess.Popen([*self.tbci, "serve"], stdout=self.log, stderr=self.log)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)

    def rows(self, query, *values):
        try:
            with contextlib.closing(sqlite3.connect(f"file:{self.database}?mode=ro", uri=True, timeout=20)) as connection:
                return connection.execute(query, values).fetchall()
        except sqlite3.OperationalError:  # not there yet
            return []

    def night(self, version):
        """Baseline, stage and note; None where it has not begun."""
        found = self.rows("SELECT baseline, stage, note FROM night WHERE name = ?", version)
        return found[0] if found else None

    def wait(self, version, nights):
        """Until the night is over, or has not begun after some looks at the list."""
        end, looks = time.monotonic() + GIVE_UP_S, nights.looks()
        while time.monotonic() < end:
            if self.process.poll() is not None:
                sys.exit(f"tbci serve ended with {self.process.returncode}; its log is {self.log.name}")
            night = self.night(version)
            if night and night[1] in ("done", "failed"):
                return
            is_idle = not self.rows("SELECT 1 FROM night WHERE finished_ms IS NULL")
            if night is None and is_idle and nights.looks() >= looks + POLLS_WITHOUT_NIGHT:
                return
            time.sleep(0.2)

    def ask(self, *words):
        """A command beside no service: its JSON, or what it said."""
        said = subprocess.run([*self.tbci, "--json", *words], capture_output=True, text=True)
        return json.loads(said.stdout) if said.returncode == 0 else said.stderr.strip().splitlines()[-1]


def trouble_of(truth):
    return "taken-back-at-once" if truth["day"] == TAKEN_BACK_AT_ONCE else truth["trouble"]


def is_checked(truth):
    """Whether a night of it has to be: the very first one has none before it."""
    return truth["day"] > 0 and trouble_of(truth) not in ("missing", "other-python", "taken-back-at-once")


def judge_night(service, truth, baseline):
    """What tbci did, and what of it is wrong."""
    night = service.night(truth["version"])
    if night is None:
        return "no night", ["was not checked"] if is_checked(truth) else []
    wrong = [] if is_checked(truth) else ["was checked"]
    built = service.rows("SELECT commit_id, version FROM build WHERE kind = 'nightly' AND name = ?", truth["version"])
    commit, version = built[0] if built else ("", "")
    found = service.rows("SELECT r.series FROM regression r JOIN night n ON n.id = r.night_id "
                         "WHERE n.name = ? AND r.verdict = 'regression'", truth["version"])
    judged = service.rows("SELECT count(*) FROM finding f JOIN night n ON n.id = f.night_id WHERE n.name = ?", truth["version"])[0][0]
    if night[1] != "done":
        wrong.append(f"is {night[1]}: {night[2]}")
    if night[0] != baseline:
        wrong.append(f"was compared with {night[0]}")
    if version != truth["version"] or commit not in (truth["git_version"], truth["main_commit"]):
        wrong.append(f"is of {version} {commit[:12]}")
    if found or not judged:
        wrong.append(f"{len(found)} regressions of {judged} findings")
    return f"{night[1]}, {judged} findings, {len(found)} regressions, against {night[0][10:18]}", wrong


def live(options, nights, service):
    """All nights; a line of the table for each, and what was wrong."""
    lines, wrong, baseline = [], [], nights.truth[0]["version"]
    for truth in nights.truth:
        begun, fault = time.monotonic(), None if options.no_mishaps else MISHAPS.get(truth["day"])
        nights.set_day(truth["day"], fault)
        service.wait(truth["version"], nights)
        did, faults = judge_night(service, truth, baseline)
        if is_checked(truth):
            baseline = truth["version"]
        seconds = time.monotonic() - begun
        happened = f"{fault['count']} × {fault['kind']} on a {fault['on']}" if fault else ""
        lines.append(f"| {truth['date']} | {trouble_of(truth) or ''} | {happened} | {did} | {seconds:.0f} | {'; '.join(faults) or 'OK'} |")
        wrong += [f"{truth['date']} {fault}" for fault in faults]
        print(lines[-1], file=sys.stderr, flush=True)
    return lines, wrong


AVAILABLE = {"other-python": "incomplete", "yanked": "yanked", "taken-back-at-once": "yanked", "missing": "missing"}


def judge_list(nights, service):
    listed = {one["name"]: one for one in service.ask("nightly", "list")}
    lines, wrong = [], []
    for truth in nights.truth:
        expected = AVAILABLE.get(trouble_of(truth), "complete")
        one = listed.get(truth["date"] if expected == "missing" else truth["version"])  # a day without one
        found = one["availability"] if one else None
        good = found == expected
        if expected != "complete" or not good:
            lines.append(f"| nightly list | {truth['date']} | {expected} | {found or 'not listed'}"
                         f"{': ' + one.get('remark', '') if one else ''} | {'OK' if good else 'wrong'} |")
        if not good:
            wrong.append(f"{truth['date']} is listed as {found} and is {expected}")
    return lines, wrong


def judge_ranges(nights, service):
    """Pairs of nights whose commits are not simply those of a day."""
    pairs = [(night_plan.MISSING - 1, night_plan.MISSING + 1), (night_plan.NIGHTLY_BRANCH - 1, night_plan.NIGHTLY_BRANCH),
             (night_plan.SAME_COMMIT, night_plan.SAME_COMMIT + 1), (night_plan.LOST, night_plan.LOST + 1)]
    lines, wrong = [], []
    for since, until in [pair for pair in pairs if pair[1] < len(nights.truth)]:
        wanted = (nights.commits(since, until), nights.commits(until, since))
        range_ = service.ask("nightly", "range", nights.truth[since]["version"], nights.truth[until]["version"])
        failed = isinstance(range_, str)
        got = ([], []) if failed else tuple([one["commit"] for one in range_[key]] for key in ("commits", "taken_back"))
        good = not failed and all(sorted(one) == sorted(other) for one, other in zip(wanted, got))
        said = re.sub(r"/\S+/", "", range_)[:120] if failed else f"{len(got[0])} commits, {len(got[1])} taken back"
        ends = f"{nights.truth[since]['date']} to {nights.truth[until]['date']}"
        expected = f"{len(wanted[0])} commits, {len(wanted[1])} taken back"
        lines.append(f"| nightly range | {ends} | {expected} | {said} | {'OK' if good else 'wrong'} |")
        if not good:
            wrong.append(f"range of {ends}: {said}")
    return lines, wrong


def downloaded(nights):
    """Bytes of torch's wheels that the index sent, how many wheels that is, and how often only a rest was asked for."""
    asked = [request for request in nights.requests() if request["path"]]
    sent = [request for request in asked if "/torch-" in request["path"] and request["path"].endswith(".whl")]
    rests = sum(bool(request["range"]) for request in sent)
    return sum(request["bytes"] for request in sent), len({request["path"] for request in sent}), rests


def main():
    options = parse()
    with contextlib.ExitStack() as stack:
        folder = options.keep or pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tbci-index-nights-")))
        folder = folder.resolve()
        folder.mkdir(parents=True, exist_ok=True)
        nights = Nights(options, folder)
        stack.callback(nights.stop)
        runner = "" if options.cpu is None else f"[runner]\ncpus = [{options.cpu}]\n"
        (folder / "tbci.toml").write_text(CONFIG.format(
            index=nights.url, repository=nights.repository.as_uri(), runner=runner,
            python=make_python(options.installed, folder, options.old_pip), **(NATIVE_SUITE if options.native else OWN_SUITE)))
        nights.set_day(0, None)
        begun = time.monotonic()
        service = Service(options, folder)
        try:
            lines, wrong = live(options, nights, service)
        finally:
            code = service.stop()
        if code != 0:
            wrong.append(f"tbci serve ended with {code} at SIGTERM")
        after, wrong_after = [], []
        for judged in (judge_list(nights, service), judge_ranges(nights, service)):
            after += judged[0]
            wrong_after += judged[1]
        print("\n| night | what is wrong with it | the index | tbci | s | verdict |\n|---|---|---|---|--:|---|")
        print("\n".join(lines))
        print("\n| asked | of | truth | tbci | verdict |\n|---|---|---|---|---|")
        print("\n".join(after))
        sent, wheels, ranges = downloaded(nights)
        print(f"\n{len(lines)} nights in {time.monotonic() - begun:.0f} s; {wheels} wheels of torch, "
              f"{sent / 1e6:.0f} MB of them sent, {ranges} requests for a rest.")
        for line in wrong + wrong_after:
            print(f"WRONG: {line}")
        return 1 if wrong + wrong_after else 0


if __name__ == "__main__":
    sys.exit(main())
