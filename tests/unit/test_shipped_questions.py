"""The shipped questions, both sets: enough of each kind, paraphrases with no word of a title."""

from collections import Counter
from pathlib import Path

import pytest

from core.keywords import tokens
from core.models import Document, Section
from corpus.splitter import cut
from corpus.starter import starter_documents
from eval.dataset import Kind, Record, load_questions

EVAL = Path(__file__).parents[2] / "eval"
QUESTIONS = EVAL / "questions.jsonl"
OBLIQUE = EVAL / "questions-oblique.jsonl"
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
    return {document.path: document for document in starter_documents()}


@pytest.fixture(scope="module", params=[QUESTIONS, OBLIQUE], ids=lambda path: path.stem)
def records(request: pytest.FixtureRequest, documents: dict[str, Document]) -> tuple[Record, ...]:
    """Return one set; loading it shows that each quote stands exactly once in its document."""
    return load_questions([request.param], documents.values())


def test_there_are_enough_of_each_kind(records: tuple[Record, ...]) -> None:
    kinds = Counter(record.kind for record in records)
    assert kinds[Kind.ANSWERABLE] >= 140
    assert kinds[Kind.NEAR] + kinds[Kind.UNRELATED] >= 40
    assert kinds[Kind.NEAR] >= 3 * kinds[Kind.UNRELATED]


WANTED = {
    "lookup": 17, "paraphrase": 22, "identifier": 13, "procedure": 11, "multi": 7, "keyword": 15,
    "pasted": 10, "follow-up": 5,
}  # fmt: skip
"""How many of a hundred answerable questions are of each category."""


def test_the_answerable_are_mixed_as_people_ask(records: tuple[Record, ...]) -> None:
    """Each category has as many questions as are asked for, or one more or less."""
    answerable = [record.category for record in records if record.kind is Kind.ANSWERABLE]
    counted = Counter(answerable)
    assert sum(WANTED.values()) == 100
    assert counted.keys() == WANTED.keys()
    off = {n: counted[n] - len(answerable) * share / 100 for n, share in WANTED.items()}
    assert {name: by for name, by in off.items() if abs(by) > 1} == {}


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


def test_alternatives_of_a_question_are_different_sections(
    records: tuple[Record, ...], documents: dict[str, Document]
) -> None:
    twice = [
        record.id
        for record in records
        if not record.needs_all
        and len({place(documents[one.path], one.span.start) for one in record.relevant})
        < len(record.relevant)
    ]
    assert twice == []


def test_the_sets_differ_in_their_paraphrases_and_agree_on_what_must_be_refused(
    documents: dict[str, Document],
) -> None:
    sets = [load_questions([path], documents.values()) for path in (QUESTIONS, OBLIQUE)]
    ours, oblique = ({record.id: record for record in one} for one in sets)
    only = [record for id_, record in ours.items() if id_ not in oblique]
    assert {record.category for record in only} == {"paraphrase"}
    assert not {r.id for r in oblique.values() if r.category == "paraphrase"} & ours.keys()
    refused = [{id_: r for id_, r in one.items() if not r.relevant} for one in (ours, oblique)]
    assert refused[0] == refused[1]


def breadcrumb(document: Document, at: int) -> str:
    return section(document, at).breadcrumb


def place(document: Document, at: int) -> tuple[str, int]:
    return document.path, section(document, at).span.start


def section(document: Document, at: int) -> Section:
    sections = cut(document, fits=lambda _: True, passage_chars=10**9).sections
    return next(s for s in sections if s.span.start <= at < s.span.end)
