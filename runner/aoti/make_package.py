"""Makes a package of AOTInductor of what `tbci-worker trace` wrote.

    python make_package.py --trace FILE --out PACKAGE.pt2 [--torch DIR]

FILE is a TorchScript module, and FILE.inputs the list of its inputs. It runs in the Python of the build under test and
uses only that and the standard library. The last line on standard output is JSON: {"type": "done"}, or
{"type": "error", "kind": "...", "message": "..."} where this model cannot be packaged, with exit code 1. Other failures
(exit code 2) are of the machine or of this Python, and say nothing about the model or the build. Standard error has the
traceback of either.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import traceback
import warnings
from typing import Any, TextIO


# What memory, a disk or a killed process makes the compilers and torch's writer of archives say.
SIGNS_OF_MACHINE = ("No space left", "Disk quota exceeded", "PytorchStreamWriter failed", "unexpected pos", "Killed",
                    "Cannot allocate memory", "can't allocate memory", "out of memory allocating", "terminated abruptly")


class Refused(Exception):
    """Why this model has no package."""

    def __init__(self, message: str, kind: str = "unsupported"):
        super().__init__(message)
        self.kind = kind


def _use(folder: str) -> None:
    """Imports torch from this folder and from no other."""
    if folder and os.path.isfile(os.path.join(folder, "__init__.py")):
        sys.path.insert(0, os.path.dirname(os.path.abspath(folder)))
    import torch

    found = os.path.dirname(os.path.abspath(torch.__file__))
    if folder and os.path.realpath(found) != os.path.realpath(folder):
        raise SystemExit(f"this Python would use the torch in {found}, not the build's in {folder}")


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines()]
    said = next((line for line in lines if line), "")
    return f"{type(error).__name__}: {said}"[:400]


def _chain(error: BaseException | None) -> list[BaseException]:
    chain: list[BaseException] = []
    while error is not None and error not in chain:
        chain.append(error)
        error = error.__cause__ or error.__context__
    return chain


def _is_of_machine(error: BaseException) -> bool:
    """Whether memory, the disk or a process that was killed is behind it: that says nothing about the model."""
    return any(isinstance(one, (MemoryError, OSError)) or any(sign in str(one) for sign in SIGNS_OF_MACHINE)
               for one in _chain(error))


def _refused(what: str, error: BaseException) -> Refused:
    """By the compiler's own message where one is behind it."""
    for one in _chain(error):
        if "OutOfMemoryError" in type(one).__name__:
            return Refused(f"{what}: {_first_line(one)}", "out_of_memory")
    said = _first_line(error)
    lines = [line.strip() for one in _chain(error) for line in str(one).splitlines() if "error: " in line]
    if lines and lines[0] not in said:
        said += f": {lines[0]}"[:300]
    return Refused(f"{what}: {said}")


def _check_compiler() -> None:
    """A machine without a compiler is not the model's fault: say so in one line."""
    from torch._inductor import cpp_builder

    find = getattr(cpp_builder, "get_cpp_compiler", None)
    if find is None:
        return
    try:
        find()
    except Exception as error:
        raise SystemExit(f"AOTInductor needs a C++ compiler: {_first_line(error)}; install g++, or set CXX") from error


def _inputs(torch: Any, file: str) -> tuple[Any, ...]:
    import torch.jit._pickle as lists  # what LibTorch's pickler calls for a list of tensors

    with torch.serialization.safe_globals([lists.build_tensorlist]):
        return tuple(torch.load(file, weights_only=True))


def _writes_in_place(torch: Any, exported: Any) -> bool:
    """Whether a call of its graph writes to a tensor that it is given."""
    for node in exported.graph.nodes:
        if isinstance(node.target, torch._ops.OpOverload) and node.target._schema.is_mutable:
            return True
    return False


def _package(torch: Any, trace: str, out: str) -> None:
    from torch._export.converter import TS2EPConverter

    doing = "torch cannot load its trace"
    try:
        module = torch.jit.load(trace)
        inputs = _inputs(torch, trace + ".inputs")
        doing = "torch.export cannot convert its trace"
        exported = TS2EPConverter(module, inputs, {}).convert()
        doing = "AOTInductor cannot compile it"
        if _writes_in_place(torch, exported):
            # The converter leaves such calls as they were traced, and AOTInductor refuses them.
            exported = exported.run_decompositions({})
        torch._inductor.aoti_compile_and_package(exported, package_path=out)
    except Exception as error:
        if _is_of_machine(error):
            raise
        raise _refused(doing, error) from error


def _without_packages(error: ImportError) -> Refused:
    """Of the build, unless a package of somebody else is missing in this Python."""
    if isinstance(error, ModuleNotFoundError) and not str(error.name).startswith("torch"):
        raise SystemExit(f"this Python lacks what torch needs: {_first_line(error)}; install it") from error
    return Refused(f"this torch cannot make packages of traces (2.6 and newer can): {_first_line(error)}")


def _answer(answer: TextIO, refused: Refused | None) -> int:
    said = {"type": "done"} if refused is None else {"type": "error", "kind": refused.kind, "message": str(refused)}
    answer.write(json.dumps(said) + "\n")
    answer.close()
    return 0 if refused is None else 1


def main() -> int:
    parser = argparse.ArgumentParser(prog="make_package", allow_abbrev=False)
    parser.add_argument("--trace", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--torch", default="")
    options = parser.parse_args()
    # The last line is ours: whatever compilers print goes to standard error.
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    warnings.filterwarnings("ignore")
    # This folder's files must not hide torch's.
    sys.path[:] = [path for path in sys.path if os.path.abspath(path) != os.path.dirname(os.path.abspath(__file__))]
    _use(options.torch)
    import torch

    try:
        import torch._inductor
        from torch._export.converter import TS2EPConverter  # noqa: F401
    except ImportError as error:
        return _answer(answer, _without_packages(error))
    _check_compiler()
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))  # generated code is for this number
    try:
        with torch.no_grad():
            _package(torch, options.trace, options.out)
    except Refused as error:
        traceback.print_exc()
        return _answer(answer, error)
    return _answer(answer, None)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
            sys.exit(2)
        raise
    except Exception as error:
        traceback.print_exc()
        print(f"making a package: {_first_line(error)}", file=sys.stderr)
        sys.exit(2)
