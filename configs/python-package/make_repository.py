"""Makes the repository of configs/python-package.toml: python3 make_repository.py FOLDER

Two days of a small package. The third commit of the second day makes `wordmill.words` slower: its id is printed.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from example_repository import ExampleRepository  # noqa: E402

PROJECT = """[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"

[project]
name = "wordmill"
version = "1.0"

[tool.setuptools]
package-dir = {"" = "src"}
packages = ["wordmill"]
"""

INIT = '''"""Words of a text, and how often they stand side by side."""

from .counting import pairs
from .splitting import words

__all__ = ["pairs", "words"]
'''

SPLITTING = '''def words(text):
    """The words of a text, in lower case."""
    found = []
    for word in text.split():
        found.append(word.lower())
    return found
'''

# Looks each word up in a list of those before it.
SLOWER = '''RECENT = 12


def words(text):
    """The words of a text, in lower case. Equal words near each other are one object."""
    found = []
    for word in text.split():
        lower = word.lower()
        for earlier in found[-RECENT:]:
            if earlier == lower:
                lower = earlier
                break
        found.append(lower)
    return found
'''

COUNTING = '''from .splitting import words


def pairs(text):
    """How often two words stand side by side."""
    counts = {}
    before = None
    for word in words(text):
        if before is not None:
            counts[before, word] = counts.get((before, word), 0) + 1
        before = word
    return counts
'''


def main() -> None:
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        raise SystemExit("usage: python3 make_repository.py FOLDER")
    repository = ExampleRepository(sys.argv[1])
    files = {
        "pyproject.toml": PROJECT,
        "src/wordmill/__init__.py": INIT,
        "src/wordmill/splitting.py": SPLITTING,
        "src/wordmill/counting.py": COUNTING,
    }
    repository.commit("The package", "2026-01-05T09:00:00Z", files)
    repository.commit("Say what it is for", "2026-01-05T15:00:00Z", {"README.md": "Mills words.\n"})
    note = "# Pairs are ordered: (a, b) is not (b, a).\n"
    repository.commit("counting: say that pairs are ordered", "2026-01-06T08:00:00Z", {"src/wordmill/counting.py": note + COUNTING})
    repository.commit("Say how to install it", "2026-01-06T09:00:00Z", {"README.md": "Mills words. pip install .\n"})
    culprit = repository.commit("splitting: keep equal words once", "2026-01-06T10:00:00Z", {"src/wordmill/splitting.py": SLOWER})
    note += "# A word is never its own neighbour.\n"
    repository.commit("counting: say more", "2026-01-06T11:00:00Z", {"src/wordmill/counting.py": note + COUNTING})
    repository.commit("Version 1.1", "2026-01-06T12:00:00Z", {"pyproject.toml": PROJECT.replace('"1.0"', '"1.1"')})
    print(culprit)


if __name__ == "__main__":
    main()
