"""Judges one sentence, list item or fence against the sections that it cites. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.guard.actions import ORDERS, Action, actions_of, judged, orders
from core.guard.bare import bare_commands, is_command
from core.guard.claims import names, plain
from core.guard.code import apart, joined
from core.guard.ground import Ground, Place
from core.guard.markup import hidden, markup
from core.guard.mentions import Mention
from core.guard.numbers import wrong_number
from core.guard.objects import row_of
from core.guard.pieces import ITEM, Kind, Piece, sentences
from core.guard.polarity import order_turned, turned_round
from core.guard.spoken import Spoken
from core.guard.tokens import Runs, denies, is_denied
from core.guard.words import tokens


class Rule(StrEnum):
    """Why a sentence was dropped: the value is what the journal records."""

    CITATION = "citation"
    COMMAND = "command"
    FACT = "fact"
    ACTION = "action"
    NEGATION = "negation"
    CONDITION = "condition"
    INSTRUCTIONS = "instructions"
    MARKUP = "markup"
    PROCEDURE = "procedure"
    DANGLING = "dangling"


_TOO_LONG = 6000
"""Characters of one sentence with its fences: what is longer is no answer for a chat."""


@dataclass(frozen=True, slots=True)
class Fault:
    """The rule that a sentence breaks, and what breaks it."""

    rule: Rule
    detail: str


class Reading:
    """One piece of an answer, read once: its prose, its code, the sections that it cites."""

    __slots__ = (
        "_actions",
        "_before",
        "_marked",
        "_names",
        "_row",
        "_rows",
        "_spoken",
        "cited",
        "closed",
        "commands",
        "piece",
        "prose",
        "spans",
    )

    def __init__(self, piece: Piece, cited: Sequence[Ground], before: str) -> None:
        self.piece = piece
        self.cited = cited
        self._before = before
        item = ITEM.match(piece.text)
        text = piece.text[item.end() :] if item else piece.text
        self._marked, self.spans, self.closed = apart(text)
        self.prose = plain(self._marked)
        self._names = names(self.prose)
        self._row = tokens(self.prose, self.spans)
        if piece.kind is Kind.SENTENCE or len(told := sentences(text)) < 2:
            self._rows = [self._row]
        else:
            self._rows = [row_of(one) for one in told]
        places = [ground.told for ground in cited]
        self._spoken = [Spoken(row, places) for row in self._rows]
        self._actions: tuple[Action, ...] | None = None
        self.commands: list[tuple[Place, ...]] = []

    def fault(self, instructions: Runs | None) -> Fault | None:
        """Return the first rule that it breaks; `commands` then has where its commands stand."""
        return (
            self._hidden()
            or self._markup()
            or self._unknown_span()
            or self._unknown_fence()
            or self._bare()
            or self._unknown_name()
            or (self._repeats(instructions) if instructions else None)
            or self._wrong_number()
            or self._denied_command()
            or self._denied_flag()
            or self._wrong_action()
            or self._wrong_order()
            or self._turned_round()
        )

    def _told(self) -> tuple[Action, ...]:
        if self._actions is None:
            self._actions = actions_of(self._row, self._before)
        return self._actions

    def has_advice(self) -> bool:
        """Return whether it tells to act on what only another sentence names."""
        return any(one.pronoun for one in self._told())

    def _hidden(self) -> Fault | None:
        if len(self.piece.raw) > _TOO_LONG:
            return Fault(Rule.MARKUP, f"more than {_TOO_LONG} characters")
        sign = hidden(self.piece.raw)
        return Fault(Rule.MARKUP, sign) if sign else None

    def _markup(self) -> Fault | None:
        if not self.closed:
            return Fault(Rule.MARKUP, "a backtick that is not closed")
        found = markup(self._marked, self.cited)
        return Fault(Rule.MARKUP, found) if found else None

    def _unknown_span(self) -> Fault | None:
        for span in self.spans:
            command = joined(span)
            if len(command.split(maxsplit=1)) < 2:
                if not any(ground.has(command) for ground in self.cited):
                    return Fault(Rule.COMMAND, command)
                continue
            found = [
                places for ground in self.cited if (places := ground.places(command)) is not None
            ]
            if not found:
                return Fault(Rule.COMMAND, command)
            self._place(found)
        return None

    def _unknown_fence(self) -> Fault | None:
        for fence in self.piece.fences:
            found = [
                all_ for ground in self.cited if (all_ := ground.fence_places(fence)) is not None
            ]
            if not found:
                return Fault(Rule.COMMAND, fence.text)
            for places in found[0]:
                self.commands.append(places)
        return None

    def _place(self, found: Sequence[tuple[Place, ...]]) -> None:
        if places := next((one for one in found if one), ()):
            self.commands.append(places)

    def _bare(self) -> Fault | None:
        heads = self.cited[0].heads
        if len(self.cited) > 1:
            heads = heads.union(*[ground.heads for ground in self.cited[1:]])
        for command in bare_commands(self.prose, heads):
            if not any(_says(ground, command) for ground in self.cited):
                return Fault(Rule.COMMAND, command)
        return None

    def _unknown_name(self) -> Fault | None:
        for name in self._names:
            forms = (name, name.removesuffix("s")) if name[-1:] == "s" else (name,)
            if not any(ground.has(form) for form in forms for ground in self.cited):
                return Fault(Rule.FACT, name)
        return None

    def _wrong_number(self) -> Fault | None:
        for sentence in self._spoken:
            if wrong := wrong_number(sentence):
                return Fault(Rule.FACT, wrong)
        return None

    def _turned_round(self) -> Fault | None:
        for sentence in self._spoken:
            if turned := turned_round(sentence):
                return Fault(Rule.NEGATION, turned)
            if turned := order_turned(sentence):
                return Fault(Rule.PROCEDURE, turned)
        return None

    def _denied_command(self) -> Fault | None:
        """Return a fault where a command or flag in backticks is one that is only forbidden."""
        for row in self._rows if self.spans else ():
            for at, token in enumerate(row):
                code = token.code
                forbidden = bool(code) and self._is_forbidden(code) and is_command(code)
                if forbidden and not is_denied(row, at):
                    return Fault(Rule.NEGATION, code)
        return None

    def _denied_flag(self) -> Fault | None:
        """Return a fault where a flag without backticks is one that is only forbidden."""
        for name in self._names:
            if name[0] == "-" and self._is_forbidden(name) and not denies(self._row):
                return Fault(Rule.NEGATION, name)
        return None

    def _is_forbidden(self, code: str) -> bool:
        """Return whether the sections have this code, and wherever they have it, forbid it."""
        said = [one for ground in self.cited for one in ground.said.get(code, ())]
        return bool(said) and all(said)

    def _wrong_action(self) -> Fault | None:
        told = self._told()
        mentions = _together(self.cited) if told else {}
        for action in told:
            why = judged(action, mentions)
            if why and not all(one.is_whole() for one in self._spoken):
                objects = " ".join((*action.words, *action.codes))
                return Fault(Rule(why), f"{action.deed} {objects}".strip())
        return None

    def _wrong_order(self) -> Fault | None:
        if all(ORDERS.isdisjoint(one.words) for one in self._spoken):
            return None
        for first, second in orders(self._rows):
            said = {pair for ground in self.cited for pair in ground.orders}
            if (second, first) in said and (first, second) not in said:
                return Fault(Rule.PROCEDURE, f"{first} before {second}")
        return None

    def _repeats(self, instructions: Runs) -> Fault | None:
        for shared in instructions.of(self.piece.text):
            if not any(shared in ground.grams for ground in self.cited):
                return Fault(Rule.INSTRUCTIONS, " ".join(shared))
        return None


def _together(cited: Sequence[Ground]) -> Mapping[str, Sequence[Mention]]:
    """Return the mentions of all the cited sections, by deed."""
    if len(cited) == 1:
        return cited[0].mentions
    names = {name for ground in cited for name in ground.mentions}
    return {
        name: [one for ground in cited for one in ground.mentions.get(name, ())] for name in names
    }


def _says(ground: Ground, command: str) -> bool:
    if " " not in command:
        return ground.has(command)
    return ground.places(command) is not None
