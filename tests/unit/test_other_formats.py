"""Questions in other people's formats: lines of files, and BEIR folders."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.models import Document, Metadata, Span
from core.settings import Settings
from eval.beir import page_name
from eval.dataset import DatasetError, Kind, Record, Relevant, load_questions
from eval.place import Place
from eval.plans import plan_for

TEXT = "# Disk full\n\nDelete old logs.\n\n## Then\n\nCall.\n"


def document(path: str = "disk.md", first_line: int = 4) -> Document:
    return Document("id", "acme", "docs", path, Metadata("Disk full"), TEXT, first_line, "hash")


def lines_file(path: Path, *records: dict[str, Any]) -> Path:
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    return path


def of_lines(lines: object) -> dict[str, Any]:
    return {"question": "disk?", "source_file": "disk.md", "source_lines": lines}


# --- lines --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "span"),
    [(6, Span(13, 29)), ("6-8", Span(13, 38)), ([4, 6], Span(0, 29)), ("10", Span(40, 45))],
)
def test_lines_are_those_of_the_original_file(tmp_path: Path, lines: object, span: Span) -> None:
    file = lines_file(tmp_path / "q.jsonl", of_lines(lines))
    assert load_questions([file], [document()]) == (
        Record("line-1", "lines", "disk?", (Relevant("docs", "disk.md", span),)),
    )


def test_no_file_means_that_it_must_be_refused(tmp_path: Path) -> None:
    file = lines_file(tmp_path / "q.jsonl", {"id": 7, "question": "pasta?", "source_file": None})
    [record] = load_questions([file], [document()])
    assert (record.id, record.kind) == ("7", Kind.UNANSWERABLE)


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ("1-2", "disk.md has no lines 1 to 2: its text is lines 4 to 10"),
        (11, "disk.md has no lines 11 to 11"),
        (5, "the lines 5 to 5 of disk.md are blank"),
        ("6-4", "“source_lines” must be lines from 1"),
        (None, "“source_lines” must be lines from 1"),
    ],
)
def test_lines_that_are_not_there_stop_the_reading(
    tmp_path: Path, lines: object, reason: str
) -> None:
    file = lines_file(tmp_path / "q.jsonl", of_lines(lines))
    with pytest.raises(DatasetError, match=f"line 1: {reason}"):
        load_questions([file], [document()])


# --- BEIR ---------------------------------------------------------------------------------------


@pytest.fixture
def beir(tmp_path: Path) -> Path:
    folder = tmp_path / "set"
    (folder / "qrels").mkdir(parents=True)
    lines_file(folder / "corpus.jsonl", {"_id": "disk.md", "title": "Disk full", "text": "Delete."})
    queries = [{"_id": "1", "text": "disk?"}, {"_id": "2", "text": "never judged"}]
    lines_file(folder / "queries.jsonl", *queries)
    judged = "query-id\tcorpus-id\tscore\n1\tdisk.md\t1\n1\tother\t0\n"
    (folder / "qrels" / "test.tsv").write_text(judged, encoding="utf-8")
    return folder


def test_any_section_of_a_relevant_page_will_do(beir: Path) -> None:
    assert load_questions([beir], [document()]) == (
        Record(
            "1",
            "beir",
            "disk?",
            (Relevant("docs", "disk.md", Span(0, 31)), Relevant("docs", "disk.md", Span(31, 46))),
        ),
    )


def test_a_set_brings_its_own_documents(beir: Path, tmp_path: Path) -> None:
    settings = Settings(_env_file=None)  # type: ignore[call-arg]
    plan = plan_for(settings, Place((), tmp_path / "data"), (beir,))
    assert plan.corpus == (tmp_path / "data" / "eval" / "beir" / "set",)
    written = plan.corpus[0] / page_name("disk.md")
    assert written.read_text(encoding="utf-8") == "# Disk full\n\nDelete.\n"
    assert load_questions(plan.questions, [document(page_name("disk.md"))])[0].relevant


def test_over_other_documents_a_set_keeps_to_them(beir: Path, tmp_path: Path) -> None:
    settings = Settings(_env_file=None)  # type: ignore[call-arg]
    plan = plan_for(settings, Place((tmp_path,), tmp_path / "data"), (beir,))
    assert plan.corpus == (tmp_path,)


def test_a_judgement_of_an_unknown_query_stops_the_reading(beir: Path) -> None:
    (beir / "qrels" / "test.tsv").write_text("9\tdisk.md\t1\n", encoding="utf-8")
    with pytest.raises(DatasetError, match="the query 9 of qrels is not in it"):
        load_questions([beir], [document()])


def test_a_judgement_that_is_none_is_told_with_its_line(beir: Path) -> None:
    (beir / "qrels" / "test.tsv").write_text("1\tdisk.md\thigh\n", encoding="utf-8")
    with pytest.raises(DatasetError, match=r"test\.tsv, line 1: a judgement is query, document"):
        load_questions([beir], [document()])


def test_a_folder_without_judgements_is_no_set(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"there is no qrels/\*\.tsv in it"):
        load_questions([tmp_path], [document()])
