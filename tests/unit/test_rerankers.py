"""The reranker of the settings: put in front of those who ask, looked at by doctor and status."""

import logging
from pathlib import Path

import pytest
from pydantic import ValidationError

from bots.check import Check, Level
from bots.doctor import examine
from bots.report_cards import status_card
from bots.status import status_of
from core.engines.cross_encoder import AbsentReranker, CrossEncoderReranker
from core.errors import RerankerError
from core.models import Scope
from core.reports import IndexOptions
from core.settings import Settings
from core.settings_groups import EmbeddingSettings, RetrievalSettings
from corpus.library import open_library
from corpus.rerankers import loaded, reranker_for
from tests.fake_reranker import FakeReranker
from tests.tiny_cross_encoder import scores, tiny_cross_encoder

QUESTION = "disk full, consumer"
PAGES = {
    "disk.md": "# Disk full\n\nDelete old logs first.\n",
    "lag.md": "# Consumer lag\n\nRestart the kafka consumer group.\n",
}


def reranking_by(name: object, seconds: float = 60) -> Settings:
    return Settings(
        embedding=EmbeddingSettings(model="hashing"),
        retrieval=RetrievalSettings(reranker=str(name), reranker_seconds=seconds),
    )


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    folder.mkdir()
    for name, text in PAGES.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


async def ask(settings: Settings, data: Path, pages: Path) -> tuple[list[str], str]:
    """Return the titles that are found, in their order, and why they were not reranked."""
    async with open_library(settings, data, sources=[pages]) as library:
        await library.indexer.run(IndexOptions())
        await library.ready()
        finding = await library.retriever.find(QUESTION, tenant="default", scope=Scope())
        plain = library.search(library.index)
        judged = await plain.find(QUESTION, tenant="default", scope=Scope())
    assert judged.results[0].best.section.metadata.title == "Disk full"
    return [one.best.section.metadata.title for one in finding.results], finding.unranked


async def test_none_is_no_reranker(tmp_path: Path, pages: Path) -> None:
    async with open_library(reranking_by("none"), tmp_path / "data", sources=[pages]) as library:
        assert library.reranker is None
        await library.ready()


@pytest.mark.slow
async def test_the_reranker_of_the_settings_orders_what_is_asked_and_not_what_is_judged(
    tmp_path: Path, pages: Path
) -> None:
    folder = tiny_cross_encoder(tmp_path / "tiny", seed=2)
    texts = [f"Disk full\n{PAGES['disk.md']}", f"Consumer lag\n{PAGES['lag.md']}"]
    disk, lag = scores(folder, QUESTION, texts)
    assert lag > disk
    titles, unranked = await ask(reranking_by(folder), tmp_path / "data", pages)
    assert (titles, unranked) == (["Consumer lag", "Disk full"], "")


async def test_one_that_is_not_there_leaves_the_order_and_is_logged(
    tmp_path: Path, pages: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        titles, unranked = await ask(reranking_by(pages), tmp_path / "data", pages)
    assert titles == ["Disk full", "Consumer lag"]
    assert unranked.startswith(f"{pages} does not hold a cross-encoder")
    assert [r.message for r in caplog.records] == [
        f"Nothing is reranked: {unranked}",
        f"The order of the search stands: {unranked}",
    ]


async def test_no_model_is_loaded_before_it_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"architectures": ["BertForSequenceClassification"]}')
    found = await reranker_for(str(tmp_path), threads=1)
    assert isinstance(found, CrossEncoderReranker)
    await found.aclose()


async def test_one_that_is_not_there_says_so_whenever_it_is_asked(tmp_path: Path) -> None:
    absent = await reranker_for(str(tmp_path), threads=1)
    assert isinstance(absent, AbsentReranker)
    with pytest.raises(RerankerError, match="does not hold a cross-encoder"):
        await absent.rerank("disk", [])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("reranker", ""),
        ("reranker_candidates", 1),
        ("reranker_candidates", 61),
        ("reranker_seconds", 0),
        ("reranker_seconds", 61),
    ],
)
def test_what_makes_no_sense_is_refused(name: str, value: object) -> None:
    with pytest.raises(ValidationError, match=name):
        RetrievalSettings.model_validate({name: value})


async def test_to_be_ready_is_to_have_loaded() -> None:
    reranker = FakeReranker()
    await loaded(reranker)
    await loaded(None)
    assert reranker.loads == 1


async def test_the_log_holds_why_one_could_not_be_loaded(caplog: pytest.LogCaptureFixture) -> None:
    await loaded(FakeReranker(failing="It is broken.", cause=ValueError("cut off")))
    assert "Nothing is reranked: It is broken." in caplog.text
    assert caplog.text.count("ValueError: cut off") == 1


async def said(settings: Settings, data: Path, pages: Path) -> list[Check]:
    found = await examine(settings, data, sources=[pages])
    return [check for check in found if check.name == "reranker"]


async def test_doctor_says_nothing_of_no_reranker(tmp_path: Path, pages: Path) -> None:
    assert await said(reranking_by("none"), tmp_path / "data", pages) == []


async def test_doctor_says_what_is_wrong_with_one(tmp_path: Path, pages: Path) -> None:
    [found] = await said(reranking_by(pages), tmp_path / "data", pages)
    assert found == Check(
        "reranker",
        Level.PROBLEM,
        f"{pages} does not hold a cross-encoder: correct NIGHTLAMP_RETRIEVAL_RERANKER, or leave it "
        "out. Until then the order of the search stands.",
    )


@pytest.mark.slow
async def test_doctor_loads_one_to_see_whether_it_is_whole(tmp_path: Path, pages: Path) -> None:
    folder = tiny_cross_encoder(tmp_path / "tiny")
    [found] = await said(reranking_by(folder, seconds=1.5), tmp_path / "data", pages)
    assert found == Check("reranker", Level.OK, f"{folder}, 20 sections within 1.5 s of a question")


@pytest.mark.parametrize(("name", "rows"), [("none", []), ("team/reranker", ["team/reranker"])])
async def test_status_names_the_one_that_is_set(tmp_path: Path, name: str, rows: list[str]) -> None:
    found = await status_of(reranking_by(name), tmp_path / "data")
    card = repr(status_card(found))
    assert card.count("'team/reranker'") == len(rows)
