"""Judges one sentence, list item or fence against the sections that it cites. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from core.guard_actions import ORDERS, Action, actions_of, judged, orders, spans_denied
from core.guard_bare import bare_commands, is_command
from core.guard_claims import names, plain
from core.guard_code import apart, joined
from core.guard_ground import Ground, Place
from core.guard_markup import hidden, markup
from core.guard_mentions import Mention
from core.guard_numbers import wrong_number
from core.guard_objects import row_of
from core.guard_pieces import ITEM, Kind, Piece, sentences
from core.guard_places import Spoken
from core.guard_polarity import order_turned, turned_round
from core.guard_tokens import Runs, denies


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

    def __init__(self, piece: Piece, cited: Sequence[Ground], before: str) -> None:
        self.piece = piece
        self.cited = cited
        self._before = before
        item = ITEM.match(piece.text)
        self._text = piece.text[item.end() :] if item else piece.text
        prose, self.spans, self.closed = apart(self._text)
        self._marked = prose
        self.prose = plain(prose)
        alone = piece.kind is Kind.SENTENCE
        self._sentences = (self._text,) if alone else sentences(self._text)
        self._told_names = tuple(names(self.prose))
        told = [ground.told for ground in cited]
        self._spoken = [Spoken(row_of(one), told) for one in self._sentences]
        self.commands: list[tuple[Place, ...]] = []

    def fault(self, instructions: Runs | None) -> Fault | None:
        """Return the first rule that it breaks; `commands` then has where its commands stand."""
        checks = (
            self._hidden,
            self._markup,
            self._spans,
            self._fences,
            self._bare,
            self._names,
            lambda: self._repeats(instructions),
            self._numbers,
            self._denied_commands,
            self._actions,
            self._order,
            self._polarity,
        )
        return next((fault for check in checks if (fault := check())), None)

    @cached_property
    def _told(self) -> tuple[Action, ...]:
        return actions_of(self._text, self._before)

    def has_advice(self) -> bool:
        """Return whether it tells to act on what only another sentence names."""
        return any(one.pronoun for one in self._told)

    def _hidden(self) -> Fault | None:
        if len(self.piece.raw) > _TOO_LONG:
            return Fault(Rule.MARKUP, f"more than {_TOO_LONG} characters")
        sign = hidden(self.piece.raw)
        return Fault(Rule.MARKUP, sign) if sign else None

    def _markup(self) -> Fault | None:
        if not self.closed:
            return Fault(Rule.MARKUP, "a backtick that is not closed")
        found = markup(self._marked, [ground.linked for ground in self.cited])
        return Fault(Rule.MARKUP, found) if found else None

    def _spans(self) -> Fault | None:
        for span in self.spans:
            command = joined(span)
            if not any(sign.isspace() for sign in command):
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

    def _fences(self) -> Fault | None:
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
        heads = self.cited[0].heads.union(*[ground.heads for ground in self.cited[1:]])
        for command in bare_commands(self.prose, heads):
            if not any(_says(ground, command) for ground in self.cited):
                return Fault(Rule.COMMAND, command)
        return None

    def _names(self) -> Fault | None:
        for name in self._told_names:
            forms = (name, name.removesuffix("s")) if name[-1:] == "s" else (name,)
            if not any(ground.has(form) for form in forms for ground in self.cited):
                return Fault(Rule.FACT, name)
        return None

    def _numbers(self) -> Fault | None:
        for sentence in self._spoken:
            if wrong := wrong_number(sentence):
                return Fault(Rule.FACT, wrong)
        return None

    def _polarity(self) -> Fault | None:
        for sentence in self._spoken:
            if turned := turned_round(sentence):
                return Fault(Rule.NEGATION, turned)
            if turned := order_turned(sentence):
                return Fault(Rule.PROCEDURE, turned)
        return None

    def _denied_commands(self) -> Fault | None:
        for command, denied in commands_denied(self._sentences):
            said = [one for ground in self.cited for one in ground.said.get(command, ())]
            if said and all(said) and not denied:
                return Fault(Rule.NEGATION, command)
        return self._denied_flags()

    def _denied_flags(self) -> Fault | None:
        """Return a fault where a flag without backticks is one that the sections only forbid."""
        flags = [name for name in self._told_names if name.startswith("-")]
        if flags and not denies(row_of(self._text)):
            for flag in flags:
                said = [one for ground in self.cited for one in ground.said.get(flag, ())]
                if said and all(said):
                    return Fault(Rule.NEGATION, flag)
        return None

    def _actions(self) -> Fault | None:
        mentions = _together(self.cited) if self._told else {}
        for action in self._told:
            why = judged(action, mentions)
            if why and not all(one.is_whole() for one in self._spoken):
                objects = " ".join((*action.words, *action.codes))
                return Fault(Rule(why), f"{action.deed} {objects}".strip())
        return None

    def _order(self) -> Fault | None:
        if all(ORDERS.isdisjoint(one.words) for one in self._spoken):
            return None
        for first, second in orders(self._sentences):
            said = {pair for ground in self.cited for pair in ground.orders}
            if (second, first) in said and (first, second) not in said:
                return Fault(Rule.PROCEDURE, f"{first} before {second}")
        return None

    def _repeats(self, instructions: Runs | None) -> Fault | None:
        for shared in instructions.of(self.piece.text) if instructions else ():
            if not any(shared in ground.grams for ground in self.cited):
                return Fault(Rule.INSTRUCTIONS, " ".join(shared))
        return None


def commands_denied(told: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Yield the commands and flags of sentences, each with whether its sentence forbids it."""
    return ((span, denied) for span, denied in spans_denied(told) if is_command(span))


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
