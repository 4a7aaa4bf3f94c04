#!/usr/bin/env python3
"""What the time of a build goes to: per library, per compiled unit, and per library's header.

    tests/bench/build_time.py [BUILD]            compiles all units of a configured folder (default build/release)
    tests/bench/build_time.py [BUILD] --headers  what each library's headers cost, and in how many units
    tests/bench/build_time.py --log FILE         the table of a build that ran with this program as compiler launcher:
        cmake ... -DCMAKE_CXX_COMPILER_LAUNCHER="tests/bench/build_time.py;--launch;FILE" (both as absolute paths)

Without a log, each unit is compiled alone, without a compiler cache, into a folder that is removed. The times are of the processor, so
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

# What a source includes of each library, and how a list of dependencies shows that it does.
HEADERS = {
    "Boost.Asio and Beast": ("/boost/asio/", ["boost/asio/ip/tcp.hpp", "boost/asio/steady_timer.hpp", "boost/beast/http.hpp"]),
    "CLI11": ("/CLI/", ["CLI/CLI.hpp"]),
    "nlohmann json": ("/nlohmann/json.hpp", ["nlohmann/json.hpp"]),
    "toml++": ("/toml++/", ["toml++/toml.h"]),
    "spdlog": ("/spdlog/", ["spdlog/spdlog.h"]),
    "SQLiteCpp": ("/SQLiteCpp/", ["SQLiteCpp/SQLiteCpp.h"]),
    "fmt": ("/fmt/format.h", ["fmt/format.h"]),
    "tl-expected": ("/tl/expected.hpp", ["tl/expected.hpp"]),
    "standard: filesystem": ("/bits/fs_path.h", ["filesystem"]),
    "standard: thread": ("/thread", ["thread"]),
}
PLAIN = "#include <string>\n#include <vector>\n#include <map>\n"


def without_launcher(command):
    words = shlex.split(command)
    return words[1:] if pathlib.Path(words[0]).name == "ccache" else words


def cost(words, folder):
    """Seconds of processor time and MiB at the peak, of the compiler and what it starts."""
    process = subprocess.Popen(words, cwd=folder)
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
        output = words[words.index("-o") + 1]
        units.append({"target": target_of(output), "name": pathlib.PurePath(output).name, "words": words,
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


def target_of(output):
    return next(part for part in pathlib.PurePath(output).parts if part.endswith(".dir"))[:-len(".dir")]


def launch(log, words):
    """Compiles, and appends a line to the log: seconds, MiB, output."""
    seconds, mebibytes = cost(words, None)
    if "-o" in words:
        with open(log, "a", encoding="utf-8") as file:
            file.write(f"{seconds:.2f} {mebibytes:.0f} {words[words.index('-o') + 1]}\n")


def logged(log):
    rows = []
    for line in log.read_text(encoding="utf-8").splitlines():
        seconds, mebibytes, output = line.split(maxsplit=2)
        rows.append((target_of(output), pathlib.PurePath(output).name, float(seconds), float(mebibytes)))
    return rows


def compiled(units):
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        for unit in units:
            seconds, mebibytes = cost(redirected(unit["words"], pathlib.Path(scratch) / "unit.o"), unit["folder"])
            rows.append((unit["target"], unit["name"], seconds, mebibytes))
            print(f"{unit['target']:20} {unit['name']:24} {seconds:6.1f} s {mebibytes:5.0f} MiB", file=sys.stderr)
    return rows


def print_rows(rows):
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
    words = redirected(unit["words"], "-")
    words[words.index("-c")] = "-M"
    return subprocess.run(words, cwd=unit["folder"], capture_output=True, text=True, check=True).stdout


def print_headers(units):
    words = units[0]["words"]
    options = [word for word in words if word.startswith(("-std", "-O", "-f", "-D"))]
    compiler = words[0]
    lists = [included(unit) for unit in units]
    with tempfile.TemporaryDirectory() as scratch:
        def alone(text):
            source = pathlib.Path(scratch) / "alone.cpp"
            source.write_text(text, encoding="utf-8")
            command = [compiler, *options, "-c", str(source), "-o", str(source.with_suffix(".o"))]
            return cost(command, scratch)[0]

        plain = alone(PLAIN)
        rows = []
        for name, (mark, headers) in HEADERS.items():
            try:
                seconds = alone(PLAIN + "".join(f"#include <{header}>\n" for header in headers)) - plain
            except SystemExit:
                continue
            count = sum(mark in text for text in lists)
            rows.append((name, seconds, count))
    print("| header | CPU seconds alone | units that include it | product |\n|---|---|---|---|")
    for name, seconds, count in sorted(rows, key=lambda row: -row[1] * row[2]):
        print(f"| {name} | {seconds:.2f} | {count} of {len(units)} | {seconds * count:.1f} |")
    print(f"| string, vector and map | {plain:.2f} | {len(units)} of {len(units)} | {plain * len(units):.1f} |")


def main():
    if sys.argv[1:2] == ["--launch"]:
        launch(sys.argv[2], sys.argv[3:])
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("--headers", action="store_true", help="the table of headers instead")
    parser.add_argument("--target", action="append", default=[], help="only units of this target; may be repeated")
    parser.add_argument("--log", type=pathlib.Path, help="what a build with --launch wrote")
    arguments = parser.parse_args()
    if arguments.log:
        print_rows(logged(arguments.log))
        return
    os.environ["CCACHE_DISABLE"] = "1"
    units = wanted(units_of(arguments.build), arguments.target)
    if not units:
        sys.exit(f"build_time: {arguments.build} has no units to compile: configure it first")
    make_generated(arguments.build, units)
    if arguments.headers:
        print_headers(units)
    else:
        print_rows(compiled(units))


if __name__ == "__main__":
    main()
