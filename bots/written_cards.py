"""What a language model wrote, as the last part of a card: labelled, below its sections. Pure."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, assert_never

from bots.card import Card, Part, Tone
from bots.cards import place, warning
from bots.inline_code import code_spans
from core.ports import Linker
from core.settings_groups import CardSettings
from core.written import Cited, FoundNothing, WrittenAnswer, WrittenOutcome
from corpus.markdown import Block, BlockKind, parse

ABOVE = "the runbook's own words are what counts"
_CITATION = re.compile(r"(?<!\\)\[(\d{1,3})\](?![(:])")
_MARKS = re.compile(r"[\\`*_~|\[\]<>#]")
_CODE = {BlockKind.FENCE, BlockKind.CODE}


def written_part(
    found: WrittenOutcome, *, link: Linker, settings: CardSettings, linked: bool = True
) -> Part:
    """Word what a model wrote; its `[n]` lead to the sections where they are to be `linked`.

    That the model found no answer is worded as a weak outcome is.
    """
    match found:
        case WrittenAnswer():
            plain = _escaped if linked else _on_one_line
            links = {one.number: _web(link(one.section)) for one in found.citations if linked}
            careful = warning([found.text], settings)
            paragraphs = (
                with_links(found.text, links),
                f"⚠️ {plain(careful)}" if careful else "",
                "\n".join(_source(one, links, plain) for one in found.citations),
            )
            return Part(
                f"Written by a language model ({found.model}), checked against what it cites",
                link="",
                place=ABOVE,
                text="\n\n".join(one for one in paragraphs if one),
            )
        case FoundNothing():
            said = f"A language model ({_escaped(found.model)}) read these sections and found no "
            return Part("Not sure", link="", place="", text=f"{said}answer in them.")
        case _:
            assert_never(found)


def with_written(card: Card, part: Part) -> Card:
    """Return the card with a written part below all that it has; nothing else changes."""
    return replace(card, parts=(*card.parts, part))


def written_card(part: Part, exchange_id: str = "") -> Card:
    """Return a written part as a card of its own, where the answer's has no room for it."""
    meta = (part.place,) if part.place else ()
    return Card(Tone.INFO, title=part.heading, meta=meta, parts=(part,), footer=exchange_id)


def written_json(found: WrittenOutcome | None, link: Linker) -> dict[str, Any] | None:
    """Return what a model wrote as JSON; None where nothing is shown of it."""
    match found:
        case None:
            return None
        case FoundNothing(model, prompt):
            return {"model": model, "prompt": prompt, "text": "", "found_nothing": True}
        case WrittenAnswer():
            cited = [
                {"number": one.number, "section_id": one.section.id, "link": link(one.section)}
                for one in found.citations
            ]
            return {
                "model": found.model,
                "prompt": found.prompt,
                "text": found.text,
                "found_nothing": False,
                "citations": cited,
                "tokens": found.tokens,
                "ms": round(found.ms, 1),
            }
        case _:
            assert_never(found)


def with_links(text: str, links: Mapping[int, str]) -> str:
    """Return a Markdown text in which the first `[n]` of each number leads to its section.

    Not in code; and once each, since a message has no room for the same address ten times.
    """
    left = dict(links)
    out: list[str] = []
    at = 0
    for start, end in _prose(text, parse(text).blocks):
        out += (text[at:start], _CITATION.sub(lambda hit: _linked(hit, left), text[start:end]))
        at = end
    return "".join((*out, text[at:]))


def _prose(text: str, blocks: Sequence[Block]) -> Iterator[tuple[int, int]]:
    """Yield where prose stands, in order: what is neither a block of code nor inline code."""
    for block in blocks:
        if block.children:
            yield from _prose(text, block.children)
        elif block.kind not in _CODE:
            at, end = block.span.start, block.span.end
            for code in code_spans(text[at:end]):
                yield at, block.span.start + code.start
                at = block.span.start + code.end
            yield at, end


def _linked(found: re.Match[str], left: dict[int, str]) -> str:
    url = left.pop(int(found[1]), "")
    return f"[[{found[1]}]](<{url}>)" if url else found[0]


def _source(cited: Cited, links: Mapping[int, str], plain: Callable[[str], str]) -> str:
    label = plain(cited.section.breadcrumb)
    url = links.get(cited.number, "")
    shown = f"[{label}](<{url}>)" if url else f"{label} ({plain(place(cited.section))})"
    return f"- [{cited.number}] {shown}"


def _web(url: str) -> str:
    """Return an address that a chat can follow, or nothing."""
    fit = url.startswith(("http://", "https://")) and not set(url) & set("<> \n\t")
    return url if fit else ""


def _escaped(text: str) -> str:
    """Return text on one line, escaped as Markdown."""
    return _MARKS.sub(r"\\\g<0>", _on_one_line(text))


def _on_one_line(text: str) -> str:
    return " ".join(text.split())
