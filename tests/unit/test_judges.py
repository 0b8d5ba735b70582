"""Builds of a real data folder: their calibration, their ranks, and the one that is held back."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from core.errors import BuildRefused
from core.models import Scope
from core.outcomes import Answer
from core.reports import IndexOptions
from core.settings import Settings
from corpus.library import Library, open_library
from eval.judges import judges_for
from eval.rank_rows import read_ranks
from eval.ranks import known_folder, ranks_file
from tests.fakes import ScriptedEmbedder

pytestmark = pytest.mark.slow
PAGES = 45


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    folder.mkdir()
    for number in range(PAGES):
        text = f"# Disk number {number} full\n\nFree space on volume v{number} at once.\n"
        (folder / f"{number}.md").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
async def library(tmp_path: Path, pages: Path) -> AsyncIterator[Library]:
    settings = Settings(_env_file=None)  # type: ignore[call-arg]
    async with open_library(
        settings,
        tmp_path / "data",
        sources=[pages],
        embedder=ScriptedEmbedder(),
        judges=judges_for(settings),
    ) as library:
        yield library


def know(library: Library, *numbers: int) -> None:
    folder = known_folder(library.folder)
    folder.mkdir(parents=True)
    records = [
        {
            "id": f"q{number}",
            "category": "lookup",
            "question": f"volume v{number}",
            "relevant": [{"doc": f"{number}.md", "evidence": f"Free space on volume v{number} at"}],
        }
        for number in numbers
    ]
    lines = "\n".join(map(json.dumps, records))
    (folder / "ours.jsonl").write_text(lines, encoding="utf-8")


def drown(pages: Path, number: int) -> None:
    """Write six pages that say what one page says better than it does."""
    for copy in range(6):
        text = f"# Volume v{number}\n\nVolume v{number}.\n\n## v{number} volume\n\nv{number}\n"
        (pages / f"copy-{copy}.md").write_text(text, encoding="utf-8")


async def test_a_model_that_nobody_calibrated_is_calibrated_by_the_build(library: Library) -> None:
    before = library.calibration.fitted
    await library.indexer.run(IndexOptions())
    assert (before, library.calibration.fitted) == (False, True)
    assert library.calibration.source.startswith("45 headings of this corpus, without labels, ")


async def test_the_build_answers_by_its_new_calibration_at_once(library: Library) -> None:
    await library.indexer.run(IndexOptions())
    answered = await library.answerer.answer("volume v7", tenant="default", scope=Scope())
    assert isinstance(answered.outcome, Answer)
    assert answered.outcome.evidence.cutoffs == library.calibration.cutoffs


async def test_every_build_has_the_ranks_of_the_known_questions(library: Library) -> None:
    know(library, 1, 2)
    report = await library.indexer.run(IndexOptions())
    rows = read_ranks(ranks_file(library.folder, report.build))
    assert {id_: row.rank for id_, row in rows.items()} == {"q1": 1, "q2": 1}


async def test_a_build_that_hides_a_known_answer_is_held_back_unless_forced(
    library: Library, pages: Path
) -> None:
    know(library, 1)
    first = await library.indexer.run(IndexOptions())
    drown(pages, 1)
    with pytest.raises(BuildRefused, match="of 1 known questions in the top five it loses 1"):
        await library.indexer.run(IndexOptions())
    assert library.index.info is not None
    assert library.index.info.id == first.build
    forced = await library.indexer.run(IndexOptions(force=True))
    assert library.index.info.id == forced.build
