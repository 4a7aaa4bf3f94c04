#!/usr/bin/env python3
"""Runs the models' own tests on a GPU, and compares their outputs with those of the CPU.

usage: model_tests.py SUITE_TEST [--device gpu] [--jobs 8] [--limit 200] [--only resnet_test,...]

A process for each file of tests/suite/models. Prints how far the outputs of each model are apart, what was not compared
and why, and what failed. Exit code 1 if a test failed.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "suite/models"
APART = re.compile(r"^(\S+): the GPU's outputs differ from the CPU's by (\S+) of the largest$", re.M)
LEFT_OUT = re.compile(r"^\s*(\S+) is not compared with the CPU: (.*)$", re.M)


def run(arguments, name):
    command = [arguments.suite_test, "-#", f"[#{name}]~[.]"]
    environment = dict(os.environ, TBCI_TEST_DEVICE=arguments.device, OMP_NUM_THREADS="1")
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=arguments.limit, env=environment)
    except subprocess.TimeoutExpired:
        return name, f"over {arguments.limit:g} s", ""
    return name, "" if done.returncode == 0 else f"exit code {done.returncode}", done.stdout + done.stderr


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("suite_test")
    parser.add_argument("--device", choices=("gpu", "cpu"), default="gpu")
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("--limit", type=float, default=200)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    names = [name for name in arguments.only.split(",") if name] or sorted(path.stem for path in FOLDER.glob("*_test.cpp"))
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        results = list(pool.map(lambda name: run(arguments, name), names))
    apart, left_out, failed = {}, {}, []
    for name, wrong, text in results:
        apart |= {model: float(difference) for model, difference in APART.findall(text)}
        left_out |= dict(LEFT_OUT.findall(text))
        if wrong:
            failed.append(name)
            shown = re.findall(r"^[^\n]*FAILED:.*?(?=^\.{70}|^-{70}|^={70}|\Z)", text, re.M | re.S) or [text[-600:]]
            print(f"---- {name}: {wrong}\n" + "\n".join(part.strip()[:800] for part in shown[:4]))
    print("| model | largest difference between GPU and CPU, of the largest number |\n|---|--:|")
    for model, difference in sorted(apart.items(), key=lambda item: -item[1]):
        print(f"| {model} | {difference:.1e} |")
    for model, why in sorted(left_out.items()):
        print(f"not compared: {model}: {why}")
    print(f"{len(apart)} models compared, {len(left_out)} not; "
          f"{len(failed)} of {len(names)} files of tests failed: {', '.join(failed) or 'none'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
