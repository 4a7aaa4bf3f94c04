"""What a wheel is made of, as JSON: so that a wheel is made when somebody asks for it, and not before. Example:

    {"kind": "wheel", "source": "torch-2.13.0+cpu-....whl", "version": "2.14.0.dev20261120+cpu",
     "git_version": "<40 digits>", "tag": null, "requirements": true}

`kind` may also be `tiny`, which has no source, or `hostile` with a `name` of hostile_wheels.
"""

import hashlib
import zipfile
import zlib
from pathlib import Path
from typing import Any, Iterable

import hostile_wheels
import raw_zip
import remade_wheel
import tiny_wheel
import wheel_text

Recipe = dict[str, Any]


def file_name(recipe: Recipe) -> str:
    wheel_text.check_version(recipe["version"], recipe["git_version"])
    tag = recipe.get("tag") or (wheel_text.tag_of(Path(recipe["source"]).name) if "source" in recipe
                                else wheel_text.own_tag())
    return wheel_text.file_name(recipe["version"], tag)


def _members(recipe: Recipe) -> list[raw_zip.Member]:
    if recipe["kind"] == "tiny":
        return tiny_wheel.tiny(recipe["version"], recipe["git_version"], wheel_text.tag_of(file_name(recipe)))
    if recipe["kind"] == "wheel":
        return remade_wheel.remade(Path(recipe["source"]), recipe["version"], recipe["git_version"],
                                   recipe.get("tag"), recipe.get("requirements", True))
    raise ValueError(f"no kind of recipe: {recipe['kind']!r}")


def pieces(recipe: Recipe) -> Iterable[bytes]:
    """The bytes of the wheel in their order: always the same for the same recipe and source."""
    if recipe["kind"] == "hostile":
        return [hostile_wheels.content(recipe["name"], recipe["version"], recipe["git_version"],
                                       wheel_text.tag_of(file_name(recipe)))]
    return raw_zip.pieces(_members(recipe))


def metadata(recipe: Recipe) -> bytes:
    """The METADATA of the wheel, without making the wheel. Empty for a hostile wheel: its index gives none."""
    if recipe["kind"] == "wheel":
        return remade_wheel.metadata(Path(recipe["source"]), recipe["version"], recipe.get("requirements", True))
    if recipe["kind"] == "hostile":
        return b""
    return tiny_wheel.METADATA.format(package="torch", version=recipe["version"]).encode()


def metadata_within(wheel: Path) -> bytes:
    """The METADATA of a wheel on the disk; empty when it has none that can be read."""
    try:
        with zipfile.ZipFile(wheel) as opened:
            names = [name for name in opened.namelist() if name.endswith(".dist-info/METADATA")]
            return opened.read(names[0]) if len(names) == 1 else b""
    except (OSError, zipfile.BadZipFile, zlib.error):
        return b""


def write(recipe: Recipe, wheel: Path) -> None:
    half = wheel.with_name(wheel.name + ".part")
    with open(half, "wb", buffering=1 << 20) as out:
        for piece in pieces(recipe):
            out.write(piece)
    half.rename(wheel)


def size_and_digest(recipe: Recipe) -> tuple[int, str]:
    """Reads all of the source once and writes nothing."""
    size, hasher = 0, hashlib.sha256()
    for piece in pieces(recipe):
        size += len(piece)
        hasher.update(piece)
    return size, hasher.hexdigest()
