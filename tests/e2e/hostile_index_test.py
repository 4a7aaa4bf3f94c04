#!/usr/bin/env python3
"""tbci against an index that fails in every way, and wheels that do harm (tests/index).

    tests/e2e/hostile_index_test.py build/dev/tbci

An outage is an error and no verdict: nothing is recorded against a nightly, and the same command works as soon as the index does.
A hostile wheel is refused by its name and by the name of what is wrong, and nothing of it is installed.
"""
import concurrent.futures
import os
import pathlib
import shutil
import sys
import tempfile
import unittest

from index_installation import IndexInstallation, make_python

import hostile_wheels
import html_page
from testing_support import COMMIT, name_of, tiny_entry, version_of

TBCI = os.environ.get("TBCI_BINARY", "")
AT_ONCE = 6  # most of them wait, for pauses between tries

# What pip makes of these pages, whatever tbci reads there (tests/index/README.md).
PIP_CANNOT_READ = "latin-1-meta"
PIP_LISTS_A_DECOY = ("textarea-links", "title-links")
DECOY = "9.9.9.dev20991231"

REFUSED = {  # the name of the wheel, and what is wrong with it
    "parent-member": "'../evil' leads out of its folder",
    "absolute-member": "'/evil-absolute' has an absolute path",
    "symlink-out": "'torch/outside' is a link",
    "lying-record": "'torch/__init__.py' differs from what its RECORD says",
    "zip-bomb": "its 8 MiB unpack to 8192 MiB",
    "pth": "'evil.pth' runs whenever Python starts",
    "sitecustomize": "'sitecustomize.py' runs whenever Python starts",
    "other-version": "has inconsistent version",
    "truncated": "is invalid",
}
MAY_BE_THE_NETWORKS = ("truncated",)  # without a digest nobody can tell

OUTAGES = {
    "listing": ["429:1", "500", "503", "503:1", "403", "endless:400000000", "redirect-loop", "not-html", "empty", "hang"],
    "metadata": ["429:1", "500", "503", "cut:0.5", "hang"],
    "file": ["429:1", "500", "503", "cut:0", "redirect-loop", "empty"],
    "connection": ["hang"],
}
# A pip that does not count takes what came of a page for all of it.
SHORTENED = ["cut:0.5", "wrong-length-short", "wrong-length-long"]
PASSING = ["429:1", "500", "503:1", "cut:0.3", "wrong-length-long", "empty", "redirect-elsewhere"]


INSTALLERS = ["pip", *(["uv"] if shutil.which("uv") else [])]


def in_parallel(self, cases, check):
    """Each case in a folder of its own; all that failed are told."""
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for case, future in [(case, pool.submit(check, case)) for case in cases]:
            with self.subTest(case):
                future.result()


