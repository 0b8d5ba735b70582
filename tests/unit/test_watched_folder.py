"""What is watched of a folder, and how often it is looked at."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from watchfiles import Change

from core.settings_lists import SourceSettings
from corpus.watched_folder import LOOK, MOST_JUDGED, SELDOM, Folder, Looks, Seen


def books(tmp_path: Path, kind: type[Folder] = Folder, exclude: tuple[str, ...] = ()) -> Folder:
    """Return a folder that is looked at only when the kernel tells of something."""
    root = tmp_path / "books"
    root.mkdir()
    settings = SourceSettings(name="books", path=root, exclude=exclude)
    return kind(settings, root, root / "data", seldom=3600)


@asynccontextmanager
async def changes(folder: Folder) -> AsyncIterator[AsyncGenerator[None, None]]:
    """Yield the changes after those of the start."""
    async with asyncio.timeout(60), aclosing(folder.changes(polling=False)) as found:
        await anext(found)
        yield found


def watched(folder: Folder) -> set[str]:
    return {Path(one).relative_to(folder.root).as_posix() for one in folder.look().folders}


def test_only_folders_that_are_listed_are_watched(tmp_path: Path) -> None:
    folder = books(tmp_path, exclude=("node_modules",))
    for path in ("docs/a", "node_modules/b", ".git/c", "data/d"):
        (folder.root / path).mkdir(parents=True)
    (folder.root / "out").symlink_to(tmp_path)

    assert watched(folder) == {".", "docs", "docs/a"}


def test_a_folder_whose_name_is_not_utf_8_is_not_watched(tmp_path: Path) -> None:
    folder = books(tmp_path)
    (folder.root / "\udcff").mkdir()

    assert watched(folder) == {"."}


async def test_what_lies_below_a_watched_folder_is_not_watched_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    laid: list[tuple[tuple[str, ...], bool]] = []

    async def watches(
        *paths: str, recursive: bool, **_: object
    ) -> AsyncGenerator[set[tuple[Change, str]], None]:
        laid.append((paths, recursive))
        (folder.root / "a.md").write_text("x")
        yield set()

    monkeypatch.setattr("corpus.watched_folder.awatch", watches)
    folder = books(tmp_path, exclude=("old",))
    for path in ("old/b", "docs"):
        (folder.root / path).mkdir(parents=True)
    async with changes(folder) as found:
        await anext(found)
    assert laid == [((str(folder.root), str(folder.root / "docs")), False)]


@pytest.mark.slow
async def test_folders_are_watched_that_come_later_or_come_again(tmp_path: Path) -> None:
    folder = books(tmp_path)
    async with changes(folder) as found:
        for name in ("new", "new", "moved"):
            place = folder.root / name
            if place.exists():
                (place / "a.md").unlink()
                place.rmdir()
            place.mkdir()
            (place / "a.md").write_text("x")
            await anext(found)
            (place / "a.md").write_text("longer")
            await anext(found)


@pytest.mark.slow
async def test_a_folder_that_goes_before_it_is_watched_ends_nothing(tmp_path: Path) -> None:
    class Late(Folder):
        gone = True

        def look(self) -> Seen:
            seen = super().look()
            more = {str(self.root / "gone")} if self.gone else set()
            self.gone = False
            return replace(seen, folders=seen.folders | more)

    folder = books(tmp_path, Late)
    async with changes(folder) as found:
        (folder.root / "a.md").write_text("x")
        await anext(found)


async def test_more_folders_than_are_watched_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("corpus.watched_folder.MOST_FOLDERS", 1)
    folder = books(tmp_path)
    (folder.root / "docs").mkdir()
    async with changes(folder) as found:
        with pytest.raises(RuntimeError, match="it has more than 1 folders, so exclude some"):
            await anext(found)


def test_of_a_large_batch_nothing_is_judged(tmp_path: Path) -> None:
    folder = books(tmp_path, exclude=("old",))
    batch = [(Change.added, str(folder.root / "old" / f"{n}.md")) for n in range(MOST_JUDGED + 1)]

    assert folder.is_stirred(batch)
    assert not folder.is_stirred(batch[:-1])
    assert folder.is_stirred([*batch[:2], (Change.added, str(folder.root / "a.md"))])


@pytest.mark.parametrize(
    ("every", "took", "stirred", "next_look"),
    [
        (LOOK, 0.0, False, LOOK),
        (SELDOM, 0.0, False, SELDOM),
        (SELDOM, 0.0, True, 0.0),
        (SELDOM, 1.0, False, SELDOM),
        (SELDOM, 3.0, False, 150.0),
        (SELDOM, 3.0, True, 30.0),
    ],
)
def test_looks_that_take_long_are_taken_less_often(
    every: float, took: float, stirred: bool, next_look: float
) -> None:
    looks = Looks(100.0, every)
    assert looks.are_due(100.0, stirred=False)

    looks.took(100.0, 100.0 + took)
    assert not looks.are_due(99.9 + next_look, stirred=stirred)
    assert looks.are_due(100.0 + next_look, stirred=stirred)
