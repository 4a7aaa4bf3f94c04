"""Answers that go wrong on purpose: one function for each kind of fault. Example:

    fault_sending.send(handler, answer, Fault("file", "cut", "0.5"))

The handler has `begin(status, headers)`, `put(bytes)`, `place()` (scheme, host and port) and `path`; what is put is
counted.
"""

import select
import time
from itertools import repeat
from typing import TYPE_CHECKING, Callable

import tiny_wheel
from answer import Answer, of_text
from faults import Fault

if TYPE_CHECKING:
    from index_server import Handler

ENDLESS_BYTES_PER_SECOND = 4 << 20  # fast enough to fill a memory in a while, and slow enough to stop a test before
LENGTH_LIE = 1000


def _whole(handler: "Handler", answer: Answer) -> None:
    handler.begin(answer.status, {**answer.headers, "Content-Length": str(answer.length)})
    for chunk in answer.chunks():
        handler.put(chunk)


def _status(handler: "Handler", answer: Answer, fault: Fault) -> None:
    seconds = fault.argument or ("1" if fault.kind == "429" else "")
    headers = {"Retry-After": seconds} if seconds else {}
    _whole(handler, of_text(int(fault.kind), f"this is a {fault.kind} on purpose", headers))


def _cut(handler: "Handler", answer: Answer, fault: Fault) -> None:
    handler.begin(answer.status, {**answer.headers, "Content-Length": str(answer.length)})
    for chunk in answer.chunks(int(answer.length * float(fault.argument))):
        handler.put(chunk)
    handler.close_connection = True


def _wrong_length(handler: "Handler", answer: Answer, fault: Fault) -> None:
    """Says half of the length, or a thousand bytes more; sends all there is, and closes the connection."""
    told = answer.length // 2 if fault.kind.endswith("short") else answer.length + LENGTH_LIE
    handler.begin(answer.status, {**answer.headers, "Content-Length": str(told), "Connection": "close"})
    for chunk in answer.chunks():
        handler.put(chunk)
    handler.close_connection = True


def _paced(handler: "Handler", data: bytes, bytes_per_second: float) -> None:
    step = max(1, int(bytes_per_second / 20))
    for at in range(0, len(data), step):
        piece = data[at : at + step]
        handler.put(piece)
        time.sleep(len(piece) / bytes_per_second)


def _slow(handler: "Handler", answer: Answer, fault: Fault) -> None:
    handler.begin(answer.status, {**answer.headers, "Content-Length": str(answer.length)})
    for chunk in answer.chunks():
        _paced(handler, chunk, float(fault.argument))


def _endless(handler: "Handler", answer: Answer, fault: Fault) -> None:
    """The right body, then more of it without end: only the other side closes the connection."""
    handler.begin(200, {**answer.headers, "Connection": "close"})
    handler.close_connection = True
    for chunk in answer.chunks():
        handler.put(chunk)
    if handler.command == "HEAD":
        return
    more = b"<!-- and more of it -->\n" * 1024 if fault.on == "listing" else tiny_wheel.noise("endless", 24 << 10)
    for data in repeat(more):
        _paced(handler, data, float(fault.argument or ENDLESS_BYTES_PER_SECOND))


def _empty(handler: "Handler", answer: Answer, fault: Fault) -> None:
    handler.begin(200, {**answer.headers, "Content-Length": "0"})


def _not_html(handler: "Handler", answer: Answer, fault: Fault) -> None:
    noise = tiny_wheel.noise("not HTML", 20_000)
    handler.begin(200, {**answer.headers, "Content-Length": str(len(noise))})
    handler.put(noise)


def hang(connection, is_stopping: Callable[[], bool]) -> None:
    """Until the other side gives up. What it sends meanwhile is thrown away."""
    while not is_stopping():
        readable, _, _ = select.select([connection], [], [], 0.2)
        try:
            if readable and not connection.recv(4096):
                return
        except OSError:
            return


def _hang(handler: "Handler", answer: Answer, fault: Fault) -> None:
    handler.close_connection = True
    hang(handler.connection, handler.server.is_stopping)


def _redirect_loop(handler: "Handler", answer: Answer, fault: Fault) -> None:
    # Two addresses in turn, so that one that remembers only the last one is caught as well.
    path, _, query = handler.path.partition("?")
    other = "?turn=2" if query == "turn=1" else "?turn=1"
    _whole(handler, of_text(302, "round and round", {"Location": path + other}))


def _redirect_elsewhere(handler: "Handler", answer: Answer, fault: Fault) -> None:
    """To the address given; without one to this server under another name of its host."""
    scheme, _, port = handler.place()
    where = fault.argument or f"{scheme}://localhost:{port}/elsewhere{handler.path}"
    _whole(handler, of_text(302, "over there", {"Location": where}))


SENDERS: dict[str, Callable[["Handler", Answer, Fault], None]] = {
    "cut": _cut, "wrong-length-short": _wrong_length, "wrong-length-long": _wrong_length, "endless": _endless,
    "slow": _slow, "empty": _empty, "not-html": _not_html, "hang": _hang, "redirect-loop": _redirect_loop,
    "redirect-elsewhere": _redirect_elsewhere,
}  # fmt: skip


def send(handler: "Handler", answer: Answer, fault: Fault | None) -> None:
    """`ignore-range` needs no sender: the handler has not looked for a part in the first place."""
    if fault is None or fault.kind == "ignore-range":
        _whole(handler, answer)
    elif fault.kind.isdigit():
        _status(handler, answer, fault)
    else:
        SENDERS[fault.kind](handler, answer, fault)
