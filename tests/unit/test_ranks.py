"""The ranks of known questions, build by build, and the build that is held back for them."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import pytest
from rich.console import Console

from core.reports import Verdict
from core.settings_groups import LimitSettings
from corpus.data_folder import DataFolder
from eval.rank_rows import (
    Depth,
    RankRow,
    State,
    carried,
    depth_of,
    joined,
    ranked_of,
    read_ranks,
    verdict_on,
    write_ranks,
)
from eval.rank_tables import print_ranks
from eval.ranks import KnownRanks, known_folder, measured, ranks_file
from tests.fakes import FakeIndex, ScriptedEmbedder
from tests.indexed import indexed, page, retriever_of

EMBEDDER = ScriptedEmbedder()
DISK = "# Disk full\n\nDelete old logs first.\n\n## Afterwards\n\nCall the storage team.\n"
LAG = "# Consumer lag\n\nRestart the kafka consumer group.\n"
QUESTIONS = (
    {
        "id": "q1",
        "category": "lookup",
        "question": "disk full, which logs",
        "relevant": [{"doc": "disk.md", "evidence": "Delete old logs first."}],
    },
    {
        "id": "q2",
        "category": "lookup",
        "question": "kafka consumer lag",
        "relevant": [{"doc": "lag.md", "evidence": "Restart the kafka consumer group."}],
    },
    {"id": "q3", "category": "near", "question": "best pasta recipe", "relevant": []},
)


def row(id_: str, rank: int | None, before: int | None = None, state: State = "known") -> RankRow:
    chars = tuple(100 * n for n in range(1, 21))
    return RankRow(id_, "lookup", f"question {id_}", "docs/disk.md", rank, before, chars, state)


def search(over: FakeIndex) -> object:
    return retriever_of(over, EMBEDDER)


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    folder = DataFolder(tmp_path)
    known = known_folder(folder)
    known.mkdir(parents=True)
    (known / "ours.jsonl").write_text("\n".join(map(json.dumps, QUESTIONS)), encoding="utf-8")
    return folder


async def index_of(**pages: str) -> FakeIndex:
    return await indexed(EMBEDDER, [page(f"{name}.md", text) for name, text in pages.items()])


async def admit(
    folder: DataFolder, live: FakeIndex, candidate: FakeIndex, most_lost: float = 0.1
) -> Verdict:
    limits = LimitSettings(lost_places=most_lost)
    return await KnownRanks(search, folder, limits).admit(live, candidate)  # type: ignore[arg-type]


def kept(folder: DataFolder, build: str = "build-1") -> list[tuple[str, int | None, str]]:
    rows = read_ranks(ranks_file(folder, build)).values()
    return [(one.id, one.rank, one.state) for one in rows]


# --- asking a build -----------------------------------------------------------------------------


async def test_each_known_question_has_its_rank_and_its_cost(folder: DataFolder) -> None:
    index = await index_of(disk=DISK, lag=LAG)
    files = sorted(known_folder(folder).iterdir())
    rows = await measured(index, search, files, LimitSettings())  # type: ignore[arg-type]
    assert [(one.id, one.rank, one.expected) for one in rows] == [
        ("q1", 1, "runbooks/disk.md"),
        ("q2", 1, "runbooks/lag.md"),
    ]
    assert rows[1].chars[0] == len(LAG)


@pytest.mark.parametrize(("longest", "rank"), [(100, 2), (4000, 1)])
async def test_a_known_question_is_cut_where_any_other_is(
    longest: int, rank: int, tmp_path: Path
) -> None:
    file = tmp_path / "long.jsonl"
    question = f"{'kafka consumer lag':100}disk full: delete old logs, afterwards storage team"
    file.write_text(json.dumps({**QUESTIONS[0], "question": question}), encoding="utf-8")
    index = await index_of(disk=DISK, lag=LAG)
    limits = LimitSettings(question_chars=longest)
    rows = await measured(index, search, [file], limits)  # type: ignore[arg-type]
    assert [one.rank for one in rows] == [rank]


async def test_evidence_that_was_edited_away_is_no_fault_of_the_build(folder: DataFolder) -> None:
    live = await index_of(disk=DISK, lag=LAG)
    changed = await index_of(disk="# Disk full\n\nBuy a larger one.\n", lag=LAG)
    await admit(folder, FakeIndex(EMBEDDER.dimension), live)
    assert await admit(folder, live, changed, most_lost=0.0) == Verdict(admitted=True)
    assert kept(folder) == [("q2", 1, "known"), ("q1", None, "gone")]


async def test_lines_are_those_of_the_file_whatever_is_blank(tmp_path: Path) -> None:
    text = "---\ntitle: Disk\n---\n# Disk\n\n## Fix\n\nDelete old logs.\n"
    index = await index_of(disk=text)
    file = tmp_path / "lines.jsonl"
    record = {"question": "delete old logs", "source_file": "disk.md", "source_lines": "8"}
    file.write_text(json.dumps(record), encoding="utf-8")
    rows = await measured(index, search, [file], LimitSettings())  # type: ignore[arg-type]
    assert [(one.id, one.rank) for one in rows] == [("line-1", 1)]


# --- admission ----------------------------------------------------------------------------------


async def test_without_known_questions_every_build_is_admitted(tmp_path: Path) -> None:
    index = await index_of(disk=DISK)
    assert await admit(DataFolder(tmp_path), index, index) == Verdict(admitted=True)
    assert kept(DataFolder(tmp_path)) == []


async def test_the_first_build_gets_its_ranks_too(folder: DataFolder) -> None:
    first = await index_of(disk=DISK, lag=LAG)
    verdict = await admit(folder, FakeIndex(EMBEDDER.dimension), first)
    assert verdict == Verdict(admitted=True)
    assert kept(folder) == [("q1", 1, "new"), ("q2", 1, "new")]


async def test_a_live_build_without_ranks_is_asked(folder: DataFolder) -> None:
    live = await index_of(disk=DISK, lag=LAG)
    await admit(folder, live, live)
    assert kept(folder) == [("q1", 1, "known"), ("q2", 1, "known")]


async def test_a_label_that_was_corrected_is_asked_of_the_live_build_anew(
    folder: DataFolder,
) -> None:
    live = await index_of(disk=DISK, lag=LAG)
    await admit(folder, FakeIndex(EMBEDDER.dimension), live)
    other = {**QUESTIONS[0], "relevant": [{"doc": "lag.md", "evidence": "Restart the kafka"}]}
    lines = map(json.dumps, (other, *QUESTIONS[1:]))
    (known_folder(folder) / "ours.jsonl").write_text("\n".join(lines), encoding="utf-8")
    assert await admit(folder, live, live, most_lost=0.0) == Verdict(admitted=True)
    first, _ = read_ranks(ranks_file(folder, "build-1")).values()
    assert (first.expected, first.state) == ("runbooks/lag.md", "known")
    assert first.before == first.rank != 1


async def test_a_question_file_that_is_broken_holds_a_build_back(folder: DataFolder) -> None:
    (known_folder(folder) / "ours.jsonl").write_text("{", encoding="utf-8")
    index = await index_of(disk=DISK)
    verdict = await admit(folder, index, index)
    assert not verdict.admitted
    assert "ours.jsonl, line 1: the line is not JSON" in verdict.reason


def test_a_build_that_loses_more_than_the_share_is_refused() -> None:
    rows = [row("a", 9, 1), row("b", None, 5), *(row(f"c{n}", 1, 1) for n in range(8))]
    verdict = verdict_on(rows, 0.1)
    assert (verdict.admitted, verdict.reason) == (
        False,
        "The new build was not activated: of 10 known questions in the top five it loses 2, "
        "more than 10% (“question a” from 1 to 9; “question b” from 5 to none). The old one "
        "goes on answering; nightlamp index --force activates a build all the same.",
    )


def test_a_verdict_names_the_questions_that_moved_those_that_slipped_first() -> None:
    rows = [
        row("risen", 1, 4),
        row("slipped", 3, 2),
        row("still", 2, 2),
        row("new", 1, state="new"),
    ]
    moved = verdict_on(rows, 0.1).moved
    assert [(one.question, one.before, one.now) for one in moved] == [
        ("question slipped", 2, 3),
        ("question risen", 4, 1),
    ]


@pytest.mark.parametrize(
    "rows",
    [
        [row("a", 9, 1), *(row(f"c{n}", 1, 1) for n in range(9))],
        [row("a", 9, 1), row("b", 2, 8)],
        [row("a", 9, state="new"), row("b", None, state="gone")],
        [row("a", 5, 1)],
    ],
    ids=["few", "as many won", "not comparable", "still in the top five"],
)
def test_a_build_that_loses_little_is_admitted(rows: Sequence[RankRow]) -> None:
    assert verdict_on(rows, 0.1).admitted


# --- rows ---------------------------------------------------------------------------------------


def test_a_question_that_was_reworded_is_new() -> None:
    now = [row("a", 1, state="new"), row("b", 2, state="new")]
    before = {"a": row("a", 3), "b": RankRow("b", "lookup", "other words", "x", 1)}
    assert [(one.before, one.state) for one in joined(now, before)] == [(3, "known"), (None, "new")]


def test_the_largest_rank_is_the_k_that_is_needed() -> None:
    rows = [row("a", 1), row("b", 12), row("c", None), row("d", None, state="gone")]
    assert depth_of(rows) == Depth(k=12, chars=1200.0, chars5=500.0, missing=1)


def test_where_nothing_is_found_no_depth_is_enough() -> None:
    assert depth_of([row("a", None)]) is None


def test_rows_that_are_written_are_read_again(tmp_path: Path) -> None:
    odd = RankRow("c", "lookup", "over\u2028two\x85lines?", "x", 1)
    rows = [row("a", 1, 2), row("b", None, state="new"), odd]
    write_ranks(tmp_path / "ranks.jsonl", rows, "these files")
    assert list(read_ranks(tmp_path / "ranks.jsonl").values()) == rows
    assert ranked_of(tmp_path / "ranks.jsonl") == "these files"


def test_rows_of_an_earlier_version_are_read_and_of_no_known_files(tmp_path: Path) -> None:
    line = json.dumps(asdict(row("a", 1, 2)))
    (tmp_path / "ranks.jsonl").write_text(f"{line}\n", encoding="utf-8")
    assert list(read_ranks(tmp_path / "ranks.jsonl").values()) == [row("a", 1, 2)]
    assert ranked_of(tmp_path / "ranks.jsonl") == ""


def test_rows_made_anew_keep_what_the_build_before_said_of_the_same_evidence() -> None:
    now = [row(name, 1, state="new") for name in "abcd"]
    other = RankRow("d", "lookup", "question d", "docs/lag.md", 1, 3, (100,), "known")
    stored = {"a": row("a", 1, 4), "b": row("b", 2, 4), "c": row("c", 1, state="new"), "d": other}
    assert [(one.before, one.state) for one in carried(now, stored)] == [
        (4, "known"),
        (None, "new"),
        (None, "new"),
        (None, "new"),
    ]


@pytest.mark.parametrize("text", ["{", "[]", '{"id": "a"}', '{"of": "x"}\n{"id": "a"}', "7"])
def test_damaged_ranks_are_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "ranks.jsonl").write_text(text, encoding="utf-8")
    assert read_ranks(tmp_path / "ranks.jsonl") == {}


def test_where_nothing_is_known_it_says_where_questions_come_from(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_ranks(Console(width=80), [])
    assert capsys.readouterr().out == (
        "There are no known questions: find some with python -m eval mine, or review those of "
        "nightlamp golden export.\n"
    )


def test_known_questions_that_all_lost_their_evidence_are_known_all_the_same(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_ranks(Console(width=120), [row("a", None, state="gone")])
    assert capsys.readouterr().out.splitlines() == [
        "0 known questions: 0 first, 0 in the top five; 0 were asked of the build before.",
        "",
        "1 have lost their evidence: their pages were changed or removed.",
    ]


def test_what_moved_is_told_by_kind(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [row("a", 7, 2), row("b", 4, 2), row("c", 1, None), row("d", None, state="gone")]
    print_ranks(Console(width=120), rows)
    assert capsys.readouterr().out.splitlines() == [
        "3 known questions: 1 first, 2 in the top five; 3 were asked of the build before.",
        "",
        "1 left the top five:",
        "     2 → 7    question a  docs/disk.md",
        "",
        "1 slipped:",
        "     2 → 4    question b  docs/disk.md",
        "",
        "1 rose:",
        "  none → 1    question c  docs/disk.md",
        "",
        "The largest rank is 7: every answer that was found is within the first 7 results, 700 "
        "characters on average; the first five are 500.",
        "",
        "1 have lost their evidence: their pages were changed or removed.",
    ]
