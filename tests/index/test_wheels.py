"""The wheels: right ones install and have a right RECORD, hostile ones hold what they claim. Part of self_test.py."""

import os
import stat
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

import hostile_wheels
import installed_wheel
import raw_zip
import recipe
import remade_wheel
import tiny_wheel
import wheel_text
from testing_support import COMMIT, pip, version_of

OTHER_COMMIT = "f" * 40
NO_INDEX = "http://127.0.0.1:9/"  # nothing listens there, and nothing is asked


def wrong_rows(wheel: zipfile.ZipFile) -> list[str]:
    """Rows of RECORD that do not fit, and members without a row."""
    record = next(name for name in wheel.namelist() if name.endswith("/RECORD"))
    rows = {row[0]: row for row in wheel_text.read_record(wheel.read(record))}
    wrong = [name for name in wheel.namelist() if name not in rows]
    return wrong + [name for name, row in rows.items()
                    if row[1] and row != wheel_text.record_row(name, wheel.read(name))]


class Wheels(unittest.TestCase):
    def setUp(self) -> None:
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = Path(held.name)

    def made(self, **steps: str) -> Path:
        steps = {"kind": "tiny", "version": version_of(3), "git_version": COMMIT, **steps}
        wheel = self.folder / recipe.file_name(steps)
        recipe.write(steps, wheel)
        return wheel

    def test_a_tiny_wheel_has_a_right_record_and_passes_the_check_of_an_addition(self) -> None:
        wheel = self.made()
        with zipfile.ZipFile(wheel) as opened:
            self.assertIsNone(opened.testzip())
            self.assertEqual([], wrong_rows(opened))
        check = "import torch; assert (torch.ones(2) + 1).sum().item() == 4; print(torch.__version__)"
        run = subprocess.run([sys.executable, "-c", check], env={**os.environ, "PYTHONPATH": str(wheel)},
                             capture_output=True, text=True)
        self.assertEqual(version_of(3) + "\n", run.stdout, run.stderr)

    def test_a_remade_wheel_differs_in_version_and_commit_alone(self) -> None:
        source = self.made()
        wheel = self.made(kind="wheel", source=str(source), version=version_of(4), git_version=OTHER_COMMIT)
        with zipfile.ZipFile(source) as old, zipfile.ZipFile(wheel) as new:
            self.assertIsNone(new.testzip())
            self.assertEqual([], wrong_rows(new))
            renamed = [name.replace(version_of(3), version_of(4)) for name in old.namelist()]
            self.assertEqual(renamed, new.namelist())
            changed = {name for before, name in zip(old.namelist(), renamed) if old.read(before) != new.read(name)}
            info = f"torch-{version_of(4)}.dist-info"
            self.assertEqual({"torch/version.py", f"{info}/METADATA", f"{info}/RECORD"}, changed)
            self.assertIn(f"git_version = '{OTHER_COMMIT}'", new.read("torch/version.py").decode())
            self.assertEqual(new.read(f"{info}/METADATA"), remade_wheel.metadata(source, version_of(4)))

    def test_the_size_is_known_before_the_wheel_is_made(self) -> None:
        members = tiny_wheel.tiny(version_of(3), COMMIT, wheel_text.own_tag())
        self.assertEqual(self.made().stat().st_size, raw_zip.size_of(members))

    def test_a_wheel_is_made_again_of_what_is_installed(self) -> None:
        site = self.folder / "site"
        run = pip("install", "--quiet", "--no-deps", "--target", str(site), str(self.made()), index=NO_INDEX)
        self.assertEqual(0, run.returncode, run.stderr)
        (self.folder / "again").mkdir()
        again = installed_wheel.pack(site, self.folder / "again")
        with zipfile.ZipFile(self.made()) as old, zipfile.ZipFile(again) as new:
            self.assertEqual(set(old.namelist()), set(new.namelist()))
            self.assertEqual([], wrong_rows(new))

    def test_several_platforms_of_an_installation_are_one_name(self) -> None:
        info = self.folder / "site" / "torch-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "RECORD").write_text(f"{info.name}/WHEEL,,\n")
        (info / "WHEEL").write_text("Tag: cp311-cp311-linux_a\nTag: cp311-cp311-linux_b\n")
        self.assertEqual("torch-1.0-cp311-cp311-linux_a.linux_b.whl", installed_wheel.pack(info.parent, self.folder).name)
        (info / "WHEEL").write_text("Tag: cp311-cp311-linux_a\nTag: cp312-cp312-linux_a\n")
        with self.assertRaises(ValueError):
            installed_wheel.pack(info.parent, self.folder)

    def test_a_wrong_version_or_commit_is_refused(self) -> None:
        for wrong in ({"version": "2.14/../x"}, {"git_version": "abc"}):
            with self.subTest(wrong), self.assertRaises(ValueError):
                self.made(**wrong)


