import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.answering import Answered, Answerer, searchable_text
from core.errors import IndexUnavailable
from core.models import Scope
from core.outcomes import Answer, Gate, Help, Refusal, WeakAnswer, shown
from tests.fakes import SCRIPTED_CALIBRATION, FakeIndex, ScriptedEmbedder
from tests.indexed import answerer_of, indexed, page, retriever_of

CRASH = page(
    "pod-crash.md",
    "---\nalerts: [KubePodCrashLooping]\n---\n# Pod crash\n\n"
    "## Meaning\n\nA pod restarts again and again.\n\n"
    "## Roll back\n\nUndo the last deploy of the pod.\n",
)
SEARCH = page("search.md", "# Search index\n\n## Roll back\n\nPoint the alias at the old index.\n")
DISK = page("disk.md", "# Disk full\n\nDelete old logs.\n")
PAGES = (CRASH, SEARCH, DISK)


async def answer(text: str, *, context: str = "", limit: int = 10) -> Answered:
    embedder = ScriptedEmbedder()
    answerer = answerer_of(await indexed(embedder, PAGES), embedder)
    return await answerer.answer(text, tenant="acme", scope=Scope(), context=context, limit=limit)


def first(answered: Answered) -> str:
    return shown(answered.outcome)[0].best.section.breadcrumb


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("disk full", Answer),
        ("disk full on the cluster", WeakAnswer),
        ("how do I bake bread", Refusal),
        ("good morning", Help),
        ("", Help),
        (" \0 ", Help),
    ],
)
async def test_the_evidence_decides_between_four_outcomes(text: str, outcome: type) -> None:
    assert type((await answer(text)).outcome) is outcome


async def test_help_is_given_without_a_search() -> None:
    embedder = ScriptedEmbedder()
    answerer = answerer_of(FakeIndex(embedder.dimension), embedder)
    greeted = await answerer.answer("hello", tenant="acme", scope=Scope())
    assert (greeted, embedder.asked) == (Answered(Help()), 0)


async def test_a_follow_up_finds_the_section_of_the_page_that_it_follows() -> None:
    alone = await answer("and how do I roll back?")
    after = await answer("and how do I roll back?", context="Search index › Reindex")
    assert first(after) == "Search index › Roll back"
    assert evidence(after) > evidence(alone)


async def test_a_follow_up_on_something_else_is_answered_for_itself() -> None:
    after = await answer("disk full", context="Search index › Reindex")
    assert first(after) == "Disk full"
    assert evidence(after) == evidence(await answer("disk full"))


async def test_an_alert_name_in_what_is_followed_is_no_evidence() -> None:
    context = "KubePodCrashLooping › Meaning"
    assert type((await answer("how do I bake bread", context=context)).outcome) is Refusal


async def test_an_alert_name_that_is_asked_for_is_evidence_in_a_follow_up_too() -> None:
    named = await answer("KubePodCrashLooping", context="Disk full")
    assert (type(named.outcome), first(named)) == (Answer, "Pod crash › Meaning")


async def test_no_more_is_searched_than_the_longest_question() -> None:
    embedder = ScriptedEmbedder()
    retriever = retriever_of(await indexed(embedder, PAGES), embedder)
    answerer = Answerer(retriever, SCRIPTED_CALIBRATION, longest=9)
    cut = await answerer.answer("disk full and a pod crash", tenant="acme", scope=Scope())
    assert evidence(cut) == evidence(await answer("disk full"))


async def test_a_question_of_a_megabyte_is_answered() -> None:
    assert type((await answer("disk full " * 100_000)).outcome) is Answer


async def test_while_the_model_fails_the_share_of_words_decides() -> None:
    embedder = ScriptedEmbedder()
    index = await indexed(embedder, PAGES)
    embedder.failing = True
    outcome = (
        await answerer_of(index, embedder).answer("disk full", tenant="acme", scope=Scope())
    ).outcome
    assert isinstance(outcome, Answer)
    assert outcome.evidence.gate == Gate(dense=False, reason="the embedding model failed")
    assert outcome.evidence.distance is None


async def test_an_index_that_cannot_answer_is_an_error_and_no_refusal() -> None:
    embedder = ScriptedEmbedder()
    answerer = answerer_of(FakeIndex(embedder.dimension), embedder)
    with pytest.raises(IndexUnavailable):
        await answerer.answer("disk full", tenant="acme", scope=Scope())


def test_the_model_is_named_by_its_fingerprint() -> None:
    embedder = ScriptedEmbedder()
    assert answerer_of(FakeIndex(embedder.dimension), embedder).model == "scripted:10"


@pytest.mark.parametrize(
    ("typed", "searched"),
    [
        ("  disk\0 full\x1b[31m \n", "disk full[31m"),
        ("disk\tfull\nnow", "disk\tfull\nnow"),
        ("\ud800disk\udfff", "�disk�"),
        ("\ud83d\ude00", "😀"),
        ("القرص ممتلئ", "القرص ممتلئ"),
    ],
)
def test_a_question_loses_what_nobody_meant_to_type(typed: str, searched: str) -> None:
    assert searchable_text(typed) == searched


@given(st.text(alphabet=st.characters()))
def test_any_text_can_be_stored_and_sent_once_it_is_searchable(text: str) -> None:
    clean = searchable_text(text)
    assert clean.encode().decode() == clean
    assert searchable_text(clean) == clean


@settings(deadline=None, max_examples=60)
@given(st.text(alphabet=st.characters(), max_size=80))
async def test_whatever_is_typed_has_an_outcome(text: str) -> None:
    assert isinstance((await answer(text)).outcome, Answer | WeakAnswer | Refusal | Help)


def evidence(answered: Answered) -> float:
    match answered.outcome:
        case Answer() | WeakAnswer() | Refusal() as outcome:
            return outcome.evidence.confidence
        case Help():
            raise AssertionError("help has no evidence")
