"""The error kinds of the protocol, and which exceptions of any code belong to which."""

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


def is_of_memory(error: BaseException) -> bool:
    # torch.OutOfMemoryError by name: older versions of torch define it elsewhere, and this file does not import torch.
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return True
    if isinstance(error, OSError) and error.errno == errno.ENOMEM:
        return True
    return any(words in str(error) for words in _WORDS_OF_MEMORY)


def failure_of(error: BaseException) -> Failure:
    """The kind of an exception, with the first line of its message."""
    if isinstance(error, Failure):
        return error
    said = first_line(str(error))
    name = type(error).__name__
    if is_of_memory(error):
        return Failure(OUT_OF_MEMORY, said or f"the host ran out of memory ({name})")
    if isinstance(error, NotImplementedError):
        return Failure(UNSUPPORTED, said or "this is not implemented")
    if isinstance(error, SystemExit):
        return Failure(EXCEPTION, f"it called exit({said})")
    return Failure(EXCEPTION, f"{name}: {said}" if said else name)
