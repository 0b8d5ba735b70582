"""Text cut into what is kept or dropped whole: sentences, list items, each with its fences. Pure.

A fence belongs to the sentence or item before it. A list item is one piece, all its sentences
together. What stands at the margin after a list is a paragraph of its own.
"""

import re
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache

from core.guard.code import FENCE, Fence, fence_of, spans_of
from core.guard.lists import words


class Kind(StrEnum):
    """What a piece is in its text."""

    SENTENCE = "sentence"
    ITEM = "item"
    STEP = "step"
    HEADING = "heading"
    ROW = "row"


@dataclass(slots=True)
class Piece:
    """A sentence, list item, heading or table row, with the fences that belong to it.

    `block` numbers its paragraph or list. `text` has no fences; `raw` is all of it, verbatim.
    """

    kind: Kind
    text: str
    block: int
    fences: list[Fence] = field(default_factory=list)
    raw: str = ""

    @property
    def leads(self) -> bool:
        """Return whether it announces what comes after it."""
        return ":" in self.text and _CITED.sub("", self.text).rstrip(" *_").endswith(":")


ITEM = re.compile(r"([ \t]*)(?:([-*+•])|(\d{1,3}[.)]))[ \t]+")
CITATION = re.compile(r"\[(\d{1,4}(?:[ \t]*,[ \t]*\d{1,4})*)\]")
_CITED = re.compile(r"[ \t]*\[\d{1,4}(?:[ \t]*,[ \t]*\d{1,4})*\]")
_QUOTE = re.compile(r"^[ \t]*(?:>[ \t]?)+")
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]")
_RULE = re.compile(r"[ \t]*(?:[-*_=][ \t]*){3,}$|[ \t]*\|?[ \t:|-]+\|[ \t:|-]*$")
_ALERT = re.compile(r"\[![A-Z]+\]")
_END = re.compile(  # begins with the signs of both ends, so that it is quick where neither stands
    r"""[.!?…\[](?:(?<!\[)[.!?…]*[*_"'”’)\]]*"""
    r"""(?:[ \t]*\[\d{1,4}(?:[ \t]*,[ \t]*\d{1,4})*\])*[*_"'”’)]*(?=\s|$)"""
    r"""|(?<=\[)\d{1,4}(?:[ \t]*,[ \t]*\d{1,4})*\][ \t]*(?=\n|$))"""
)
_SHORT = words("e.g. i.e. etc. vs. cf. approx. incl. fig. al. resp. ca. eg. ie.")


def pieces(text: str) -> tuple[Piece, ...]:
    """Cut a text into its pieces, in their order."""
    reader = _Reader()
    for line in text.split("\n"):
        reader.read(line)
    reader.end()
    return tuple(reader.found)


def citations(prose: str) -> tuple[int, ...]:
    """Return the numbers cited in a text without code, in their order, each once."""
    if "[" not in prose:
        return ()
    groups = CITATION.findall(prose)
    if len(groups) == 1 and "," not in groups[0]:
        return (int(groups[0]),)
    return tuple(dict.fromkeys([int(one) for group in groups for one in group.split(",")]))


@lru_cache(maxsize=1024)
def sentences(text: str) -> tuple[str, ...]:
    """Cut a paragraph into sentences, the citations after a full stop with the one before them."""
    masked = _masked(text) if "`" in text else text
    found: list[str] = []
    start = 0
    for end in _END.finditer(masked):
        if not CITATION.search(end[0]) and _is_short(
            masked[max(start, end.start() - 12) : end.end()]
        ):
            continue
        found.append(text[start : end.end()].strip())
        start = end.end()
    found.append(text[start:].strip())
    return tuple(one for one in found if one)


def _masked(text: str) -> str:
    """Return the text, same length, with what stands in code spans hidden."""
    parts: list[str] = []
    done = 0
    for start, end in spans_of(text)[0]:
        parts += text[done:start], "x" * (end - start)
        done = end
    return "".join((*parts, text[done:]))


def _is_short(end: str) -> bool:
    """Return whether what ends here is an abbreviation or an initial, no sentence."""
    words = end.rsplit(maxsplit=1)
    word = words[-1].strip("(*_\"'“”’)]").casefold() if words else ""
    return word in _SHORT or (len(word) == 2 and word[0].isalpha() and word[1] == ".")


