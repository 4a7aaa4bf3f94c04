#!/usr/bin/env python3
"""Writes the history of the nights into a bare git repository, and sets its branches to a day. Example:

    tests/index/night_repository.py nights 7      # main and nightly as they were when the nightly of day 7 appeared

The ids of all commits are the same at each run. A commit that main lost stays in the repository, and no branch has it:
clone by file:// and not by the path, because a clone by path copies such commits too.
"""

import datetime
import json
import os
import subprocess
import sys
from pathlib import Path

import night_plan
from night_history import History, Landed

MERGER = "pytorchmergebot <merge.bot@example.org>"
RELEASER = "PyTorch Bot <release.bot@example.org>"
REPOSITORY, TRUTH = "pytorch.git", "truth.json"


def _git(repository: Path, *arguments: str, stdin: bytes | None = None) -> str:
    """Without this machine's configuration, which might change ids or ask for signatures."""
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}
    for name in [name for name in environment if name.startswith("GIT_") and not name.startswith("GIT_CONFIG_")]:
        del environment[name]
    command = ["git", "-C", str(repository), *arguments]
    return subprocess.run(command, check=True, input=stdin, stdout=subprocess.PIPE, env=environment).stdout.decode()


def _data(text: str) -> bytes:
    encoded = text.encode()
    return b"data %d\n%s\n" % (len(encoded), encoded)


def _seconds(when: datetime.datetime) -> int:
    return int(when.timestamp())


def _commit(number: int, landed: Landed, files: dict[str, str]) -> bytes:
    change, parent = landed.change, landed.parent
    message = (f"{change.subject}\n\nPull Request resolved: "
               f"https://github.com/pytorch/pytorch/pull/{change.subject.rpartition('#')[2].rstrip(')')}\n")
    changed = files if parent is None else {change.path: files[change.path]}
    when = _seconds(landed.when)
    out = [f"commit refs/heads/main\nmark :{number + 1}\n"
           f"author {change.author} <{change.address}> {when - 3600} +0000\n"
           f"committer {MERGER} {when} +0000\n".encode(), _data(message)]
    if parent is not None:
        out.append(f"from :{parent + 1}\n".encode())
    out += [f"M 100644 inline {path}\n".encode() + _data(text) for path, text in changed.items()]
    return b"".join(out)


def _main_stream(history: History) -> bytes:
    files_of: list[dict[str, str]] = []
    out = []
    for number, landed in enumerate(history.landed):
        before = {"version.txt": "2.14.0a0\n", "README.md": "A stand-in for PyTorch's repository.\n"}
        files = dict(files_of[landed.parent]) if landed.parent is not None else before
        files[landed.change.path] = files.get(landed.change.path, "") + landed.change.line
        files_of.append(files)
        out.append(_commit(number, landed, files))
    return b"".join(out)


def _marks(file: Path) -> list[str]:
    pairs = (line.split() for line in file.read_text().splitlines())
    return [commit for _, commit in sorted((int(mark[1:]), commit) for mark, commit in pairs)]


def _nightly_stream(history: History, commits: list[str], trees: dict[str, str]) -> bytes:
    """A commit for each date, also for the date without a wheel: its build failed later."""
    out = []
    for night in night_plan.NIGHTS:
        main = commits[history.night_commit[night.day]]
        when = f"{_seconds(night.cut) + 1800} +0000"
        out.append(f"commit refs/heads/nightly\nmark :{night.day + 1}\n"
                   f"author {RELEASER} {when}\ncommitter {RELEASER} {when}\n".encode()
                   + _data(f"{night.date} nightly release ({main})\n")
                   + (f"from :{night.day}\n" if night.day else "").encode()
                   + f'M 040000 {trees[main]} ""\n'.encode())
    return b"".join(out)


def write(repository: Path, history: History) -> tuple[list[str], list[str]]:
    """Ids of the commits of main, by their number in the history, and of the branch nightly, by the day."""
    repository.mkdir(parents=True)
    _git(repository, "init", "--quiet", "--bare", "--initial-branch=main", "--object-format=sha1")
    for name, value in (("gc.auto", "0"), ("gc.pruneExpire", "never"), ("uploadpack.allowFilter", "true"),
                        ("uploadpack.allowAnySHA1InWant", "true")):
        _git(repository, "config", name, value)
    marks = repository / "marks"
    _git(repository, "fast-import", "--quiet", "--force", f"--export-marks={marks.name}", stdin=_main_stream(history))
    main = _marks(marks)
    listed = _git(repository, "log", "--no-walk=unsorted", "--format=%H %T", "--stdin", stdin="\n".join(main).encode())
    trees = dict(line.split() for line in listed.splitlines())
    _git(repository, "fast-import", "--quiet", "--force", f"--export-marks={marks.name}",
         stdin=_nightly_stream(history, main, trees))
    nightly = _marks(marks)
    marks.unlink()
    return main, nightly


def set_day(folder: Path, day: int) -> None:
    """Moves main and nightly to where they were on that day: backwards as well, as the push did."""
    nights = json.loads((folder / TRUTH).read_text())["nights"]
    orders = "".join(f"update refs/heads/{branch} {nights[day][branch + '_tip']}\n" for branch in ("main", "nightly"))
    _git(folder / REPOSITORY, "update-ref", "--stdin", stdin=orders.encode())


if __name__ == "__main__":
    if len(sys.argv) != 3 or not sys.argv[2].isdigit() or int(sys.argv[2]) >= night_plan.COUNT:
        sys.exit("usage: night_repository.py FOLDER_OF_THIRTY_NIGHTS DAY (0 to 29)")
    set_day(Path(sys.argv[1]), int(sys.argv[2]))
