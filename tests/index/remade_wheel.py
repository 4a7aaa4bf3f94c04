"""A nightly out of a real wheel: another version and commit, everything else as it is, packed bytes copied. Example:

    members = remade_wheel.remade(Path("torch-2.13.0+cpu-....whl"), "2.14.0.dev20261120+cpu", "0" * 40)
"""

import re
import zipfile
from pathlib import Path

import raw_zip
import wheel_text


def _own_folder(names: list[str]) -> str:
    """`torch-2.13.0+cpu`, which `.dist-info` and `.data` follow."""
    for name in names:
        found = re.fullmatch(r"([^/]+)\.dist-info/METADATA", name)
        if found:
            return found[1]
    raise ValueError("the source wheel has no METADATA")


def metadata(source: Path, version: str, requirements: bool = True) -> bytes:
    """What the METADATA of the remade wheel will be, without making it."""
    with zipfile.ZipFile(source) as opened:
        text = opened.read(_own_folder(opened.namelist()) + ".dist-info/METADATA")
    text = wheel_text.with_version(text, version)
    return text if requirements else wheel_text.without_requirements(text)


def remade(source: Path, version: str, git_version: str, tag: str | None = None,
           requirements: bool = True) -> list[raw_zip.Member]:
    """The members of the new wheel. `tag` none: the tags of the source wheel."""
    wheel_text.check_version(version, git_version)
    with zipfile.ZipFile(source) as opened:
        old = _own_folder(opened.namelist())
        package = old.split("-")[0]
        new = f"{package}-{version}"
        old_info, info = f"{old}.dist-info", f"{new}.dist-info"
        wheel = opened.read(f"{old_info}/WHEEL")
        changed = {
            f"{info}/METADATA": metadata(source, version, requirements),
            f"{info}/WHEEL": wheel_text.with_tag(wheel, tag) if tag else wheel,
            "torch/version.py": wheel_text.with_torch_version(opened.read("torch/version.py"), version, git_version),
        }
        rows = wheel_text.read_record(opened.read(f"{old_info}/RECORD"))

    def renamed(name: str) -> str:
        folder, slash, rest = name.partition("/")
        return new + folder.removeprefix(old) + slash + rest if folder.startswith(old + ".") else name

    record = f"{info}/RECORD"
    changed[record] = wheel_text.write_record(
        wheel_text.record_row(renamed(row[0]), changed[renamed(row[0])])
        if renamed(row[0]) in changed
        else [renamed(row[0]), *row[1:]]
        for row in rows
    )
    members = []
    for member in raw_zip.read_members(source):
        name = renamed(member.name)
        members.append(raw_zip.deflated(name, changed[name], member.attributes) if name in changed
                       else member.renamed(name))
    return members
