"""Lines of JSON on what was the standard output. See docs/worker-protocol.md."""

from __future__ import annotations

import json
import os
import sys
from typing import Any, BinaryIO


def claim_standard_output() -> BinaryIO:
    """Keeps the standard output for the protocol alone: what models, their libraries and their children print there
    goes to the standard error. Call it once, before anything of TorchBench is imported."""
    own = os.dup(1)
    os.dup2(2, 1)
    # Else what a model prints would lie in a buffer, and be lost where the process is killed.
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    return os.fdopen(own, "wb", buffering=0)


class Protocol:
    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self._process = os.getpid()

    def write(self, line: str, /, **fields: Any) -> None:
        # A model may fork, and its child may come through our code.
        if os.getpid() != self._process:
            return
        text = json.dumps({"type": line, **fields}, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        try:
            # Names and messages can hold bytes that are no UTF-8; the protocol's lines can not.
            self._out.write(text.encode("utf-8", "replace") + b"\n")
        except BrokenPipeError:
            os._exit(3)  # whoever listened is gone: there is no one to tell and nothing to measure for
