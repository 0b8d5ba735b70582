"""What a written answer may contain: only what the sections that it cites say. Pure.

The rules, and what they cannot catch, are in docs/written-answers.md. Whatever a model writes
is cut into sentences, list items and fences (`core/guard/pieces.py`); each is judged alone against
the sections that it cites (`core/guard/sentence.py`), then in its place among the others: what
hangs on a dropped sentence goes with it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from core.guard.code import apart
from core.guard.ground import Ground, Place, ground_of
from core.guard.lists import FILLING
from core.guard.pieces import ITEM, Kind, Piece, citations, pieces
from core.guard.sentence import Fault, Reading, Rule
from core.guard.tokens import Runs, runs_of

NO_ANSWER = "NO_ANSWER_IN_SECTIONS"
"""The fixed token by which a model says that the sections given to it do not answer."""

MORE_STEPS = "*Further steps are in the section.*"
"""Ends an answer whose list of steps was cut at the first that the sections do not bear out."""

_FOLLOWS = re.compile(
    r"(?:and |or |but )?(?:then|next|after (?:that|this|which)|afterwards|finally|otherwise|or|"
    r"if (?:not|so)|instead|alternatively|once (?:that|this|it)|when (?:that|this) )\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Za-z][\w'’-]+")


@dataclass(frozen=True, slots=True)
class Source:
    """A section as it was given to the model, under the number by which it may be cited (from 1).

    `text` is exactly what the model saw (redacted); `breadcrumb` is the title and headings shown
    with it, which count as the section's own words.
    """

    number: int
    text: str
    breadcrumb: str = ""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence or list item with the fences that it introduces, verbatim.

    `citations` are the numbers that it stands on: its own, or its lead-in's.
    """

    text: str
    citations: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Dropped:
    """A sentence that may not be shown: the rule that it broke, and what broke it."""

    sentence: str
    rule: Rule
    detail: str


@dataclass(frozen=True, slots=True)
class Guarded:
    """What is left of a written answer.

    `text` is what may be shown (Markdown, citations as `[n]`); it is empty unless `useful`.
    `citations` are the numbers that `text` cites, ascending. `says_no`: the model said by
    `NO_ANSWER` that the sections do not answer; then nothing is kept.
    """

    text: str
    kept: tuple[Sentence, ...]
    dropped: tuple[Dropped, ...]
    citations: tuple[int, ...]
    useful: bool
    says_no: bool


def guarded(text: str, sources: Sequence[Source], *, instructions: str = "") -> Guarded:
    """Keep of a model's answer the sentences that the cited sections bear out.

    `instructions` is the prompt given with the sections; what repeats it is dropped. Never raises,
    whatever the text.
    """
    if NO_ANSWER in text.upper():
        return Guarded("", (), (), (), useful=False, says_no=True)
    answer = _Answer({one.number: ground_of(one.text, one.breadcrumb) for one in sources})
    text = text.replace("\r\n", "\n")
    runs = runs_of(instructions)
    answer.judge(pieces(text), runs, repeats=bool(runs.of(text)))
    kept = tuple(Sentence(piece.raw, cited) for piece, cited in answer.kept)
    useful = any(_states_something(piece) for piece, _ in answer.kept)
    numbers = sorted({number for one in kept for number in one.citations}) if useful else ()
    return Guarded(
        text=_shown(answer.kept, cut=answer.cut) if useful else "",
        kept=kept,
        dropped=tuple(answer.dropped),
        citations=tuple(numbers),
        useful=useful,
        says_no=False,
    )


def read_ahead(sources: Sequence[Source]) -> None:
    """Read sections while the model still writes; judging then takes what the answer takes.

    What is read stays in memory with the last 64 sections, and is read anew after that.
    """
    for one in sources:
        ground_of(one.text, one.breadcrumb).read()


