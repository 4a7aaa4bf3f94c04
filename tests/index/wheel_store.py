"""The bytes behind the files of a scenario. A wheel with a recipe is made when asked for, and few are kept. Example:

    store = wheel_store.WheelStore(Path("cache"), keep=3)
    with store.open(entry) as wheel: ...
"""

import hashlib
import threading
from pathlib import Path
from typing import BinaryIO

import recipe
from scenario import Entry


class WheelStore:
    """May be used by many threads."""

    def __init__(self, cache: Path, keep: int):
        self._cache = cache
        self._keep = max(keep, 1)
        self._used: list[str] = []  # the last one was used last
        self._lock = threading.Lock()
        self._metadata: dict[str, bytes] = {}
        self._digests: dict[str, str] = {}

    def open(self, entry: Entry) -> BinaryIO:
        """Open files stay readable when the cache lets go of them. Others wait while a wheel is made."""
        if entry.path:
            return open(entry.path, "rb")
        with self._lock:
            self._cache.mkdir(parents=True, exist_ok=True)
            wheel = self._cache / entry.name
            if not wheel.exists():
                recipe.write(entry.make, wheel)
            self._used = [name for name in self._used if name != entry.name] + [entry.name]
            while len(self._used) > self._keep:
                (self._cache / self._used.pop(0)).unlink(missing_ok=True)
            return open(wheel, "rb")

    def size(self, entry: Entry) -> int:
        if entry.size is not None:
            return entry.size
        with self.open(entry) as file:
            return file.seek(0, 2)

    def sha256(self, entry: Entry) -> str:
        if entry.sha256 is not None:
            return entry.sha256
        with self._lock:
            known = self._digests.get(entry.name)
        if known is None:
            with self.open(entry) as file:
                known = hashlib.file_digest(file, "sha256").hexdigest()
            with self._lock:
                self._digests[entry.name] = known
        return known

    def metadata(self, entry: Entry) -> bytes:
        """Empty: this file has none."""
        with self._lock:
            if entry.name not in self._metadata:
                self._metadata[entry.name] = (recipe.metadata_within(Path(entry.path)) if entry.path
                                              else recipe.metadata(entry.make))
            return self._metadata[entry.name]

    def metadata_sha256(self, entry: Entry) -> str:
        """Empty: this file has none. Asked for each link of a page, so that a scenario may give it."""
        if entry.metadata_sha256 is not None:
            return entry.metadata_sha256
        text = self.metadata(entry)
        return hashlib.sha256(text).hexdigest() if text else ""

    def etag(self, entry: Entry) -> str:
        """The same for the same bytes: a wheel that is made again is the same wheel."""
        about = f"{entry.name} {entry.make or Path(entry.path).stat().st_mtime_ns} {self.size(entry)}"
        return '"' + hashlib.sha256(about.encode()).hexdigest()[:32] + '"'
