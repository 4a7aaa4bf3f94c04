"""The page of a package as PEP 503 wants it, in every shape that HTML allows. Example:

    content, content_type = html_page.page(links, "single-quotes", html_page.Place("http://127.0.0.1:8080", "/torch/"))

The links of a page are the same in all shapes: who reads HTML reads the same from each.
"""

import html
import re
from dataclasses import dataclass
from typing import Callable, NamedTuple
from urllib.parse import quote


class Link(NamedTuple):
    name: str
    attributes: dict[str, str]  # without href
    sha256: str = ""  # only some shapes show it


class Place(NamedTuple):
    origin: str  # http://127.0.0.1:8080
    folder: str  # /torch/


def _escaped(name: str) -> str:
    return quote(name, safe="-_.")


def _all_escaped(name: str) -> str:
    return "".join(f"%{byte:02X}" if chr(byte) in "+-_." else chr(byte) for byte in name.encode())


def _unquoted(value: str) -> str:
    """Without quotes these characters may not stand in a value, so that they are written as references."""
    return re.sub(r"[\s\"'=<>`&]", lambda found: f"&#{ord(found[0])};", value)


def _as_references(value: str) -> str:
    """Decimal, hexadecimal and named references, also where none is needed."""
    named = {"&": "&amp;", "+": "&#43;", "=": "&#x3D;", ":": "&colon;", ">": "&gt;", "<": "&lt;", '"': "&quot;"}
    return "".join(named.get(letter, letter) for letter in value)


def _from_the_root(link: Link, place: Place) -> str:
    return place.folder + _escaped(link.name)


@dataclass(frozen=True)
class Shape:
    """How a page differs from the plain one."""

    href: Callable[[Link, Place], str] = _from_the_root
    value: Callable[[str], str] = html.escape
    quotes: str = '"'
    space: str = " "
    equals: str = "="
    upper: bool = False
    href_last: bool = False
    more: tuple[str, ...] = ()  # attributes that mean nothing here
    bare_yanked: bool = False
    text: Callable[[str], str] = html.escape
    begin: str = "<!DOCTYPE html>\n<html>\n  <head><title>Links</title></head>\n  <body>\n    <h1>Links</h1>\n"
    end: str = "  </body>\n</html>\n"
    decoy: str = ""  # text around something that looks like a link and is none
    encoding: str = "utf-8"
    content_type: str = "text/html"
    line_end: str = "\n"


_BODY = "<!DOCTYPE html>\n<html>{head}<body>{text}\n"
_BASE = '<!DOCTYPE html>\n<html><head><base href="{origin}/other{folder}"><title>Links</title></head><body>\n'
_ABOUT = "<p>Für Élise, naïvement: 1 £ ÷ 2</p>"

SHAPES: dict[str, Shape] = {
    "plain": Shape(),
    "upper-case": Shape(upper=True),
    "single-quotes": Shape(quotes="'"),
    "no-quotes": Shape(quotes="", value=_unquoted),
    "any-order": Shape(href_last=True, more=('class="file"', "hidden", 'title="a > b"')),
    "newlines": Shape(space="\n\t  ", equals=" =\n "),
    "carriage-returns": Shape(space="\n ", line_end="\r\n"),
    "relative": Shape(href=lambda link, place: _escaped(link.name)),
    "dot-relative": Shape(href=lambda link, place: "../" + place.folder.split("/")[-2] + "/./" + _escaped(link.name)),
    "absolute": Shape(href=lambda link, place: place.origin + _from_the_root(link, place)),
    "protocol-relative": Shape(
        href=lambda link, place: place.origin.partition(":")[2] + _from_the_root(link, place)),
    "base-href": Shape(href=lambda link, place: "files/" + _escaped(link.name), begin=_BASE),
    "base-relative": Shape(href=lambda link, place: "files/" + _escaped(link.name),
                           begin=_BASE.replace("{origin}", "")),
    "entities": Shape(value=_as_references, href=lambda link, place: f"{place.folder}{link.name}?from=a&to=b"),
    "spaces-in-href": Shape(href=lambda link, place: f" {_from_the_root(link, place)}\n"),
    "sha256-fragment": Shape(href=lambda link, place: f"{_from_the_root(link, place)}#sha256={link.sha256}"),
    "upper-escapes": Shape(href=lambda link, place: place.folder + _all_escaped(link.name)),
    "lower-escapes": Shape(href=lambda link, place: place.folder + _escaped(link.name).replace("%2B", "%2b")),
    "comments": Shape(decoy="<!-- not > a link:\n{link}\n-->\n<!---->"),
    "script-links": Shape(decoy="<script>const text = '{link}';</script>"),
    "textarea-links": Shape(decoy="<textarea>{link}</textarea>"),
    "title-links": Shape(begin="<!DOCTYPE html>\n<html><head>", decoy="<title>{link}</title></head><body>"),
    "nested-text": Shape(text=lambda name: f"<b>{html.escape(name)}</b><wbr><i>wheel</i>"),
    "bare-yanked": Shape(bare_yanked=True),
    "bom": Shape(encoding="utf-8-sig"),
    "no-html": Shape(begin="", end=""),
    "utf-8-text": Shape(begin=_BODY.format(head="<meta charset=utf-8><title>é</title>", text=_ABOUT)),
    "latin-1-header": Shape(begin=_BODY.format(head="<title>é</title>", text=_ABOUT), encoding="latin-1",
                            content_type="text/html; charset=ISO-8859-1"),
    "latin-1-meta": Shape(begin=_BODY.format(head='<meta charset="iso-8859-1"><title>é</title>', text=_ABOUT),
                          encoding="latin-1"),
}
NAMES = tuple(SHAPES)


def _attribute(shape: Shape, name: str, value: str) -> str:
    shown = name.upper() if shape.upper else name
    if name == "data-yanked" and (shape.bare_yanked or not (value or shape.quotes)):
        return shown  # PEP 592: it may have no value; and without quotes an empty value cannot be written
    return shown + shape.equals + shape.quotes + shape.value(value) + shape.quotes


def _anchor(shape: Shape, link: Link, place: Place) -> str:
    attributes = {"href": shape.href(link, place), **link.attributes}
    texts = [_attribute(shape, name, value) for name, value in attributes.items()] + list(shape.more)
    if shape.href_last:
        texts.reverse()
    tag, line_break = ("A", "BR") if shape.upper else ("a", "br")
    return f"<{tag}{shape.space}{shape.space.join(texts)}>{shape.text(link.name)}</{tag}><{line_break}>\n"


def _decoy(shape: Shape, links: list[Link], place: Place) -> str:
    """A version that no index has, where no link is."""
    if not shape.decoy or not links:
        return ""
    parts = links[0].name.split("-")
    name = "-".join([parts[0], "9.9.9.dev20991231", *parts[2:]])
    return shape.decoy.replace("{link}", _anchor(Shape(), Link(name, {}), place).strip()) + "\n"


def page(links: list[Link], name: str, place: Place) -> tuple[bytes, str]:
    """The page and its Content-Type."""
    shape = SHAPES[name]
    begin, end = (shape.begin.upper(), shape.end.upper()) if shape.upper else (shape.begin, shape.end)
    begin = begin.replace("{origin}", place.origin).replace("{folder}", place.folder)
    text = begin + _decoy(shape, links, place) + "".join(_anchor(shape, link, place) for link in links) + end
    return text.replace("\n", shape.line_end).encode(shape.encoding), shape.content_type
