"""Each option that a page names exists. Usage: tree_options.py ROOT TBCI

In a `tbci ...` command line it must be in that command's --help. An option that stands alone in backticks must be in
the help of some command, or belong to another program that the same section names. The words of --help are checked too.
"""

import re
import subprocess
import sys
from pathlib import Path

import markdown

# Commands whose help is not in plain English yet. Remove an entry once it is.
NOT_PLAIN_HELP: set[str] = set()

# These are about the worker, and name its options without it.
WORKER = ["suite/options.cpp", "runner/torchbench"]
WORKER_PAGES = {"docs/worker-protocol.md", "docs/exported-models.md"}

# Other programs, as a section names them, and where their options are written.
PROGRAMS = {
    r"deploy/demo": ["deploy/demo"],
    r"deploy/deps": ["deploy/deps"],
    r"deploy/test": ["deploy/test"],
    r"tbci-worker|suite-test|suite-truth": WORKER,
    r"tbci-miniature": ["miniature"],
    r"bench-change_points": ["tests/bench/change_points.cpp", "tests/bench/histories.hpp"],
    r"bench-thousand_nights": ["tests/bench/thousand_nights/main.cpp"],
    r"export_model\.py": ["docs/export_model.py"],
    r"tests/bench/(?P<script>\w+\.py)": ["tests/bench/{script}"],
    r"tests/suite/(?P<script>\w+\.py)": ["tests/suite/{script}"],
}
class Tbci:
    """The program's commands with the options that their --help names."""

    def __init__(self, program: str):
        self._program = program
        self.helps: dict[tuple[str, ...], str] = {}
        self._read(())
        self.options = {command: markdown.options_in(text) for command, text in self.helps.items()}

    def _read(self, command: tuple[str, ...]) -> None:
        ran = subprocess.run([self._program, *command, "--help"], capture_output=True, text=True, check=True)
        self.helps[command] = ran.stdout
        part = re.search(r"^Subcommands:\n((?:  .*\n)+)", ran.stdout, re.MULTILINE)
        for name in re.findall(r"^  ([a-z-]+) ", part[1], re.MULTILINE) if part else []:
            self._read((*command, name))

    def command_of(self, arguments: list[str]) -> tuple[str, ...]:
        command: tuple[str, ...] = ()
        rest = iter(arguments)
        for word in rest:
            if word in ("--config", "--state"):
                next(rest, None)
            elif not word.startswith("-"):
                if (*command, word) not in self.helps:
                    break
                command = (*command, word)
        return command

    def knows(self, command: tuple[str, ...], option: str) -> bool:
        return option in self.options[command] or option in self.options[()]

    def anywhere(self, option: str) -> bool:
        return any(option in options for options in self.options.values())


def is_tbci(program: str) -> bool:
    return program == "tbci" or (program.endswith("/tbci") and program != "/tbci")  # a comment on an issue


def text_below(path: Path) -> str:
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    return "\n".join(file.read_text(encoding="utf-8", errors="replace") for file in files if file.is_file())


def options_of(root: Path, places: list[str]) -> set[str]:
    return markdown.options_in("\n".join(text_below(root / place) for place in places))


def options_of_named_programs(root: Path, section: str) -> set[str]:
    options = set()
    for name, places in PROGRAMS.items():
        for match in re.finditer(name, section):
            options |= options_of(root, [place.format(**match.groupdict()) for place in places])
    return options


def in_command_lines(tbci: Tbci, name: str, page: str) -> list[str]:
    findings = []
    for use in markdown.uses_of(page):
        if not is_tbci(use.program):
            continue
        command = tbci.command_of(use.arguments)
        first = use.arguments[0] if use.arguments else ""
        if not command and re.fullmatch("[a-z]+", first):
            findings.append(f"{name}:{use.number}: there is no command `tbci {first}`")
            continue
        for option in filter(None, map(markdown.option_of, use.arguments)):
            if not tbci.knows(command, option):
                findings.append(f"{name}:{use.number}: `tbci {' '.join(command)}` has no option {option}")
    return findings


def standing_alone(root: Path, tbci: Tbci, name: str, page: str) -> list[str]:
    findings = []
    worker = options_of(root, WORKER) if name in WORKER_PAGES else set()
    for first, section in markdown.sections_of(page):
        elsewhere = options_of_named_programs(root, section)
        for use in markdown.uses_of(section):
            option = markdown.option_of(use.program)
            if option and not tbci.anywhere(option) and option not in elsewhere | worker:
                findings.append(f"{name}:{first + use.number - 1}: no command has an option {option}")
    return findings


def tics_of_help(tbci: Tbci) -> list[str]:
    findings = []
    for command, text in tbci.helps.items():
        name = " ".join(command)
        if name not in NOT_PLAIN_HELP:
            for _, tic, better in markdown.tics_in(text):
                findings.append(f"tbci {name} --help: '{tic}': say {better}")
    return findings


def check(root: Path, tbci: Tbci) -> list[str]:
    if ("bisect",) not in tbci.helps or not tbci.knows(("bisect",), "--metric"):
        return ["--help cannot be read: its form has changed"]
    findings = tics_of_help(tbci)
    for path in [*sorted(root.glob("*.md")), *sorted(root.glob("docs/*.md"))]:
        name, page = str(path.relative_to(root)), path.read_text(encoding="utf-8")
        findings += in_command_lines(tbci, name, page)
        findings += standing_alone(root, tbci, name, page)
    return findings


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: tree_options.py ROOT TBCI")
    found = check(Path(sys.argv[1]), Tbci(sys.argv[2]))
    print("\n".join(found))
    sys.exit(1 if found else 0)
