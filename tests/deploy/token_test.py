"""The token under the settings of the units: two users, one group, what systemd hands to each. Real processes of real users.

The settings are read from deploy/systemd, so a unit that gives more away fails here. Skipped where this is not root, or where
TBCI_BINARY names no tbci. systemd itself is not needed: the credential is a file as systemd makes it, of the unit's user alone.
"""

import http.server
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import threading
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TBCI = os.environ.get("TBCI_BINARY", "")
TOKEN = "ghp_0123456789abcdefghijklmnopqrstuvwxyz"
IDS = {"tbci": 61_801, "tbci-deliver": 61_802}  # of users and the group; the machine's own lists stay as they are

# What hostile code of the service's user tries. It prints what it got.
ATTACK = """
import ctypes, glob, os, sys
messenger, credentials = int(sys.argv[1]), sys.argv[2]
def got(what, text):
    print("GOT", what, text[:80])
def read(path):
    try:
        with open(path, "rb") as file:
            got(path, file.read(1 << 16))
    except OSError:
        pass
def listed(path):
    try:
        got(path, os.listdir(path))
    except OSError:
        pass
read(credentials + "/github-token")
listed(credentials)
for name in ("environ", "maps", "mem", "auxv", "stack"):
    read(f"/proc/{messenger}/{name}")
for name in ("fd", "map_files", "cwd", "root"):
    listed(f"/proc/{messenger}/{name}")
libc = ctypes.CDLL(None, use_errno=True)
for request, name in ((16, "attach"), (0x4206, "seize")):
    if libc.ptrace(request, messenger, None, None) == 0:
        got("ptrace", name)
buffer = ctypes.create_string_buffer(64)
class Vector(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
local, remote = Vector(ctypes.addressof(buffer), 64), Vector(0x400000, 64)
if libc.process_vm_readv(messenger, ctypes.byref(local), 1, ctypes.byref(remote), 1, 0) > 0:
    got("process_vm_readv", buffer.raw)
for number in (6, 11):
    try:
        os.kill(messenger, number)
        got("kill", str(number))
    except PermissionError:
        pass
for user in (0, int(sys.argv[3])):
    try:
        os.setuid(user)
        got("setuid", str(user))
    except PermissionError:
        pass
print("done", os.getuid())
"""


def unit(name):
    """The [Service] section: the last value of each key, and all of those that add up."""
    settings, lists, section = {}, {}, ""
    for line in (ROOT / "deploy/systemd" / name).read_text().splitlines():
        if line.startswith("["):
            section = line
        elif section == "[Service]" and "=" in line and not line.startswith("#"):
            key, value = line.split("=", 1)
            settings[key] = value
            lists.setdefault(key, []).append(value)
    return settings, lists


class GitHub(http.server.BaseHTTPRequestHandler):
    """Refuses once, with the token in its answer, then holds the next write back for a while, then takes it."""

    protocol_version = "HTTP/1.1"
    seen, writes, hold = [], 0, threading.Event()

    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        GitHub.seen.append(self.headers.get("Authorization", ""))
        self.answer(500 if len(GitHub.seen) == 1 else 200, {"message": "you sent " + TOKEN} if len(GitHub.seen) == 1 else [])

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        GitHub.hold.wait(30)
        self.answer(422, {"message": "bad token " + self.headers.get("Authorization", "")})

    do_PATCH = do_POST

    def log_message(self, *_):
        pass


