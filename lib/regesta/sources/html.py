"""HTML to plain text with its blocks and headings, and what its head tells of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html.parser import HTMLParser
from typing import Final, NamedTuple

_HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
_BLOCKS: Final = frozenset(
    {*_HEADINGS, "address", "article", "aside", "blockquote", "body", "center", "dd", "details"}
    | {"div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "header", "hr"}
    | {"html", "li", "main", "nav", "ol", "p", "pre", "section", "summary", "table", "tr", "ul"}
)
_UNSEEN: Final = frozenset({"script", "style", "template", "noscript", "svg"})
_COMMENT: Final = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_TAG_BEGINS: Final = re.compile(r"<[A-Za-z/!?]")
_WHITE: Final = re.compile(r"[ \t\n\r\f]+")


class Block(NamedTuple):
    """A stretch of text; `level` is that of a heading, from 1."""

    start: int
    end: int
    level: int | None


class HtmlText(NamedTuple):
    """A document's text, its blocks in order, its title and its metadata (name -> value).

    `metadata` holds meta elements by name, property or http-equiv, in lower case, and `time`, the
    first machine-readable time of the text.
    """

    text: str
    blocks: Sequence[Block]
    title: str | None
    metadata: dict[str, str]


def read_html(markup: str) -> HtmlText:
    """Return the text of HTML: blocks apart by a blank line, quotations marked by "> ".

    Nothing is an error: what is not closed ends with the text.
    """
    shown = _COMMENT.sub("", markup)
    # A tag that no ">" ends is none; the parser would look for its end again and again.
    unended = _TAG_BEGINS.search(shown, shown.rfind(">") + 1)
    reader = _Reader()
    reader.feed(shown if unended is None else shown[: unended.start()])
    reader.close()
    return reader.result()


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._pieces: list[str] = []
        self._length = 0
        self._blocks: list[Block] = []
        self._line: list[str] = []
        self._level: int | None = None
        self._quoted = self._preformatted = 0
        self._unseen: str | None = None
        self._title: list[str] | None = None
        self._found_title: str | None = None
        self._metadata: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin what a tag begins: a block, a title, what is not shown."""
        if self._unseen:
            return
        if tag in _UNSEEN:
            self._unseen = tag
        elif tag == "title" and self._found_title is None:
            self._title = []
        elif tag == "br":
            self._line.append("\n")
        elif tag in ("td", "th"):
            self._line.append(" ")
        elif tag in _BLOCKS:
            self._end_block()
            self._begin(tag)
        self._note(tag, {name: value for name, value in attrs if value})

    def handle_endtag(self, tag: str) -> None:
        """End what a tag ends."""
        if self._unseen:
            self._unseen = None if tag == self._unseen else self._unseen
        elif tag == "title" and self._title is not None:
            self._found_title = _WHITE.sub(" ", "".join(self._title)).strip() or None
            self._title = None
        elif tag in _BLOCKS:
            self._end_block()
            self._level = None if tag in _HEADINGS else self._level
            self._quoted -= tag == "blockquote" and self._quoted > 0
            self._preformatted -= tag == "pre" and self._preformatted > 0

    def handle_data(self, data: str) -> None:
        if self._title is not None:
            self._title.append(data)
        elif not self._unseen:
            self._line.append(data if self._preformatted else _WHITE.sub(" ", data))

    def result(self) -> HtmlText:
        self._end_block()
        return HtmlText("".join(self._pieces), self._blocks, self._found_title, self._metadata)

    def _begin(self, tag: str) -> None:
        self._level = _HEADINGS.get(tag, self._level)
        self._quoted += tag == "blockquote"
        self._preformatted += tag == "pre"
        if tag == "li":
            self._line.append("- ")

    def _note(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "time" and "datetime" in attributes:
            self._metadata.setdefault("time", attributes["datetime"].strip())
        keys = ("name", "property", "itemprop", "http-equiv")
        key = next((attributes[key] for key in keys if key in attributes), None)
        if tag == "meta" and key and "content" in attributes:
            self._metadata.setdefault(key.strip().lower(), attributes["content"].strip())

    def _end_block(self) -> None:
        text = "".join(self._line)
        self._line = []
        if not self._preformatted:
            text = "\n".join(_WHITE.sub(" ", line).strip() for line in text.split("\n"))
        text = text.strip("\n") if text.strip() not in ("", "-") else ""
        if not text:
            return
        if self._quoted:
            mark = "> " * self._quoted
            text = "\n".join(f"{mark}{line}" for line in text.split("\n"))
        if self._pieces:
            self._pieces.append("\n\n")
            self._length += 2
        self._blocks.append(Block(self._length, self._length + len(text), self._level))
        self._pieces.append(text)
        self._length += len(text)
