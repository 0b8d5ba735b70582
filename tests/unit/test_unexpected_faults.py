"""A fault that one file brings to light costs that file alone."""

from pathlib import Path

import pytest

import corpus.reading
from core.reports import FailedFile
from core.settings_lists import SourceSettings
from corpus.loader import Loaded, load
from corpus.reading import read_sources
from corpus.sources import Source, open_source


def source(folder: Path) -> Source:
    for name in ("bad", "good"):
        (folder / f"{name}.md").write_text(f"# {name}\n", encoding="utf-8")
    return open_source(SourceSettings(name="docs", path=folder))


def failing(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def loaded(data: bytes, path: str, settings: SourceSettings) -> Loaded:
        if path == "bad.md":
            raise error
        return load(data, path, settings)

    monkeypatch.setattr(corpus.reading, "load", loaded)


@pytest.mark.parametrize(
    "error", [ValueError("digits"), RecursionError(), KeyError("x"), UnicodeError("surrogates")]
)
async def test_an_unexpected_error_is_the_files_and_the_others_are_read(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
) -> None:
    failing(monkeypatch, error)
    found = await read_sources([source(tmp_path)])

    kind = type(error).__name__
    why = f"an unexpected {kind} came up in loading it (see the log)"
    assert found.failed == [FailedFile("docs/bad.md", why)]
    assert [one.path for one in found.documents.values()] == ["good.md"]
    assert "'docs/bad.md' cannot be loaded" in caplog.text


async def test_a_lack_of_memory_ends_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing(monkeypatch, MemoryError())
    with pytest.raises(MemoryError):
        await read_sources([source(tmp_path)])
