#!/usr/bin/env python3
"""How large does the mirror of a repository get, whole and blobless, after many polls and some builds?

    tests/bench/mirror_size.py BUILD/tbci REPOSITORY [--polls 100] [--commits 10] [--builds 10]

REPOSITORY is a git repository on this machine. A copy of its main branch is served that lacks the last POLLS * COMMITS commits,
and gets them back step by step, each followed by a poll (`tbci nightly list`). Then the last BUILDS days are "built": checked out,
with a recipe that copies one file. Prints a Markdown table of the sizes of the mirror by `du`.
TBCI_LIBTORCH names any LibTorch (deploy/deps --print-torch).
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

CONFIG = """[disk]
repack_after = {repack}
[[subject]]
name = "mirrored"
[subject.nightlies]
kind = "git-days"
[subject.source]
repository = "file://{repository}"
refs = ["refs/heads/main"]
blobless = {blobless}
torch = "{torch}"
recipe = [["cp", "README.md", "lib.so"]]
preload = ["lib.so"]
"""
REPACK = 50  # the default


def git(folder, *words):
    return subprocess.run(["git", "-C", folder, *words], capture_output=True, text=True, check=True).stdout.strip()


class Mirror:
    def __init__(self, tbci, folder, repository, blobless):
        self.folder = folder / ("blobless" if blobless else "whole")
        self.folder.mkdir()
        config = self.folder / "tbci.toml"
        config.write_text(CONFIG.format(repack=REPACK, repository=repository, blobless=str(blobless).lower(),
                                        torch=os.environ["TBCI_LIBTORCH"]))
        self.command = [tbci, "--config", config, "--state", self.folder / "state", "--json", "nightly"]
        self.sizes = []

    def tbci(self, *words):
        said = subprocess.run([*self.command, *words], capture_output=True, text=True, check=False)
        if said.returncode != 0:
            sys.exit(said.stderr)
        return said.stdout

    def weigh(self):
        mirror = next((self.folder / "state").rglob("mirror.git"))
        self.sizes.append(int(subprocess.run(["du", "-sk", mirror], capture_output=True, text=True, check=True).stdout.split()[0]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tbci", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("repository", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--polls", type=int, default=100)
    parser.add_argument("--commits", type=int, default=10)
    parser.add_argument("--builds", type=int, default=10)
    arguments = parser.parse_args()
    if "TBCI_LIBTORCH" not in os.environ:
        sys.exit("TBCI_LIBTORCH is not set: deploy/deps --print-torch says what to set it to")
    history = git(arguments.repository, "rev-list", "--first-parent", "HEAD").split()
    if len(history) <= arguments.polls * arguments.commits:
        sys.exit(f"the history has {len(history)} commits: fewer --polls or --commits are needed")
    with tempfile.TemporaryDirectory(prefix="tbci-mirror-") as name:
        folder = pathlib.Path(name)
        served = folder / "served.git"
        subprocess.run(["git", "init", "--quiet", "--bare", "--initial-branch=main", served], check=True)
        git(served, "config", "uploadpack.allowFilter", "true")
        git(served, "fetch", "--quiet", arguments.repository, "HEAD")

        def publish(back):
            git(served, "update-ref", "refs/heads/main", history[back])

        publish(arguments.polls * arguments.commits)
        mirrors = [Mirror(arguments.tbci, folder, served, blobless) for blobless in (False, True)]
        for mirror in mirrors:
            mirror.tbci("list")
            mirror.weigh()
        for poll in range(1, arguments.polls + 1):
            publish((arguments.polls - poll) * arguments.commits)
            for mirror in mirrors:
                mirror.tbci("list")
        for mirror in mirrors:
            mirror.weigh()
            days = [one["name"] for one in json.loads(mirror.tbci("list"))][-arguments.builds:]
            for day in days:
                mirror.tbci("install", day)
            mirror.weigh()
        print(f"{len(history)} commits of main, {arguments.polls} polls with {arguments.commits} commits each, repacked each "
              f"{REPACK} fetches\n")
        print(f"| mirror, MiB | at first | after {arguments.polls} polls | after {arguments.builds} builds |\n|---|--:|--:|--:|")
        for mirror in mirrors:
            print(f"| {mirror.folder.name} | " + " | ".join(f"{size / 1024:.1f}" for size in mirror.sizes) + " |")


if __name__ == "__main__":
    main()
