"""What the self-tests share: a server of their own, pip without this machine's configuration, plain requests. Example:

    with Served(folder, {"files": [...]}, "--json") as served:
        print(pip("index", "versions", "torch", "--pre", index=served.url).stdout)
"""

import http.client
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
COMMIT = "0123456789abcdef0123456789abcdef01234567"


def tiny_entry(day: int, **fields: Any) -> dict[str, Any]:
    made = {"kind": "tiny", "version": version_of(day), "git_version": COMMIT}
    return {"name": name_of(day), "make": made, "requires_python": ">=3.10",
            "upload_time": f"2026-11-{day:02}T11:00:00.000000Z", **fields}


def version_of(day: int) -> str:
    return f"2.14.0.dev202611{day:02}+cpu"


def name_of(day: int) -> str:
    tag = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"torch-{version_of(day)}-{tag}-{tag}-manylinux_2_28_x86_64.whl"


def address_of(day: int) -> str:
    return "/torch/" + name_of(day).replace("+", "%2B")


def pip(*arguments: str, index: str) -> subprocess.CompletedProcess[str]:
    """Without a cache: the port of a server may have been another server's."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    command = [sys.executable, "-I", "-m", "pip", "--isolated", "--no-cache-dir", "--disable-pip-version-check",
               "--no-input", "--retries", "0", *arguments, "--index-url", index]
    return subprocess.run(command, env={**environment, "PIP_CONFIG_FILE": os.devnull}, capture_output=True, text=True)


def versions_pip_reads(index: str) -> list[str]:
    """The oldest first; empty when pip fails."""
    said = pip("index", "versions", "torch", "--pre", index=index).stdout
    found = re.search(r"Available versions: (.*)", said)
    return list(reversed(found[1].split(", "))) if found else []


class Served:
    """The server in a process of its own, as other tests start it."""

    def __init__(self, folder: Path, held: dict[str, Any], *options: str):
        self.log_file = folder / "requests.jsonl"
        file = folder / "scenario.json"
        file.write_text(json.dumps(held))
        self._command = [sys.executable, str(HERE / "index_server.py"), str(file), "--log", str(self.log_file),
                         *options]

    def __enter__(self) -> "Served":
        self._process = subprocess.Popen(self._command, stdout=subprocess.PIPE, text=True)
        self.url = self._process.stdout.readline().strip()
        self.port = int(re.search(r":(\d+)/", self.url)[1])
        return self

    def __exit__(self, *_: Any) -> None:
        self._process.terminate()
        self._process.wait(10)
        self._process.stdout.close()

    def connection(self, timeout: float = 10) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def get(self, path: str, **headers: str) -> tuple[http.client.HTTPResponse, bytes]:
        """The response and its whole body. Underscores in the names of headers become hyphens."""
        connection = self.connection()
        connection.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        response = connection.getresponse()
        try:
            return response, response.read()
        finally:
            connection.close()

    def order(self, **wanted: Any) -> dict[str, Any]:
        connection = self.connection()
        connection.request("POST", "/_control", json.dumps(wanted))
        response = connection.getresponse()
        said = json.loads(response.read())
        connection.close()
        if response.status != 200:
            raise ValueError(said["error"])
        return said

    def requests(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log_file.read_text().splitlines()]
