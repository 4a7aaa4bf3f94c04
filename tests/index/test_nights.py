"""The thirty nights: the same at each run, and each trouble is there. Part of self_test.py."""

import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import night_plan
import night_repository
from testing_support import HERE, Served, versions_pip_reads

# They change when the history does, and then what is written down elsewhere changes as well.
NIGHT_COMMITS = {0: "633e4c651087370955221735461ea2ad69e36a3e", 29: "9f59cf3a3d7f19692cef7da939416f3adf563553"}


class Nights(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        held = tempfile.TemporaryDirectory()
        cls.addClassCleanup(held.cleanup)
        cls.folder = Path(held.name) / "nights"
        subprocess.run([sys.executable, HERE / "thirty_nights.py", "--tiny", cls.folder], check=True)
        cls.scenario = json.loads((cls.folder / "scenario.json").read_text())
        cls.nights = json.loads((cls.folder / "truth.json").read_text())["nights"]
        cls.files = {entry["appears_at"]: entry for entry in cls.scenario["files"]}

    def git(self, *arguments: str) -> str:
        command = ["git", "-C", str(self.folder / night_repository.REPOSITORY), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def is_in(self, commit: str, branch: str) -> bool:
        return commit in self.git("rev-list", branch).split()

    def night(self, trouble: int) -> dict:
        return self.nights[trouble]

    def test_ids_are_the_same_at_each_run(self) -> None:
        self.assertEqual(NIGHT_COMMITS, {day: self.nights[day]["main_commit"] for day in NIGHT_COMMITS})

    def test_there_are_thirty_dates_and_one_has_no_wheel(self) -> None:
        self.assertEqual(("2026-10-21", "2026-11-19", 30),
                         (self.nights[0]["date"], self.nights[-1]["date"], len(self.nights)))
        self.assertEqual(set(range(30)) - {night_plan.MISSING}, set(self.files))
        self.assertIsNone(self.night(night_plan.MISSING)["wheel"])

    def test_one_is_yanked_on_the_next_day_and_one_is_for_another_python(self) -> None:
        yanked = {day for day, entry in self.files.items() if "yanked" in entry}
        self.assertEqual({night_plan.YANKED}, yanked)
        self.assertEqual(night_plan.YANKED + 1, self.files[night_plan.YANKED]["yanked_at"])
        own = f"-cp{sys.version_info.major}{sys.version_info.minor}-"
        others = {day for day, entry in self.files.items() if own not in entry["name"]}
        self.assertEqual({night_plan.OTHER_PYTHON}, others)

    def test_each_git_version_is_its_commit_of_main_but_one_which_names_it(self) -> None:
        for night in self.nights:
            self.assertEqual(night["day"] != night_plan.NIGHTLY_BRANCH, night["git_version"] == night["main_commit"])
            if night["day"] in self.files:
                self.assertEqual(night["git_version"], self.files[night["day"]]["make"]["git_version"])
        night = self.night(night_plan.NIGHTLY_BRANCH)
        self.assertTrue(self.is_in(night["git_version"], "nightly"))
        self.assertFalse(self.is_in(night["git_version"], "main"))
        subject = self.git("log", "-1", "--format=%s", night["git_version"])
        self.assertEqual(f"{night['date']} nightly release ({night['main_commit']})", subject)

    def test_two_neighbours_are_of_one_commit_and_all_others_are_not(self) -> None:
        commits = [night["main_commit"] for night in self.nights]
        same = [day for day in range(29) if commits[day] == commits[day + 1]]
        self.assertEqual(([night_plan.SAME_COMMIT], 29), (same, len(set(commits))))

    def test_main_lost_one_commit_of_a_night_and_has_all_others(self) -> None:
        night_repository.set_day(self.folder, 29)
        lost = [night["day"] for night in self.nights if not self.is_in(night["main_commit"], "main")]
        self.assertEqual([night_plan.LOST], lost)
        self.git("cat-file", "-e", self.night(night_plan.LOST)["main_commit"])  # it is still in the repository

    def test_the_branches_go_with_the_days(self) -> None:
        for day in (0, night_plan.LOST, night_plan.LOST + 1, 29):
            night_repository.set_day(self.folder, day)
            self.assertEqual(self.nights[day]["main_tip"], self.git("rev-parse", "main"))
            self.assertTrue(self.is_in(self.nights[day]["main_commit"], "main"))
        tips = [self.night(night_plan.LOST + after)["main_tip"] for after in (0, 1)]
        night_repository.set_day(self.folder, night_plan.LOST + 1)
        self.assertFalse(self.is_in(tips[0], "main"))
        self.assertTrue(self.is_in(tips[1], "main"))

    def test_commits_are_plausible(self) -> None:
        lines = self.git("log", "--format=%ct %P|%s", "main").splitlines()
        self.assertTrue(all(re.search(r"\(#\d{6}\)$", line) for line in lines))
        times = [int(line.split()[0]) for line in lines]
        self.assertEqual(sorted(times, reverse=True), times)
        self.assertEqual("", self.git("fsck", "--no-dangling"))

    def test_pip_sees_a_night_more_on_each_day(self) -> None:
        with Served(self.folder, self.scenario) as served:
            for day in (night_plan.MISSING - 1, night_plan.MISSING, night_plan.OTHER_PYTHON, 29):
                served.order(day=day)
                yanked = night_plan.YANKED if day > night_plan.YANKED else None  # pip leaves it out
                right = [night["version"] for night in self.nights[: day + 1]
                         if night["wheel"] and night["day"] != yanked]
                self.assertEqual(right, versions_pip_reads(served.url))
