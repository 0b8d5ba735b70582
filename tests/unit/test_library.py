"""The library puts everything together over one data folder, and closes it again."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from core.errors import DataFolderBusy, EmbedderMissing, SettingsError
from core.models import Scope
from core.outcomes import Answer
from core.reports import IndexOptions
from core.settings import Settings
from core.settings_groups import EmbeddingSettings, SplitterSettings
from core.settings_lists import SourceSettings
from corpus.calibrating import write_calibration
from corpus.calibrations import SHIPPED, SHIPPED_MODEL, calibration_for
from corpus.data_folder import DataFolder
from corpus.library import embedder_for, open_library
from corpus.splitters import splitter_fingerprint
from corpus.starter import StarterSource, sources_of
from tests.fakes import SCRIPTED_CALIBRATION, FrozenClock, ScriptedEmbedder

PAGE = "# Disk full\n\nRemove old logs from the volume.\n\n## Rollback\n\nPut them back.\n"


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "disk.md").write_text(PAGE)
    return folder


def settings(**values: object) -> Settings:
    return Settings(_env_file=None, **values)  # type: ignore[call-arg, arg-type]


async def test_a_question_is_answered_from_an_indexed_folder(tmp_path: Path, pages: Path) -> None:
    async with open_library(
        settings(),
        tmp_path / "data",
        sources=[pages],
        embedder=ScriptedEmbedder(),
        calibration=SCRIPTED_CALIBRATION,
        clock=FrozenClock(),
    ) as library:
        await library.indexer.run(IndexOptions())
        answered = await library.answerer.answer("disk full", tenant="default", scope=Scope())
        assert isinstance(answered.outcome, Answer)
        section = answered.outcome.results[0].best.section
        assert (section.source, section.path) == (str(pages), "disk.md")
        assert library.link(section) == f"file://{pages}/disk.md#disk-full"


async def test_a_library_without_an_index_is_stale_until_it_is_indexed(
    tmp_path: Path, pages: Path
) -> None:
    embedder = ScriptedEmbedder()
    async with open_library(
        settings(), tmp_path / "data", sources=[pages], embedder=embedder
    ) as library:
        before = library.stale
        await library.indexer.run(IndexOptions())
        assert (before, library.stale) == (True, False)


async def test_other_sources_than_those_of_the_build_are_stale(tmp_path: Path, pages: Path) -> None:
    embedder = ScriptedEmbedder()
    async with open_library(
        settings(), tmp_path / "data", sources=[pages], embedder=embedder
    ) as library:
        await library.indexer.run(IndexOptions())
    async with open_library(
        settings(), tmp_path / "data", sources=[tmp_path], embedder=embedder
    ) as library:
        assert library.stale


async def test_the_data_folder_is_held_while_the_library_is_open(
    tmp_path: Path, pages: Path
) -> None:
    embedder = ScriptedEmbedder()
    async with open_library(settings(), tmp_path / "data", sources=[pages], embedder=embedder):
        with pytest.raises(DataFolderBusy):
            async with open_library(settings(), tmp_path / "data", embedder=embedder):
                pass
    async with open_library(settings(), tmp_path / "data", embedder=embedder) as library:
        assert library.index.info is None


async def test_a_failed_opening_gives_the_folder_back(tmp_path: Path) -> None:
    spoil(tmp_path / "data" / "calibration.json")
    for _ in range(2):
        with pytest.raises(SettingsError, match=r"calibration\.json is no calibration"):
            async with open_library(settings(), tmp_path / "data", embedder=ScriptedEmbedder()):
                pass


def spoil(file: Path) -> None:
    file.parent.mkdir()
    file.write_text("{")


async def test_a_missing_model_leaves_the_search_by_keywords(tmp_path: Path, pages: Path) -> None:
    embedder = ScriptedEmbedder()
    async with open_library(
        settings(), tmp_path / "data", sources=[pages], embedder=embedder
    ) as library:
        await library.indexer.run(IndexOptions())
    missing = settings(embedding=EmbeddingSettings(model=str(tmp_path)))
    async with open_library(missing, tmp_path / "data", sources=[pages]) as library:
        found = await library.retriever.find("disk full", tenant="default", scope=Scope())
        assert (found.gate.dense, found.results[0].best.section.path) == (False, "disk.md")


async def test_a_missing_model_is_a_sentence_when_indexing(tmp_path: Path, pages: Path) -> None:
    missing = settings(embedding=EmbeddingSettings(model=str(tmp_path)))
    async with open_library(missing, tmp_path / "data", sources=[pages]) as library:
        with pytest.raises(EmbedderMissing) as caught:
            await library.indexer.run(IndexOptions())
    assert str(caught.value) == (
        f"{tmp_path} does not hold a sentence-transformers model: correct "
        "NIGHTLAMP_EMBEDDING_MODEL, or leave it out for the model that is shipped."
    )


async def test_the_hashing_embedder_is_chosen_by_its_name(tmp_path: Path, pages: Path) -> None:
    hashing = settings(embedding=EmbeddingSettings(model="hashing"))
    async with open_library(hashing, tmp_path / "data", sources=[pages]) as library:
        await library.indexer.run(IndexOptions())
        info = library.index.info
    assert info is not None
    assert (info.dimension, info.documents) == (256, 1)


def test_without_sources_it_is_the_starter_corpus() -> None:
    [source] = sources_of((), None, 1000)
    assert (source.settings.name, isinstance(source, StarterSource)) == ("starter", True)


def test_folders_and_the_starter_corpus_are_the_only_tenants(tmp_path: Path) -> None:
    [starter] = sources_of((), None, 1000, tenant="acme")
    [folder] = sources_of((), [tmp_path], 1000, tenant="acme")
    assert (starter.settings.tenant, folder.settings.tenant) == ("acme", "acme")


def test_the_starter_corpus_is_pages_alone() -> None:
    files = StarterSource().listing().files
    assert {path.partition("/")[0] for path in files} == {"postmortems", "runbooks"}
    assert {Path(path).name for path in files}.isdisjoint({"README.md", "TEMPLATE.md"})


def test_folders_take_the_place_of_configured_sources(tmp_path: Path) -> None:
    configured = (SourceSettings(name="team", path=tmp_path),)
    named = sources_of(configured, [tmp_path, tmp_path / "x" / ".."], 1000)
    assert [source.settings.name for source in named] == [str(tmp_path)]
    assert [s.settings.name for s in sources_of(configured, None, 1000)] == ["team"]


def test_the_shipped_calibration_is_fitted_for_the_shipped_model_alone(tmp_path: Path) -> None:
    file = tmp_path / "calibration.json"
    usual = f"splitter {splitter_fingerprint(SplitterSettings())}"
    assert calibration_for(f"{SHIPPED_MODEL} | {usual} | more", file) == SHIPPED
    assert calibration_for(f"another | {usual} | more", file).fitted is False


@pytest.mark.parametrize(
    "splitter",
    [
        SplitterSettings(kind="fixed"),
        SplitterSettings(kind="document"),
        SplitterSettings(size=2000),
        SplitterSettings(passage_chars=400),
        SplitterSettings(breadcrumb=False),
    ],
)
def test_the_shipped_calibration_is_not_fitted_for_another_splitter(
    tmp_path: Path, splitter: SplitterSettings
) -> None:
    print_ = f"{SHIPPED_MODEL} | splitter {splitter_fingerprint(splitter)} | keywords 1"
    assert calibration_for(print_, tmp_path / "calibration.json").fitted is False


def test_the_shipped_calibration_outlives_a_new_version_of_the_splitter(tmp_path: Path) -> None:
    _, _, cut = splitter_fingerprint(SplitterSettings()).partition(" ")
    print_ = f"{SHIPPED_MODEL} | splitter 0 {cut} | keywords 1"
    assert calibration_for(print_, tmp_path / "calibration.json") == SHIPPED


def test_the_shipped_calibration_is_for_both_backends(tmp_path: Path) -> None:
    by_onnx = SHIPPED_MODEL.replace(":torch:", ":onnx:")
    print_ = f"{by_onnx} | splitter {splitter_fingerprint(SplitterSettings())}"
    assert calibration_for(print_, tmp_path / "calibration.json") == SHIPPED


@pytest.mark.parametrize(
    ("backend", "embedder"),
    [("auto", "onnx:fp32"), ("onnx", "onnx:fp32"), ("torch", "torch:fp32")],
)
async def test_the_backend_is_chosen_by_its_name(
    tmp_path: Path, backend: Literal["auto", "onnx", "torch"], embedder: str
) -> None:
    chosen = await embedder_for(EmbeddingSettings(backend=backend), DataFolder(tmp_path))
    await chosen.aclose()
    assert embedder in chosen.fingerprint


@pytest.mark.parametrize("written", ["m:torch:fp32:1 | s", "m:onnx:fp32:1 | s"])
@pytest.mark.parametrize("asked", ["m:torch:fp32:1 | s", "m:onnx:fp32:1 | s"])
def test_a_calibration_serves_both_backends(tmp_path: Path, written: str, asked: str) -> None:
    file = tmp_path / "calibration.json"
    write_calibration(file, written, replace(SHIPPED, source="ours"))
    assert calibration_for(asked, file).source == "ours"


def test_a_teams_own_calibration_comes_first(tmp_path: Path) -> None:
    file = tmp_path / "calibration.json"
    own = {
        "weights": {"cos": 2},
        "intercept": -1,
        "cutoffs": {"weak": 0.2, "answer": 0.5},
        "source": "our questions",
    }
    file.write_text(json.dumps({"print": own}))
    found = calibration_for("print", file)
    assert (dict(found.weights), found.intercept, found.source, found.fitted) == (
        {"cos": 2.0},
        -1.0,
        "our questions",
        True,
    )
