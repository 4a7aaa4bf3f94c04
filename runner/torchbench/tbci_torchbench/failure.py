"""Maps exceptions of a model to the error kinds of the protocol."""

from __future__ import annotations

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
    if isinstance(error, Failure):
        return error
    said = first_line(str(error))
    name = type(error).__name__
    if is_of_memory(error):
        return Failure(OUT_OF_MEMORY, said or f"the host ran out of memory ({name})")
    if isinstance(error, NotImplementedError):
        return Failure(UNSUPPORTED, said or "the model does not implement this")
    if isinstance(error, ImportError):
        return _of_missing_import(error)
    if isinstance(error, SystemExit):
        return Failure(EXCEPTION, f"the model called exit({said})")
    return Failure(EXCEPTION, f"{name}: {said}" if said else name)
