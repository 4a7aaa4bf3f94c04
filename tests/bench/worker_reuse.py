#!/usr/bin/env python3
"""What the worker of the next LibTorch costs: of one with the same headers, and of one with another header.

The LibTorch are copies of a real one: the commits of a small repository, whose recipe copies the prefix and writes the
version of the day. Each is measured once by `tbci run` (one model, one process), so that all of them pay for the copy
and the process too; what a worker costs is the difference to the last row, a second run on a build that has one.

    tests/bench/worker_reuse.py build/dev/tbci [--families lennard_jones,dlrm] [--cold]

The LibTorch is that of TBCI_LIBTORCH (deploy/deps --print-torch). --families: a worker of these alone, default all.
--cold: without the compiler cache. Needs 3 GB of the disk.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

RECIPE = """import pathlib, shutil, sys
torch, prefix = map(pathlib.Path, sys.argv[1:])
target = prefix / "torch"
for part in ("include", "lib", "share", "bin"):
    if (torch / part).exists():
        shutil.copytree(torch / part, target / part, symlinks=True)
day, header = pathlib.Path("day").read_text().strip(), pathlib.Path("header").read_text().strip()
(target / "version.py").write_text(f"__version__ = '{day}'\\ngit_version = '{0:040x}'\\n")
if header:
    file = target / "include/c10/macros/Macros.h"
    file.write_text(file.read_text() + f"// {header}\\n")
"""

CONFIG = """[measure]
threads = 1
[[subject]]
name = "copies"
{families}[subject.nightlies]
kind = "git-days"
[subject.source]
repository = "{repository}"
branch = "main"
libtorch = "{{prefix}}/torch"
recipe = [["{python}", "make.py", "{torch}", "{{prefix}}"]]
"""

DAYS = [("2026-01-01", "", "the first"), ("2026-01-02", "", "the same headers"),
        ("2026-01-03", "changed", "another header"), ("2026-01-03", "changed", "measured again")]


def git(folder: pathlib.Path, *arguments: str, **more: str) -> None:
    names = {f"GIT_{who}_{what}": "bench@localhost" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    subprocess.run(["git", "-C", str(folder), *arguments], check=True, env={**os.environ, **names, **more})


def make_repository(folder: pathlib.Path) -> None:
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch=main")
    (folder / "make.py").write_text(RECIPE)
    for day, header, _ in DAYS[:3]:
        (folder / "day").write_text("2.99.0.dev" + day.replace("-", "") + "\n")
        (folder / "header").write_text(header + "\n")
        git(folder, "add", "--all")
        when = f"{day}T10:00:00Z"
        git(folder, "commit", "--quiet", "--message", day, GIT_AUTHOR_DATE=when, GIT_COMMITTER_DATE=when)


def measure(tbci: str, folder: pathlib.Path, day: str, cold: bool) -> tuple[float, str]:
    command = [tbci, "--config", str(folder / "tbci.toml"), "--state", str(folder / "state"), "-v", "run", "--build", day,
               "--benchmarks", "lennard_jones", "--configurations", "cpu-infer", "--processes", "1"]
    started = time.monotonic()
    done = subprocess.run(command, env={**os.environ, **({"CCACHE_DISABLE": "1"} if cold else {})}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    seconds = time.monotonic() - started
    if done.returncode != 0:
        sys.exit(done.stdout[-3000:])
    built = "building the worker" in done.stdout
    reused = re.search(r"the headers of (\S+) are known", done.stdout)
    return seconds, "built" if built else "reused" if reused else "there"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tbci")
    parser.add_argument("--families", default="")
    parser.add_argument("--cold", action="store_true")
    options = parser.parse_args()
    torch = os.environ.get("TBCI_LIBTORCH") or sys.exit("set TBCI_LIBTORCH to a LibTorch (deploy/deps --print-torch)")
    names = [name for name in options.families.split(",") if name]
    families = f"worker_families = {names}\n".replace("'", '"') if names else ""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_repository(folder / "repository")
        (folder / "tbci.toml").write_text(CONFIG.format(families=families, repository=folder / "repository",
                                                        python=sys.executable, torch=torch))
        print("| LibTorch | its worker was | s in all |\n|---|---|--:|")
        found = []
        for day, _, what in DAYS:
            seconds, worker = measure(options.tbci, folder, day, options.cold)
            found.append(worker)
            print(f"| {what} | {worker} | {seconds:.1f} |", flush=True)
    return 0 if found == ["built", "reused", "built", "there"] else 1


if __name__ == "__main__":
    sys.exit(main())
