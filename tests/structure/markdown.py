"""What the Markdown pages hold: prose, code, links, options, paths. Pure functions over text."""

import re
import shlex
from typing import Iterator, NamedTuple


class Line(NamedTuple):
    number: int
    text: str
    is_code: bool


def lines_of(page: str) -> Iterator[Line]:
    """Code is what stands between fences, or is indented by four columns after an empty line or other code."""
    fenced, code_before = False, True
    for number, text in enumerate(page.split("\n"), 1):
        fence = text.lstrip().startswith("```")
        is_code = fenced or fence or (code_before and text.startswith("    "))
        yield Line(number, text, is_code)
        if fence:
            fenced = not fenced
        code_before = is_code or not text.strip()


def too_wide(page: str, limit: int) -> list[Line]:
    """Lines of prose over `limit` characters. Tables cannot be wrapped, and a link not everywhere."""
    return [
        line
        for line in lines_of(page)
        if len(line.text) > limit
        and not line.is_code
        and not line.text.lstrip().startswith("|")
        and "](" not in line.text
        and "://" not in line.text
    ]


def links_of(page: str) -> list[tuple[int, str]]:
    """Targets of links and images that lead to a file of the repository or to a heading of the page."""
    links = []
    for line in lines_of(page):
        if line.is_code:
            continue
        text = re.sub(r"`[^`]*`", "", line.text)
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if not re.match(r"[a-z]+:", target):
                links.append((line.number, target))
    return links


def anchors_of(page: str) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    anchors = set()
    for line in lines_of(page):
        heading = re.match(r"#+\s+(.*)$", line.text)
        if heading and not line.is_code:
            words = re.sub(r"[^\w\- ]", "", heading[1].replace("`", "").lower())
            anchors.add(words.strip().replace(" ", "-"))
    return anchors


def paths_of(page: str, roots: set[str]) -> list[tuple[int, str]]:
    """Paths in backticks that begin with a folder of the repository. NAME, NNNN and <...> stand for something else."""
    paths = []
    for line in lines_of(page):
        for span in re.findall(r"`([^`\s]+)`", line.text):
            first = span.split("/")[0]
            if "/" in span and first in roots and not re.search(r"[<*{]|NAME|NNNN|FOLDER|FAMILY", span):
                paths.append((line.number, span))
    return paths


class Use(NamedTuple):
    """A program with its arguments, as a page shows it."""

    number: int
    program: str
    arguments: list[str]


def split_words(text: str) -> list[str]:
    try:
        return shlex.split(text, comments=True)
    except ValueError:  # an apostrophe: prose and not a command
        return text.split()


def uses_of(page: str) -> list[Use]:
    """Command lines in code and in backticks, without what is assigned before the program."""
    found = []
    continued, begun = "", 0
    for line in lines_of(page):
        texts = re.findall(r"`([^`]+)`", line.text)
        if line.is_code:
            begun = begun or line.number
            continued += line.text.rstrip("\\").strip() + " "
            if line.text.endswith("\\"):
                continue
            texts, continued, number, begun = [continued], "", begun, 0
        else:
            number = line.number
        for text in texts:
            for command in re.split(r"&&|\||;", text):
                words = split_words(command)
                while words and re.match(r"\w+=", words[0]):
                    words.pop(0)
                if words:
                    found.append(Use(number, words[0], words[1:]))
    return found


def option_of(word: str) -> str | None:
    """`--threshold=0.1` and `[--operators]` are options; `--`, `---` and a bare dash are not."""
    match = re.match(r"\[?(--[a-z][a-z0-9-]*)", word)
    return match[1] if match else None


def options_in(text: str) -> set[str]:
    return set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", text))


def sections_of(page: str) -> list[tuple[int, str]]:
    """The parts between headings, each with the number of its first line."""
    sections: list[tuple[int, list[str]]] = [(1, [])]
    for line in lines_of(page):
        if re.match(r"#+\s", line.text) and not line.is_code:
            sections.append((line.number, []))
        sections[-1][1].append(line.text)
    return [(number, "\n".join(texts)) for number, texts in sections]


TICS = {
    r"\btold of\b": "reports, says",
    r"\bis told\b(?! apart)": "learns, is given, is passed on",
    r"\bheld against\b": "compared with",
    r"\b(cannot|could not) be had\b": "is not available",
    r"\banew\b": "again",
    r"\bmend(s|ed|ing)?\b": "fix, repair",
    r"\bso many\b": "this many, N",
    r"(?<!there )\b(is|are) no\b(?! longer|$)": "is not a",
}


def tics_in(text: str) -> list[tuple[int, str, str]]:
    """Words of a translated-sounding prose that crept in before, with better ones."""
    return [
        (number, match[0], better)
        for number, line in enumerate(text.split("\n"), 1)
        for tic, better in TICS.items()
        for match in re.finditer(tic, line, re.IGNORECASE)
    ]
