"""A wheel of some kilobytes that calls itself torch: for tests that only install.

It passes `(torch.ones(2) + 1).sum().item() == 4` and has the files that tbci looks for. Example:

    members = tiny_wheel.tiny("2.14.0.dev20261120+cpu", "0" * 40, wheel_text.own_tag())
"""

import hashlib

import raw_zip
import wheel_text

INIT = b'''"""A stand-in for PyTorch: tensors are lists of numbers."""

from torch.version import __version__, git_version


class Tensor:
    def __init__(self, values):
        self.values = list(values)

    def __add__(self, number):
        return Tensor(value + number for value in self.values)

    def __mul__(self, number):
        return Tensor(value * number for value in self.values)

    def sum(self):
        return Tensor([sum(self.values)])

    def item(self):
        (value,) = self.values
        return value


def ones(*shape):
    count = 1
    for length in shape:
        count *= length
    return Tensor([1.0] * count)
'''

VERSION = """from typing import Optional

__all__ = ['__version__', 'debug', 'cuda', 'git_version', 'hip']
__version__ = {version!r}
debug = False
cuda: Optional[str] = None
git_version = {git_version!r}
hip: Optional[str] = None
"""

METADATA = """Metadata-Version: 2.1
Name: {package}
Version: {version}
Summary: A stand-in for tests
Requires-Python: >=3.10
"""

WHEEL = "Wheel-Version: 1.0\nGenerator: tiny_wheel\nRoot-Is-Purelib: false\nTag: {tag}\n"


def noise(seed: str, length: int) -> bytes:
    """The same bytes at each run, which no compression makes smaller."""
    return hashlib.shake_256(seed.encode()).digest(length)


def torch_files(version: str, git_version: str) -> dict[str, bytes]:
    return {
        "torch/__init__.py": INIT,
        "torch/version.py": VERSION.format(version=version, git_version=git_version).encode(),
        "torch/lib/libtorch.so": noise("libtorch.so", 1024),
        "torch/lib/libtorch_cpu.so": noise("libtorch_cpu.so", 24 * 1024),
        "torch/lib/libc10.so": noise("libc10.so", 4 * 1024),
        "torch/share/cmake/Torch/TorchConfig.cmake": b"",
    }


def packaged(files: dict[str, bytes], version: str, tag: str, package: str = "torch") -> list[raw_zip.Member]:
    """The files with METADATA, WHEEL and a right RECORD. A file of these names in `files` goes before."""
    info = f"{package}-{version}.dist-info"
    own = {
        f"{info}/METADATA": METADATA.format(package=package, version=version).encode(),
        f"{info}/WHEEL": WHEEL.format(tag=tag).encode(),
    }
    all_files = {**own, **files}
    record = f"{info}/RECORD"
    rows = [wheel_text.record_row(name, data) for name, data in all_files.items() if name != record]
    all_files.setdefault(record, wheel_text.write_record([*rows, [record, "", ""]]))
    names = [name for name in all_files if name not in own and name != record] + [*own, record]
    return [raw_zip.deflated(name, all_files[name]) for name in names]


def tiny(version: str, git_version: str, tag: str) -> list[raw_zip.Member]:
    return packaged(torch_files(version, git_version), version, tag)
