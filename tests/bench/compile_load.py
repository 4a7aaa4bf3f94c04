#!/usr/bin/env python3
"""Runs a command while a compiler works on the other CPUs, as it does on a machine that builds and measures.

usage: compile_load.py --cpus 1[,2...] -- COMMAND...

On each of the CPUs one compilation after the other runs, from before the command begins until it has ended. The command itself is
left where it is (taskset it). Ends with the command's exit code.
"""

import contextlib
import os
import subprocess
import sys
import threading

SOURCE = """
#include <algorithm>
#include <functional>
#include <map>
#include <regex>
#include <string>
#include <unordered_map>
#include <vector>
std::map<std::string, std::vector<std::function<int(int)>>> table;
bool matches(const std::string& text) { return std::regex_match(text, std::regex("(a|b)*c?[0-9]+")); }
void sorted(std::vector<std::string>& words) { std::sort(words.begin(), words.end()); }
"""


@contextlib.contextmanager
def compiling(cpus):
    """One compilation after the other on each CPU."""
    stop = threading.Event()

    def work(cpu):
        while not stop.is_set():
            subprocess.run(
                ["taskset", "-c", str(cpu), os.environ.get("CXX", "c++"), "-std=c++20", "-O2", "-x", "c++", "-c", "-o", "/dev/null", "-"],
                input=SOURCE, text=True, check=True,
            )

    threads = [threading.Thread(target=work, args=(cpu,)) for cpu in cpus]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def main():
    arguments = sys.argv[1:]
    if len(arguments) < 4 or arguments[0] != "--cpus" or arguments[2] != "--":
        sys.exit(__doc__)
    with compiling([int(cpu) for cpu in arguments[1].split(",")]):
        code = subprocess.run(arguments[3:], check=False).returncode
    sys.exit(code)


if __name__ == "__main__":
    main()
