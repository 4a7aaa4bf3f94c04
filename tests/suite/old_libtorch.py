"""A worker builds against a LibTorch much older than today's, with all models, and measures.

usage: old_libtorch.py FOLDER

The LibTorch is that of the variable TBCI_OLD_LIBTORCH (a prefix), or the distribution's (libtorch-dev: 1.13.1 on Debian 12).
FOLDER keeps the build. Exit code 77: there is none, or one that is not older than 2.12.
"""
import csv
import json
import os
import pathlib
import re
import subprocess
import sys

SUITE = pathlib.Path(__file__).resolve().parents[2] / "suite"
# An optimizer, a table, convolutions; and the parts of LibTorch that change the most: its tracer and its executor.
RUNS = [["lennard_jones", "cpu-train", "eager"], ["dlrm", "cpu-infer", "eager"], ["dcgan", "cpu-infer", "jit-frozen"],
        ["lennard_jones", "cpu-train", "jit"], ["dcgan", "cpu-infer", "channels-last"]]


def version_of(prefix):
    """(1, 13) as its header says it; nothing where there is none."""
    header = prefix / "include/torch/csrc/api/include/torch/version.h"
    if not header.exists():
        return None
    text = header.read_text(encoding="utf-8")
    return tuple(int(re.search(rf"#define TORCH_VERSION_{part} (\d+)", text)[1]) for part in ("MAJOR", "MINOR"))


def build(folder, prefix):
    subprocess.run(["cmake", "-S", SUITE, "-B", folder, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}",
                    "-DCMAKE_BUILD_TYPE=Quick"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", folder, "--target", "tbci-worker"], check=True)
    return folder / "tbci-worker"


def lines_of(worker, prefix, *words):
    libraries = os.pathsep.join(filter(None, [str(prefix / "lib"), os.environ.get("LD_LIBRARY_PATH")]))
    done = subprocess.run([worker, *words], stdout=subprocess.PIPE, text=True, check=False,
                          env={**os.environ, "LD_LIBRARY_PATH": libraries, "OMP_NUM_THREADS": "1"})
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    if not lines or lines[-1]["type"] != "done":
        sys.exit(f"tbci-worker {' '.join(words)}: exit code {done.returncode}: {lines[-1] if lines else 'it said nothing'}")
    return lines


def main():
    folder, prefix = pathlib.Path(sys.argv[1]), pathlib.Path(os.environ.get("TBCI_OLD_LIBTORCH", "/usr"))
    version = version_of(prefix)
    if version is None or version >= (2, 12):
        found = "no LibTorch" if version is None else "LibTorch {}.{}, which is not old".format(*version)
        print(f"skipped: {found} at {prefix}; install libtorch-dev, or set TBCI_OLD_LIBTORCH to a prefix")
        sys.exit(77)
    worker = build(folder, prefix)
    with (SUITE / "catalogue.csv").open(encoding="utf-8") as file:
        wanted = {row["name"] for row in csv.DictReader(file)}
    listed = {line["name"] for line in lines_of(worker, prefix, "list") if line["type"] == "benchmark"}
    if listed != wanted:
        sys.exit(f"the worker has not these models: {', '.join(sorted(wanted ^ listed))}")
    for benchmark, configuration, backend in RUNS:
        lines = lines_of(worker, prefix, "run", "--benchmark", benchmark, "--configuration", configuration,
                         "--backend", backend, "--iterations", "2", "--warmup", "1")
        samples = [line for line in lines if line["type"] == "sample"]
        if len(samples) != 2 or not lines[-1]["finite"]:
            sys.exit(f"{benchmark}/{configuration} by {backend}: {lines[-1]}")
    print(f"LibTorch {version[0]}.{version[1]}: {len(listed)} models, {len(RUNS)} cases measured")


if __name__ == "__main__":
    main()
