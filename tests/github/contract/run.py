#!/usr/bin/env python3
"""Compares what the client sends and reads with GitHub's description of its REST API: run.py FOLDER TEST_PROGRAM.

FOLDER takes npm's packages. Ends with 77 where they are not available."""
import os
import pathlib
import socket
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def answers(port):
    with socket.socket() as one:
        one.settimeout(1)
        return one.connect_ex(("127.0.0.1", port)) == 0


def main(folder, program):
    done = subprocess.run([HERE / "setup", folder], check=False)
    if done.returncode != 0:
        return done.returncode
    port = free_port()
    prism = pathlib.Path(folder) / "node_modules/@stoplight/prism-cli/dist/index.js"
    command = ["node", prism, "mock", "--host", "127.0.0.1", "--port", str(port), pathlib.Path(folder) / "github.json"]
    with open(pathlib.Path(folder) / "prism.log", "w", encoding="utf-8") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 120
        while not answers(port):
            if server.poll() is not None or time.monotonic() > deadline:
                print(f"the server did not start: see {folder}/prism.log")
                return 1
            time.sleep(0.1)
        environment = {**os.environ, "TBCI_GITHUB_MOCK": f"http://127.0.0.1:{port}"}
        return subprocess.run([program, "[contract]"], env=environment, check=False).returncode
    finally:
        server.terminate()
        server.wait(30)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
