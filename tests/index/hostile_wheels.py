"""Wheels that a careful installer refuses, or survives. Each is a tiny wheel with one thing wrong. Example:

    out.write(hostile_wheels.content("parent-member", version, git_version, tag))

None does harm: what gets a chance to run writes an empty file `evil-was-here` into the prefix of its Python, so that a
test can look for it.
"""

import zlib
from typing import Callable

import raw_zip
import tiny_wheel
import wheel_text

MARK = "evil-was-here"
RUN = f"import os, sys; open(os.path.join(sys.prefix, {MARK!r}), 'a').close()\n".encode()
BOMB_BYTES = 8 << 30

Files = dict[str, bytes]
Members = list[raw_zip.Member]


def _with_file(name: str, data: bytes) -> Callable[[Files, str, str], Members]:
    def make(files: Files, version: str, tag: str) -> Members:
        return tiny_wheel.packaged({**files, name: data}, version, tag)

    return make


def _symlink(files: Files, version: str, tag: str) -> Members:
    """A link that leads out of the folder, then a file behind the link."""
    link, behind = "torch/outside", "torch/outside/evil"
    members = tiny_wheel.packaged({**files, link: b"../../..", behind: b"evil\n"}, version, tag)
    return [raw_zip.stored(link, b"../../..", raw_zip.SYMLINK) if member.name == link else member
            for member in members]


def _lying_record(files: Files, version: str, tag: str) -> Members:
    """RECORD has the digest of another text for one file. Its length is right."""
    members = tiny_wheel.packaged(files, version, tag)
    record = members[-1].name
    honest = zlib.decompress(b"".join(members[-1].chunks()), -15)
    lie = wheel_text.digest(b"something else")
    rows = [[row[0], lie, row[2]] if row[0] == "torch/__init__.py" else row for row in wheel_text.read_record(honest)]
    return [*members[:-1], raw_zip.deflated(record, wheel_text.write_record(rows))]


def _crc_of_zeros(power: int) -> int:
    """The CRC-32 of 2^power zero bytes. A zero byte is a linear map of the 32 bits of state: it is squared."""
    ones = 0xFFFFFFFF

    def applied(columns: list[int], state: int) -> int:
        result = 0
        for bit, column in enumerate(columns):
            result ^= column if state >> bit & 1 else 0
        return result

    columns = [zlib.crc32(b"\0", 1 << bit ^ ones) ^ ones for bit in range(32)]
    for _ in range(power):
        columns = [applied(columns, column) for column in columns]
    return applied(columns, ones) ^ ones


def _bomb_member(name: str) -> raw_zip.Member:
    """8 GiB of zeros in 8 MiB. A full flush ends on a byte and forgets what was before, so that a block repeats."""
    block_bytes = 1 << 20
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packer.compress(bytes(block_bytes)) + packer.flush(zlib.Z_FULL_FLUSH)
    end = packer.flush()
    count = BOMB_BYTES // block_bytes
    return raw_zip.Member(name, _crc_of_zeros(BOMB_BYTES.bit_length() - 1), BOMB_BYTES, len(block) * count + len(end),
                          lambda: [block * count, end])


def _zip_bomb(files: Files, version: str, tag: str) -> Members:
    # RECORD gives no digest of it: that alone would take longer than anything else here.
    name = "torch/lib/libbomb.so"
    members = tiny_wheel.packaged({**files, name: b""}, version, tag)
    record = zlib.decompress(b"".join(members[-1].chunks()), -15)
    rows = [[name, "", ""] if row[0] == name else row for row in wheel_text.read_record(record)]
    others = [member for member in members[:-1] if member.name != name]
    return [*others, _bomb_member(name), raw_zip.deflated(members[-1].name, wheel_text.write_record(rows))]


def _other_version(files: Files, version: str, tag: str) -> Members:
    """METADATA says another version than the name of the file and the folder."""
    metadata = tiny_wheel.METADATA.format(package="torch", version="9.9.9").encode()
    return tiny_wheel.packaged({**files, f"torch-{version}.dist-info/METADATA": metadata}, version, tag)


def _honest(files: Files, version: str, tag: str) -> Members:
    return tiny_wheel.packaged(files, version, tag)


MAKERS: dict[str, Callable[[Files, str, str], Members]] = {
    "parent-member": _with_file("../evil", b"evil\n"),
    "absolute-member": _with_file("/evil-absolute", b"evil\n"),
    "symlink-out": _symlink,
    "lying-record": _lying_record,
    "zip-bomb": _zip_bomb,
    "pth": _with_file("evil.pth", RUN),
    "sitecustomize": _with_file("sitecustomize.py", RUN),
    "truncated": _honest,
    "other-version": _other_version,
}
NAMES = tuple(MAKERS)


def content(name: str, version: str, git_version: str, tag: str) -> bytes:
    """The whole archive: 8 MiB for the bomb, some kilobytes for the others."""
    wheel_text.check_version(version, git_version)
    members = MAKERS[name](tiny_wheel.torch_files(version, git_version), version, tag)
    archive = b"".join(raw_zip.pieces(members))
    return archive[: len(archive) * 6 // 10] if name == "truncated" else archive
