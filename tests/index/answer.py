"""An answer before it is sent, and the part of it that a Range header asks for. Example:

    whole = answer.of_bytes(page, "text/html")
    part = answer.part_of(whole, range_header="bytes=100-", if_range=whole.headers.get("ETag"))
"""

import re
from dataclasses import dataclass, field, replace
from typing import BinaryIO, Iterator

CHUNK = 256 << 10


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str] = field(default_factory=dict)
    data: bytes = b""
    file: BinaryIO | None = None  # goes before data
    first: int = 0
    length: int = 0

    def chunks(self, length: int | None = None) -> Iterator[bytes]:
        """The body, or its first `length` bytes."""
        left = self.length if length is None else length
        if self.file is None:
            yield self.data[self.first : self.first + left]
            return
        self.file.seek(self.first)
        while left > 0:
            chunk = self.file.read(min(left, CHUNK))
            if not chunk:
                return
            left -= len(chunk)
            yield chunk


def of_bytes(data: bytes, content_type: str, status: int = 200, headers: dict[str, str] | None = None) -> Answer:
    return Answer(status, {"Content-Type": content_type, **(headers or {})}, data, length=len(data))


def of_text(status: int, text: str, headers: dict[str, str] | None = None) -> Answer:
    return of_bytes(text.encode() + b"\n", "text/plain", status, headers)


def of_file(file: BinaryIO, headers: dict[str, str]) -> Answer:
    return Answer(200, headers, file=file, length=file.seek(0, 2))


def _wanted(range_header: str, size: int) -> tuple[int, int] | None:
    """First and last byte. None: not a range of one piece, which a server may ignore."""
    found = re.fullmatch(r"\s*bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*", range_header)
    if not found or found[1] == found[2] == "":
        return None
    if not found[1]:
        return max(size - int(found[2]), 0) if int(found[2]) else size, size - 1
    last = int(found[2]) if found[2] else size - 1
    return None if last < int(found[1]) and found[2] else (int(found[1]), min(last, size - 1))


def part_of(whole: Answer, range_header: str | None, if_range: str | None) -> Answer:
    """206 with the part, 416 where there is no such part, or the whole where no part is due."""
    if range_header is None or (if_range is not None and if_range != whole.headers.get("ETag")):
        return whole
    wanted = _wanted(range_header, whole.length)
    if wanted is None:
        return whole
    first, last = wanted
    if first >= whole.length:
        return of_text(416, "no such range", {"Content-Range": f"bytes */{whole.length}"})
    headers = {**whole.headers, "Content-Range": f"bytes {first}-{last}/{whole.length}"}
    return replace(whole, status=206, headers=headers, first=first, length=last - first + 1)
