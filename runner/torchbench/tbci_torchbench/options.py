"""The command line: that of tbci-worker, plus the location of TorchBench."""

from __future__ import annotations

import argparse

from tbci_worker.options import EXIT_DONE, EXIT_ERROR, EXIT_USAGE, PROTOCOL_VERSION, Parser, add_measuring, number, protocol

__all__ = ["EXIT_DONE", "EXIT_ERROR", "EXIT_USAGE", "PROTOCOL_VERSION", "parse"]


def _path(text: str) -> str:
    if not text:
        raise argparse.ArgumentTypeError("the path is empty")
    return text


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--protocol", type=protocol)
    parser.add_argument("--checkout", required=True, type=_path, help="folder of pytorch/benchmark")
    parser.add_argument("--torch", default="", help="folder of the torch to measure; no other torch is used")
    parser.add_argument("--model", action="append", default=[], help="list only this one; repeatable")


def _add_run(parser: argparse.ArgumentParser) -> None:
    _add_common(parser)
    add_measuring(parser)
    parser.add_argument("--precision", help="as TorchBench's option of that name; default: the model's own")
    parser.add_argument("--backend", choices=("eager", "inductor"), default="eager")
    parser.add_argument("--threads", type=number(1, 1024), default=1)
    parser.add_argument("--preload", action="append", default=[], type=_path, help="shared library; repeatable")
    parser.add_argument("--warmup-milliseconds", type=number(0, 10**9), default=0)
    parser.add_argument("--gpu-traced", type=number(0, 1000), default=0, help="accepted, but ignored")
    # Growth is always taken from the measured iterations: there it can be distinguished from Python's garbage.
    for option in ("--leak-iterations", "--leak-milliseconds"):
        parser.add_argument(option, type=number(0, 10**9), default=0, help="accepted, but ignored")


def parse(arguments: list[str]) -> argparse.Namespace:
    """Exits with code 2 and one line if the command line is invalid."""
    parser = Parser(prog="tbci-torchbench", allow_abbrev=False)
    commands = parser.add_subparsers(dest="command", required=True, parser_class=Parser)
    _add_common(commands.add_parser("list", allow_abbrev=False, help="the models of the checkout"))
    _add_run(commands.add_parser("run", allow_abbrev=False, help="measure one model"))
    for name in ("operators", "profile"):
        _add_run(commands.add_parser(name, allow_abbrev=False, help="not supported by this worker"))
    return parser.parse_args(arguments)
