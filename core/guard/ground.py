"""What one section bears out: its words, numbers, commands, and the order of its commands. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from core.guard.actions import orders, spans_denied
from core.guard.claims import names, plain
from core.guard.code import HOLE, Fence, apart, joined, lines_of_config, statements
from core.guard.mentions import Mention, mentions_of
from core.guard.objects import row_of
from core.guard.pieces import Kind, pieces, sentences
from core.guard.places import Places
from core.guard.tokens import grams

_OPERATOR = re.compile(r"\s+(?:\|\|?|&&)\s+|;\s+|\s+#\s")
_QUOTED = re.compile(r"'[^'\n]*'|\"(?:[^\"\\\n]|\\.)*\"")
_READINGS = ("", "sql", "text")
_TOO_LONG = 4000
"""Characters of a quoted command; what is longer is no command that a person can check."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a command stands: in which procedure of the section, and as which of its commands."""

    procedure: int
    nth: int


class Ground:
    """One section, read once for all the sentences that cite it."""

    def __init__(self, text: str, breadcrumb: str) -> None:
        self.breadcrumb = breadcrumb
        self.text = f"{breadcrumb}\n{text}"
        self.pieces = pieces(text.replace(HOLE, " "))
        self._commands: dict[str, list[Place]] = {}
        self._quotable: set[str] = set()
        self._next = 0
        self._read()

    @cached_property
    def names(self) -> frozenset[str]:
        """Return the names of the whole section, as an answer's would be read."""
        prose = " ".join(apart(piece.text)[0] for piece in self.pieces)
        return frozenset(names(plain(prose)))

    @cached_property
    def heads(self) -> frozenset[str]:
        """Return the programs that the section's commands begin with."""
        words = (command.split(maxsplit=1) for command in self._commands)
        return frozenset(word[0] for word in words if len(word) > 1)

    @cached_property
    def lines(self) -> frozenset[str]:
        """Return the section's lines, stripped."""
        return frozenset(line.strip(" \t>") for line in self.text.split("\n"))

    @cached_property
    def mentions(self) -> dict[str, list[Mention]]:
        """Return every action that the section names, by its deed."""
        found: dict[str, list[Mention]] = {}
        for one in mentions_of(self.pieces, self.breadcrumb):
            found.setdefault(one.deed, []).append(one)
        return found

    @cached_property
    def said(self) -> dict[str, list[bool]]:
        """Return for each code span and command how often it stands here, True where forbidden."""
        said: dict[str, list[bool]] = {}
        for piece in self.pieces:
            told = sentences(piece.text) if "`" in piece.text else ()
            for span, denied in spans_denied(map(row_of, told)):
                said.setdefault(span, []).append(denied)
            for fence in piece.fences:
                for one in statements(fence):
                    said.setdefault(one, []).append(False)
        return said

    @cached_property
    def orders(self) -> frozenset[tuple[str, str]]:
        """Return the deeds of which the section says that one comes before the other."""
        return frozenset(
            pair for piece in self.pieces for pair in orders(map(row_of, sentences(piece.text)))
        )

    @cached_property
    def grams(self) -> frozenset[tuple[str, ...]]:
        """Return the runs of words by which a repetition of the instructions is known."""
        return grams(self.text)

    @cached_property
    def told(self) -> Places:
        """Return the section's sentences, rows and lines, by what they say."""
        return Places(self.pieces, self.breadcrumb)

    def read(self) -> None:
        """Read all that is otherwise read when a sentence first asks for it."""
        _ = self.heads, self.linked, self.lines, self.mentions, self.said, self.orders
        self.told.read()
        for mentions in self.mentions.values():
            for one in mentions:
                _ = one.objects

    def has(self, token: str) -> bool:
        """Return whether a token stands here, whole: `10` not in `100`, `--a` not in `--a-b`."""
        return self._whole(token) or token in self.names

    def places(self, command: str) -> tuple[Place, ...] | None:
        """Return where a command of several words stands whole; None where it does not."""
        if len(command) > _TOO_LONG:
            return None
        if command in self._commands:
            return tuple(self._commands[command])
        if command in self._quotable or (command.startswith("-") and self.has(command)):
            return ()
        return () if self._is_phrase(command) else None

    def fence_places(self, fence: Fence) -> list[tuple[Place, ...]] | None:
        """Return where each statement of a fence stands; None where one does not, or its remark."""
        remarks = (line.strip() for line in fence.text.split("\n"))
        if any(line.startswith(("#", "--")) and line not in self.lines for line in remarks):
            return None
        for language in (fence.language, *_READINGS):
            found = [self._commands.get(one) for one in statements(Fence(language, fence.text))]
            if found and all(found):
                return [tuple(places) for places in found if places]
        return None

    def _whole(self, token: str) -> bool:
        at = self.text.find(token)
        while at >= 0:
            if _bounded(self.text, at, at + len(token)):
                return True
            at = self.text.find(token, at + 1)
        return False

    def _is_phrase(self, words: str) -> bool:
        """Return whether words stand in prose, as a message or a state, no flag after them."""
        return any(_phrase_in(prose, words) for prose in self._proses)

    @cached_property
    def linked(self) -> str:
        """Return the section, and its prose without code, in which its links are looked for."""
        return "\n".join((self.text, *self._proses))

    @cached_property
    def _proses(self) -> tuple[str, ...]:
        return tuple(apart(piece.text)[0] for piece in self.pieces)

    def _read(self) -> None:
        fences = 0
        for piece in self.pieces:
            _, spans, _ = apart(piece.text)
            step = piece.kind is Kind.STEP
            for span in spans:
                self._add_span(span.replace("\\|", "|") if piece.kind is Kind.ROW else span)
                if step and " " in span:
                    self._add(joined(span), piece.block)
            for fence in piece.fences:
                fences += 1
                self._add_fence(fence, piece.block if step else -fences)

    def _add_span(self, span: str) -> None:
        self._quotable.add(span)
        self._quotable.update(_beginnings(span))

    def _add_fence(self, fence: Fence, procedure: int) -> None:
        for one in statements(fence):
            self._add(one, procedure)
            if "\n" not in one:
                for beginning in _beginnings(one):
                    self._add(beginning, procedure)
        if "\n" in fence.text.strip():
            self._quotable.update(lines_of_config(fence))

    def _add(self, command: str, procedure: int) -> None:
        places = self._commands.setdefault(command, [])
        places.append(Place(procedure, self._next))
        self._next += 1


