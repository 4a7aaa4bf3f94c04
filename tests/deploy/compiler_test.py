"""deploy/compiler: the newest clang that is new enough, else g++, and always what the user chose."""

import pathlib
import subprocess
import tempfile
import unittest

COMPILER = pathlib.Path(__file__).resolve().parents[2] / "deploy/compiler"


def chosen(compilers, *options, **variables):
    """What deploy/compiler prints where PATH has these programs, each a name and what it says its version is."""
    with tempfile.TemporaryDirectory(prefix="a folder ") as folder:
        for name, version in compilers.items():
            program = pathlib.Path(folder) / name
            program.write_text(f"#!/bin/sh\n{version}\n", encoding="utf-8")
            program.chmod(0o755)
        (pathlib.Path(folder) / "uname").symlink_to("/bin/uname")
        bash = pathlib.Path(folder) / "bash"
        bash.symlink_to("/bin/bash")
        said = subprocess.run([COMPILER, *options], env={"PATH": f"/nowhere:{folder}", **variables}, check=True, text=True,
                              capture_output=True)
        return said.stdout.strip().removeprefix(folder + "/")


class Compiler(unittest.TestCase):
    def test_the_newest_clang_of_all_is_taken(self):
        self.assertEqual(chosen({"clang++": "echo 14.0.6", "clang++-16": "echo 16.0.6", "clang++-19": "echo 19.1.7",
                                 "clang++-18": "echo 18.1.3"}), "clang++-19")
        self.assertEqual(chosen({"clang++": "echo 21.1.0"}), "clang++")

    def test_one_that_is_too_old_or_does_not_run_is_not(self):
        self.assertEqual(chosen({"clang++": "echo 14.0.6", "clang++-15": "echo 15.0.6", "clang++-17": "exit 1",
                                 "clang++-18": "echo nonsense"}), "g++")
        self.assertEqual(chosen({}), "g++")

    def test_for_sanitizers_it_has_what_they_link(self):
        without = 'case $1 in -dumpversion) echo 19.1.7 ;; *) echo libclang_rt.asan.a ;; esac'
        complete = 'case $1 in -dumpversion) echo 16.0.6 ;; *) echo "$0" ;; esac'
        compilers = {"clang++-19": without, "clang++-16": complete}
        self.assertEqual(chosen(compilers), "clang++-19")
        self.assertEqual(chosen(compilers, "--sanitizers"), "clang++-16")
        self.assertEqual(chosen({"clang++-19": without}, "--sanitizers"), "g++")

    def test_another_argument_is_refused(self):
        for arguments in (["--help"], ["--sanitizers", "--sanitizers"]):
            said = subprocess.run([COMPILER, *arguments], text=True, capture_output=True)
            self.assertEqual((said.returncode, said.stdout), (2, ""))
            self.assertIn("usage: deploy/compiler", said.stderr)

    def test_the_users_choice_comes_first(self):
        self.assertEqual(chosen({"clang++-16": "echo 16.0.6"}, CXX="g++-13"), "g++-13")
        self.assertEqual(chosen({"clang++-16": "echo 16.0.6"}, CXX=""), "clang++-16")


if __name__ == "__main__":
    os.environ.pop("CXX", None)
    unittest.main()
