#!/usr/bin/env python3
"""Times deploy/demo in a bare Debian 12: a root that debootstrap makes, with a clean clone of this checkout in it.

    tests/bench/bare_root.py ROOT [--keep] [--test] [-- OPTION...]    options of deploy/demo, or of deploy/test

ROOT is a folder that is not there yet; at the end it is removed, unless --keep. Packages and LibTorch come from where
this machine gets its own: the configuration of apt and pip, certificates and the environment's settings are copied into
the root. Three calls are timed: from nothing, a second one, and one with --fresh; with --test, deploy/test once
instead. For each stage: its seconds, and the largest sum of the resident memory of its processes, looked at twice a
second (shared memory counts once for each process that maps it). What was printed lies in ROOT.log. Needs root's rights
and debootstrap. Says at the end how busy the machine was besides.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import time

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
COPIED = ["/etc/apt", "/etc/pip.conf", "/etc/resolv.conf", "/etc/hosts", "/etc/ssl/certs", "/usr/share/keyrings",
          "/usr/local/share/ca-certificates", str(pathlib.Path.home() / ".config/pip")]
PASSED = re.compile(r"^(PIP_|SSL_|CURL_CA|REQUESTS_CA|GIT_SSL|TBCI_TORCH_INDEX|\w*_proxy$|\w*_PROXY$)")


def sh(*words, **options):
    return subprocess.run(words, check=True, text=True, **options)


def mirror():
    """Where this machine's own Debian comes from."""
    sites = sh("apt-get", "indextargets", "--format", "$(CODENAME) $(REPO_URI)", "Created-By: Packages",
               capture_output=True).stdout.split("\n")
    return next(line.split()[1] for line in sites if line.startswith("bookworm "))


def make_root(root):
    sh("debootstrap", "--variant=minbase", "bookworm", str(root), mirror(), stdout=subprocess.DEVNULL)
    for name in COPIED:
        source, target = pathlib.Path(name), root / name.lstrip("/")
        if source.is_dir():
            shutil.copytree(source, target, symlinks=False, dirs_exist_ok=True, ignore_dangling_symlinks=True)
        elif source.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
    (root / "etc/apt/sources.list").write_text("", encoding="utf-8")  # debootstrap's; the copied sources say the same
    for word in os.environ.get("PIP_FIND_LINKS", "").split():
        if pathlib.Path(word).is_dir():
            shutil.copytree(word, root / word.lstrip("/"))
    sh("git", "clone", "--quiet", "--no-local", str(CHECKOUT), str(root / "tbci"))
    for kind, name in (("proc", "proc"), ("devtmpfs", "dev"), ("sysfs", "sys")):
        sh("mount", "-t", kind, kind, str(root / name))


def remove_root(root):
    for name in ("proc", "dev", "sys"):
        subprocess.run(["umount", str(root / name)], check=False)
    if not any(os.path.ismount(root / name) for name in ("proc", "dev", "sys")):
        shutil.rmtree(root)


def resident(root):
    """MiB of all processes in the root together."""
    pages = 0
    for process in pathlib.Path("/proc").iterdir():
        try:
            if process.name.isdigit() and os.readlink(process / "root") == str(root):
                pages += int((process / "statm").read_text(encoding="ascii").split()[1])
        except OSError:
            continue
    return pages * os.sysconf("SC_PAGESIZE") / 2**20


class Stages:
    """Which stage runs, since when, and its peak."""

    def __init__(self, root):
        self.root, self.rows = root, []
        self.lock, self.over = threading.Lock(), threading.Event()
        self.thread = threading.Thread(target=self.watch)
        self.begin("start")
        self.thread.start()

    def begin(self, name):
        with self.lock:
            self.rows.append({"name": name, "since": time.monotonic(), "peak": 0.0})

    def watch(self):
        while not self.over.wait(0.5):
            now = resident(self.root)
            with self.lock:
                self.rows[-1]["peak"] = max(self.rows[-1]["peak"], now)

    def finish(self):
        self.over.set()
        self.thread.join()
        self.begin("end")
        for row, after in zip(self.rows, self.rows[1:]):
            print(f"{after['since'] - row['since']:8.1f} s {row['peak']:6.0f} MiB  {row['name']}")
        return self.rows[-1]["since"] - self.rows[0]["since"]


def busy():
    """Processor seconds of the whole machine."""
    fields = pathlib.Path("/proc/stat").read_text(encoding="ascii").split("\n")[0].split()[1:]
    idle = int(fields[3]) + int(fields[4])
    return (sum(map(int, fields[:8])) - idle) / os.sysconf("SC_CLK_TCK")


def timed(root, what, command, options):
    environment = [f"{name}={value}" for name, value in os.environ.items() if PASSED.match(name)]
    print(f"\n== {what}: {command} {' '.join(options)}")
    before, own = busy(), os.times()
    stages = Stages(root)
    with open(root.with_suffix(".log"), "a", encoding="utf-8") as log:
        process = subprocess.Popen(["chroot", str(root), "env", "-i", "HOME=/tmp", "LANG=C.UTF-8",
                                    "PATH=/usr/sbin:/usr/bin:/sbin:/bin", *environment, f"/tbci/{command}", *options],
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for line in process.stdout:
            log.write(line)
            log.flush()
            stage = re.match(r"(?:== (.*) \(after \d+ s\)|(install|measure|creep|confirm|bisect|profile|report): .*[^)]$)",
                             line)
            if stage:
                stages.begin(stage.group(1) or f"  {stage.group(2)}")
    status = process.wait()
    total = stages.finish()
    used = os.times()
    children = used.children_user + used.children_system - own.children_user - own.children_system
    print(f"{total:8.1f} s in all, exit code {status}; the processors worked {children:.0f} s for it and "
          f"{max(0, busy() - before - children):.0f} s for other things")
    return status


def new_root(folder, program):
    """Where the root may be made; ends the program where it cannot be."""
    root = folder.absolute()
    if os.getuid() != 0 or not shutil.which("debootstrap"):
        sys.exit(f"{program}: root's rights and debootstrap are needed")
    if root.exists():
        sys.exit(f"{program}: {root} is there already: name a new folder")
    print("load of the machine at the start (1, 5, 15 minutes):", *os.getloadavg(), flush=True)
    return root


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--test", action="store_true")
    parser.add_argument("options", nargs="*")
    arguments = parser.parse_args()
    root = new_root(arguments.root, "bare_root")
    try:
        make_root(root)
        command = "deploy/test" if arguments.test else "deploy/demo"
        failed = timed(root, "From nothing", command, arguments.options)
        if not failed and not arguments.test:
            failed = timed(root, "A second call", command, arguments.options)
            failed = timed(root, "Measured again", command, [*arguments.options, "--fresh"]) or failed
    finally:
        if not arguments.keep:
            remove_root(root)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
