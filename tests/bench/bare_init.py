#!/usr/bin/env python3
"""From a bare Debian 12 to the first verdict on two nightlies, by the commands of the README. Each is timed.

    tests/bench/bare_init.py ROOT --wheel FILE [--keep]

ROOT is a folder that is not there yet; at the end it is removed, unless --keep. It becomes a Debian as bare_root.py makes
one, with a clean clone of HEAD. FILE is a real wheel of torch for the CPU and for Python 3.11: the two nightlies are made
of it (tests/index), the later one with the code of the earlier, on an index of this machine. The wheels that torch
needs come from where pip gets them. Then a new user's commands: deploy/deps, the build, init, doctor, check. What they
printed lies in ROOT.log. Needs root's rights and debootstrap. Says how busy the machine was besides.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import bare_root

sys.path.insert(0, str(bare_root.CHECKOUT / "tests/index"))

import recipe  # noqa: E402
import testing_support  # noqa: E402

CONFIG = "tbci.toml"
TBCI = "build/release/tbci"


def nightlies(wheel, folder):
    """A scenario of tests/index: two nightlies, and what torch needs."""
    subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--only-binary=:all:", "--dest", folder, wheel], check=True)
    # Without METADATA beside them: the pip of Debian 12 takes typing_extensions there for another package (see pip_tool.cpp).
    files = [{"name": path.name, "path": str(path), "metadata_sha256": ""} for path in sorted(folder.glob("*.whl")) if not path.name.startswith("torch-")]
    for day in (19, 20):
        made = {"kind": "wheel", "source": str(wheel), "version": f"2.14.0.dev202611{day}+cpu", "git_version": f"{day:040x}"}
        files.append({"name": recipe.file_name(made), "make": made, "upload_time": f"2026-11-{day}T11:00:00.000000Z", "requires_python": ">=3.10"})
    return {"files": files}


def stages(index):
    init = [TBCI, "--config", CONFIG, "init", "--yes", "--device", "cpu", "--models", "few", "--index", index, "--repository", "none"]
    return [
        ("deploy/deps", ["deploy/deps"]),
        ("configure", ["cmake", "--preset", "release"]),
        ("build", ["cmake", "--build", "--preset", "release"]),
        ("init", init),
        ("doctor", [TBCI, "--config", CONFIG, "doctor"]),
        ("check, to the first verdict", [TBCI, "--config", CONFIG, "check", "--subject", "pytorch-cpu"]),
    ]


def run(root, words, log):
    """The exit code of a command in the checkout of the root."""
    environment = [f"{name}={value}" for name, value in os.environ.items() if bare_root.PASSED.match(name)]
    inside = ["chroot", root, "env", "-i", "-C", "/tbci", "HOME=/tmp", "LANG=C.UTF-8", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", *environment]
    print("$", *words, file=log, flush=True)
    return subprocess.run([*inside, *words], stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, check=False).returncode


def timed(root, index):
    total = 0.0
    with open(root.with_suffix(".log"), "w", encoding="utf-8") as log:
        for name, words in stages(index):
            busy, own, begun = bare_root.busy(), os.times(), time.monotonic()
            code = run(root, words, log)
            seconds, used = time.monotonic() - begun, os.times()
            children = used.children_user + used.children_system - own.children_user - own.children_system
            others = max(0.0, bare_root.busy() - busy - children)
            total += seconds
            print(f"{seconds:8.1f} s  {name}: exit code {code}; the processors worked {children:.0f} s for it and "
                  f"{others:.0f} s for other things", flush=True)
            if code != 0 and name != "doctor":  # which warns of this machine
                return code
    print(f"{total:8.1f} s  in all; {os.cpu_count()} processors")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--wheel", type=pathlib.Path, required=True)
    parser.add_argument("--keep", action="store_true")
    arguments = parser.parse_args()
    root = bare_root.new_root(arguments.root, "bare_init")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        held = nightlies(arguments.wheel.resolve(), folder)
        try:
            bare_root.make_root(root)
            with testing_support.Served(folder, held) as served:
                code = timed(root, served.url)
        finally:
            if not arguments.keep:
                bare_root.remove_root(root)
    sys.exit(code)


if __name__ == "__main__":
    main()
