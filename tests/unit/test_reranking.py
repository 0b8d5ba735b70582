"""What a reranker may change of a finding, and that no fault of it loses one."""

import logging
from dataclasses import replace

import pytest

from core.errors import IndexUnavailable
from core.models import Scope
from core.outcomes import Finding
from core.retrieval import Retriever
from core.settings_groups import RetrievalSettings
from tests.fake_reranker import FakeReranker
from tests.fakes import FakeIndex, ScriptedEmbedder
from tests.indexed import VOCABULARY, indexed, page

CRASH = page(
    "pod-crash.md",
    "---\nalerts: [KubePodCrashLooping]\n---\n# Pod crash\n\n## Meaning\n\nIt starts again.\n\n"
    "## Roll back\n\nUndo the last deploy.\n",
)
DISK = page("disk.md", "# Disk full\n\nDelete old logs of kafka.\n")
LAG = page("lag.md", "# Consumer lag\n\nThe disk of kafka is slow.\n")
QUEUE = page("queue.md", "# Queue\n\nAdd a consumer.\n")
PAGES = (CRASH, DISK, LAG, QUEUE)
DEFAULT = RetrievalSettings()


async def find(
    text: str, reranker: FakeReranker | None, settings: RetrievalSettings = DEFAULT
) -> Finding:
    embedder = ScriptedEmbedder()
    index = await indexed(embedder, PAGES)
    retriever = Retriever(index, embedder, VOCABULARY, settings, reranker)
    return await retriever.find(text, tenant="acme", scope=Scope())


def found(finding: Finding) -> list[str]:
    return [hit.section.breadcrumb for result in finding.results for hit in result.hits]


def timeless(finding: Finding) -> Finding:
    return replace(finding, timing=Finding((), {}, finding.gate).timing)


async def test_a_reranker_has_the_last_word_on_the_order() -> None:
    plain = await find("disk of kafka", None)
    turned = await find("disk of kafka", FakeReranker())
    assert len(found(plain)) > 3
    assert found(turned)[0] == found(plain)[-1]
    assert turned.unranked == ""


async def test_it_is_asked_what_was_searched_for_of_the_first_sections_alone() -> None:
    settings = RetrievalSettings(reranker_candidates=2)
    plain, reranker = await find("disk of kafka", None, settings), FakeReranker()
    turned = await find("2030-01-07T03:12:55Z disk of kafka", reranker, settings)
    first, second, *rest = found(plain)
    [(asked, sections)] = reranker.asked
    assert (asked.strip(), sections) == ("disk of kafka", [first, second])
    assert found(turned) == [second, first, *rest]


async def test_an_exact_name_stays_first_however_it_is_reranked() -> None:
    text = "disk of kafka KubePodCrashLooping"
    for candidates in (2, 20):
        settings = RetrievalSettings(reranker_candidates=candidates)
        turned = await find(text, FakeReranker(), settings)
        assert found(turned)[0].startswith("Pod crash")
        assert turned.exact


async def test_sections_of_the_page_that_was_named_change_places_among_themselves() -> None:
    plain = await find("KubePodCrashLooping", None)
    turned = await find("KubePodCrashLooping", FakeReranker())
    assert found(plain)[:2] == ["Pod crash › Meaning", "Pod crash › Roll back"]
    assert found(turned)[:2] == ["Pod crash › Roll back", "Pod crash › Meaning"]


async def test_it_may_neither_add_nor_drop_a_section() -> None:
    plain = await find("disk of kafka", None)
    dropping = await find("disk of kafka", FakeReranker(lambda hits: [hits[1], hits[1]]))
    assert found(dropping)[0] == found(plain)[1]
    assert sorted(found(dropping)) == sorted(found(plain))


async def test_the_signals_but_for_the_first_page_are_those_of_the_search() -> None:
    plain = await find("disk of kafka", None)
    turned = await find("disk of kafka", FakeReranker())
    assert {**turned.signals, "dcover": 0.0} == {**plain.signals, "dcover": 0.0}
    assert turned.signals["dcover"] < plain.signals["dcover"]


@pytest.mark.parametrize(
    ("reranker", "why"),
    [
        (FakeReranker(failing="It is broken."), "It is broken."),
        (FakeReranker(endless=True), "The reranker took more than its 0.01 seconds."),
    ],
)
async def test_one_that_fails_or_is_late_leaves_the_finding_and_is_told(
    reranker: FakeReranker, why: str, caplog: pytest.LogCaptureFixture
) -> None:
    settings = RetrievalSettings(reranker_seconds=0.01)
    plain = await find("disk of kafka", None, settings)
    with caplog.at_level(logging.WARNING):
        kept = await find("disk of kafka", reranker, settings)
    assert timeless(kept) == replace(timeless(plain), unranked=why)
    said = [record.message for record in caplog.records]
    assert said == [f"The order of the search stands: {why}"]


@pytest.mark.parametrize(("cause", "shown"), [(ValueError("out of range"), 1), (None, 0)])
async def test_the_log_holds_what_it_failed_by(
    cause: Exception | None, shown: int, caplog: pytest.LogCaptureFixture
) -> None:
    await find("disk of kafka", FakeReranker(failing="It is broken.", cause=cause))
    assert caplog.text.count("ValueError: out of range") == shown
    assert caplog.text.count("NoneType") == 0


async def test_it_is_not_asked_where_nothing_was_found() -> None:
    reranker = FakeReranker()
    embedder = ScriptedEmbedder()
    index = await indexed(embedder, PAGES)
    retriever = Retriever(index, embedder, VOCABULARY, DEFAULT, reranker)
    finding = await retriever.find("disk", tenant="globex", scope=Scope())
    assert (finding.results, reranker.asked) == ((), [])


class _Gone(FakeIndex):
    async def sections(self, ids: object) -> dict[str, object]:  # type: ignore[override]
        raise IndexUnavailable("The index is away.")


async def test_an_index_that_goes_away_meanwhile_is_no_fault_of_the_reranker() -> None:
    embedder = ScriptedEmbedder()
    index = await indexed(embedder, PAGES)
    gone = _Gone(embedder.dimension)
    gone.__dict__.update(index.__dict__)
    retriever = Retriever(gone, embedder, VOCABULARY, DEFAULT, FakeReranker())
    with pytest.raises(IndexUnavailable, match="away"):
        await retriever.find("disk", tenant="acme", scope=Scope())
