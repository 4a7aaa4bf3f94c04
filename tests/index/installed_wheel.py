"""A wheel of what is installed in a site-packages folder, by its RECORD: the way back from an installation. Example:

    wheel = installed_wheel.pack(Path("venv/lib/python3.11/site-packages"), Path("wheels"))
"""

import zipfile
from pathlib import Path

import wheel_text

# The installer wrote these, and they stood in no wheel.
OF_THE_INSTALLER = ("INSTALLER", "REQUESTED", "direct_url.json", "RECORD")


def _dist_info(site_packages: Path, package: str) -> Path:
    found = sorted(site_packages.glob(f"{package}-*.dist-info"))
    if len(found) != 1:
        raise ValueError(f"{site_packages} has {len(found)} folders {package}-*.dist-info, and one is wanted")
    return found[0]


def _is_of_the_wheel(name: str, info: str) -> bool:
    if name.startswith(("../", "/")) or name.endswith(".pyc"):
        return False  # programs are made from entry points, and byte code at the installation
    return name not in {f"{info}/{file}" for file in OF_THE_INSTALLER}


def _tag(wheel: bytes) -> str:
    """Several tags that differ in the platform alone are one name, as PEP 425 compresses them."""
    tags = [line.removeprefix("Tag: ").strip().split("-") for line in wheel.decode().split("\n") if line.startswith("Tag: ")]
    if len({tuple(tag[:-1]) for tag in tags}) != 1:
        raise ValueError(f"the installed WHEEL names the tags {tags}, and one Python is wanted")
    return "-".join([*tags[0][:-1], ".".join(tag[-1] for tag in tags)])


def pack(site_packages: Path, folder: Path, level: int = 1, package: str = "torch") -> Path:
    """Writes the wheel into the folder. `level` 0 does not compress, 1 takes some 20 seconds for PyTorch."""
    info = _dist_info(site_packages, package)
    rows = [row for row in wheel_text.read_record((info / "RECORD").read_bytes())
            if _is_of_the_wheel(row[0], info.name)]
    wheel = folder / f"{info.name.removesuffix('.dist-info')}-{_tag((info / 'WHEEL').read_bytes())}.whl"
    method = zipfile.ZIP_DEFLATED if level else zipfile.ZIP_STORED
    half = wheel.with_suffix(".part")
    with zipfile.ZipFile(half, "w", method, compresslevel=level, strict_timestamps=False) as out:
        for name, *_ in rows:
            out.write(site_packages / name, name)
        record = f"{info.name}/RECORD"
        out.writestr(record, wheel_text.write_record([*rows, [record, "", ""]]))
    return half.rename(wheel)
