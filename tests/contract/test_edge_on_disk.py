"""The embedded index's files: what is left over, damaged or of another version is no traceback."""

import json
import os
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.engines.build_folder import BuildFolders, copy_sparsely, require_space
from core.engines.edge import ENGINE
from core.engines.edge_index import EdgeIndex
from core.engines.mapped_pages import give_back_pages
from core.errors import DataFolderBroken, DataFolderBusy
from core.models import Span
from core.points import (
    BuildInfo,
    Filter,
    Frequencies,
    Point,
    RawHit,
    RawHits,
    SearchRequest,
    SparseVector,
)
from core.ports import Build

ONE = Point(
    "00000000-0000-0000-0000-000000000001",
    {
        "kind": "passage",
        "tenant": "acme",
        "visibility": ["everyone"],
        "service": "",
        "type": "",
        "names": [],
        "document_id": "page",
        "section_id": "section",
        "start": 3,
        "end": 9,
    },
    dense=[1.0, 0.0],
    passage=SparseVector((7,), (1.0,)),
)
FOUND = [RawHits(passage=(RawHit("section", "page", 1.0, Span(3, 9)),))]
ASKED = [SearchRequest(Filter("acme", ("everyone",)), 5, passage=SparseVector((7,), (1.0,)))]


def info(build: Build) -> BuildInfo:
    when = datetime(2030, 1, 1, tzinfo=UTC)
    return BuildInfo(build.id, "print", when, {"runbooks": "abc"}, 1, 0, 1, 2)


async def built(root: Path) -> BuildInfo:
    """Build an index of one passage, and close it again."""
    index = await EdgeIndex.open(root, 2)
    build = await index.begin(from_live=False)
    await build.upsert([ONE])
    sealed = info(build)
    await build.seal(sealed)
    await build.activate()
    await index.aclose()
    return sealed


def builds(root: Path) -> list[str]:
    return sorted(path.name for path in root.iterdir() if path.is_dir())


async def test_what_was_built_is_there_after_a_restart(tmp_path: Path) -> None:
    sealed = await built(tmp_path)
    index = await EdgeIndex.open(tmp_path, 2)
    found = (index.info, index.frequencies, await index.search(ASKED), await index.health())
    await index.aclose()
    assert found == (sealed, Frequencies(1, 0, {7: (1, 0)}), FOUND, "")


async def test_recorded_commits_are_there_after_a_restart_and_the_build_is_the_same(
    tmp_path: Path,
) -> None:
    sealed = await built(tmp_path)
    index = await EdgeIndex.open(tmp_path, 2)
    await index.record({"runbooks": "def"}, {"runbooks": ("a.md",)})
    await index.aclose()
    again = await EdgeIndex.open(tmp_path, 2)
    after = replace(sealed, sources={"runbooks": "def"}, uncommitted={"runbooks": ("a.md",)})
    assert (again.info, await again.search(ASKED), builds(tmp_path)) == (after, FOUND, [sealed.id])
    await again.aclose()


async def test_book_keeping_that_knows_nothing_of_what_is_uncommitted_is_read(
    tmp_path: Path,
) -> None:
    sealed = await built(tmp_path)
    file = tmp_path / sealed.id / "build.json"
    file.write_text(file.read_text().replace("uncommitted", "other"))
    index = await EdgeIndex.open(tmp_path, 2)
    assert index.info == sealed
    await index.aclose()


async def test_commits_that_cannot_be_written_leave_those_before(tmp_path: Path) -> None:
    sealed = await built(tmp_path)
    index = await EdgeIndex.open(tmp_path, 2)
    (tmp_path / sealed.id / "build.json.new").mkdir()
    with pytest.raises(DataFolderBroken):
        await index.record({"runbooks": "def"}, {})
    assert index.info == sealed
    await index.aclose()


async def test_an_activated_build_replaces_the_directory_of_the_old_one(tmp_path: Path) -> None:
    before = await built(tmp_path)
    index = await EdgeIndex.open(tmp_path, 2)
    build = await index.begin(from_live=True)
    await build.seal(info(build))
    await build.activate()
    assert (await index.search(ASKED), builds(tmp_path)) == (FOUND, [build.id])
    assert build.id != before.id
    await index.aclose()


async def test_a_dropped_build_leaves_no_directory(tmp_path: Path) -> None:
    sealed = await built(tmp_path)
    index = await EdgeIndex.open(tmp_path, 2)
    await (await index.begin(from_live=True)).drop()
    assert builds(tmp_path) == [sealed.id]
    await index.aclose()


async def test_what_a_dead_process_had_begun_is_removed(tmp_path: Path) -> None:
    sealed = await built(tmp_path)
    begun = BuildFolders(tmp_path).new()
    await (await EdgeIndex.open(tmp_path, 2)).aclose()
    assert (builds(tmp_path), begun.path.exists()) == ([sealed.id], False)


async def test_a_second_opening_is_told_that_it_is_in_use(tmp_path: Path) -> None:
    await built(tmp_path)
    index = await EdgeIndex.open(tmp_path, 2)
    with pytest.raises(DataFolderBusy):
        await EdgeIndex.open(tmp_path, 2)
    await index.aclose()


def remove_the_build(root: Path) -> None:
    (live,) = builds(root)
    (root / live).rename(root.parent / "elsewhere")


def write_rubbish_book_keeping(root: Path) -> None:
    (live,) = builds(root)
    (root / live / "build.json").write_text("{")


