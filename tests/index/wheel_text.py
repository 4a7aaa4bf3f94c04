"""The small texts within a wheel, and its names: pure functions over bytes. Example:

    wheel_text.with_version(b"Name: torch\\nVersion: 2.13.0\\n", "2.14.0.dev20261120+cpu")
"""

import base64
import csv
import hashlib
import io
import re
import sys
from typing import Iterable

PLATFORM = "manylinux_2_28_x86_64"  # what PyTorch's wheels for Linux say


def python_tag() -> str:
    return f"cp{sys.version_info.major}{sys.version_info.minor}"


def own_tag(platform: str = PLATFORM) -> str:
    """The tag of a wheel for the Python that runs this."""
    return f"{python_tag()}-{python_tag()}-{platform}"


def file_name(version: str, tag: str, package: str = "torch") -> str:
    return f"{package}-{version}-{tag}.whl"


def tag_of(name: str) -> str:
    """`cp311-cp311-linux_x86_64` of a wheel's file name."""
    return "-".join(name.removesuffix(".whl").split("-")[-3:])


def check_version(version: str, git_version: str) -> None:
    if not re.fullmatch(r"[0-9][0-9A-Za-z.!+]*", version):
        raise ValueError(f"{version!r} is not a version such as 2.14.0.dev20261120+cpu")
    if not re.fullmatch(r"[0-9a-f]{40}", git_version):
        raise ValueError(f"{git_version!r} is not a commit of 40 hexadecimal digits")


def _replaced(pattern: bytes, value: str, text: bytes, what: str) -> bytes:
    changed, count = re.subn(pattern, lambda found: found[1] + value.encode(), text, count=1, flags=re.MULTILINE)
    if count != 1:
        raise ValueError(f"the source wheel has no {what}")
    return changed


def with_version(metadata: bytes, version: str) -> bytes:
    return _replaced(rb"^(Version: ).*$", version, metadata, "Version in METADATA")


def without_requirements(metadata: bytes) -> bytes:
    """For an installation that has only this one wheel at hand."""
    return re.sub(rb"^Requires-Dist: .*\n", b"", metadata, flags=re.MULTILINE)


def with_torch_version(version_py: bytes, version: str, git_version: str) -> bytes:
    """Keeps whatever else stands in torch/version.py, and annotations as well."""
    text = _replaced(rb"^(__version__\b[^=\n]*= *).*$", repr(version), version_py, "__version__ in version.py")
    return _replaced(rb"^(git_version\b[^=\n]*= *).*$", repr(git_version), text, "git_version in version.py")


def with_tag(wheel: bytes, tag: str) -> bytes:
    kept = [line for line in wheel.split(b"\n") if line and not line.startswith(b"Tag: ")]
    return b"\n".join([*kept, b"Tag: " + tag.encode(), b""])


def digest(data: bytes) -> str:
    """As RECORD writes it."""
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def read_record(text: bytes) -> list[list[str]]:
    return [row for row in csv.reader(io.StringIO(text.decode())) if row]


def write_record(rows: Iterable[Iterable[str]]) -> bytes:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue().encode()


def record_row(name: str, data: bytes) -> list[str]:
    return [name, digest(data), str(len(data))]