class HostileWheels(unittest.TestCase):
    def setUp(self) -> None:
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = Path(held.name)

    def path(self, name: str) -> Path:
        wheel = self.folder / f"{name}.whl"
        wheel.write_bytes(hostile_wheels.content(name, version_of(3), COMMIT, wheel_text.own_tag()))
        return wheel

    def opened(self, name: str) -> zipfile.ZipFile:
        wheel = zipfile.ZipFile(self.path(name))
        self.addCleanup(wheel.close)
        return wheel

    def test_all_but_the_truncated_one_are_archives_with_a_right_record_except_where_they_lie(self) -> None:
        for name in hostile_wheels.NAMES:
            with self.subTest(name):
                if name == "truncated":
                    self.assertRaises(zipfile.BadZipFile, zipfile.ZipFile, self.path(name))
                else:
                    lies = ["torch/__init__.py"] if name == "lying-record" else []
                    self.assertEqual(lies, wrong_rows(self.opened(name)))

    def test_members_that_leave_their_folder(self) -> None:
        self.assertIn("../evil", self.opened("parent-member").namelist())
        self.assertIn("/evil-absolute", self.opened("absolute-member").namelist())
        link = self.opened("symlink-out").getinfo("torch/outside")
        self.assertTrue(stat.S_ISLNK(link.external_attr >> 16))
        self.assertEqual(b"../../..", self.opened("symlink-out").read(link))
        self.assertIn("torch/outside/evil", self.opened("symlink-out").namelist())

    def test_the_bomb_unpacks_to_8_gib_of_which_each_part_is_zeros(self) -> None:
        wheel = self.path("zip-bomb")
        self.assertLess(wheel.stat().st_size, 10 << 20)
        with zipfile.ZipFile(wheel) as opened:
            bomb = opened.getinfo("torch/lib/libbomb.so")
            self.assertEqual(8 << 30, bomb.file_size)
            with opened.open(bomb) as unpacked:
                self.assertEqual(bytes(5 << 20), unpacked.read(5 << 20))

    def test_the_checksum_of_zeros_is_that_of_zlib(self) -> None:
        import zlib

        self.assertEqual(zlib.crc32(bytes(1 << 20)), hostile_wheels._crc_of_zeros(20))

    def test_what_gets_a_chance_to_run_leaves_a_mark(self) -> None:
        for name, file in (("pth", "evil.pth"), ("sitecustomize", "sitecustomize.py")):
            with self.subTest(name):
                environment = self.folder / name
                subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
                site = next(environment.glob("lib/python*/site-packages"))
                (site / file).write_bytes(self.opened(name).read(file))
                self.assertFalse((environment / hostile_wheels.MARK).exists())
                subprocess.run([environment / "bin" / "python", "-c", "pass"], check=True)
                self.assertTrue((environment / hostile_wheels.MARK).exists())

    def test_the_metadata_is_of_another_version_than_the_name(self) -> None:
        metadata = self.opened("other-version").read(f"torch-{version_of(3)}.dist-info/METADATA")
        self.assertIn(b"\nVersion: 9.9.9\n", metadata)
