"""What was fetched of a source leaves the data folder with it, and nothing else does."""

import logging
import shutil
from contextlib import suppress
from pathlib import Path

import pytest

from core.errors import SourceError
from core.reports import IndexOptions
from core.settings import Settings
from core.settings_lists import SourceSettings
from corpus import removed_clones
from corpus.library import open_library
from corpus.removed_clones import remove_clones
from tests.fakes import SCRIPTED_CALIBRATION, FrozenClock, ScriptedEmbedder
from tests.git_repositories import Repository

CLONE = "0123456789abcdef.git"


@pytest.fixture
def books(tmp_path: Path) -> SourceSettings:
    repository = Repository(tmp_path / "books")
    repository.commit(disk_md="# Disk full\n\nRemove old logs.\n")
    return SourceSettings(name="books", git=str(repository.root))


@pytest.fixture
def notes(tmp_path: Path) -> SourceSettings:
    repository = Repository(tmp_path / "notes")
    repository.commit(login_md="# Login fails\n\nRenew the token.\n")
    return SourceSettings(name="notes", git=str(repository.root))


async def run(
    data: Path,
    *sources: SourceSettings,
    options: IndexOptions | None = None,
    folders: list[Path] | None = None,
) -> set[str]:
    """Index these sources; return the names of what is fetched afterwards."""
    async with open_library(
        Settings(_env_file=None, sources=sources),  # type: ignore[call-arg]
        data,
        sources=folders,
        embedder=ScriptedEmbedder(),
        calibration=SCRIPTED_CALIBRATION,
        clock=FrozenClock(),
    ) as library:
        with suppress(SourceError):
            await library.indexer.run(options or IndexOptions())
    return fetched(data)


def fetched(data: Path) -> set[str]:
    return {home.name for home in (data / "sources").iterdir()}


def home(clones: Path, name: str) -> Path:
    (clones / name / CLONE / "objects").mkdir(parents=True)
    (clones / name / "lock").touch()
    return clones / name


async def test_a_clone_goes_with_its_source(
    tmp_path: Path, books: SourceSettings, notes: SourceSettings
) -> None:
    data = tmp_path / "data"
    assert await run(data, books, notes) == {"books", "notes"}
    assert await run(data, notes) == {"notes"}
    folder = SourceSettings(name="notes", path=tmp_path / "notes")
    assert await run(data, folder) == set()


@pytest.mark.parametrize(
    "options", [IndexOptions(dry_run=True), IndexOptions(prune=False)], ids=["dry run", "no prune"]
)
async def test_a_run_that_keeps_the_pages_keeps_the_clone(
    tmp_path: Path, books: SourceSettings, notes: SourceSettings, options: IndexOptions
) -> None:
    await run(tmp_path / "data", books, notes)
    assert await run(tmp_path / "data", notes, options=options) == {"books", "notes"}


async def test_a_run_over_other_folders_keeps_the_clones(
    tmp_path: Path, books: SourceSettings
) -> None:
    data = tmp_path / "data"
    await run(data, books)
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "a.md").write_text("# A\n\nText.\n")
    assert await run(data, folders=[tmp_path / "pages"]) == {"books"}


async def test_a_run_that_fails_keeps_the_clones(
    tmp_path: Path, books: SourceSettings, notes: SourceSettings
) -> None:
    data = tmp_path / "data"
    await run(data, books)
    shutil.rmtree(tmp_path / "notes")
    assert await run(data, notes) == {"books", "notes"}


async def test_a_source_under_another_name_keeps_its_clone_while_its_host_is_away(
    tmp_path: Path, books: SourceSettings, notes: SourceSettings
) -> None:
    data = tmp_path / "data"
    await run(data, books, notes)
    shutil.move(tmp_path / "books", tmp_path / "away")
    renamed = books.model_copy(update={"name": "runbooks"})
    assert "books" in await run(data, renamed, notes)
    shutil.move(tmp_path / "away", tmp_path / "books")
    assert await run(data, renamed, notes) == {"runbooks", "notes"}


async def test_a_run_without_any_settings_keeps_the_clones(
    tmp_path: Path, books: SourceSettings
) -> None:
    await run(tmp_path / "data", books)
    assert await run(tmp_path / "data") == {"books"}


def test_only_folders_of_clones_are_removed_and_no_link_is_followed(tmp_path: Path) -> None:
    clones = tmp_path / "sources"
    home(clones, "kept")
    home(clones, "gone")
    (home(clones, "mine") / "README.md").touch()
    (clones / "empty").mkdir()
    (clones / "file").touch()
    elsewhere = home(tmp_path, "elsewhere")
    (clones / "link").symlink_to(elsewhere)
    (clones / "inside").mkdir()
    (clones / "inside" / CLONE).symlink_to(elsewhere / CLONE)
    (clones / "moved").symlink_to(home(clones, "there"))
    remove_clones(clones, ["kept", "moved", "absent"])
    left = {"kept", "mine", "empty", "file", "link", "inside", "moved", "there"}
    assert {one.name for one in clones.iterdir()} == left
    assert (elsewhere / CLONE / "objects").is_dir()


def test_a_folder_of_clones_that_is_a_link_or_is_not_there_is_left_alone(tmp_path: Path) -> None:
    home(tmp_path / "elsewhere", "gone")
    (tmp_path / "sources").symlink_to(tmp_path / "elsewhere")
    remove_clones(tmp_path / "sources", [])
    remove_clones(tmp_path / "absent", [])
    assert (tmp_path / "elsewhere" / "gone").is_dir()


def test_what_cannot_be_removed_is_logged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def denied(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    home(tmp_path, "gone")
    monkeypatch.setattr(shutil, "rmtree", denied)
    with caplog.at_level(logging.WARNING):
        remove_clones(tmp_path, [])
    assert "the removed source gone stays" in caplog.text


def test_one_that_cannot_be_looked_into_keeps_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def looked_into(path: Path) -> bool:
        if path.name == "a":
            raise PermissionError(13, "Permission denied", str(path))
        return True

    for name in ("a", "b"):
        home(tmp_path, name)
    monkeypatch.setattr(removed_clones, "_holds_clones", looked_into)
    remove_clones(tmp_path, [])
    assert [one.name for one in tmp_path.iterdir()] == ["a"]
    assert "the removed source a stays" in caplog.text