class _Answer:
    """Judges pieces in their order, knowing what was dropped before each."""

    def __init__(self, grounds: dict[int, Ground]) -> None:
        self.kept: list[tuple[Piece, tuple[int, ...]]] = []
        self.dropped: list[Dropped] = []
        self.cut = False
        self._grounds = grounds
        self._reached: dict[tuple[int, int], int] = {}
        self._broken_list = -1
        self._gap = False
        self._lead: tuple[Piece, tuple[int, ...]] | None = None
        self._lead_block = -1
        self._before = ""

    def judge(self, found: Sequence[Piece], instructions: Runs, *, repeats: bool) -> None:
        """Judge all pieces; `repeats`: the text as a whole has something of the instructions."""
        for at, piece in enumerate(found):
            if piece.kind in {Kind.HEADING, Kind.ROW}:
                self._drop(piece, Fault(Rule.MARKUP, f"a {piece.kind}"))
                continue
            cited = self._cited(piece)
            fault = self._fault(piece, cited, instructions if repeats or piece.fences else None)
            if fault:
                self._drop(piece, fault)
            else:
                self.kept.append((piece, cited))
                self._gap = False
            self._before = piece.text
            self._lead_on(piece, cited, found[at + 1 : at + 2], dropped=fault is not None)
        self._drop_leads_of_nothing(found)

    def _cited(self, piece: Piece) -> tuple[int, ...]:
        own = citations(apart(piece.text)[0])
        if own or piece.kind is Kind.SENTENCE or self._lead_block != piece.block or not self._lead:
            return own
        return self._lead[1]

    def _lead_on(
        self, piece: Piece, cited: tuple[int, ...], next_: Sequence[Piece], *, dropped: bool
    ) -> None:
        """Remember a sentence that announces the list after it."""
        if piece.kind is not Kind.SENTENCE:
            return
        listed = bool(next_) and next_[0].kind in {Kind.ITEM, Kind.STEP}
        if listed and piece.leads and not dropped:
            self._lead, self._lead_block = (piece, cited), next_[0].block
        else:
            self._lead, self._lead_block = None, -1

    def _fault(
        self, piece: Piece, cited: tuple[int, ...], instructions: Runs | None
    ) -> Fault | None:
        if piece.kind is Kind.STEP and piece.block == self._broken_list:
            return Fault(Rule.PROCEDURE, "follows a step that was dropped")
        missing = [number for number in cited if number not in self._grounds]
        if missing or not cited:
            return Fault(Rule.CITATION, ", ".join(map(str, missing)) or "none")
        reading = Reading(piece, [self._grounds[number] for number in cited], self._before)
        if fault := reading.fault(instructions):
            return fault
        if self._gap and (_follows(piece) or reading.has_advice()):
            return Fault(Rule.DANGLING, "hangs on a sentence that was dropped")
        return self._out_of_order(reading.commands, cited)

    def _out_of_order(
        self, commands: Sequence[tuple[Place, ...]], cited: Sequence[int]
    ) -> Fault | None:
        """Return a fault where a procedure's commands come in another order than in its section."""
        if not commands:
            return None
        reached = dict(self._reached)
        for places in commands:
            if not (next_ := _next_place(places, reached, cited[0])):
                return Fault(Rule.COMMAND, "commands in another order than in the section")
            reached[cited[0], next_.procedure] = next_.nth
        self._reached = reached
        return None

    def _drop(self, piece: Piece, fault: Fault) -> None:
        self.dropped.append(Dropped(piece.raw, fault.rule, fault.detail))
        if piece.kind is Kind.STEP:
            self.cut = self.cut or any(one.block == piece.block for one, _ in self.kept)
            self._broken_list = piece.block
        self._gap = piece.kind is not Kind.HEADING

    def _drop_leads_of_nothing(self, found: Sequence[Piece]) -> None:
        """Drop sentences that end in a colon when nothing is left of what they announce."""
        if not any(piece.leads for piece, _ in self.kept):
            return
        after = {id(one): next_ for one, next_ in pairwise(found)}
        blocks = {piece.block for piece, _ in self.kept if piece.kind is not Kind.SENTENCE}
        for piece, cited in tuple(self.kept):
            next_ = after.get(id(piece))
            if piece.kind is not Kind.SENTENCE or not piece.leads or piece.fences:
                continue
            if next_ is None or next_.kind is Kind.SENTENCE or next_.block not in blocks:
                self.kept.remove((piece, cited))
                self.dropped.append(Dropped(piece.raw, Rule.DANGLING, "announces what was dropped"))


def _next_place(
    places: Sequence[Place], reached: dict[tuple[int, int], int], section: int
) -> Place | None:
    return next(
        (one for one in places if one.nth > reached.get((section, one.procedure), -1)), None
    )


def _follows(piece: Piece) -> bool:
    item = ITEM.match(piece.text)
    return (
        piece.kind is Kind.SENTENCE and not item and bool(_FOLLOWS.match(piece.text.lstrip("*_")))
    )


def _states_something(piece: Piece) -> bool:
    """Return whether a piece says more than where to look."""
    prose, spans, _ = apart(piece.text)
    words = [word for word in _WORD.findall(prose) if word.casefold() not in FILLING]
    content = [word for word in words if word.casefold() not in {"section", "sections", "see"}]
    return bool(piece.fences or spans) or len(content) >= 2


def _shown(kept: Sequence[tuple[Piece, tuple[int, ...]]], *, cut: bool) -> str:
    return "".join(_joined([piece for piece, _ in kept])) + (f"\n\n{MORE_STEPS}" if cut else "")


def _joined(kept: Sequence[Piece]) -> Iterator[str]:
    last: Piece | None = None
    for piece in kept:
        if last is not None:
            yield _between(last, piece)
        yield piece.raw
        last = piece


def _between(last: Piece, piece: Piece) -> str:
    if piece.kind is not Kind.SENTENCE:
        same = last.block == piece.block or (last.kind is Kind.SENTENCE and not last.fences)
        return "\n" if same else "\n\n"
    return " " if last.block == piece.block and not last.fences else "\n\n"
