"""What the tests against an index share: a state folder with a configuration, and what tbci left in it. Example:

    with IndexInstallation(tbci, folder, held) as place:
        place.served.order(fault={"on": "listing", "kind": "503"})
        said = place.tbci("nightly", "list")

Where a virtual environment would be made, a copy of one that is there takes two seconds less.
"""

import contextlib
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import time

INDEX = pathlib.Path(__file__).resolve().parents[1] / "index"
sys.path.insert(0, str(INDEX))

import testing_support  # noqa: E402

CONFIG = """[service]
port = 0
[[subject]]
name = "wheels"
[subject.nightlies]
kind = "pip"
package = "torch"
index = "{index}"
pre_release = true
python = "{python}"
installer = "{installer}"
"""
COPYING_PYTHON = """#!/bin/sh
if [ "$2 $3" = "-m venv" ]; then exec cp -a {template}/. "$4"; fi
exec {python} "$@"
"""
SUBJECT = pathlib.Path("subjects") / "wheels"


def make_python(folder):
    """A Python that copies an environment where it is asked to make one."""
    template, python = folder / "template", folder / "python"
    subprocess.run([sys.executable, "-I", "-m", "venv", template], check=True)
    subprocess.run([template / "bin" / "python", "-I", "-m", "pip", "--version"], check=True, capture_output=True)
    python.write_text(COPYING_PYTHON.format(template=template, python=sys.executable))
    python.chmod(0o755)
    return python


class IndexInstallation:
    def __init__(self, tbci, python, folder, held, *options):
        folder.mkdir(parents=True)
        self._tbci, self._python, self.folder = tbci, python, folder
        self.state, self.installer = folder / "state", "auto"
        self.served = testing_support.Served(folder, held, *options)
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
        for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):  # which go before PIP_CERT
            self.environment.pop(name, None)
        self.environment |= {"PIP_RETRIES": "0", "PIP_DEFAULT_TIMEOUT": "2", "NO_PROXY": "*", "no_proxy": "*"}

    def __enter__(self):
        self.served.__enter__()
        (self.folder / "tbci.toml").write_text(CONFIG.format(index=self.served.url, python=self._python, installer=self.installer))
        return self

    def __exit__(self, *what):
        self.served.__exit__(*what)

    def _command(self, words):
        return [self._tbci, "--config", self.folder / "tbci.toml", "--state", self.state, *words]

    def tbci(self, *words, seconds=90):
        return subprocess.run(self._command(words), env=self.environment, capture_output=True, text=True, errors="replace", timeout=seconds)

    def start(self, *words):
        return subprocess.Popen(self._command(words), env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def wait_for_part(self, least_bytes):
        """Of a download that is under way: how much of it is there."""
        return self._wait(lambda: next((part.stat().st_size for part in self.state.glob("subjects/wheels/**/*.whl.part")
                                        if part.stat().st_size >= least_bytes), None))

    @staticmethod
    def _wait(found):
        end = time.monotonic() + 30
        while time.monotonic() < end:
            if (value := found()) is not None:
                return value
            time.sleep(0.05)
        raise AssertionError("nothing happened within 30 seconds")

    def listed(self):
        """Of each version what tbci says; the error where it says nothing."""
        said = self.tbci("--json", "nightly", "list")
        if said.returncode != 0:
            raise AssertionError(f"exit code {said.returncode}: {said.stderr}")
        return {one.pop("name"): one for one in json.loads(said.stdout)}

    def rows(self, query):
        with contextlib.closing(sqlite3.connect(f"file:{self.state / 'tbci.sqlite'}?mode=ro", uri=True)) as connection:
            return connection.execute(query).fetchall()

    def verdicts(self):
        """What is recorded against a nightly: a build that failed, or a night that has begun to be judged."""
        return (self.rows("SELECT name, failure FROM build WHERE state = 'failed'")
                + self.rows("SELECT name, stage FROM night WHERE stage <> 'install' OR finished_ms IS NOT NULL")
                + self.rows("SELECT series, verdict FROM finding"))

    def environments(self):
        return sorted(path.name for path in (self.state / SUBJECT / "venvs").glob("*/") if (path / ".complete").exists())

    def downloads(self):
        """Requests for wheels, and not for their metadata."""
        return [request for request in self.served.requests() if (request["path"] or "").endswith(".whl")]
