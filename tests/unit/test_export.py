"""An export has every exchange and vote, names nobody, quotes nothing private, runs nowhere."""

import csv
import io
import json
import sqlite3
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.errors import JournalUnavailable
from core.exchanges import Thumb
from core.models import EVERYONE, Scope, Vote
from feedback.export import export
from feedback.export_format import ExportFormat
from feedback.journal import open_journal
from tests.journals import ANN, BEN, FIRST, NOON, PLAIN, RECORDED, SECOND, answered, minutes


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


async def exported(
    path: Path,
    form: ExportFormat = ExportFormat.JSONL,
    visibility: Collection[str] = (EVERYONE,),
) -> str:
    out = io.StringIO()
    await export(path, form, out.write, visibility=visibility)
    return out.getvalue()


async def objects(path: Path, *visibility: str) -> list[dict[str, Any]]:
    text = await exported(path, visibility=visibility)
    return [json.loads(line) for line in text.splitlines()]


async def table(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(await exported(path, ExportFormat.CSV), newline="")))


async def test_an_exchange_is_one_object_with_its_results_and_votes(path: Path) -> None:
    async with open_journal(path, now=lambda: NOON) as journal:
        await answered(journal)
        await journal.record_thumb(Thumb(ANN, Vote.UP, True, NOON, FIRST))
        await journal.record_thumb(Thumb(ANN, Vote.DOWN, True, minutes(1), SECOND))
        await journal.record_thumb(Thumb(BEN, Vote.UP, True, NOON, FIRST))
        (found,) = await objects(path)
    assert found == {
        "id": "x1",
        "asked_at": "2026-01-05T12:00:00.000000+00:00",
        "tenant": "acme",
        "platform": "slack",
        "private": False,
        "person": "p1",
        "question": "why?",
        "service": [],
        "type": [],
        "visibility": ["everyone"],
        "follows": None,
        "outcome": "weak",
        "confidence": 0.5,
        "distance": 0.25,
        "dense": True,
        "ms": 12.5,
        "model": "scripted",
        "answered_at": "2026-01-05T12:00:00.000000+00:00",
        "deleted": False,
        "results": [
            {
                "source": "own",
                "path": "a.md",
                "breadcrumb": "A › B",
                "distance": 0.25,
                "keyword_score": 0.75,
            },
            {
                "source": "own",
                "path": "ü.md",
                "breadcrumb": "Ü",
                "distance": None,
                "keyword_score": 0.5,
            },
        ],
        "votes": {"p2": "up", "p1": "down"},
    }


async def test_a_table_row_counts_votes_and_names_the_first_result(path: Path) -> None:
    async with open_journal(path) as journal:
        await answered(journal)
        await journal.record_thumb(Thumb(BEN, Vote.UP, True, NOON, FIRST))
        await journal.receive("x2", replace(PLAIN, asked_at=minutes(1)))
    first, second = await table(path)
    names = ("id", "source", "path", "section", "up", "down", "outcome")
    assert [first[name] for name in names] == ["x1", "own", "a.md", "A › B", "1", "0", "weak"]
    assert [second[name] for name in names] == ["x2", "", "", "", "0", "0", ""]


async def test_people_are_numbered_the_same_throughout_and_never_named(path: Path) -> None:
    async with open_journal(path) as journal:
        for number, person in enumerate((ANN, BEN, ANN)):
            await journal.receive(f"x{number}", replace(PLAIN, asked_by=person.user_id))
    text = await exported(path)
    assert [json.loads(line)["person"] for line in text.splitlines()] == ["p1", "p2", "p1"]
    assert '"U1"' not in text
    assert '"U2"' not in text


async def test_neither_words_nor_results_of_a_private_or_narrower_question_are_quoted(
    path: Path,
) -> None:
    narrow = Scope(visibility=("everyone", "sre"))
    async with open_journal(path) as journal:
        for id_, question in (
            ("private", replace(PLAIN, where=replace(PLAIN.where, private=True))),
            ("narrower", replace(PLAIN, scope=narrow)),
            ("open", PLAIN),
        ):
            await journal.receive(id_, question)
            await journal.record_outcome(id_, RECORDED)
    quoted = {one["id"] for one in await objects(path) if one["question"] or one["results"]}
    assert quoted == {"open"}
    labelled = {one["id"] for one in await objects(path, "sre") if one["question"]}
    assert labelled == {"open", "narrower"}


@pytest.mark.parametrize(
    "formula",
    [
        '=HYPERLINK("http://evil","x")',
        "+1+1",
        "-1+1",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "\n=1",
        " =1",
        "\ufeff=1",
        "＝1",
    ],
)
async def test_a_formula_is_text_in_a_table_and_untouched_in_jsonl(
    path: Path, formula: str
) -> None:
    async with open_journal(path) as journal:
        await journal.receive("x1", replace(PLAIN, text=formula))
    (row,) = await table(path)
    assert row["question"] == f"'{formula}"
    assert (await objects(path))[0]["question"] == formula


async def test_any_text_comes_back_from_a_table(path: Path) -> None:
    text = 'a "quoted", comma\nand line; 👍 ü'
    async with open_journal(path) as journal:
        await journal.receive("x1", replace(PLAIN, text=text))
    assert [row["question"] for row in await table(path)] == [text]


async def test_a_secret_that_somebody_asked_with_is_replaced(path: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    async with open_journal(path) as journal:
        await journal.receive("x1", replace(PLAIN, text=f"is {token} still good?"))
    assert token not in await exported(path)


async def test_an_export_reads_while_another_program_writes(path: Path) -> None:
    async with open_journal(path) as journal:
        await answered(journal)
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("begin immediate")
        other.execute("update exchanges set question = 'half done'")
        assert [one["question"] for one in await objects(path)] == ["why?"]
        other.close()


async def test_an_empty_journal_is_an_empty_export(path: Path) -> None:
    async with open_journal(path):
        assert await exported(path) == ""


async def test_a_journal_that_is_not_there_says_so_and_is_not_made(path: Path) -> None:
    with pytest.raises(JournalUnavailable, match="cannot be opened"):
        await exported(path)
    assert not list(path.parent.iterdir())
