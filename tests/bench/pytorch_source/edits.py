"""Edits of a source tree that are sure of their place: what is not found as expected ends the run, and nothing is guessed."""
import pathlib
import re
import sys


class Tree:
    """A checkout, and the paths in it that were edited since they were last taken."""

    def __init__(self, root: pathlib.Path):
        self.root = root
        self.edited: list[str] = []

    def read(self, path: str) -> str:
        try:
            return (self.root / path).read_text(encoding="utf-8")
        except FileNotFoundError:
            sys.exit(f"{path} is not in {self.root}: is this PyTorch 1.13.1?")

    def write(self, path: str, text: str) -> None:
        if text == self.read(path):
            sys.exit(f"{path}: the edit changes nothing")
        (self.root / path).write_text(text, encoding="utf-8")
        self.edited.append(path)

    def replace(self, path: str, old: str, new: str) -> None:
        """Replaces `old`, which must be there exactly once."""
        text = self.read(path)
        found = text.count(old)
        if found != 1:
            sys.exit(f"{path}: expected once, found {found} times:\n{old}\nIs this PyTorch 1.13.1, without edits?")
        self.write(path, text.replace(old, new))

    def take_edited(self) -> list[str]:
        taken, self.edited = sorted(set(self.edited)), []
        return taken


# A line that opens a namespace in the first column stands outside of everything: a safe place before and after it.
NAMESPACE = re.compile(r"^namespace (?:at|c10)\b[^\n]*\{[^\n]*$", re.MULTILINE)
INCLUDES = re.compile(r"^#include <(ATen/ops/\w+\.h)>\n#include <(ATen/ops/\w+\.h)>\n", re.MULTILINE)
LOCAL = re.compile(r"^ {2,}(?:const )?auto (\w+) = ", re.MULTILINE)
FUNCTION = re.compile(r"^\S[^\n;#]*\{\n.*?^\}", re.MULTILINE | re.DOTALL)


def comment(text: str, number: int) -> str | None:
    """A comment of its own before the first namespace: the lines below move, so even line numbers in errors change."""
    place = NAMESPACE.search(text)
    if place is None:
        return None
    return f"{text[:place.start()]}// Reviewed, see pull request {number}.\n{text[place.start():]}"


def comment_in_line(text: str, number: int) -> str | None:
    """A comment at the end of a line: the file changes, and what a preprocessor makes of it does not."""
    place = NAMESPACE.search(text)
    if place is None or "//" in place.group():
        return None
    return f"{text[:place.end()]} // reviewed, see {number}{text[place.end():]}"


def assertion(text: str, number: int) -> str | None:
    place = NAMESPACE.search(text)
    if place is None or "int64_t" not in text:
        return None
    line = f'static_assert(sizeof(int64_t) == 8, "sizes have 64 bits (pull request {number})");\n'
    return f"{text[:place.end() + 1]}{line}{text[place.end() + 1:]}"


def swapped_includes(text: str, number: int) -> str | None:
    """Two headers that stand on their own, so they may stand in any order. Those of operators do, PadNd.h and int128.h do not."""
    places = list(INCLUDES.finditer(text))
    if not places:
        return None
    place = places[number % len(places)]
    return f"{text[:place.start()]}#include <{place[2]}>\n#include <{place[1]}>\n{text[place.end():]}"


def renamed_local(text: str, number: int) -> str | None:
    """A local variable of one function gets a longer name."""
    functions = [f for f in FUNCTION.finditer(text) if f.group().count("\n") < 60]
    for offset in range(len(functions)):
        function = functions[(number + offset) % len(functions)]
        body = function.group()
        for local in LOCAL.finditer(body):
            old, new = local[1], f"{local[1]}_here"
            # Not what is a macro's, a string's or another scope's as well.
            if new in text or "#define" in body or body.count(f"auto {old} ") != 1 or "\"" in body or len(old) < 3:
                continue
            if re.search(rf"(?:\.|->|::)\s*{old}\b", body) or re.search(rf"\b{old}\s*[(:]", body):
                continue
            if re.search(rf"\b{old}\b", body[:local.start()]):
                continue
            renamed = re.sub(rf"\b{old}\b", new, body)
            return f"{text[:function.start()]}{renamed}{text[function.end():]}"
    return None


HARMLESS = {"comment": comment, "static_assert": assertion, "reordered includes": swapped_includes,
            "renamed local": renamed_local}
