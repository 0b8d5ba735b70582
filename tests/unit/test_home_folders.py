"""Paths that begin with `~`: of whoever runs Nightlamp, and of users who are not there."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from core.errors import SettingsError
from core.settings import Settings, read_settings
from core.settings_lists import SourceSettings
from core.vocabulary import read_vocabulary
from corpus.git_source import GitSource
from corpus.reading import read_sources
from corpus.sources import DirectorySource, Source
from corpus.starter import sources_of
from eval.living import settings_for

NOBODY = "~nobody-of-this-name/runbooks"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = tmp_path / "home"
    made.mkdir()
    monkeypatch.setenv("HOME", str(made))
    monkeypatch.chdir(tmp_path)
    return made


def with_vocabulary(file: str, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("NIGHTLAMP_RETRIEVAL_VOCABULARY", f'["{file}"]')
    return read_settings(dotenv=None)


def test_a_vocabulary_is_found_at_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "words.txt").write_text("frobnicator | gizmo\n")
    files = with_vocabulary("~/words.txt", monkeypatch).retrieval.vocabulary
    assert files == (home / "words.txt",)
    assert read_vocabulary(files).synonyms(["gizmo"])


def test_a_vocabulary_of_nobody_is_named_with_its_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = settings_for(with_vocabulary(NOBODY, monkeypatch))
    with pytest.raises(SettingsError, match=rf"^The vocabulary file .*/{NOBODY} cannot be read"):
        read_vocabulary(settings.retrieval.vocabulary)


def test_a_model_of_nobody_is_a_name_like_others() -> None:
    settings = Settings.model_validate({"embedding": {"model": NOBODY}})
    assert settings_for(settings).embedding.model == NOBODY


def configured(scratch: Path) -> Source:
    return DirectorySource(SourceSettings(name="books", path=Path(NOBODY)))


def typed(scratch: Path) -> Source:
    [source] = sources_of((), (Path(NOBODY),), 1000)
    return source


def fetched(scratch: Path) -> Source:
    settings = SourceSettings(name="books", git=NOBODY)
    return GitSource(settings, scratch / "clones", file_bytes=1000)


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        (configured, f"{NOBODY} of the source books does not exist"),
        (typed, f"{NOBODY} of the source .* does not exist"),
        (fetched, f"{NOBODY} of the source books cannot be fetched"),
    ],
)
async def test_runbooks_of_nobody_are_not_there(
    tmp_path: Path, source: Callable[[Path], Source], sentence: str
) -> None:
    corpus = await read_sources([source(tmp_path)])
    [reported] = corpus.failed
    assert re.search(sentence, reported.reason)


async def test_runbooks_are_found_at_home(home: Path) -> None:
    (home / "disk.md").write_text("# Disk\n")
    [typed_] = sources_of((), (Path("~"),), 1000)
    assert typed_.listing().files == ("disk.md",)