class HostileIndex(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls._folder = tempfile.TemporaryDirectory(prefix="tbci-index-")
        cls.folder = pathlib.Path(cls._folder.name)
        cls.python = make_python(cls.folder)
        with IndexInstallation(TBCI, cls.python, cls.folder / "probe", {"files": [tiny_entry(1)]}) as place:
            said = place.tbci("nightly", "install", version_of(1))
            if said.returncode != 0:
                raise AssertionError(said.stderr)
            # pip before 25.3 downloads a wheel, once or twice, to say that it would install it. What follows is tbci's.
            cls.downloads_of_pip = len(place.downloads()) - 1

    @classmethod
    def tearDownClass(cls):
        cls._folder.cleanup()

    def place(self, name, files, *options):
        return IndexInstallation(TBCI, self.python, self.folder / name.replace(":", "-"), {"files": files}, *options)

    def fails_without_verdict(self, place, said):
        self.assertEqual(1, said.returncode, said.stderr)
        self.assertIn("tbci: ", said.stderr)
        self.assertEqual([], place.verdicts(), said.stderr)
        self.assertNotRegex(said.stderr, "refused|does not install|Traceback")

    def test_each_outage_is_an_error_and_no_verdict_and_when_it_is_over_the_same_command_works(self):
        def check(case):
            on, kind = case
            with self.place(f"outage-{on}-{kind}", [tiny_entry(day) for day in (1, 2)]) as place:
                command = ["nightly", "list"] if on in ("listing", "connection") else ["nightly", "install", version_of(1)]
                place.served.order(fault=self.of_tbci(kind) if on == "file" else {"on": on, "kind": kind})
                if kind == "503":  # a command that would give a verdict
                    self.fails_without_verdict(place, place.tbci("check"))
                    place.served.order(faults=[self.of_tbci(kind) if on == "file" else {"on": on, "kind": kind}])
                said = place.tbci(*command, seconds=300)
                self.fails_without_verdict(place, said)
                self.assertEqual([], place.environments())
                place.served.order(faults=[])
                said = place.tbci(*command)
                self.assertEqual(0, said.returncode, said.stderr)
                self.assertIn(version_of(1), said.stdout)

        in_parallel(self, [(on, kind) for on, kinds in OUTAGES.items() for kind in kinds], check)

    def of_tbci(self, kind, **more):
        return {"on": "file", "kind": kind, "after": self.downloads_of_pip, **more}

    def test_a_page_that_is_cut_off_hides_versions_at_most_and_is_no_verdict(self):
        def check(kind):
            with self.place(f"shortened-{kind}", [tiny_entry(day) for day in (1, 2, 3)]) as place:
                place.served.order(fault={"on": "listing", "kind": kind})
                said = place.tbci("nightly", "list")
                self.assertIn(said.returncode, (0, 1), said.stderr)
                self.assertEqual([], place.verdicts())
                place.served.order(faults=[])
                self.assertEqual([version_of(day) for day in (1, 2, 3)], list(place.listed()))

        in_parallel(self, SHORTENED, check)

    def test_a_fault_that_passes_costs_no_installation(self):
        def check(kind):
            with self.place(f"passing-{kind}", [tiny_entry(1)]) as place:
                place.served.order(fault=self.of_tbci(kind, count=1))
                said = place.tbci("nightly", "install", version_of(1))
                self.assertEqual((0, []), (said.returncode, place.verdicts()), said.stderr)

        in_parallel(self, PASSING, check)

    def test_a_connection_that_is_cut_at_every_tenth_costs_no_byte_twice(self):
        with self.place("tenths", [tiny_entry(1)]) as place:
            # Of what is left: at a tenth of the file, then at a ninth of the other nine, ...
            faults = [{"on": "file", "kind": f"cut:{1 / left:.6f}", "count": 1} for left in range(10, 1, -1)]
            faults[0]["after"] = self.downloads_of_pip
            place.served.order(faults=faults)
            said = place.tbci("nightly", "install", version_of(1))
            self.assertEqual(0, said.returncode, said.stderr)
            sent = place.downloads()[self.downloads_of_pip:]
            size = len(place.served.get(sent[0]["path"])[1])
            self.assertEqual(10, len(sent))
            self.assertEqual(9, sum(bool(request["range"]) for request in sent))
            self.assertEqual(size, sum(request["bytes"] for request in sent))

    def test_a_download_goes_on_after_a_kill(self):
        with self.place("killed", [tiny_entry(1)]) as place:
            place.served.order(fault=self.of_tbci("slow:9000", count=1))
            begun = place.start("nightly", "install", version_of(1))
            part = place.wait_for_part(5000)
            begun.kill()
            begun.wait(10)
            said = place.tbci("nightly", "install", version_of(1))
            self.assertEqual((0, []), (said.returncode, place.verdicts()), said.stderr)
            resumed = place.downloads()[-1]
            self.assertEqual(206, resumed["status"])
            self.assertGreaterEqual(int(resumed["range"].removeprefix("bytes=").removesuffix("-")), part)

    def test_each_hostile_wheel_is_refused_by_name_and_nothing_of_it_is_installed(self):
        self.assertEqual(set(hostile_wheels.NAMES), set(REFUSED))

        def check(case):
            installer, name = case
            made = {"kind": "hostile", "name": name, "version": version_of(3), "git_version": COMMIT}
            place = self.place(f"wheel-{installer}-{name}", [tiny_entry(1), {"name": name_of(3), "make": made}, tiny_entry(4)])
            place.installer = installer
            with place:
                for _ in range(2):  # also where it was refused before
                    said = place.tbci("nightly", "install", version_of(3))
                    self.assertEqual(1, said.returncode, said.stderr)
                    self.assertIn(REFUSED[name], said.stderr)
                    self.assertIn(version_of(3), said.stderr)
                failed = [name for name, _ in place.verdicts()]
                self.assertEqual([] if name in MAY_BE_THE_NETWORKS else [version_of(3)], failed)
                self.assertEqual([], place.environments())
                outside = [path for path in (pathlib.Path("/evil-absolute"), pathlib.Path(sys.prefix) / hostile_wheels.MARK) if path.exists()]
                self.assertEqual([], [*place.folder.glob("**/*evil*"), *outside])
                said = place.tbci("nightly", "install", version_of(4))
                self.assertEqual(0, said.returncode, said.stderr)
                self.assertIn(f"unpacked by {installer}", said.stdout)

        in_parallel(self, [(installer, name) for installer in INSTALLERS for name in hostile_wheels.NAMES], check)

    def test_every_legal_shape_of_html_lists_the_same_versions(self):
        other = name_of(4).replace("cp3", "cp2")
        files = [tiny_entry(1), tiny_entry(2, yanked="wrong <results> & more"), tiny_entry(3), {**tiny_entry(4), "name": other}]
        truth = {version_of(1): "complete", version_of(2): "yanked", version_of(3): "complete", version_of(4): "incomplete"}

        def check(shape):
            with self.place(f"shape-{shape}", files, "--html-shape", shape) as place:
                if shape == PIP_CANNOT_READ:
                    self.fails_without_verdict(place, place.tbci("nightly", "list"))
                    return
                listed = place.listed()
                if shape in PIP_LISTS_A_DECOY:
                    listed.pop(DECOY)
                self.assertEqual(truth, {name: one["availability"] for name, one in listed.items()})
                remark = "yanked" if shape == "bare-yanked" else "yanked: wrong <results> & more"
                self.assertEqual(remark, listed[version_of(2)]["remark"])
                self.assertTrue(all("uploaded" in one for one in listed.values()))

        in_parallel(self, html_page.NAMES, check)

    def test_broken_tls_and_a_certificate_that_nobody_trusts_are_outages(self):
        tls = self.folder / "tls-certificates"
        with self.place("tls", [tiny_entry(1)], "--tls-self-signed", str(tls)) as place:
            self.fails_without_verdict(place, place.tbci("nightly", "list"))
            place.environment["PIP_CERT"] = str(tls / "certificate.pem")
            self.assertEqual([version_of(1)], list(place.listed()))
            place.served.order(fault={"on": "connection", "kind": "broken-tls"})
            self.fails_without_verdict(place, place.tbci("nightly", "list"))
            self.fails_without_verdict(place, place.tbci("nightly", "install", version_of(1)))
            place.served.order(faults=[])
            said = place.tbci("nightly", "install", version_of(1))
            self.assertEqual(0, said.returncode, said.stderr)


if __name__ == "__main__":
    if len(sys.argv) > 1 and pathlib.Path(sys.argv[1]).is_file():
        TBCI = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
