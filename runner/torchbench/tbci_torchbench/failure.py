"""Maps exceptions of a model to the error kinds of the protocol."""

from __future__ import annotations

from tbci_worker import failure
from tbci_worker.failure import EXCEPTION, OUT_OF_MEMORY, UNSUPPORTED, Failure, first_line, is_of_memory

__all__ = ["EXCEPTION", "OUT_OF_MEMORY", "UNSUPPORTED", "Failure", "failure_of", "first_line"]


def _of_missing_import(error: ImportError) -> Failure:
    package = (error.name or "").partition(".")[0]
    # A missing part of torch or of TorchBench itself is not a missing package: something is broken.
    if package in ("torch", "torchbenchmark"):
        return Failure(EXCEPTION, f"{type(error).__name__}: {first_line(str(error))}")
    if isinstance(error, ModuleNotFoundError) and package:
        return Failure(UNSUPPORTED, f"needs the Python package {package}, which is not installed")
    needs = f"needs another Python package {package}" if package else "needs a Python package"
    return Failure(UNSUPPORTED, f"{needs}: {first_line(str(error))}")


def failure_of(error: BaseException) -> Failure:
    """The kind of an exception, with the first line of its message."""
    if isinstance(error, ImportError) and not is_of_memory(error):
        return _of_missing_import(error)
    return failure.failure_of(error)
