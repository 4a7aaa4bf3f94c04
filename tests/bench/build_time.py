#!/usr/bin/env python3
"""What the time of a build goes to: per library, per compiled unit, and per library's header.

    tests/bench/build_time.py [BUILD]            compiles all units of a configured folder (default build/release)
    tests/bench/build_time.py [BUILD] --headers  what each library's headers cost, and in how many units

Each unit is compiled alone, without a compiler cache, into a folder that is removed. The times are of the processor, so
another program beside disturbs them little; on N cores a build takes about their sum divided by N.
The cost of a header is that of a unit that includes it and nothing else, less the cost of <string>, <vector> and <map>.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

# What a source includes of each library: one line of the table each.
HEADERS = {
    "Boost.Beast and Asio": ["boost/asio.hpp", "boost/beast.hpp"],
    "Boost.Process": ["boost/process.hpp"],
    "CLI11": ["CLI/CLI.hpp"],
    "nlohmann json": ["nlohmann/json.hpp"],
    "nlohmann json_fwd": ["nlohmann/json_fwd.hpp"],
    "toml++": ["toml++/toml.h"],
    "spdlog": ["spdlog/spdlog.h"],
    "SQLiteCpp": ["SQLiteCpp/SQLiteCpp.h"],
    "fmt": ["fmt/format.h"],
    "tl-expected": ["tl/expected.hpp"],
    "standard: filesystem": ["filesystem"],
    "standard: regex": ["regex"],
    "standard: chrono": ["chrono"],
    "standard: functional, thread": ["functional", "thread"],
    "standard: ranges, algorithm": ["ranges", "algorithm"],
}
PLAIN = "#include <string>\n#include <vector>\n#include <map>\n"


def without_launcher(command):
    words = shlex.split(command)
    return words[1:] if pathlib.Path(words[0]).name == "ccache" else words


def cost(words, folder):
    """Seconds of processor time and MiB at the peak, of the compiler and what it starts."""
    process = subprocess.Popen(words, cwd=folder, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit("build_time: this does not compile: " + shlex.join(words))
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def redirected(words, output):
    """The command with another output, and no list of dependencies."""
    kept, skip = [], False
    for word in words:
        if skip or word in ("-o", "-MF", "-MT", "-MD"):
            skip = word in ("-o", "-MF", "-MT") and not skip
            continue
        kept.append(word)
    return [*kept, "-o", str(output)]


def units_of(build):
    units = []
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        words = without_launcher(entry["command"])
        output = pathlib.PurePath(words[words.index("-o") + 1])
        target = next(part for part in output.parts if part.endswith(".dir"))[:-len(".dir")]
        units.append({"target": target, "name": output.name.removesuffix(".o"), "words": words,
                      "folder": entry["directory"], "file": entry["file"]})
    return units


def make_generated(build, units):
    """Sources that the build makes itself must be there before anything is compiled."""
    missing = set()
    for unit in units:
        for source in re.findall(r'^#include "(/.*)"', pathlib.Path(unit["file"]).read_text(encoding="utf-8"), re.MULTILINE):
            if not pathlib.Path(source).exists():
                missing.add(os.path.relpath(source, build.resolve()))
    if missing:
        subprocess.run(["ninja", "-C", str(build), *sorted(missing)], check=True, stdout=subprocess.DEVNULL)


def wanted(units, targets):
    return [unit for unit in units if not targets or unit["target"] in targets]


def print_units(units):
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        for unit in units:
            seconds, mebibytes = cost(redirected(unit["words"], pathlib.Path(scratch) / "unit.o"), unit["folder"])
            rows.append((unit["target"], unit["name"], seconds, mebibytes))
            print(f"{unit['target']:20} {unit['name']:24} {seconds:6.1f} s {mebibytes:5.0f} MiB", file=sys.stderr)
    total = sum(row[2] for row in rows)
    print("| library | units | CPU seconds | share | longest unit | peak MiB |\n|---|---|---|---|---|---|")
    by_target = collections.defaultdict(list)
    for row in rows:
        by_target[row[0]].append(row)
    for target, own in sorted(by_target.items(), key=lambda item: -sum(row[2] for row in item[1])):
        seconds = sum(row[2] for row in own)
        print(f"| {target} | {len(own)} | {seconds:.1f} | {100 * seconds / total:.0f}% | "
              f"{max(row[2] for row in own):.1f} | {max(row[3] for row in own):.0f} |")
    print(f"| all | {len(rows)} | {total:.1f} | 100% | {max(row[2] for row in rows):.1f} | "
          f"{max(row[3] for row in rows):.0f} |")


def included(unit):
    words = redirected(unit["words"], "/dev/null")
    words[words.index("-c")] = "-M"
    return subprocess.run(words, cwd=unit["folder"], capture_output=True, text=True, check=True).stdout


def print_headers(units):
    words = units[0]["words"]
    options = [word for word in words if word.startswith(("-std", "-O", "-f"))]
    compiler = words[0]
    lists = [included(unit) for unit in units]
    with tempfile.TemporaryDirectory() as scratch:
        def alone(text):
            source = pathlib.Path(scratch) / "alone.cpp"
            source.write_text(text, encoding="utf-8")
            command = [compiler, *options, "-c", str(source), "-o", str(source.with_suffix(".o"))]
            return min(cost(command, scratch)[0] for _ in range(2))

        plain = alone(PLAIN)
        rows = []
        for name, headers in HEADERS.items():
            try:
                seconds = alone(PLAIN + "".join(f"#include <{header}>\n" for header in headers)) - plain
            except SystemExit:
                continue
            count = sum(f"/{headers[0]} " in text.replace("\\\n", " ") + " " for text in lists)
            rows.append((name, seconds, count))
    print("| header | CPU seconds alone | units that include it | product |\n|---|---|---|---|")
    for name, seconds, count in sorted(rows, key=lambda row: -row[1] * row[2]):
        print(f"| {name} | {seconds:.2f} | {count} of {len(units)} | {seconds * count:.1f} |")
    print(f"| string, vector and map | {plain:.2f} | {len(units)} of {len(units)} | {plain * len(units):.1f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("--headers", action="store_true", help="the table of headers instead")
    parser.add_argument("--target", action="append", default=[], help="only units of this target; may be repeated")
    arguments = parser.parse_args()
    os.environ["CCACHE_DISABLE"] = "1"
    units = wanted(units_of(arguments.build), arguments.target)
    if not units:
        sys.exit(f"build_time: {arguments.build} has no units to compile: configure it first")
    make_generated(arguments.build, units)
    (print_headers if arguments.headers else print_units)(units)


if __name__ == "__main__":
    main()
