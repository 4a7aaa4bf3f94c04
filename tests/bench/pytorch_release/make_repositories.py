#!/usr/bin/env python3
"""Makes git repositories of a PyTorch release and its submodules from a folder of archives.

    make_repositories.py ARCHIVES DIR      # prints {"repository": ..., "commits": {...}, "submodules": {...}}

ARCHIVES holds the release (pytorch_*.tar.*) and one archive for each submodule of SUBMODULES below: a tar or a wheel.
DIR gets one bare repository each; `git daemon --export-all --base-path=DIR --listen=127.0.0.1 DIR` serves them. The
release has three submodules for which no archive is wanted, since nothing of them is compiled: fbgemm, pocketfft and
opentelemetry-cpp. They get the least that the build looks for. fbgemm has a submodule itself, as the real one has.

The branch main has the release and four commits on it: a comment in a header that nearly all files include, a comment in
one file of c10, a line of the README, and a line of Python. Dates are fixed, so equal archives give equal hashes.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

# Where it lies in the release, and how its archive's name begins.
SUBMODULES = {
    "third_party/cpp-httplib": "cpp-httplib",
    "third_party/eigen": "eigen",
    "third_party/flatbuffers": "flatbuffers",
    "third_party/fmt": "fmt",
    "third_party/FP16": "fp16",
    "third_party/FXdiv": "fxdiv",
    "third_party/nlohmann": "nlohmann-json",
    "third_party/onnx": "onnx",
    "third_party/protobuf": "protobuf",
    "third_party/psimd": "psimd",
    "third_party/pthreadpool": "pthreadpool",
    "third_party/pybind11": "pybind11",
}
STAND_INS = {
    "third_party/fbgemm": ["LICENSE"],
    "third_party/opentelemetry-cpp": ["LICENSE", "api/include/README.md"],
    "third_party/pocketfft": ["LICENSE"],
}
NESTED = {"third_party/fbgemm": ("third_party/asmjit", "asmjit")}
CHANGES = {
    "header": ("c10/macros/Macros.h", "\n// A comment, so that all that includes this is looked at again.\n"),
    "source": ("c10/core/DeviceType.cpp", "\n// A comment in one file.\n"),
    "readme": ("README.md", "\nA line of the README.\n"),
    "python": ("torch/functional.py", "\n# A line of Python.\n"),
}


def git(folder, *arguments):
    # No settings of this machine: hashes would depend on them, and files could go missing.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null",
                    "GIT_AUTHOR_NAME": "archive", "GIT_AUTHOR_EMAIL": "archive@localhost",
                    "GIT_COMMITTER_NAME": "archive", "GIT_COMMITTER_EMAIL": "archive@localhost",
                    "GIT_AUTHOR_DATE": "2025-01-29T12:00:00Z", "GIT_COMMITTER_DATE": "2025-01-29T12:00:00Z"}
    outcome = subprocess.run(["git", *arguments], cwd=folder, env=environment, capture_output=True, text=True)
    if outcome.returncode != 0:
        sys.exit(f"git {arguments[0]} in {folder}: {outcome.stderr.strip()}")
    return outcome.stdout.strip()


def archive_of(archives, beginning):
    found = [file for file in sorted(archives.iterdir()) if file.is_file() and file.name.lower().startswith(beginning)]
    if len(found) != 1:
        sys.exit(f"{archives}: expected one archive that begins with {beginning}, found {len(found)}")
    return found[0]


def unpack(archive, folder):
    """What the archive holds, without the one folder in which it all lies."""
    with tempfile.TemporaryDirectory(dir=folder.parent) as made:
        inside = pathlib.Path(made)
        if archive.suffix == ".whl":
            with zipfile.ZipFile(archive) as wheel:
                wheel.extractall(inside)
        else:
            with tarfile.open(archive) as tar:
                tar.extractall(inside, filter="data")
        outer = list(inside.iterdir())
        if archive.suffix == ".whl":
            # The package itself: its headers lie in PACKAGE/include, as in its repository. setup.py looks for a licence.
            top = next(each for each in outer if not each.name.endswith(".dist-info"))
            shutil.copy(next(inside.glob("*.dist-info/**/LICENSE*")), top / "LICENSE")
        else:
            top = outer[0] if len(outer) == 1 else inside
        shutil.copytree(top, folder, symlinks=True)


class Repositories:
    def __init__(self, archives, folder):
        self.archives = archives
        self.folder = folder
        self.sources = {}

    def commit(self, tree, message):
        git(tree, "add", "--all", "--force")
        git(tree, "commit", "--quiet", "--message", message)
        return git(tree, "rev-parse", "HEAD")

    def add_submodules(self, tree, submodules):
        """Gitlinks and .gitmodules, with addresses relative to that of the repository around them."""
        text = ""
        for path, (name, commit) in sorted(submodules.items()):
            text += f'[submodule "{path}"]\n\tpath = {path}\n\turl = ../{name}\n'
            git(tree, "update-index", "--add", "--cacheinfo", f"160000,{commit},{path}")
            (tree / path).mkdir(parents=True, exist_ok=True)
        (tree / ".gitmodules").write_text(text)
        git(tree, "add", ".gitmodules")

    def publish(self, tree, name):
        git(tree, "clone", "--quiet", "--bare", "--no-hardlinks", str(tree), str(self.folder / name))
        shutil.rmtree(tree)

    def started(self, name):
        tree = self.folder / f"{name}.making"
        for old in (tree, self.folder / name):
            shutil.rmtree(old, ignore_errors=True)
        return tree

    def begin(self, tree):
        git(tree, "init", "--quiet", "--initial-branch=main")

    def of_archive(self, name, beginning):
        tree = self.started(name)
        archive = archive_of(self.archives, beginning)
        unpack(archive, tree)
        # Its own submodules are not in the archive.
        (tree / ".gitmodules").unlink(missing_ok=True)
        self.begin(tree)
        commit = self.commit(tree, archive.name)
        self.publish(tree, name)
        self.sources[name] = archive.name
        return commit

    def stand_in(self, path):
        name = pathlib.Path(path).name
        tree = self.started(name)
        for file in STAND_INS[path]:
            (tree / file).parent.mkdir(parents=True, exist_ok=True)
            (tree / file).write_text("Stands for what is not compiled here.\n")
        self.begin(tree)
        git(tree, "add", "--all")
        if path in NESTED:
            inner, beginning = NESTED[path]
            self.add_submodules(tree, {inner: (beginning, self.of_archive(beginning, beginning))})
        git(tree, "commit", "--quiet", "--message", "stands for " + name)
        commit = git(tree, "rev-parse", "HEAD")
        self.publish(tree, name)
        self.sources[name] = "a stand-in"
        return commit

    def release(self):
        archive = archive_of(self.archives, "pytorch_")
        submodules = {path: (pathlib.Path(path).name, self.of_archive(pathlib.Path(path).name, beginning))
                      for path, beginning in SUBMODULES.items()}
        submodules |= {path: (pathlib.Path(path).name, self.stand_in(path)) for path in STAND_INS}
        tree = self.started("pytorch")
        unpack(archive, tree)
        self.begin(tree)
        git(tree, "add", "--all", "--force")
        self.add_submodules(tree, submodules)
        git(tree, "commit", "--quiet", "--message", archive.name)
        commits = {"release": git(tree, "rev-parse", "HEAD")}
        for change, (file, text) in CHANGES.items():
            with open(tree / file, "a") as changed:
                changed.write(text)
            git(tree, "add", file)
            git(tree, "commit", "--quiet", "--message", f"{change}: {file}")
            commits[change] = git(tree, "rev-parse", "HEAD")
        self.publish(tree, "pytorch")
        return commits


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archives", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    repositories = Repositories(arguments.archives.resolve(), arguments.folder.resolve())
    commits = repositories.release()
    print(json.dumps({"repository": str(repositories.folder / "pytorch"), "commits": commits,
                      "submodules": repositories.sources}, indent=1))


if __name__ == "__main__":
    main()