def write_another_format(root: Path) -> None:
    (live,) = builds(root)
    file = root / live / "build.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"format": "0"}))


def remove_the_frequencies(root: Path) -> None:
    (live,) = builds(root)
    (root / live / "frequencies.json").unlink()


def remove_the_vectors(root: Path) -> None:
    (live,) = builds(root)
    (root / live / "vectors").rename(root.parent / "elsewhere")


def spoil_the_vectors(root: Path) -> None:
    (live,) = builds(root)
    (root / live / "vectors" / "edge_config.json").write_text("{")


def cut_files_short(root: Path) -> None:
    for file in root.rglob("status.dat"):
        os.truncate(file, 0)


def point_outside(root: Path) -> None:
    (root / "current").write_text("build-../../elsewhere")


READ = "The index has lost its book-keeping: run nightlamp index --rebuild."
GONE = "The live build is missing: run nightlamp index --rebuild."
SPOILT = "The index cannot be read: run nightlamp index --rebuild."
OTHER = "The index is of another version of Nightlamp: run nightlamp index --rebuild."


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (remove_the_build, GONE),
        (point_outside, GONE),
        (write_rubbish_book_keeping, READ),
        (remove_the_frequencies, READ),
        (write_another_format, OTHER),
        (remove_the_vectors, SPOILT),
        (spoil_the_vectors, SPOILT),
        (cut_files_short, SPOILT),
    ],
)
async def test_a_damaged_index_is_one_in_which_nothing_is_built(
    tmp_path: Path, damage: Callable[[Path], None], sentence: str
) -> None:
    root = tmp_path / "index"
    await built(root)
    damage(root)
    index = await EdgeIndex.open(root, 2)
    assert (index.info, await index.search(ASKED), await index.health()) == (
        None,
        [RawHits()],
        sentence,
    )
    await index.aclose()


async def test_a_damaged_index_is_replaced_by_the_next_build(tmp_path: Path) -> None:
    await built(tmp_path)
    write_rubbish_book_keeping(tmp_path)
    index = await EdgeIndex.open(tmp_path, 2)
    build = await index.begin(from_live=True)
    await build.upsert([ONE])
    await build.seal(info(build))
    await build.activate()
    assert (await index.search(ASKED), await index.health()) == (FOUND, "")
    await index.aclose()


async def test_an_index_of_another_version_of_the_engine_answers_until_it_is_built_anew(
    tmp_path: Path,
) -> None:
    await built(tmp_path)
    (live,) = builds(tmp_path)
    file = tmp_path / live / "build.json"
    stored = json.loads(file.read_text())
    file.write_text(json.dumps(stored | {"engine": "qdrant-edge 0.1"}))
    index = await EdgeIndex.open(tmp_path, 2)
    assert index.info is not None
    assert index.info.fingerprint == f"{stored['fingerprint']} by qdrant-edge 0.1"
    assert (stored["engine"], await index.search(ASKED)) == (ENGINE, FOUND)
    await index.aclose()


async def test_an_index_that_holds_less_than_it_was_built_with_says_so(tmp_path: Path) -> None:
    index = await EdgeIndex.open(tmp_path, 2)
    build = await index.begin(from_live=False)
    await build.seal(info(build))
    await build.activate()
    assert await index.health() == (
        "The index holds 0 points and was built with 1: run nightlamp index --rebuild."
    )
    await index.aclose()


async def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    taken(tmp_path / "file")
    with pytest.raises(DataFolderBroken, match="cannot be written"):
        await EdgeIndex.open(tmp_path / "file" / "index", 2)


def taken(path: Path) -> None:
    path.write_text("a file")


def test_a_disk_with_too_little_space_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(DataFolderBroken, match="a build needs 1000000000 MB: free some space"):
        require_space(tmp_path, 10**15)


def test_a_copy_has_the_same_bytes_and_keeps_the_holes(tmp_path: Path) -> None:
    source = tmp_path / "source" / "deep"
    source.mkdir(parents=True)
    with (source / "file").open("wb") as file:
        file.write(b"begin")
        file.seek(40_000_000)
        file.write(b"middle" + bytes(600_000) + b"x")
        file.truncate(50_000_001)
    (source / "empty").touch()
    copy_sparsely(tmp_path / "source", tmp_path / "copy")
    copied = tmp_path / "copy" / "deep" / "file"
    assert copied.read_bytes() == (source / "file").read_bytes()
    assert copied.stat().st_blocks * 512 < 2_000_000
    assert (tmp_path / "copy" / "deep" / "empty").read_bytes() == b""


async def test_an_open_index_holds_little_in_memory_and_reads_it_again_when_it_is_searched(
    tmp_path: Path,
) -> None:
    await built(tmp_path)
    index = await EdgeIndex.open(tmp_path, 2)
    assert resident(tmp_path) < 1_000_000
    found = await index.search(ASKED)
    give_back_pages(tmp_path)
    assert (found, await index.search(ASKED)) == (FOUND, FOUND)
    await index.aclose()


def resident(folder: Path) -> int:
    """Return how many bytes of a folder's files are mapped and in memory; 0 where none can tell."""
    maps = Path("/proc/self/smaps")
    total, ours = 0, False
    for line in maps.read_text(encoding="utf-8").splitlines() if maps.exists() else ():
        if re.match(r"[0-9a-f]+-", line):
            ours = str(folder) in line
        elif ours and line.startswith("Rss:"):
            total += 1024 * int(line.split()[1])
    return total
