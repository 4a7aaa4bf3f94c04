"""Writes a git repository commit by commit, for the examples in this folder."""

import os
import subprocess
from pathlib import Path


class ExampleRepository:
    """A new repository with a branch `main`. Equal files, messages and times make equal commits."""

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)
        if self.folder.exists() and any(self.folder.iterdir()):
            raise SystemExit(f"{folder} is not empty: name a folder that is new")
        self.folder.mkdir(parents=True, exist_ok=True)
        self._git("init", "--quiet", "--initial-branch=main")

    def commit(self, message: str, time: str, files: dict[str, str]) -> str:
        """Writes the files, commits them at that time (`2026-01-07T10:00:00Z`), and returns the commit's id."""
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        self._git("add", "--all")
        self._git("commit", "--quiet", "-m", message, time=time)
        return self._git("rev-parse", "HEAD")

    def _git(self, *arguments: str, time: str = "") -> str:
        own = {
            "GIT_AUTHOR_NAME": "Ada Author",
            "GIT_AUTHOR_EMAIL": "ada@example.org",
            "GIT_COMMITTER_NAME": "Ada Author",
            "GIT_COMMITTER_EMAIL": "ada@example.org",
            "GIT_AUTHOR_DATE": time,
            "GIT_COMMITTER_DATE": time,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
        }
        done = subprocess.run(
            ["git", *arguments], cwd=self.folder, env={**os.environ, **own}, check=True, stdout=subprocess.PIPE, text=True
        )
        return done.stdout.strip()
