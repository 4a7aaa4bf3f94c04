"""Finds the torch to measure, checks that it is the build's, and prepares it."""

from __future__ import annotations

import ctypes
import dataclasses
import importlib.util
import os
import random
import re
import sys
from types import ModuleType

from .failure import EXCEPTION, UNSUPPORTED, Failure, failure_of, first_line


@dataclasses.dataclass(frozen=True)
class Version:
    torch: str
    git: str


def _folder_of_torch() -> str:
    """The folder from which `import torch` would import; empty: none. Imports nothing."""
    try:
        found = importlib.util.find_spec("torch")
    except (ImportError, ValueError):
        return ""
    return os.path.dirname(found.origin) if found is not None and found.origin else ""


def locate(wanted: str) -> str:
    """The folder of torch. `wanted`: the build's; empty: the one that this Python has. Puts the build's folder before
    any other torch. Failure if that does not help: a number of the wrong build would be worse than none."""
    folder = _folder_of_torch()
    if wanted and (not folder or os.path.realpath(folder) != os.path.realpath(wanted)):
        if os.path.isfile(os.path.join(wanted, "__init__.py")):
            sys.path.insert(0, os.path.dirname(os.path.abspath(wanted)))
        folder = _folder_of_torch()
        if folder and os.path.realpath(folder) != os.path.realpath(wanted):
            raise Failure(EXCEPTION, f"this Python would measure the torch in {folder}, not the build's in {wanted}")
    if not folder:
        place = f", and {wanted} is not a Python package" if wanted else ""
        raise Failure(EXCEPTION, f"the Python {sys.executable} ({sys.version.split()[0]}) has no torch{place}")
    return folder


def version_in(folder: str) -> Version:
    """The version in torch/version.py, read without importing it."""
    try:
        with open(os.path.join(folder, "version.py"), encoding="utf-8", errors="replace") as file:
            text = file.read(1 << 20)
    except OSError:
        text = ""
    said = dict(re.findall(r"^(__version__|git_version)\b[^=\n]*=\s*['\"]([^'\"\n]*)['\"]", text, re.MULTILINE))
    return Version(said.get("__version__", ""), said.get("git_version", ""))


def load(folder: str) -> ModuleType:
    try:
        import torch
    except Exception as error:  # noqa: BLE001 - a broken build may raise anything
        failure = failure_of(error)
        if failure.kind == UNSUPPORTED:  # a package that torch itself lacks says nothing about the model
            failure = Failure(EXCEPTION, str(failure))
        raise Failure(failure.kind, f"torch in {folder} does not import: {failure}") from error
    return torch


def preload(libraries: list[str]) -> None:
    """Opens the libraries for the lifetime of the process, with their symbols visible to all."""
    for library in libraries:
        try:
            ctypes.CDLL(library, mode=ctypes.RTLD_GLOBAL)
        except OSError as error:
            raise Failure(EXCEPTION, f"cannot preload {library}: {first_line(str(error))}") from error


def check_device(torch: ModuleType, device: str) -> None:
    if device == "cpu" or torch.cuda.is_available():
        return
    built = getattr(torch.version, "cuda", None) or getattr(torch.version, "hip", None)
    raise Failure(
        UNSUPPORTED, "no CUDA device was found on this machine" if built else "this torch was built without CUDA"
    )


def check_compiler(torch: ModuleType, device: str) -> None:
    """Inductor compiles C++ for a CPU. A machine without a compiler is not the model's fault."""
    if device != "cpu":
        return
    try:
        from torch._inductor import cpp_builder
    except ImportError:
        return  # an older torch: it says so itself
    find = getattr(cpp_builder, "get_cpp_compiler", None)
    try:
        if find is not None:
            find()
    except Exception as error:  # noqa: BLE001 - only its words are of use
        raise Failure(UNSUPPORTED, f"inductor needs a C++ compiler: {first_line(str(error))}") from error


def set_threads(torch: ModuleType, threads: int) -> None:
    if torch.get_num_threads() != threads:
        torch.set_num_threads(threads)


def prepare(torch: ModuleType, threads: int, seed: int) -> None:
    """Sets threads and seeds. TorchBench sets its own seed again when it creates a model."""
    set_threads(torch, threads)
    if torch.get_num_interop_threads() != 1:
        torch.set_num_interop_threads(1)  # can be set only once per process
    random.seed(seed)
    torch.manual_seed(seed)
    try:
        import numpy
    except ImportError:
        return
    numpy.random.seed(seed % 2**32)
