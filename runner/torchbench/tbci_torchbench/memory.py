"""What this process holds of the host's memory, counted as suite/memory.cpp counts it."""

from __future__ import annotations

import ctypes
import gc
import os
import re
import sys
from typing import Callable, Optional

_KIB = 1024


def _status_bytes(field: str) -> int:
    """A field of /proc/self/status; 0 where the kernel does not say."""
    try:
        with open("/proc/self/status", "rb") as status:
            found = re.search(rb"^" + field.encode() + rb":\s*(\d+) kB", status.read(), re.MULTILINE)
    except OSError:
        return 0
    return int(found.group(1)) * _KIB if found else 0


def reset_peak() -> bool:
    """Starts a new count of the peak. False where the kernel refuses: then the peak is that of the whole process."""
    try:
        with open("/proc/self/clear_refs", "wb") as clear:
            clear.write(b"5")
    except OSError:
        return False
    return True


def peak_bytes() -> int:
    """The largest resident set of this process since the last `reset_peak` (VmHWM)."""
    return _status_bytes("VmHWM")


class _Mallinfo2(ctypes.Structure):
    """struct mallinfo2 of malloc.h"""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()
    ]


class Allocator:
    """The C library's allocator, asked through ctypes."""

    def __init__(self) -> None:
        library = ctypes.CDLL(None)
        self._mallinfo2: Optional[Callable[[], _Mallinfo2]] = getattr(library, "mallinfo2", None)
        if self._mallinfo2 is not None:
            self._mallinfo2.restype = _Mallinfo2  # type: ignore[attr-defined]
        self._malloc, self._free = library.malloc, library.free
        self._malloc.restype, self._malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
        self._free.restype, self._free.argtypes = None, [ctypes.c_void_p]
        self._chunks: list[Optional[int]] = [None] * 16

    def settle(self) -> None:
        """Fills this thread's cache of free chunks: they count as in use, and would look like growth while it fills."""
        for size in range(24, 1033, 16):
            for i in range(len(self._chunks)):
                self._chunks[i] = self._malloc(size)
            for chunk in self._chunks:
                self._free(chunk)

    def in_use_bytes(self) -> int:
        """What the program has allocated and not given back; where the library does not count, the resident set."""
        if self._mallinfo2 is None:
            return _status_bytes("VmRSS")
        self.settle()
        info = self._mallinfo2()
        return int(info.uordblks + info.hblkhd)


def small_object_bytes() -> int:
    """Python's own small objects (up to 512 bytes), which lie in arenas that malloc does not know of. CPython tells it
    on the standard error alone; 0 where it does not."""
    tell = getattr(sys, "_debugmallocstats", None)
    if tell is None:
        return 0
    sys.stderr.flush()
    paper, error = os.memfd_create("stats"), os.dup(2)
    try:
        os.dup2(paper, 2)
        tell()
        os.dup2(error, 2)
        told = os.pread(paper, 1 << 20, 0)
    finally:
        os.dup2(error, 2)
        os.close(error)
        os.close(paper)
    found = re.search(rb"# bytes in allocated blocks\s*=\s*([\d,]+)", told)
    return int(found.group(1).replace(b",", b"")) if found else 0


class Held:
    """What is held once the garbage is collected. Two of them, before and after, tell what iterations keep for good."""

    def __init__(self, allocator: Allocator) -> None:
        gc.collect()
        self.small = small_object_bytes()
        self.large = allocator.in_use_bytes()
        self.peak = peak_bytes()
