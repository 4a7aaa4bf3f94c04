"""What an index holds, and from which day to which: a JSON file. Paths in it are relative to it. Example:

    {"day": 0,
     "files": [{"name": "torch-2.14.0.dev20261021+cpu-cp311-cp311-linux_x86_64.whl",
                "path": "wheels/torch-....whl",            or "make": {...}, see recipe.py
                "upload_time": "2026-10-21T11:03:12.000000Z", "requires_python": ">=3.10",
                "appears_at": 0, "disappears_at": 40, "yanked": "broken", "yanked_at": 1}],
     "faults": [{"on": "listing", "kind": "503", "count": 2}]}

Only name and path (or make) are needed. A file is listed on the days from appears_at up to the one before
disappears_at, and downloadable on these days. `yanked` without `yanked_at` holds from the beginning. `size`, `sha256`
and `metadata_sha256` may be given for a file that is made on demand, and are found out otherwise.
"""

import json
import re
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

MOST_VERSIONS = 60  # as many nightlies PyTorch's index keeps


@dataclass(frozen=True)
class Entry:
    name: str
    path: str | None = None
    make: dict[str, Any] | None = None
    upload_time: str | None = None
    requires_python: str | None = None
    appears_at: int = 0
    disappears_at: int | None = None
    yanked: str | None = None
    yanked_at: int = 0
    size: int | None = None
    sha256: str | None = None
    metadata_sha256: str | None = None

    @property
    def package(self) -> str:
        return re.sub(r"[-_.]+", "-", self.name.split("-")[0]).lower()

    @property
    def version(self) -> str:
        return self.name.split("-")[1]

    def is_there(self, day: int) -> bool:
        return self.appears_at <= day and (self.disappears_at is None or day < self.disappears_at)

    def yanked_on(self, day: int) -> str | None:
        """Why it was taken back; may be empty. None: it was not."""
        return self.yanked if self.yanked is not None and day >= self.yanked_at else None


@dataclass
class Scenario:
    entries: list[Entry]
    day: int
    faults: list[dict[str, Any]]


def _entry(fields_of_file: dict[str, Any], folder: Path) -> Entry:
    known = {field.name for field in fields(Entry)}
    unknown = set(fields_of_file) - known
    if unknown:
        raise ValueError(f"a file of the scenario has unknown fields: {', '.join(sorted(unknown))}")
    entry = dict(fields_of_file)
    if ("path" in entry) == ("make" in entry):
        raise ValueError(f"{entry.get('name')} needs either path or make")
    if "path" in entry:
        entry["path"] = str(folder / entry["path"])
    elif "source" in entry["make"]:
        entry["make"] = {**entry["make"], "source": str(folder / entry["make"]["source"])}
    return Entry(**entry)


def load(file: Path) -> Scenario:
    text = json.loads(file.read_text(encoding="utf-8"))
    entries = [_entry(entry, file.parent) for entry in text["files"]]
    return Scenario(entries, text.get("day", 0), text.get("faults", []))


def _version_key(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"[0-9]+", version)]


def listed(entries: list[Entry], package: str, day: int) -> list[Entry]:
    """The files of a package on a day, the oldest version first, and only of the newest 60 versions."""
    there = [entry for entry in entries if entry.package == package and entry.is_there(day)]
    kept = sorted({entry.version for entry in there}, key=_version_key)[-MOST_VERSIONS:]
    return sorted((entry for entry in there if entry.version in kept),
                  key=lambda entry: (_version_key(entry.version), entry.name))
