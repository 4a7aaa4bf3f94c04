"""Which answers go wrong, how, and how often before things work again. Example:

    book = faults.FaultBook()
    book.add({"on": "file", "kind": "cut:0.5", "count": 2, "match": "20261120"})
    fault = book.take("file", "/torch/torch-2.14.0.dev20261120%2Bcpu-....whl")

`on` is listing, file, metadata (`.whl.metadata`) or connection. Without `count` it never ends. `match` is a part of the
path. `after`: it lets N requests through first. The first fault that fits is taken.
"""

import re
import threading
from dataclasses import dataclass, replace
from typing import Any, Collection

PLACES = ("listing", "file", "metadata", "connection")
ON_CONNECTION = ("broken-tls", "hang")
# Kind, and whether it has a number after a colon.
KINDS: dict[str, str] = {
    "429": "optional", "500": "no", "503": "optional", "404": "no", "403": "no",
    "cut": "fraction", "wrong-length-short": "no", "wrong-length-long": "no",
    "endless": "optional", "slow": "number", "empty": "no", "not-html": "no", "hang": "no",
    "redirect-loop": "no", "redirect-elsewhere": "text", "ignore-range": "no", "broken-tls": "no",
}  # fmt: skip


@dataclass(frozen=True)
class Fault:
    on: str
    kind: str
    argument: str = ""
    count: int | None = None
    match: str = ""
    after: int = 0

    def as_json(self) -> dict[str, Any]:
        kind = f"{self.kind}:{self.argument}" if self.argument else self.kind
        return {"on": self.on, "kind": kind, "count": self.count, "match": self.match,
                "after": self.after}


def _check_argument(kind: str, argument: str) -> None:
    wanted = KINDS[kind]
    number = re.fullmatch(r"[0-9]+(\.[0-9]+)?", argument) is not None
    good = {
        "no": not argument,
        "text": True,
        "optional": number or not argument,
        "number": number and float(argument) > 0,
        "fraction": number and 0 <= float(argument) <= 1,
    }[wanted]
    if not good:
        raise ValueError(f"the fault {kind} has {argument!r} after the colon, and wants: {wanted}")


def parse(fields: dict[str, Any]) -> Fault:
    unknown = set(fields) - {"on", "kind", "count", "match", "after"}
    if unknown:
        raise ValueError(f"a fault has unknown fields: {', '.join(sorted(unknown))}")
    kind, _, argument = str(fields["kind"]).partition(":")
    place = fields.get("on", "listing")
    if kind not in KINDS:
        raise ValueError(f"no fault {kind!r}; there are {', '.join(KINDS)}")
    if place not in PLACES:
        raise ValueError(f"no place {place!r}; there are {', '.join(PLACES)}")
    if (place == "connection" and kind not in ON_CONNECTION) or (kind == "broken-tls" and place != "connection"):
        raise ValueError(f"{kind} cannot occur on {place}; on a connection: {', '.join(ON_CONNECTION)}")
    _check_argument(kind, argument)
    return Fault(place, kind, argument, fields.get("count"), fields.get("match", ""), int(fields.get("after", 0)))


def from_words(words: str) -> Fault:
    """`PLACE=KIND[*COUNT]`, as in `listing=503*2`: for a command line."""
    place, _, rest = words.partition("=")
    kind, _, count = rest.partition("*")
    return parse({"on": place, "kind": kind, "count": int(count) if count else None})


class FaultBook:
    """May be used by many threads."""

    def __init__(self) -> None:
        self._faults: list[Fault] = []
        self._lock = threading.Lock()

    def add(self, fault: Fault) -> None:
        with self._lock:
            self._faults.append(fault)

    def clear(self) -> None:
        with self._lock:
            self._faults.clear()

    def left(self) -> list[dict[str, Any]]:
        with self._lock:
            return [fault.as_json() for fault in self._faults if fault.count != 0]

    def take(self, place: str, path: str, kinds: Collection[str] = KINDS) -> Fault | None:
        """Counts it as one occurrence."""
        with self._lock:
            for at, fault in enumerate(self._faults):
                if fault.on != place or fault.match not in path or fault.count == 0 or fault.kind not in kinds:
                    continue
                if fault.after > 0:
                    self._faults[at] = replace(fault, after=fault.after - 1)
                    return None
                if fault.count is not None:
                    self._faults[at] = replace(fault, count=fault.count - 1)
                return fault
        return None
