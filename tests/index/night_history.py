"""What lands on main between the nights: a list of commits, each with its parent, and where main stands on each day.

    history = night_history.planned()
    history.landed[history.night_commit[3]]      # the commit of night 3
"""

import datetime
from dataclasses import dataclass, field

import night_plan
import plausible_commits

BEFORE = 20  # commits before the first night
LOST_COMMITS = 3  # of those up to the commit of the night that gets lost
AFTER_CUT = 2  # what has landed by the time at which a nightly is published


@dataclass(frozen=True)
class Landed:
    """A commit of main; its number is its place in the list."""

    parent: int | None
    when: datetime.datetime
    change: plausible_commits.Change


@dataclass
class History:
    landed: list[Landed] = field(default_factory=list)
    night_commit: list[int] = field(default_factory=list)  # of which commit the nightly of a day is
    main_tip: list[int] = field(default_factory=list)  # where main stands when that nightly appears

    def land(self, parent: int | None, when: datetime.datetime) -> int:
        number = len(self.landed)
        self.landed.append(Landed(parent, when, plausible_commits.change(number)))
        return number


def _times(begin: datetime.datetime, end: datetime.datetime, count: int) -> list[datetime.datetime]:
    """Spread over the time between, not evenly, in whole seconds."""
    step = (end - begin) / (count + 1)
    jitter = [datetime.timedelta(seconds=plausible_commits.drawn(int(begin.timestamp()) + at, "jitter", 1800))
              for at in range(count)]
    return [(begin + step * (at + 1) - jitter[at]).replace(microsecond=0) for at in range(count)]


def _landing(history: History, parent: int | None, begin: datetime.datetime, end: datetime.datetime, count: int) -> int:
    for when in _times(begin, end, count):
        parent = history.land(parent, when)
    return parent


def planned() -> History:
    history = History()
    day = datetime.timedelta(days=1)
    first_cut = night_plan.NIGHTS[0].cut
    at = _landing(history, None, first_cut - 4 * day, first_cut - day, BEFORE)
    for night in night_plan.NIGHTS:
        before, published = night.cut - day, night.cut + datetime.timedelta(hours=4)
        after_cut = 0 if night.day == night_plan.SAME_COMMIT else AFTER_CUT
        landed_already = night.day > 0 and night.day - 1 not in (night_plan.SAME_COMMIT, night_plan.LOST)
        begin = before + datetime.timedelta(hours=4) if landed_already else before
        if night.day != night_plan.SAME_COMMIT + 1:
            at = _landing(history, at, begin, night.cut, 3 + plausible_commits.drawn(night.day, "commits", 5))
        history.night_commit.append(at)
        kept = at
        at = _landing(history, at, night.cut, published, after_cut)
        history.main_tip.append(at)
        if night.day == night_plan.LOST:
            at = _before(history, kept, LOST_COMMITS)
    return history


def _before(history: History, commit: int, count: int) -> int:
    for _ in range(count):
        commit = history.landed[commit].parent
    return commit
