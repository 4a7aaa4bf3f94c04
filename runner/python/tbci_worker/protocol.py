"""Writes lines of JSON to the original standard output. See docs/worker-protocol.md."""

from __future__ import annotations

import json
import os
import sys
from typing import Any, BinaryIO


def claim_standard_output() -> BinaryIO:
    """Reserves standard output for the protocol: what is measured, its libraries and its child processes print to
    standard error instead. Call it once, before any import of what is measured."""
    own = os.dup(1)
    os.dup2(2, 1)
    # Otherwise output of a model would stay in a buffer and be lost if the process is killed.
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    return os.fdopen(own, "wb", buffering=0)


class Protocol:
    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self._process = os.getpid()

    def write(self, line: str, /, **fields: Any) -> None:
        # What is measured may fork, and its child may run our code.
        if os.getpid() != self._process:
            return
        text = json.dumps({"type": line, **fields}, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        try:
            # Names and messages may contain invalid UTF-8; the protocol's lines must not.
            self._out.write(text.encode("utf-8", "replace") + b"\n")
        except BrokenPipeError:
            os._exit(3)  # the reader is gone