class As:
    """Runs programs as a unit would: its user and group, no privileges, its umask, its limits."""

    def __init__(self, name, folder):
        self.settings, self.lists = unit(name)
        self.user, self.group = IDS[self.settings["User"]], IDS[self.settings["Group"]]
        self.credentials = folder / ("credentials-" + name)
        self.environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(folder / "state")}
        named = [value.split(":")[0] for value in self.lists.get("LoadCredential", [])]
        if named:
            self.credentials.mkdir()
            for credential in named:
                (self.credentials / credential).write_text(TOKEN + "\n")
                os.chmod(self.credentials / credential, 0o400)
            os.chmod(self.credentials, 0o500)
            for path in (self.credentials, *self.credentials.iterdir()):
                os.chown(path, self.user, self.group)
            self.environment["CREDENTIALS_DIRECTORY"] = str(self.credentials)

    def wrapped(self, arguments):
        limit = self.settings.get("LimitCORE", "infinity")
        script = f"ulimit -c {'unlimited' if limit == 'infinity' else limit}; umask {self.settings['UMask']}; exec \"$@\""
        bounding = ["--bounding-set=-all"] if self.settings.get("CapabilityBoundingSet") == "" else []
        privileges = ["--no-new-privs"] if self.settings.get("NoNewPrivileges") == "yes" else []
        return ["setpriv", f"--reuid={self.user}", f"--regid={self.group}", "--clear-groups", *bounding, *privileges,
                "sh", "-c", script, "sh", *map(str, arguments)]

    def start(self, arguments, folder):
        return subprocess.Popen(self.wrapped(arguments), cwd=folder, env=self.environment, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def run(self, arguments, folder):
        return subprocess.run(self.wrapped(arguments), cwd=folder, env=self.environment, text=True, timeout=60, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def wait_until(condition, what):
    end = time.monotonic() + 30
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("waited in vain: " + what)
        time.sleep(0.05)


@unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv"), "skipped: it needs root, to become two users, and setpriv")
@unittest.skipUnless(pathlib.Path(TBCI).is_file(), "skipped: TBCI_BINARY names no tbci")
class TokenTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tbci-token-"))
        self.addCleanup(shutil.rmtree, self.folder)
        os.chmod(self.folder, 0o755)
        self.service, self.messenger = As("tbci.service", self.folder), As("tbci-deliver.service", self.folder)
        self.state = self.folder / "state"
        self.state.mkdir()
        os.chmod(self.state, int(self.service.settings["StateDirectoryMode"], 8))
        os.chown(self.state, self.service.user, self.service.group)
        self.binary = self.folder / "tbci"
        shutil.copy(TBCI, self.binary)
        os.chmod(self.binary, 0o755)
        GitHub.seen = []
        GitHub.hold = threading.Event()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), GitHub)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.addCleanup(GitHub.hold.set)
        self.configuration = self.folder / "tbci.toml"
        self.configuration.write_text(
            '[report]\nchannels = ["github"]\n[report.github]\nrepository = "octo/demo"\n'
            f'api = "http://127.0.0.1:{self.server.server_address[1]}"\n'
            '[[subject]]\nname = "demo"\n')
        self.children = []

    def tearDown(self):
        for child in self.children:
            child.kill()
            child.wait()
            child.stdout.close()

    def tbci(self, *arguments):
        return [self.binary, "--config", self.configuration, "--state", self.state, *arguments]

    def file_a_report(self):
        database = self.state / "tbci.sqlite"
        service = self.service.start(self.tbci("serve", "--port", "0"), self.state)
        self.children.append(service)
        said = ""
        while "the page is at" not in said:
            line = service.stdout.readline()
            self.assertTrue(line, said)
            said += line
        service.terminate()
        service.communicate(timeout=30)
        self.children.remove(service)
        with sqlite3.connect(database) as rows:
            rows.execute("INSERT INTO report (subject, marker, title, body, labels, created_ms) VALUES (?, ?, ?, ?, ?, ?)",
                         ("demo", "abc123", "slower", "text", '["tbci"]', 1))
            rows.execute("INSERT INTO delivery (report_id, channel, state, next_attempt_ms) VALUES (1, 'github', 'pending', 0)")
        rows.close()
        for path in self.state.glob("tbci.sqlite*"):  # root may have made the last two
            os.chown(path, self.service.user, self.service.group)

    def deliver(self):
        child = self.messenger.start(self.tbci("deliver"), self.state)
        self.children.append(child)
        return child

    def of_the_outbox(self):
        rows = sqlite3.connect(self.state / "tbci.sqlite")
        try:
            return rows.execute("SELECT state, attempts, error FROM delivery").fetchone()
        finally:
            rows.close()

    def assert_nowhere(self):
        for path in self.folder.rglob("*"):
            if path.is_file() and self.messenger.credentials not in path.parents:
                self.assertNotIn(TOKEN[:12].encode(), path.read_bytes(), path)

    def test_the_units_give_the_token_to_the_messenger_alone(self):
        self.assertIn("github-token", self.messenger.lists["LoadCredential"])
        for key in self.service.lists:
            self.assertNotIn("Credential", key)
        self.assertNotEqual(self.service.user, self.messenger.user)
        self.assertEqual(self.service.group, self.messenger.group)
        # A credential that the group could read would be the service's too.
        self.assertEqual(self.service.run(["cat", self.messenger.credentials / "github-token"], self.state).returncode, 1)
        self.assertEqual(self.messenger.run(["cat", self.messenger.credentials / "github-token"], self.state).stdout.strip(), TOKEN)

    def test_hostile_code_of_the_service_gets_nothing_of_the_messenger(self):
        self.file_a_report()
        child = self.deliver()
        wait_until(lambda: GitHub.seen, "the messenger asks GitHub")
        self.assertEqual(GitHub.seen[0].split()[-1], TOKEN)
        attack = self.folder / "attack.py"
        attack.write_text(ATTACK)
        arguments = ["/usr/bin/python3", attack, child.pid, self.messenger.credentials, self.messenger.user]
        said = self.service.run(arguments, self.state).stdout
        self.assertEqual(said.strip(), f"done {self.service.user}")
        # Another process of the messenger's own user gets nothing of its memory either.
        arguments[3] = "/nowhere"
        said = self.messenger.run(arguments, self.state).stdout
        self.assertNotIn("/proc/", said)
        self.assertNotIn("ptrace", said)
        self.assertNotIn("process_vm_readv", said)

    def test_the_token_is_in_no_argument_log_database_or_dump(self):
        self.file_a_report()
        child = self.deliver()
        wait_until(lambda: self.of_the_outbox()[1] >= 1, "a first attempt fails")
        command_line = pathlib.Path(f"/proc/{child.pid}/cmdline").read_bytes()
        environment = pathlib.Path(f"/proc/{child.pid}/environ").read_bytes()
        self.assertNotIn(TOKEN.encode(), command_line + environment)
        self.assertIn("you sent ***", self.of_the_outbox()[2])
        child.send_signal(signal.SIGABRT)
        said = child.communicate(timeout=30)[0]
        self.assertEqual(child.returncode, -signal.SIGABRT)
        self.assertNotIn(TOKEN[:12], said)
        self.assertEqual(list(self.state.glob("core*")), [])
        self.assert_nowhere()


if __name__ == "__main__":
    unittest.main()
