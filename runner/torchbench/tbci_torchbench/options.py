"""The command line: that of tbci-worker, plus the location of TorchBench."""

from __future__ import annotations

import argparse
import sys
from typing import Callable, NoReturn

PROTOCOL_VERSION = 1
CONFIGURATIONS = ("cpu-train", "cpu-infer", "gpu-train", "gpu-infer")
EXIT_DONE, EXIT_USAGE, EXIT_ERROR = 0, 2, 3


class _Parser(argparse.ArgumentParser):
    """Reports wrong usage in one line on standard error, as the protocol requires."""

    def error(self, message: str) -> NoReturn:
        print(f"tbci-torchbench: {message} (see --help)", file=sys.stderr)
        raise SystemExit(EXIT_USAGE)


def _number(least: int, most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        value = int(text) if text.isascii() and text.isdigit() and len(text) <= 20 else -1
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"expected a whole number from {least} to {most} instead of {text!r}")
        return value

    return read


def _protocol(text: str) -> int:
    if text != str(PROTOCOL_VERSION):
        raise argparse.ArgumentTypeError(
            f"protocol {text} was requested, but this worker speaks protocol {PROTOCOL_VERSION}"
        )
    return PROTOCOL_VERSION


def _path(text: str) -> str:
    if not text:
        raise argparse.ArgumentTypeError("the path is empty")
    return text


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--protocol", type=_protocol)
    parser.add_argument("--checkout", required=True, type=_path, help="folder of pytorch/benchmark")
    parser.add_argument("--torch", default="", help="folder of the torch to measure; no other torch is used")
    parser.add_argument("--model", action="append", default=[], help="list only this one; repeatable")


def _add_run(parser: argparse.ArgumentParser) -> None:
    _add_common(parser)
    most = 1000000
    parser.add_argument("--benchmark", required=True)
    parser.add_argument("--configuration", required=True, choices=CONFIGURATIONS)
    parser.add_argument("--size", choices=("ci", "paper"), default="ci")
    parser.add_argument("--batch", type=_number(1, most))
    parser.add_argument("--precision", help="as TorchBench's option of that name; default: the model's own")
    parser.add_argument("--warmup", type=_number(0, most), default=3)
    parser.add_argument("--iterations", type=_number(1, most), default=10)
    parser.add_argument("--threads", type=_number(1, 1024), default=1)
    parser.add_argument("--seed", type=_number(0, 2**64 - 1), default=42)
    parser.add_argument("--preload", action="append", default=[], type=_path, help="shared library; repeatable")
    # Growth is always taken from the measured iterations: there it can be distinguished from Python's garbage.
    for option in ("--leak-iterations", "--leak-milliseconds"):
        parser.add_argument(option, type=_number(0, 10**9), default=0, help="accepted, but ignored")


def parse(arguments: list[str]) -> argparse.Namespace:
    """Exits with code 2 and one line if the command line is invalid."""
    parser = _Parser(prog="tbci-torchbench", allow_abbrev=False)
    commands = parser.add_subparsers(dest="command", required=True, parser_class=_Parser)
    _add_common(commands.add_parser("list", allow_abbrev=False, help="the models of the checkout"))
    _add_run(commands.add_parser("run", allow_abbrev=False, help="measure one model"))
    for name in ("operators", "profile"):
        _add_run(commands.add_parser(name, allow_abbrev=False, help="not supported by this worker"))
    return parser.parse_args(arguments)
