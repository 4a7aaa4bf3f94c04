"""Maps exceptions of a model to the error kinds of the protocol."""

from __future__ import annotations

import errno

UNSUPPORTED, OUT_OF_MEMORY, EXCEPTION = "unsupported", "out_of_memory", "exception"

_LONGEST = 400

# PyTorch's host allocator raises a plain RuntimeError, so only its message identifies it.
_WORDS_OF_MEMORY = (
    "DefaultCPUAllocator: can't allocate memory",
    "DefaultCPUAllocator: not enough memory",
    "CUDA out of memory",
    "CUDA error: out of memory",
    "std::bad_alloc",
    "Cannot allocate memory",
)


class Failure(Exception):
    """An error of the protocol: a kind and one line."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def first_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[0].strip()[:_LONGEST] if lines else ""


def _is_of_memory(error: BaseException) -> bool:
    # torch.OutOfMemoryError by name: older versions of torch define it elsewhere, and this file does not import torch.
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return True
    if isinstance(error, OSError) and error.errno == errno.ENOMEM:
        return True
    return any(words in str(error) for words in _WORDS_OF_MEMORY)


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
    if _is_of_memory(error):
        return Failure(OUT_OF_MEMORY, said or f"the host ran out of memory ({name})")
    if isinstance(error, NotImplementedError):
        return Failure(UNSUPPORTED, said or "the model does not implement this")
    if isinstance(error, ImportError):
        return _of_missing_import(error)
    if isinstance(error, SystemExit):
        return Failure(EXCEPTION, f"the model called exit({said})")
    return Failure(EXCEPTION, f"{name}: {said}" if said else name)