class _Reader:
    """Reads lines into pieces."""

    def __init__(self) -> None:
        self.found: list[Piece] = []
        self._lines: list[str] = []
        self._item: Kind | None = None
        self._steps = False
        self._block = 0
        self._list = False
        self._fence: list[str] = []
        self._mark = ""
        self._after_blank = True

    def read(self, line: str) -> None:
        if self._fence:
            self._read_in_fence(line)
            return
        quoted = _QUOTE.sub("", line) if ">" in line else line
        if opening := FENCE.match(line):
            self._flush()
            self._fence, self._mark = [line], opening[1]
        elif not quoted.strip():
            self._flush()
            self._after_blank = True
        else:
            self._read_text(quoted)
            self._after_blank = False

    def end(self) -> None:
        if self._fence:
            self._close_fence()
        self._flush()

    def _read_in_fence(self, line: str) -> None:
        self._fence.append(line)
        bare = line.strip(" \t>")
        if bare.startswith(self._mark) and not bare.strip(self._mark[0]):
            self._close_fence()

    def _close_fence(self) -> None:
        raw, fence = "\n".join(self._fence), fence_of(self._fence)
        self._fence = []
        if not self.found or self.found[-1].kind is Kind.HEADING:
            self._block += 1
            self.found.append(Piece(Kind.SENTENCE, "", self._block))
        last = self.found[-1]
        last.fences.append(fence)
        last.raw = f"{last.raw}\n{raw}" if last.raw else raw

    def _read_text(self, line: str) -> None:
        if line[0].isalpha():  # no sign that begins anything else than text
            self._read_words(line)
        elif _HEADING.match(line):
            self._flush()
            self._leave_list()
            self.found.append(Piece(Kind.HEADING, line.strip(" #\t"), self._block, raw=line))
        elif _RULE.match(line):
            self._flush()
        elif line.lstrip().startswith("|"):
            self._flush()
            if not self.found or self.found[-1].kind is not Kind.ROW:
                self._block += 1
            self.found.append(Piece(Kind.ROW, line.strip(), self._block, raw=line))
        elif item := ITEM.match(line):
            self._flush()
            self._begin_item(item)
            self._lines = [line]
        else:
            self._read_words(line)

    def _read_words(self, line: str) -> None:
        if not self._lines:
            self._begin_paragraph(line)
        else:
            self._lines.append(line)

    def _begin_item(self, item: re.Match[str]) -> None:
        if not self._list:
            self._block += 1
            self._steps = False
        self._list = True
        nested = len(item[1].expandtabs(4)) >= 2
        self._steps = bool(item[3]) or (nested and self._steps)
        self._item = Kind.STEP if self._steps else Kind.ITEM

    def _begin_paragraph(self, line: str) -> None:
        self._lines = [line]
        if _cites_only(line) and self.found:
            return
        if self._list and line[:1].isspace():
            self._item = Kind.STEP if self._steps else Kind.ITEM
        else:
            self._leave_list()
            self._block += 1

    def _leave_list(self) -> None:
        self._list, self._steps, self._item = False, False, None

    def _flush(self) -> None:
        if not self._lines:
            return
        text = "\n".join(self._lines).strip()
        if "[!" in text:
            text = _ALERT.sub("", text).strip()
        first, self._lines = self._lines[0], []
        if (_cites_only(text) and self.found) or (
            self._item is not None and not ITEM.match(first) and self.found
        ):
            self._belongs_to_last(text)
        elif self._item is not None:
            self.found.append(Piece(self._item, text, self._block, raw=text))
        else:
            for sentence in sentences(text):
                if _cites_only(sentence) and self.found:
                    self._belongs_to_last(sentence)
                else:
                    self.found.append(Piece(Kind.SENTENCE, sentence, self._block, raw=sentence))

    def _belongs_to_last(self, text: str) -> None:
        last = self.found[-1]
        last.text = f"{last.text} {text}".strip()
        last.raw = f"{last.raw}\n{text}"


def _cites_only(text: str) -> bool:
    if "[" not in text:
        return False
    bare = text.strip(" .;,()\t")
    return bare[:1] == "[" and not CITATION.sub("", bare).strip(" .;,()\t")
