"""The command line of the worker for Python functions: that of tbci-worker, after the file with the benchmarks.

The worker for TorchBench shares its parts.
"""

from __future__ import annotations

import argparse
import sys
from typing import Callable, NoReturn

PROTOCOL_VERSION = 1
CONFIGURATIONS = ("cpu-train", "cpu-infer", "gpu-train", "gpu-infer")
EXIT_DONE, EXIT_USAGE, EXIT_ERROR = 0, 2, 3


class Parser(argparse.ArgumentParser):
    """Reports wrong usage in one line on standard error, as the protocol requires."""

    def error(self, message: str) -> NoReturn:
        print(f"{self.prog.split()[0]}: {message} (see --help)", file=sys.stderr)
        raise SystemExit(EXIT_USAGE)


def number(least: int, most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        value = int(text) if text.isascii() and text.isdigit() and len(text) <= 20 else -1
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"expected a whole number from {least} to {most} instead of {text!r}")
        return value

    return read


def protocol(text: str) -> int:
    if text != str(PROTOCOL_VERSION):
        raise argparse.ArgumentTypeError(
            f"protocol {text} was requested, but this worker speaks protocol {PROTOCOL_VERSION}"
        )
    return PROTOCOL_VERSION


def _add_process(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--protocol", type=protocol)
    parser.add_argument("--threads", type=number(1, 1024), default=1)
    parser.add_argument("--preload", action="append", default=[], help="shared library; repeatable")


def add_measuring(parser: argparse.ArgumentParser) -> None:
    """What is measured, and how long."""
    most = 1000000
    parser.add_argument("--benchmark", required=True)
    parser.add_argument("--configuration", required=True, choices=CONFIGURATIONS)
    parser.add_argument("--size", choices=("ci", "paper"), default="ci")
    parser.add_argument("--batch", type=number(1, most))
    parser.add_argument("--warmup", type=number(0, most), default=3)
    parser.add_argument("--iterations", type=number(1, most), default=10)
    parser.add_argument("--seed", type=number(0, 2**64 - 1), default=42)


def _add_run(parser: argparse.ArgumentParser) -> None:
    _add_process(parser)
    add_measuring(parser)
    parser.add_argument("--warmup-milliseconds", type=number(0, 10**9), default=0)
    parser.add_argument("--gpu-traced", type=number(0, 1000), default=0, help="not traced by this worker")
    parser.add_argument("--leak-iterations", type=number(0, 10**9), default=0)
    parser.add_argument("--leak-milliseconds", type=number(0, 10**9), default=500)
    parser.add_argument("--alternate", choices=("first", "second"))


def parse(arguments: list[str]) -> argparse.Namespace:
    """Exits with code 2 and one line if the command line is invalid."""
    parser = Parser(prog="tbci-python", allow_abbrev=False)
    parser.add_argument("file", help="Python file with functions under @benchmark()")
    commands = parser.add_subparsers(dest="command", required=True, parser_class=Parser)
    listing = commands.add_parser("list", allow_abbrev=False, help="the benchmarks of the file")
    listing.add_argument("--protocol", type=protocol)
    _add_run(commands.add_parser("run", allow_abbrev=False, help="measure one benchmark"))
    _add_process(commands.add_parser("environment", allow_abbrev=False, help="what this process loads"))
    for name in ("operators", "profile"):
        _add_run(commands.add_parser(name, allow_abbrev=False, help="not supported by this worker"))
    return parser.parse_args(arguments)
