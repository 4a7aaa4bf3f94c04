"""Zip archives written member by member, so that packed bytes can be taken from another archive as they are.

`zipfile` of the standard library packs each member again, which takes half a minute for PyTorch. Example:

    members = raw_zip.read_members("torch-2.13.0+cpu-cp311-cp311-linux_x86_64.whl")
    with open("copy.whl", "wb") as out:
        raw_zip.write(members, out)
"""

import struct
import zipfile
import zlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, Callable, Iterable, Iterator

STORED, DEFLATED = zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED
PLAIN_FILE = 0o100644 << 16
SYMLINK = 0o120777 << 16
FIXED_DATE = (1 << 5 | 1) | (46 << 9)  # 2026-01-01 as DOS writes it: the same archive at each run
NEEDS_64_BITS = 0xFFFFFFFF


@dataclass(frozen=True)
class Member:
    """One file of an archive. `chunks` gives its packed bytes, as often as it is called."""

    name: str
    crc: int
    size: int
    packed_size: int
    chunks: Callable[[], Iterable[bytes]]
    method: int = DEFLATED
    attributes: int = PLAIN_FILE
    time: int = 0
    date: int = FIXED_DATE

    def renamed(self, name: str) -> "Member":
        return replace(self, name=name)

    @property
    def is_large(self) -> bool:
        return max(self.size, self.packed_size) >= NEEDS_64_BITS


def deflated(name: str, data: bytes, attributes: int = PLAIN_FILE) -> Member:
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    packed = packer.compress(data) + packer.flush()
    return Member(name, zlib.crc32(data), len(data), len(packed), lambda: [packed], DEFLATED, attributes)


def stored(name: str, data: bytes, attributes: int = PLAIN_FILE) -> Member:
    return Member(name, zlib.crc32(data), len(data), len(data), lambda: [data], STORED, attributes)


def _slice_of(archive: Path, offset: int, length: int) -> Iterator[bytes]:
    with open(archive, "rb", buffering=0) as file:
        file.seek(offset)
        while length > 0:
            chunk = file.read(min(length, 1 << 20))
            if not chunk:
                raise EOFError(f"{archive} ends within a member")
            length -= len(chunk)
            yield chunk


def read_members(archive: Path) -> list[Member]:
    """The members of an archive, in the order in which they lie in it. Their bytes are read when they are written."""
    members = []
    with zipfile.ZipFile(archive) as opened, open(archive, "rb") as file:
        for info in opened.infolist():
            # The local header may have another extra field than the directory at the end.
            file.seek(info.header_offset + 26)
            name_length, extra_length = struct.unpack("<2H", file.read(4))
            begin = info.header_offset + 30 + name_length + extra_length
            members.append(_member_of(archive, info, begin))
    return members


def _member_of(archive: Path, info: zipfile.ZipInfo, begin: int) -> Member:
    year, month, day, hour, minute, second = info.date_time
    return Member(
        name=info.filename,
        crc=info.CRC,
        size=info.file_size,
        packed_size=info.compress_size,
        chunks=lambda: _slice_of(archive, begin, info.compress_size),
        method=info.compress_type,
        attributes=info.external_attr,
        time=hour << 11 | minute << 5 | second // 2,
        date=(year - 1980) << 9 | month << 5 | day,
    )


def _shared_fields(member: Member) -> tuple[bytes, bytes, bytes]:
    """What both headers of a member hold: the fields up to the lengths, the name, the extra field."""
    name = member.name.encode()
    flags = 0 if name.isascii() else 0x800
    version = 45 if member.is_large else 20
    sizes, extra = (member.packed_size, member.size), b""
    if member.is_large:
        extra = struct.pack("<2H2Q", 1, 16, member.size, member.packed_size)
        sizes = (NEEDS_64_BITS, NEEDS_64_BITS)
    fields = struct.pack("<5H3L2H", version, flags, member.method, member.time, member.date, member.crc, *sizes,
                         len(name), len(extra))
    return fields, name, extra


def _local_header(member: Member) -> bytes:
    return b"PK\3\4" + b"".join(_shared_fields(member))


def _directory_entry(member: Member, offset: int) -> bytes:
    fields, name, extra = _shared_fields(member)
    made_by_unix = struct.pack("<2B", 45, 3)
    rest = struct.pack("<3H2L", 0, 0, 0, member.attributes, offset)
    return b"PK\1\2" + made_by_unix + fields + rest + name + extra


def pieces(members: Iterable[Member]) -> Iterator[bytes]:
    """The bytes of the archive in their order."""
    directory, offset, count = [], 0, 0
    for member in members:
        header = _local_header(member)
        yield header
        yield from member.chunks()
        directory.append(_directory_entry(member, offset))
        offset += len(header) + member.packed_size
        count += 1
    entries = b"".join(directory)
    if offset + len(entries) >= NEEDS_64_BITS or count >= 0xFFFF:
        raise ValueError("archives over 4 GiB or of over 65,000 members are not supported")
    yield entries
    yield b"PK\5\6" + struct.pack("<4H2LH", 0, 0, count, count, len(entries), offset, 0)


def write(members: Iterable[Member], out: BinaryIO) -> None:
    for piece in pieces(members):
        out.write(piece)


def size_of(members: Iterable[Member]) -> int:
    """How long the archive will be, without reading any packed bytes."""
    total = 22
    for member in members:
        total += len(_local_header(member)) + member.packed_size + len(_directory_entry(member, 0))
    return total
