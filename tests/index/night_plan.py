"""Thirty nights from 21 October 2026, and what is wrong with six of them. Nothing here is drawn: it is always the same.

    for night in night_plan.NIGHTS: print(night.date, night.trouble)
"""

import datetime
from dataclasses import dataclass

FIRST = datetime.date(2026, 10, 21)
COUNT = 30

# By the number of the night. The first ten days of history are quiet, so that a service has something to start from.
MISSING = 5  # no wheel of that date at all
YANKED = 8  # taken back on the next day
OTHER_PYTHON = 11  # only a wheel for another Python
NIGHTLY_BRANCH = 14  # its git_version is a commit of the branch `nightly`, which names one of main
SAME_COMMIT = 17  # the next night is of the same commit: nothing landed
LOST = 22  # main is pushed back after it: its commit is in main's history no more

TROUBLES = {
    MISSING: "missing",
    YANKED: "yanked",
    OTHER_PYTHON: "other-python",
    NIGHTLY_BRANCH: "nightly-branch",
    SAME_COMMIT: "same-commit-as-next",
    SAME_COMMIT + 1: "same-commit-as-previous",
    LOST: "lost-commit",
}


@dataclass(frozen=True)
class Night:
    day: int

    @property
    def date(self) -> datetime.date:
        return FIRST + datetime.timedelta(self.day)

    @property
    def trouble(self) -> str | None:
        return TROUBLES.get(self.day)

    @property
    def version(self) -> str:
        return f"2.14.0.dev{self.date:%Y%m%d}+cpu"

    @property
    def cut(self) -> datetime.datetime:
        """When the commit of this night is picked."""
        return datetime.datetime.combine(self.date, datetime.time(7, 0), datetime.timezone.utc)

    @property
    def upload_time(self) -> str:
        minute, second, part = self.day * 7 % 60, self.day * 13 % 60, (self.day + 1) * 31_337 % 1_000_000
        return f"{self.date}T11:{minute:02}:{second:02}.{part:06}Z"


NIGHTS = [Night(day) for day in range(COUNT)]
