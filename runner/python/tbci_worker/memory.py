"""Host memory of this process, counted as in suite/memory.cpp."""

from __future__ import annotations

import ctypes
import gc
import os
import re
import sys
from typing import Callable, Optional

_KIB = 1024


def _status_bytes(field: str) -> int:
    """A field of /proc/self/status; 0 if it is missing."""
    try:
        with open("/proc/self/status", "rb") as status:
            found = re.search(rb"^" + field.encode() + rb":\s*(\d+) kB", status.read(), re.MULTILINE)
    except OSError:
        return 0
    return int(found.group(1)) * _KIB if found else 0


def reset_peak() -> bool:
    """Resets the peak. False if the kernel refuses; then the peak is that of the whole process."""
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
    """The C library's allocator, called through ctypes."""

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
        """Fills this thread's cache of free chunks: they count as in use, so a filling cache looks like growth."""
        for size in range(24, 1033, 16):
            for i in range(len(self._chunks)):
                self._chunks[i] = self._malloc(size)
            for chunk in self._chunks:
                self._free(chunk)

    def in_use_bytes(self) -> int:
        """Allocated and not freed bytes; the resident set if the library does not count them."""
        if self._mallinfo2 is None:
            return _status_bytes("VmRSS")
        self.settle()
        info = self._mallinfo2()
        return int(info.uordblks + info.hblkhd)


def small_object_bytes() -> int:
    """Bytes of Python's small objects (up to 512 bytes), which are in arenas that malloc does not see. CPython prints
    them only to standard error; 0 if it does not."""
    print_stats = getattr(sys, "_debugmallocstats", None)
    if print_stats is None:
        return 0
    sys.stderr.flush()
    stats, error = os.memfd_create("stats"), os.dup(2)
    try:
        os.dup2(stats, 2)
        print_stats()
        os.dup2(error, 2)
        printed = os.pread(stats, 1 << 20, 0)
    finally:
        os.dup2(error, 2)
        os.close(error)
        os.close(stats)
    found = re.search(rb"# bytes in allocated blocks\s*=\s*([\d,]+)", printed)
    return int(found.group(1).replace(b",", b"")) if found else 0


class Held:
    """Memory in use after a garbage collection. The difference of two shows what the iterations between them keep."""

    def __init__(self, allocator: Allocator) -> None:
        gc.collect()
        self.small = small_object_bytes()
        self.large = allocator.in_use_bytes()
        self.peak = peak_bytes()
