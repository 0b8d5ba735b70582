"""What a source's settings choose in vain is told, by `index` and while sources are followed."""

from pathlib import Path

import pytest

from core.reports import FailedFile
from core.settings_lists import SourceSettings
from corpus.reading import read_sources
from corpus.sources import DirectorySource


@pytest.mark.parametrize(
    ("patterns", "told"),
    [
        ({}, []),
        ({"include": ["**/*.{md,mdx}"], "exclude": ["**/node_modules"]}, []),
        (
            {"include": ["*.md", "*.{adoc,rst}", "runbok/**"]},
            [
                "No Markdown file of the source books is chosen by *.{adoc,rst}, runbok/**: "
                "correct its include"
            ],
        ),
        (
            {"exclude": ["*.md"]},
            ["No Markdown file of the source books is left by its exclude: correct it"],
        ),
    ],
)
async def test_a_report_names_what_chooses_nothing(
    tmp_path: Path, patterns: dict[str, list[str]], told: list[str]
) -> None:
    (tmp_path / "a.md").write_text("# Disk\n")
    settings = SourceSettings.model_validate({"name": "books", "path": tmp_path} | patterns)
    corpus = await read_sources([DirectorySource(settings)])

    assert corpus.warned == [FailedFile("books", one) for one in told]


async def test_a_folder_without_pages_is_told(tmp_path: Path) -> None:
    corpus = await read_sources([DirectorySource(SourceSettings(name="books", path=tmp_path))])

    assert corpus.warned == [FailedFile("books", "The source books holds no Markdown files")]
