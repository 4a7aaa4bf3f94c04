"""Two workers that iterate in turn, as in suite/alternation.cpp: see docs/worker-protocol.md."""

from __future__ import annotations

import socket
from typing import Optional

_SHORT, _LONG, _TURN = b"s", b"l", b"t"
SHORT_NANOSECONDS = 10_000_000


class Turns:
    """This worker's side. Where the other one has ended, or there is none, every turn is this worker's."""

    def __init__(self, order: Optional[str], descriptor: int = 0) -> None:
        self._first = order == "first"
        self._other: Optional[socket.socket] = None
        if order is not None:
            try:
                self._other = socket.socket(fileno=descriptor)
            except OSError:
                pass  # not a socket: alone
        self._is_turn = False
        self.primes = False
        self.taken = 0

    def meet(self, is_short: bool) -> None:
        """Waits until both are warm. Each learns whether the iterations of either are short."""
        self._send(_SHORT if is_short else _LONG)
        other = self._receive()
        self.primes = is_short or other == _SHORT
        self._is_turn = self._first

    def take(self) -> bool:
        """Waits for this worker's turn. False where it is alone."""
        if not self._is_turn:
            self._receive()
        self._is_turn = True
        if self._other is None:
            return False
        self.taken += 1
        return True

    def give(self, last: bool) -> None:
        """Hands the turn over. After the last one, `first` waits until `second` has had its own."""
        self._send(_TURN)
        self._is_turn = False
        if last and self._first:
            self._receive()

    def _receive(self) -> bytes:
        if self._other is None:
            return b""
        try:
            byte = self._other.recv(1)
        except OSError:
            byte = b""
        if not byte:
            self._leave()
        return byte

    def _send(self, byte: bytes) -> None:
        if self._other is None:
            return
        try:
            self._other.sendall(byte, socket.MSG_NOSIGNAL)
        except OSError:
            self._leave()

    def _leave(self) -> None:
        if self._other is not None:
            self._other.detach()  # the descriptor is standard input, which stays open
        self._other = None
