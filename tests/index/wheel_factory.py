#!/usr/bin/env python3
"""Makes a nightly wheel out of a real wheel, an installation, or nothing (tiny), and wheels that are hostile. Examples:

    tests/index/wheel_factory.py --wheel torch-2.13.0+cpu-cp311-cp311-manylinux_2_28_x86_64.whl \\
        --version 2.14.0.dev20261120+cpu --git-version 0123456789012345678901234567890123456789 --into wheels
    tests/index/wheel_factory.py --installed venv/lib/python3.11/site-packages --version ... --git-version ...
    tests/index/wheel_factory.py --tiny --version ... --git-version ... --into wheels
    tests/index/wheel_factory.py --hostile zip-bomb --version ... --git-version ... --into wheels

Prints the path of the wheel. A tiny wheel has the tag of the Python that runs this; another one keeps its tag.
"""

import argparse
import sys
import tempfile
from pathlib import Path

import hostile_wheels
import installed_wheel
import recipe
import wheel_text


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="makes a nightly wheel")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--wheel", type=Path, metavar="FILE", help="a real wheel of torch")
    source.add_argument("--installed", type=Path, metavar="SITE_PACKAGES",
                        help="a folder with torch and its .dist-info")
    source.add_argument("--tiny", action="store_true", help="some kilobytes that call themselves torch")
    source.add_argument("--hostile", choices=hostile_wheels.NAMES, metavar="NAME",
                        help="a tiny wheel with one thing wrong: " + ", ".join(hostile_wheels.NAMES))
    parser.add_argument("--version", required=True, help="such as 2.14.0.dev20261120+cpu")
    parser.add_argument("--git-version", required=True, help="40 hexadecimal digits")
    parser.add_argument("--tag", help="such as cp311-cp311-linux_x86_64")
    parser.add_argument("--level", type=int, choices=(0, 1), default=1, help="compression with --installed")
    parser.add_argument("--no-requirements", action="store_true",
                        help="takes the dependencies out, to install this wheel alone")
    parser.add_argument("--into", type=Path, default=Path("."), metavar="FOLDER")
    return parser.parse_args(arguments)


def recipe_of(options: argparse.Namespace, source: Path | None) -> recipe.Recipe:
    made: recipe.Recipe = {"version": options.version, "git_version": options.git_version, "tag": options.tag}
    if source:
        return {**made, "kind": "wheel", "source": str(source), "requirements": not options.no_requirements}
    if options.hostile:
        return {**made, "kind": "hostile", "name": options.hostile}
    return {**made, "kind": "tiny"}


def make(options: argparse.Namespace) -> Path:
    wheel_text.check_version(options.version, options.git_version)
    options.into.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=options.into) as folder:
        source = options.wheel
        if options.installed:
            source = installed_wheel.pack(options.installed, Path(folder), options.level)
        steps = recipe_of(options, source)
        wheel = options.into / recipe.file_name(steps)
        recipe.write(steps, wheel)
    return wheel


if __name__ == "__main__":
    try:
        print(make(parse(sys.argv[1:])))
    except (OSError, ValueError) as error:
        sys.exit(f"wheel_factory: {error}")
