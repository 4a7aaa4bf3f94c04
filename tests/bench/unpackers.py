#!/usr/bin/env python3
"""How long does `tbci nightly install` of a torch wheel take where uv unpacks it, and where pip does?

    tests/bench/unpackers.py build/dev/tbci [--version 2.13.0+cpu] [--rounds 5] [--python PROGRAM]

From the index that pip is configured with, each time into a state folder of its own, so that nothing is there yet; the two
take turns, and the first of a round changes. uv has to be on PATH. Everything but the unpacking is the same work: the
venv, asking pip, the comparison with RECORD, the import.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

CONFIG = """[[subject]]
name = "wheels"
[subject.nightlies]
kind = "pip"
package = "torch"
index = ""
pre_release = false
python = "{python}"
installer = "{installer}"
"""


def install(arguments, installer):
    """Seconds, and those of processors."""
    with tempfile.TemporaryDirectory(prefix="tbci-unpackers-") as name:
        config = pathlib.Path(name) / "tbci.toml"
        config.write_text(CONFIG.format(python=arguments.python, installer=installer), encoding="utf-8")
        begun, before = time.monotonic(), os.times()
        said = subprocess.run([arguments.tbci, "--config", config, "--state", pathlib.Path(name) / "state", "--json",
                               "nightly", "install", arguments.version], capture_output=True, text=True, check=False)
        seconds, after = time.monotonic() - begun, os.times()
        worked = after.children_user + after.children_system - before.children_user - before.children_system
        if said.returncode != 0:
            sys.exit(said.stderr)
        unpacker = json.loads(said.stdout)["unpacked_by"]
        if not unpacker.startswith(installer):
            sys.exit(f"unpacked by {unpacker}, and not by {installer}")
        print(f"{seconds:8.1f} s, of processors {worked:6.1f} s  {unpacker}", flush=True)
        return seconds, worked


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tbci", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--version", default="2.13.0+cpu")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--python", default="python3")
    arguments = parser.parse_args()
    print("load of the machine at the start (1, 5, 15 minutes):", *os.getloadavg(), flush=True)
    seconds = {"pip": [], "uv": []}
    for turn in range(arguments.rounds):
        for installer in ("pip", "uv") if turn % 2 == 0 else ("uv", "pip"):
            seconds[installer].append(install(arguments, installer))
    for which, name in enumerate(("time", "processors' time")):
        ratios = sorted(by_uv[which] / by_pip[which] for by_pip, by_uv in zip(seconds["pip"], seconds["uv"]))
        print(f"uv takes {statistics.median(ratios):.2f} of pip's {name} (median of {len(ratios)} rounds; {ratios[0]:.2f} to {ratios[-1]:.2f})")


if __name__ == "__main__":
    main()