def _beginnings(command: str) -> Iterator[str]:
    """Yield a command up to each of its pipes and other operators: what it begins with, alone."""
    hidden = _QUOTED.sub(lambda found: "x" * len(found[0]), command)
    for operator in _OPERATOR.finditer(hidden):
        if beginning := command[: operator.start()].strip():
            yield beginning


def _phrase_in(prose: str, words: str) -> bool:
    at = prose.find(words)
    while at >= 0:
        end = at + len(words)
        if _bounded(prose, at, end) and not prose[end : end + 2].lstrip().startswith("-"):
            return True
        at = prose.find(words, at + 1)
    return False


def _bounded(text: str, start: int, end: int) -> bool:
    """Return whether what stands here is not a part of a longer name, number, path or flag."""
    before, after = text[start - 1 : start], text[end : end + 1]
    first, last = text[start], text[end - 1]
    pathlike = "/" in text[start:end]
    if _is_word(before) and (_is_word(first) or first in "/-.~"):
        return False
    if before and before in "-." and (_is_word(first) or first in "-/"):
        return False
    if before in {"/", "}"} and (pathlike or first in ".-"):
        return False
    return not _goes_on(after, text[end + 1 : end + 2], last, pathlike=pathlike)


def _goes_on(after: str, next_: str, last: str, *, pathlike: bool) -> bool:
    if not after:
        return False
    if _is_word(last) and (_is_word(after) or after in "-*?$%"):
        return after != "-" or _is_word(next_) or next_ == "-"
    if after in ".:," and _is_word(last):
        return (after == "." and _is_word(next_)) or (
            after != "." and last.isdigit() and next_.isdigit()
        )
    if after == "/":
        return pathlike
    return last in "/-=" and (_is_word(after) or after in "*?$.-{~") and last != "="


def _is_word(sign: str) -> bool:
    return bool(sign) and (sign.isalnum() or sign == "_")


@lru_cache(maxsize=64)
def ground_of(text: str, breadcrumb: str) -> Ground:
    """Return a section as read; the last 64 are kept, since the same are asked for again."""
    return Ground(text, breadcrumb)
