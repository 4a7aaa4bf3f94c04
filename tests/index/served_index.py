"""What an index answers on which day: pages, wheels and their metadata, without a word about HTTP connections. Example:

    index = ServedIndex(scenario.load(file), WheelStore(cache, keep=3), shape="plain", json=False)
    index.change({"day": 4})
    place, answer = index.answer("/torch/", accept="text/html", origin="http://127.0.0.1:8080")
"""

import html
import re
import threading
from typing import Any
from urllib.parse import unquote

import answer
import faults
import html_page
import json_page
import scenario
from answer import Answer
from wheel_store import WheelStore


class ServedIndex:
    """May be used by many threads."""

    def __init__(self, held: scenario.Scenario, store: WheelStore, shape: str, json: bool, prefix: str = ""):
        self._entries = {entry.name: entry for entry in held.entries}
        self._store = store
        self._prefix = prefix.rstrip("/")
        self._lock = threading.Lock()
        self._day, self._shape, self._json = held.day, shape, json
        self.faults = faults.FaultBook()
        for fault in held.faults:
            self.faults.add(faults.parse(fault))

    def state(self) -> dict[str, Any]:
        with self._lock:
            day, shape, json = self._day, self._shape, self._json
        names = [entry.name for entry in self._entries.values() if entry.is_there(day)]
        return {"day": day, "html_shape": shape, "json": json, "faults": self.faults.left(), "files": sorted(names)}

    def change(self, wanted: dict[str, Any]) -> dict[str, Any]:
        """`day`, `html_shape`, `json`, `fault` (one more), `faults` (instead of all). An error changes nothing."""
        unknown = set(wanted) - {"day", "html_shape", "json", "fault", "faults"}
        if unknown:
            raise ValueError(f"cannot change {', '.join(sorted(unknown))}")
        if wanted.get("html_shape", "plain") not in html_page.SHAPES:
            raise ValueError(f"no shape {wanted['html_shape']!r}; there are {', '.join(html_page.NAMES)}")
        added = [faults.parse(fault) for fault in wanted.get("faults", [])]
        added += [faults.parse(wanted["fault"])] if "fault" in wanted else []
        with self._lock:
            self._day = int(wanted.get("day", self._day))
            self._shape = wanted.get("html_shape", self._shape)
            self._json = bool(wanted.get("json", self._json))
        if "faults" in wanted:
            self.faults.clear()
        for fault in added:
            self.faults.add(fault)
        return self.state()

    def answer(self, path: str, accept: str, origin: str) -> tuple[str, Answer]:
        """Where faults may occur (a place of faults.PLACES, or nothing), and what is right."""
        plain, _, query = path.partition("?")
        if query.endswith(".metadata"):
            plain += ".metadata"  # PEP 658 appends it to the address, and pip does so behind a query as well
        elsewhere = plain.startswith("/elsewhere/")
        plain = re.sub(r"^/(elsewhere|other)/", "/", plain)  # where redirects and <base> of this server lead
        if not plain.startswith(self._prefix + "/"):
            return "", answer.of_text(404, "the index is at " + self._prefix + "/")
        inner = plain.removeprefix(self._prefix)
        name = unquote(inner.rpartition("/")[2])
        if name.endswith(".metadata"):
            place, found = "metadata", self._metadata(name.removesuffix(".metadata"))
        elif name:
            place, found = "file", self._file(name, inner)
        else:
            place, found = "listing", self._listing(inner, accept, origin)
        return "" if elsewhere else place, found

    def _there(self, name: str) -> scenario.Entry | None:
        entry = self._entries.get(name)
        with self._lock:
            return entry if entry and entry.is_there(self._day) else None

    def _file(self, name: str, inner: str) -> Answer:
        entry = self._there(name)
        if entry is None:
            packages = {entry.package for entry in self._entries.values()}
            if name in packages:
                return answer.of_text(301, "with a slash", {"Location": self._prefix + inner + "/"})
            return answer.of_text(404, "no such file today")
        headers = {"Content-Type": "binary/octet-stream", "Accept-Ranges": "bytes", "ETag": self._store.etag(entry)}
        return answer.of_file(self._store.open(entry), headers)

    def _metadata(self, name: str) -> Answer:
        entry = self._there(name)
        text = self._store.metadata(entry) if entry else b""
        return answer.of_bytes(text, "binary/octet-stream") if text else answer.of_text(404, "no metadata")

    def _listing(self, inner: str, accept: str, origin: str) -> Answer:
        found = re.fullmatch(r"/(?:([a-z0-9-]+)/)?", inner)
        packages = sorted({entry.package for entry in self._entries.values()})
        if not found or (found[1] and found[1] not in packages):
            return answer.of_text(404, "no such package")
        if not found[1]:
            links = "".join(f'<a href="{html.escape(name)}/">{html.escape(name)}</a><br>\n' for name in packages)
            return answer.of_bytes(f"<!DOCTYPE html>\n<html><body>\n{links}</body></html>\n".encode(), "text/html")
        return self._package(found[1], accept, origin)

    def _package(self, package: str, accept: str, origin: str) -> Answer:
        with self._lock:
            day, shape, json = self._day, self._shape, self._json
        listed = scenario.listed(list(self._entries.values()), package, day)
        folder = f"{self._prefix}/{package}/"
        if json and json_page.is_wanted(accept):
            page = json_page.page(package, listed, self._store, day, folder)
            return answer.of_bytes(page, json_page.CONTENT_TYPE)
        links = [self._link(entry, day, shape) for entry in listed]
        page, content_type = html_page.page(links, shape, html_page.Place(origin, folder))
        return answer.of_bytes(page, content_type)

    def _link(self, entry: scenario.Entry, day: int, shape: str) -> html_page.Link:
        digest, reason = self._store.metadata_sha256(entry), entry.yanked_on(day)
        attributes = {
            "data-requires-python": entry.requires_python,
            "data-dist-info-metadata": f"sha256={digest}" if digest else None,
            "data-core-metadata": f"sha256={digest}" if digest else None,
            "data-upload-time": entry.upload_time,
            "data-yanked": reason,
        }
        known = {name: value for name, value in attributes.items() if value is not None}
        return html_page.Link(entry.name, known, self._store.sha256(entry) if shape == "sha256-fragment" else "")
