"""The files that this process maps and that can move a number, as in suite/environment.cpp."""

from __future__ import annotations

import os
import re

_TELLING = (
    "libopenblas libmkl libblis libflame libarmpl libnvpl libatlas libblas libcblas liblapack libgomp libiomp5 libomp "
    "libtbb libdnnl libcu libnv libnccl libjemalloc libtcmalloc libmimalloc libtorch libc10 libstdc++ libc. libc- libm. "
    "libm- libmvec libpython"
)
_MOST = 500


def loaded() -> list[str]:
    """The interpreter, which computes as well, and the libraries that compute, run threads or allocate memory."""
    names = tuple(_TELLING.split())
    found = [os.path.realpath("/proc/self/exe")]
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        for line in maps:
            path = line[line.find("/") :].rstrip("\n") if "/" in line else ""
            if path and path not in found and os.path.basename(path).startswith(names):
                found.append(path)
    return found[:_MOST]


def allowed_cpus() -> str:
    with open("/proc/self/status", encoding="utf-8") as status:
        said = re.search(r"^Cpus_allowed_list:\s*(\S+)", status.read(), re.MULTILINE)
    return said.group(1) if said else ""
