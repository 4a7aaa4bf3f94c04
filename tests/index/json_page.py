"""The page of a package as JSON (PEP 691, with the sizes and times of PEP 700). PyTorch's own index has none. Example:

    content = json_page.page("torch", entries, store, day=3, folder="/torch/")
"""

import json
import re
from typing import Any
from urllib.parse import quote

from scenario import Entry
from wheel_store import WheelStore

CONTENT_TYPE = "application/vnd.pypi.simple.v1+json"


def is_wanted(accept: str) -> bool:
    """Whether an Accept header likes JSON at least as much as HTML."""
    qualities: dict[str, float] = {}
    for part in accept.split(","):
        kind, *parameters = [piece.strip() for piece in part.split(";")]
        quality = next((re.sub(r"^q=", "", text) for text in parameters if text.startswith("q=")), "1")
        qualities[kind] = float(quality) if re.fullmatch(r"[0-9.]+", quality) else 0.0
    return qualities.get(CONTENT_TYPE, 0.0) > 0 and qualities[CONTENT_TYPE] >= qualities.get("text/html", 0.0)


def _file(entry: Entry, store: WheelStore, day: int, folder: str) -> dict[str, Any]:
    reason = entry.yanked_on(day)
    digest = store.metadata_sha256(entry)
    file: dict[str, Any] = {
        "filename": entry.name,
        "url": folder + quote(entry.name, safe="-_."),
        "hashes": {"sha256": store.sha256(entry)},
        "size": store.size(entry),
        "yanked": False if reason is None else reason or True,
        "core-metadata": {"sha256": digest} if digest else False,
    }
    if entry.upload_time:
        file["upload-time"] = entry.upload_time
    if entry.requires_python:
        file["requires-python"] = entry.requires_python
    return file


def page(package: str, entries: list[Entry], store: WheelStore, day: int, folder: str) -> bytes:
    text = {
        "meta": {"api-version": "1.1"},
        "name": package,
        "versions": list(dict.fromkeys(entry.version for entry in entries)),
        "files": [_file(entry, store, day, folder) for entry in entries],
    }
    return json.dumps(text, indent=1).encode()
