"""What holds for the pages and for the words of the whole tree. Usage: tree_pages.py ROOT

Links lead somewhere, paths of the index exist, the rooms are those of the include rule, prose is wrapped, and words
that were taken out do not come back.
"""

import re
import subprocess
import sys
from pathlib import Path

import markdown

WIDTH = 100

# Not wrapped yet. Remove an entry once its page is.
NOT_WRAPPED: set[str] = set()
# Not in plain English yet: files, or folders with a slash. Remove an entry once it is.
NOT_PLAIN: set[str] = set()
# Texts that a program wrote.
NOT_PAGES = ("tests/github/golden/", "tests/pipeline/night/golden/", "miniature/templates/")
# These hold the words to find them.
ABOUT_WORDS = {"tests/structure/tree_pages.py", "tests/structure/markdown.py", "tests/structure/pages_test.py"}
# Pages that are written at the same time as the links to them. Remove an entry once its page is there.
TO_COME: set[str] = set()
# Pages all of whose paths exist. Decisions name files as they were.
INDEXES = ["docs/architecture.md", "docs/glossary.md", "CONTRIBUTING.md"]

TEXTS = (".md", ".cpp", ".hpp", ".py", ".sql", ".toml", ".cmake", ".css", ".js", ".service", "CMakeLists.txt")


def files_of(root: Path) -> list[str]:
    """What git tracks or would track, else all but what a build makes."""
    listed = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True,
        text=True,
    )
    if listed.returncode == 0:
        names = [name for name in listed.stdout.split("\0") if name]
    else:
        made = {".git", ".venv", ".tbci", ".cache", "__pycache__"}
        paths = [path.relative_to(root) for path in root.rglob("*")]
        names = [str(path) for path in paths if not path.parts[0].startswith("build") and not made & set(path.parts)]
    return sorted(name for name in set(names) if (root / name).is_file())


def broken_links(root: Path, name: str, text: str) -> list[str]:
    findings = []
    for number, target in markdown.links_of(text):
        file, _, anchor = target.partition("#")
        path = (root / name).parent / file if file else root / name
        if not path.exists():
            resolved = path.resolve()
            inside = resolved.is_relative_to(root.resolve())
            if not inside or str(resolved.relative_to(root.resolve())) not in TO_COME:
                findings.append(f"{name}:{number}: no file {target}")
        elif anchor and path.suffix == ".md" and anchor not in markdown.anchors_of(path.read_text(encoding="utf-8")):
            findings.append(f"{name}:{number}: {file or name} has no heading #{anchor}")
    return findings


def dead_paths(root: Path, name: str, text: str) -> list[str]:
    roots = {entry.name for entry in root.iterdir() if entry.is_dir() and not entry.name.startswith((".", "build"))}
    return [
        f"{name}:{number}: no {path}"
        for number, path in markdown.paths_of(text, roots)
        if path not in TO_COME and not (root / path).exists() and not list(root.glob(path + ".[ch]pp"))
    ]


def rooms_of_rule(source: str) -> dict[str, set[str]]:
    table = source[source.index("table = {") :]
    table = table[: table.index("};")]
    rows = re.findall(r'\{"([^"]+)",\s*\{([^}]*)\}', table)
    return {room: set(re.findall(r'"([^"]+)"', allowed)) for room, allowed in rows}


def rooms_of_page(page: str) -> dict[str, set[str]]:
    rows = re.findall(r"^\| `([\w/]+)` \|.*\|([^|]*)\|$", page, re.MULTILINE)
    rooms = {room: set(re.findall(r"`([\w/]+)`", allowed)) for room, allowed in rows}
    for room, allowed in rows:
        if "all above but" in allowed:
            above = list(rooms)[: list(rooms).index(room)]
            rooms[room] = set(above) - rooms[room]
    return rooms


def wrong_rooms(rule: dict[str, set[str]], page: dict[str, set[str]]) -> list[str]:
    """Who may include storage may include its model."""
    findings = []
    for room, allowed in rule.items():
        if room == "tests":
            continue
        shown = page.get(room)
        if shown is None:
            findings.append(f"docs/architecture.md: no room {room}")
        elif shown | ({"storage/model"} if "storage" in shown else set()) != allowed:
            findings.append(f"docs/architecture.md: {room} may include {sorted(allowed)}, and not {sorted(shown)}")
    return findings


def check(root: Path) -> list[str]:
    findings = []
    names = files_of(root)
    for name in names:
        if not name.endswith(TEXTS) or name.startswith(NOT_PAGES):
            continue
        text = (root / name).read_text(encoding="utf-8", errors="replace")
        if name.endswith(".md"):
            findings += broken_links(root, name, text)
            if name not in NOT_WRAPPED:
                findings += [
                    f"{name}:{line.number}: {len(line.text)} columns, wrap at {WIDTH}"
                    for line in markdown.too_wide(text, WIDTH)
                ]
        if name in INDEXES:
            findings += dead_paths(root, name, text)
        plain = not any(name == entry or entry.endswith("/") and name.startswith(entry) for entry in NOT_PLAIN)
        if plain and name not in ABOUT_WORDS:
            findings += [f"{name}:{number}: '{tic}': say {better}" for number, tic, better in markdown.tics_in(text)]
    rule = rooms_of_rule((root / "tests/structure/include_rule_test.cpp").read_text(encoding="utf-8"))
    findings += wrong_rooms(rule, rooms_of_page((root / "docs/architecture.md").read_text(encoding="utf-8")))
    if sum(name.endswith(".md") for name in names) < 20:
        findings.append(f"only {len(names)} files below {root}: is that the repository?")
    return findings


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: tree_pages.py ROOT")
    found = check(Path(sys.argv[1]))
    print("\n".join(found))
    sys.exit(1 if found else 0)
