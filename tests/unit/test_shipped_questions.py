"""The shipped questions: enough of each kind, paraphrases without a word of their page."""

from collections import Counter
from pathlib import Path

import pytest

from core.keywords import tokens
from core.models import Document
from corpus.loader import load
from corpus.splitter import cut
from corpus.starter import StarterSource
from eval.dataset import Kind, Record, load_questions

QUESTIONS = Path(__file__).parents[2] / "eval" / "questions.jsonl"
STOP_WORDS = frozenset(
    tokens(
        "a about after all am an and any are as at be been but by can could did do does for from"
        " get got had has have he her his how i if in into is it just may me might more most my"
        " no not now of off on one only or our out over she should so some still than that the"
        " their them then there these they this those to too two under until up us was we were"
        " what when where which while who whom whose why will with without would you your s t"
    )
)


@pytest.fixture(scope="module")
def documents() -> dict[str, Document]:
    source = StarterSource()
    loaded = [load(source.read(path), path, source.settings) for path in source.listing().files]
    return {one.document.path: one.document for one in loaded}


@pytest.fixture(scope="module")
def records(documents: dict[str, Document]) -> tuple[Record, ...]:
    return load_questions([QUESTIONS], documents.values())


def test_there_are_enough_of_each_kind(records: tuple[Record, ...]) -> None:
    kinds = Counter(record.kind for record in records)
    assert kinds[Kind.ANSWERABLE] >= 140
    assert kinds[Kind.NEAR] + kinds[Kind.UNRELATED] >= 40
    assert kinds[Kind.NEAR] >= 3 * kinds[Kind.UNRELATED]


def test_the_answerable_are_mixed_as_people_ask(records: tuple[Record, ...]) -> None:
    answerable = [record.category for record in records if record.kind is Kind.ANSWERABLE]
    shares = {name: round(100 * n / len(answerable)) for name, n in Counter(answerable).items()}
    assert shares == {
        "lookup": 17,
        "paraphrase": 22,
        "identifier": 13,
        "procedure": 11,
        "multi": 7,
        "keyword": 14,
        "pasted": 11,
        "follow-up": 5,
    }


def test_every_follow_up_says_what_it_follows(records: tuple[Record, ...]) -> None:
    assert all(bool(r.follows) == (r.category == "follow-up") for r in records)


def test_no_paraphrase_shares_a_content_word_with_title_or_heading(
    records: tuple[Record, ...], documents: dict[str, Document]
) -> None:
    shared = {}
    for record in records:
        if record.category == "paraphrase":
            asked = set(tokens(record.question)) - STOP_WORDS
            for relevant in record.relevant:
                found = asked & set(
                    tokens(breadcrumb(documents[relevant.path], relevant.span.start))
                )
                if found:
                    shared[record.id] = found
    assert shared == {}


def breadcrumb(document: Document, at: int) -> str:
    sections = cut(document, fits=lambda _: True, passage_chars=10**9).sections
    section = next(s for s in sections if s.span.start <= at < s.span.end)
    return section.breadcrumb
