#!/usr/bin/env python3
"""An index of nightlies on loopback that behaves like PyTorch's, on a day that a test sets, with faults that it orders.

    tests/index/index_server.py scenario.json --log requests.jsonl

The first line that it prints is its address. A test moves time on, or orders a fault, while it runs:

    curl -d '{"day": 4}' http://127.0.0.1:PORT/_control
    curl -d '{"fault": {"on": "file", "kind": "cut:0.5", "count": 1}}' http://127.0.0.1:PORT/_control

README.md beside this file lists the faults; scenario.py says what a scenario holds.
"""

import argparse
import json
import signal
import socket
import ssl
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import answer
import fault_sending
import faults
import html_page
import scenario
import self_signed
import tiny_wheel
from served_index import ServedIndex
from wheel_store import WheelStore

TLS_HELLO = b"\x16"
CONTROL = "/_control"


class RequestLog:
    """One line of JSON for each request, written when it is over."""

    def __init__(self, file: Path | None):
        self._out = open(file, "a", encoding="utf-8") if file else None
        self._lock = threading.Lock()

    def write(self, **fields: Any) -> None:
        if self._out is None:
            return
        with self._lock:
            self._out.write(json.dumps({"time": round(time.time(), 6), **fields}) + "\n")
            self._out.flush()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "IndexServer"

    def begin(self, status: int, headers: dict[str, str]) -> None:
        self.status = status
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def put(self, data: bytes) -> None:
        if self.command != "HEAD":
            self.wfile.write(data)
            self.sent += len(data)

    def place(self) -> tuple[str, str, int]:
        scheme = "https" if isinstance(self.connection, ssl.SSLSocket) else "http"
        return scheme, "127.0.0.1", self.server.server_port

    def do_GET(self) -> None:
        if self.path == CONTROL:
            self._say(200, self.server.index.state())
            return
        self.status, self.sent = None, 0
        scheme, host, port = self.place()
        origin = f"{scheme}://{self.headers.get('Host') or f'{host}:{port}'}"
        where, right = self.server.index.answer(self.path, self.headers.get("Accept", ""), origin)
        fault = self.server.index.faults.take(where, self.path) if where else None
        part = right
        if where == "file" and right.status == 200 and not (fault and fault.kind == "ignore-range"):
            part = answer.part_of(right, self.headers.get("Range"), self.headers.get("If-Range"))
        try:
            fault_sending.send(self, part, fault)
        except OSError:
            self.close_connection = True  # the other side has had enough
        finally:
            if right.file:
                right.file.close()
            self.server.log.write(method=self.command, path=self.path, range=self.headers.get("Range"),
                                  status=self.status, bytes=self.sent, fault=fault.kind if fault else None)

    do_HEAD = do_GET

    def do_POST(self) -> None:
        text = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path != CONTROL:
            self._say(404, {"error": f"only {CONTROL} takes orders"})
            return
        try:
            self._say(200, self.server.index.change(json.loads(text)))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            self._say(400, {"error": f"{type(error).__name__}: {error}"})

    def _say(self, status: int, content: dict[str, Any]) -> None:
        text = json.dumps(content, indent=1).encode() + b"\n"
        self.sent = 0
        self.begin(status, {"Content-Type": "application/json", "Content-Length": str(len(text))})
        self.put(text)

    def log_message(self, format: str, *arguments: Any) -> None:
        pass  # the log is for tests


class IndexServer(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, index: ServedIndex, log: RequestLog, port: int = 0, tls: ssl.SSLContext | None = None):
        super().__init__(("127.0.0.1", port), Handler)
        self.index, self.log, self._tls = index, log, tls
        self._stopping = threading.Event()

    @property
    def url(self) -> str:
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.server_port}"

    def is_stopping(self) -> bool:
        return self._stopping.is_set()

    def stop(self) -> None:
        self._stopping.set()
        self.shutdown()
        self.server_close()

    def finish_request(self, request: socket.socket, client_address: Any) -> None:
        """In the thread of the connection: one port speaks both, so that orders need no TLS."""
        try:
            connection = self._secured(request)
            if connection is not None:
                with connection:
                    Handler(connection, client_address, self)
        except OSError:
            pass  # a handshake that the other side broke off, or a connection that is gone

    def _secured(self, request: socket.socket) -> socket.socket | None:
        begin = request.recv(64, socket.MSG_PEEK)
        hello = begin.startswith(TLS_HELLO)
        is_order = f" {CONTROL} ".encode() in begin
        kinds = {"hang", "broken-tls"} if hello else {"hang"}
        fault = None if is_order or not begin else self.index.faults.take("connection", "", kinds)
        if fault and fault.kind == "hang":
            fault_sending.hang(request, self.is_stopping)
        elif hello and (fault or not self._tls):
            request.recv(4096)
            request.sendall(tiny_wheel.noise("no TLS", 200))
        elif hello:
            return self._tls.wrap_socket(request, server_side=True)
        elif begin:
            return request
        self.log.write(method=None, path=None, range=None, status=None, bytes=0,
                       fault=fault.kind if fault else "broken-tls" if hello else None)
        return None


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="an index of nightlies on loopback")
    parser.add_argument("scenario", type=Path, nargs="?", help="see scenario.py")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--prefix", default="", help="such as /whl/nightly/cpu")
    parser.add_argument("--json", action="store_true", help="also answers in JSON (PEP 691) who asks for it")
    parser.add_argument("--html-shape", default="plain", metavar="NAME", help="`all` lists the names")
    parser.add_argument("--fault", type=faults.from_words, action="append", default=[], metavar="PLACE=KIND[*COUNT]",
                        help="such as listing=503*2")
    parser.add_argument("--log", type=Path, metavar="FILE", help="one line of JSON for each request")
    parser.add_argument("--tls-self-signed", type=Path, metavar="FOLDER", help="writes certificate.pem there")
    parser.add_argument("--cache", type=Path, metavar="FOLDER", help="where wheels are made")
    parser.add_argument("--keep", type=int, default=3, help="how many made wheels stay in the cache")
    parser.add_argument("--until-stdin-closes", action="store_true", help="ends with the program that started it")
    options = parser.parse_args(arguments)
    if options.html_shape != "all" and options.html_shape not in html_page.SHAPES:
        parser.error(f"no shape {options.html_shape!r}; there are {', '.join(html_page.NAMES)}")
    if options.html_shape != "all" and options.scenario is None:
        parser.error("a scenario is needed")
    return options


def serve(options: argparse.Namespace, cache: Path) -> None:
    index = ServedIndex(scenario.load(options.scenario), WheelStore(cache, options.keep), options.html_shape,
                        options.json, options.prefix)
    for fault in options.fault:
        index.faults.add(fault)
    tls = self_signed.context(options.tls_self_signed) if options.tls_self_signed else None
    server = IndexServer(index, RequestLog(options.log), options.port, tls)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: threading.Thread(target=server.stop).start())
    if options.until_stdin_closes:
        threading.Thread(target=lambda: (sys.stdin.read(), server.stop()), daemon=True).start()
    print(server.url + options.prefix.rstrip("/") + "/", flush=True)
    server.serve_forever(poll_interval=0.1)


def main(arguments: list[str]) -> None:
    options = parse(arguments)
    if options.html_shape == "all":
        print("\n".join(html_page.NAMES))
        return
    with tempfile.TemporaryDirectory() as folder:
        serve(options, options.cache or Path(folder))


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"index_server: {type(error).__name__}: {error}")
