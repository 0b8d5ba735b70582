"""Prompts: versioned files, and the data that goes between marks which it cannot forge. Pure.

A released prompt is never edited: a change is a new file with the next version, so that the journal
can tell which words led to which answers.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from string import Template

from core.guard import NO_ANSWER, Source
from core.redaction import redact
from core.written import Prompt

PROMPTS = Path(__file__).parent / "prompts"
ANSWER, JUDGE = "answer.v1", "judge.v1"
_VERDICT_TOKENS = 16
_QUESTION = 2000
"""Characters of a question that a model is given: who pastes a whole log asks by its beginning."""


def answer_prompt(question: str, sources: Sequence[Source], mark: str, max_tokens: int) -> Prompt:
    """Ask for an answer over sections; `mark` must be in none of the texts (`unforgeable`)."""
    return _prompt(ANSWER, question, sources, mark, max_tokens)


def judge_prompt(question: str, sources: Sequence[Source], mark: str) -> Prompt:
    """Ask for YES or NO: whether the sections answer the question."""
    return _prompt(JUDGE, question, sources, mark, _VERDICT_TOKENS)


def verdict(text: str) -> bool | None:
    """Read what a judge said; None where it is neither YES nor NO."""
    word = text.strip().strip(".*\"'`").upper()
    return {"YES": True, "NO": False}.get(word)


def unforgeable(mark: str, question: str, sources: Sequence[Source]) -> bool:
    """Return whether no text holds the mark that is to stand around all of them."""
    texts = (question, *(text for source in sources for text in (source.text, source.breadcrumb)))
    return not any(mark in text for text in texts)


@cache
def template(name: str) -> Template:
    """Return a prompt's text by its name and version. Reads its file once."""
    return Template((PROMPTS / f"{name}.txt").read_text(encoding="utf-8"))


def _prompt(
    name: str, question: str, sources: Sequence[Source], mark: str, max_tokens: int
) -> Prompt:
    instructions = template(name).substitute(mark=mark, no_answer=NO_ANSWER).strip()
    blocks = [_section(source, mark) for source in sources]
    text = redact(question)[0][:_QUESTION]
    asked = f"<<< question {mark}\n{text}\n>>> end of the question {mark}"
    return Prompt(name, instructions, "\n\n".join((*blocks, asked)), max_tokens)


def _section(source: Source, mark: str) -> str:
    return (
        f"<<< section {source.number} {mark} {source.breadcrumb}\n{source.text}\n"
        f">>> end of section {source.number} {mark}"
    )
