"""Written answers with labels by hand: what a model might write over the shipped sections. Pure.

One JSON object a line: `{"id", "category", "question", "round", "sections": [{"doc", "heading"}],
"sentences": [{"label", "text"}]}`. The sections have the numbers 1, 2, … by which they are
cited. Round 1 was written before the guard was, and its rules were made on it; round 2 was written
afterwards, over sections that no rule had been tried on. Round 3 is held out in a file of its own:
written before the rules on places and polarity were, over other sections, and not edited since but
for one replica count that a runbook changed. Rules have been mended on it, so it is not blind now.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from core.guard import Guarded, Source, guarded
from core.models import Document, Section
from corpus.splitter import cut
from eval.lines import Unfit, lines_of, object_of, parsed, placed, text_of

WRITTEN = Path(__file__).parent / "written"
GENERATIONS = WRITTEN / "adversarial.jsonl"
HELD_OUT = WRITTEN / "held-out.jsonl"
INSTRUCTIONS = WRITTEN / "instructions.txt"

_LISTED = re.compile(r"(?:[-*]|\d+\.) ")
_STOPS = (".", "!", "?", ":")
_SPACE = re.compile(r"\s+")


class Label(StrEnum):
    """What a sentence is, by hand.

    FAITHFUL says what its sections say. INVENTED has a command, path, flag, number, host or name
    that the cited sections do not have, or has it altered. DANGEROUS advises what they do not, or
    forbid, in plain words. UNSUPPORTED claims what they do not say, without any of that. FORGED
    cites what is not there, or nothing. LEAKED repeats the instructions. HOSTILE pings, links
    elsewhere or carries HTML. ORPHANED is faithful, but a step after one that may not be shown.
    NO_ANSWER says that the sections do not answer.
    """

    FAITHFUL = "faithful"
    INVENTED = "invented"
    DANGEROUS = "dangerous"
    UNSUPPORTED = "unsupported"
    FORGED = "forged"
    LEAKED = "leaked"
    HOSTILE = "hostile"
    ORPHANED = "orphaned"
    NO_ANSWER = "no_answer"


@dataclass(frozen=True, slots=True)
class Labelled:
    """A sentence, list item or fence with its lead-in, and what it is."""

    text: str
    label: Label


@dataclass(frozen=True, slots=True)
class Generation:
    """One answer as a model might write it; `sections` are those it was given, in their order."""

    id: str
    category: str
    question: str
    round: int
    sections: tuple[Section, ...]
    sentences: tuple[Labelled, ...]

    @property
    def sources(self) -> tuple[Source, ...]:
        """Return the sections as a model is given them."""
        return tuple(
            Source(number, section.text, section.breadcrumb)
            for number, section in enumerate(self.sections, start=1)
        )

    @property
    def text(self) -> str:
        """Return the answer: sentences run on; list items, fences and bare lines stand alone."""
        pieces: list[str] = []
        for one in self.sentences:
            if pieces:
                pieces.append(_between(pieces[-1], one.text))
            pieces.append(one.text)
        return "".join(pieces)

    def judged(self, instructions: str) -> "Judged":
        """Run the guard over the answer."""
        result = guarded(self.text, self.sources, instructions=instructions)
        return Judged(self, result)


@dataclass(frozen=True, slots=True)
class Judged:
    """An answer and what the guard left of it."""

    generation: Generation
    result: Guarded

    def sentences(self) -> Iterator[tuple[Labelled, bool]]:
        """Yield each sentence and whether it would be shown, white space aside."""
        shown = _folded(self.result.text)
        for one in self.generation.sentences:
            yield one, _folded(one.text) in shown


def load_generations(path: Path, documents: Iterable[Document]) -> tuple[Generation, ...]:
    """Read answers over the sections of these documents.

    Raises:
        DatasetError: the file is missing or empty, a line is no such record, an id stands there
            twice, or a section does not exist exactly once.
    """
    shelf = {document.path: document for document in documents}
    seen: set[str] = set()
    found: list[Generation] = []
    for number, line in lines_of(path, "answers"):
        with placed(path, number):
            generation = _generation(parsed(line), shelf)
            if generation.id in seen:
                raise Unfit(f"the id {generation.id} stands there twice")
            seen.add(generation.id)
            found.append(generation)
    return tuple(found)


def tally(judged: Iterable[Judged]) -> Mapping[Label, tuple[int, int]]:
    """Return for each label how many of its sentences would be shown, and how many there are."""
    shown: Counter[Label] = Counter()
    whole: Counter[Label] = Counter()
    for one in judged:
        for sentence, is_shown in one.sentences():
            whole[sentence.label] += 1
            shown[sentence.label] += is_shown
    return {label: (shown[label], whole[label]) for label in Label if whole[label]}


def _generation(raw: Mapping[str, Any], shelf: Mapping[str, Document]) -> Generation:
    round_ = raw.get("round")
    if not isinstance(round_, int) or isinstance(round_, bool) or round_ not in {1, 2, 3}:
        raise Unfit("“round” must be 1, 2 or 3")
    return Generation(
        id=text_of(raw, "id"),
        category=text_of(raw, "category"),
        question=text_of(raw, "question"),
        round=round_,
        sections=tuple(_section(entry, shelf) for entry in _list_of(raw, "sections")),
        sentences=tuple(_sentence(entry) for entry in _list_of(raw, "sentences")),
    )


def _list_of(raw: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    entries = raw.get(key)
    if not isinstance(entries, list) or not entries:
        raise Unfit(f"“{key}” must be a list that is not empty")
    return [object_of(entry, f"each entry of “{key}”") for entry in entries]


def _section(entry: Mapping[str, Any], shelf: Mapping[str, Document]) -> Section:
    doc, heading = text_of(entry, "doc"), text_of(entry, "heading")
    if doc not in shelf:
        raise Unfit(f"there is no document {doc}")
    sections = cut(shelf[doc], fits=lambda _: True).sections
    found = [one for one in sections if _plain(one.heading) == _plain(heading)]
    if len(found) != 1:
        raise Unfit(f"{doc} has {len(found)} sections under “{heading}”, and must have one")
    return found[0]


def _sentence(entry: Mapping[str, Any]) -> Labelled:
    label = text_of(entry, "label")
    if label not in set(Label):
        raise Unfit(f"“label” must be one of {', '.join(Label)}, not {label}")
    return Labelled(text_of(entry, "text"), Label(label))


def _plain(heading: str) -> str:
    return heading.replace("`", "").strip().casefold()


def _between(last: str, text: str) -> str:
    listed, before = bool(_LISTED.match(text)), bool(_LISTED.match(last))
    if before and not listed:
        return "\n\n"
    alone = listed or "```" in last or "```" in text or not last.endswith(_STOPS)
    return "\n" if alone else " "


def _folded(text: str) -> str:
    return _SPACE.sub(" ", text).strip()
