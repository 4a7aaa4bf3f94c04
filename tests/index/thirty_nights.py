#!/usr/bin/env python3
"""Writes thirty nights of PyTorch: a scenario for the index server, a git repository, and the truth. Examples:

    tests/index/thirty_nights.py --tiny nights
    tests/index/thirty_nights.py --wheel torch-2.13.0+cpu-cp311-cp311-manylinux_2_28_x86_64.whl nights
    tests/index/thirty_nights.py --installed venv/lib/python3.11/site-packages --dependencies wheels nights
    tests/index/index_server.py nights/scenario.json

Writes nights/scenario.json, nights/pytorch.git and nights/truth.json. night_plan.py says which night has what trouble.
With a real wheel the server makes each nightly when it is downloaded; the digests are computed here, which takes some
seconds. On day k the index has the nightlies up to number k, and night_repository.py sets the branches to that day.
"""

import argparse
import hashlib
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import installed_wheel
import night_history
import night_plan
import night_repository
import recipe
import wheel_text
from night_plan import Night

OTHER_PYTHONS = ("cp313", "cp312")


def _other_tag(tag: str) -> str:
    """The same platform for another Python."""
    python, abi, platform = tag.split("-")
    other = next(name for name in OTHER_PYTHONS if name != python)
    return f"{other}-{other}-{platform}"


def _entry(night: Night, made: dict[str, Any], upload_time: str) -> dict[str, Any]:
    size, digest = recipe.size_and_digest(made)
    entry = {
        "name": recipe.file_name(made),
        "make": made,
        "upload_time": upload_time,
        "requires_python": ">=3.10",
        "appears_at": night.day,
        "size": size,
        "sha256": digest,
        "metadata_sha256": hashlib.sha256(recipe.metadata(made)).hexdigest(),
    }
    if night.day == night_plan.YANKED:
        entry |= {"yanked": "wrong results of conv2d, see the next one", "yanked_at": night.day + 1}
    return entry


def _entries_of(night: Night, git_version: str, base: dict[str, Any], with_other: bool) -> list[dict[str, Any]]:
    if night.day == night_plan.MISSING:
        return []
    made = {**base, "version": night.version, "git_version": git_version}
    other = {**made, "tag": _other_tag(made["tag"])}
    wanted = [other] if night.day == night_plan.OTHER_PYTHON else [made, other] if with_other else [made]
    return [_entry(night, each, night.upload_time) for each in wanted]


def _base_recipe(options: argparse.Namespace) -> dict[str, Any]:
    if options.tiny:
        return {"kind": "tiny", "tag": wheel_text.own_tag()}
    source = options.wheel.resolve() if options.wheel else installed_wheel.pack(options.installed, options.folder)
    # The packed installation lies beside the scenario, which may move with it.
    shown = str(source) if options.wheel else source.name
    return {"kind": "wheel", "source": shown, "tag": wheel_text.tag_of(source.name),
            "requirements": not options.no_requirements}


def _dependencies(folder: Path | None) -> list[dict[str, Any]]:
    if folder is None:
        return []
    return [{"name": wheel.name, "path": str(wheel.resolve())} for wheel in sorted(folder.glob("*.whl"))
            if not wheel.name.startswith("torch-")]


def _truth(night: Night, entries: list[dict[str, Any]], git_version: str, history: night_history.History,
           main: list[str], nightly: list[str]) -> dict[str, Any]:
    own = [entry["name"] for entry in entries if night.day != night_plan.OTHER_PYTHON]
    return {
        "day": night.day,
        "date": str(night.date),
        "version": night.version,
        "wheel": own[0] if own else None,
        "trouble": night.trouble,
        "git_version": git_version,
        "main_commit": main[history.night_commit[night.day]],
        "nightly_commit": nightly[night.day],
        "main_tip": main[history.main_tip[night.day]],
        "nightly_tip": nightly[night.day],
    }


def write(options: argparse.Namespace) -> None:
    folder: Path = options.folder
    folder.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(folder / night_repository.REPOSITORY, ignore_errors=True)
    history = night_history.planned()
    main, nightly = night_repository.write(folder / night_repository.REPOSITORY, history)
    base = _base_recipe(options)
    os.chdir(folder)  # a source that lies in the folder is named without it
    files, nights = _dependencies(options.dependencies), []
    for night in night_plan.NIGHTS:
        of_branch = night.day == night_plan.NIGHTLY_BRANCH
        git_version = nightly[night.day] if of_branch else main[history.night_commit[night.day]]
        entries = _entries_of(night, git_version, base, options.other_pythons)
        files += entries
        nights.append(_truth(night, entries, git_version, history, main, nightly))
    Path("scenario.json").write_text(json.dumps({"day": night_plan.COUNT - 1, "files": files}, indent=1) + "\n")
    Path(night_repository.TRUTH).write_text(json.dumps({"nights": nights}, indent=1) + "\n")
    night_repository.set_day(Path("."), night_plan.COUNT - 1)


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="thirty nights of PyTorch")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--wheel", type=Path, metavar="FILE", help="a real wheel of torch")
    source.add_argument("--installed", type=Path, metavar="SITE_PACKAGES", help="packed into the folder first")
    source.add_argument("--tiny", action="store_true", help="wheels of some kilobytes")
    parser.add_argument("--dependencies", type=Path, metavar="FOLDER", help="the index also lists the wheels there")
    parser.add_argument("--no-requirements", action="store_true", help="torch without dependencies")
    parser.add_argument("--other-pythons", action="store_true",
                        help="each night has a wheel for another Python too, as PyTorch's nights have")
    parser.add_argument("folder", type=Path)
    options = parser.parse_args(arguments)
    for name in ("wheel", "installed", "dependencies"):
        if getattr(options, name):
            setattr(options, name, getattr(options, name).resolve())
    return options


if __name__ == "__main__":
    try:
        write(parse(sys.argv[1:]))
    except (OSError, ValueError) as error:
        sys.exit(f"thirty_nights: {error}")
