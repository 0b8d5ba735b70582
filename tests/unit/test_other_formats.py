"""Questions in other people's formats: lines of files, and BEIR folders."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.models import Document, Metadata, Span
from core.settings import Settings
from core.settings_lists import SourceSettings
from corpus.listing import FILE_BYTES
from corpus.loader import load
from corpus.starter import sources_of
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


@pytest.mark.parametrize("odd", ["\u2028", "\u2029", "\x0c", "\x0b", "\x1c", "\x85"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_only_a_line_end_ends_a_line(tmp_path: Path, odd: str, end: str) -> None:
    text = f"---\ntitle: Disk\n---\n# Disk{odd} full\n\nDelete{odd}old.\n\nCall.\n"
    source = SourceSettings(name="docs", path=tmp_path)
    disk = load(text.replace("\n", end).encode(), "disk.md", source).document
    [record] = load_questions([lines_file(tmp_path / "q.jsonl", of_lines(8))], [disk])
    span = record.relevant[0].span
    assert disk.text[span.start : span.end] == "Call."


def test_files_without_ids_can_be_read_together(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    files = [
        lines_file(tmp_path / name, of_lines(6), of_lines(10))
        for name in ("a.jsonl", "b.jsonl", "other/a.jsonl")
    ]
    loaded = [record.id for record in load_questions(files, [document()])]
    assert loaded[2:4] == ["b.jsonl-line-1", "b.jsonl-line-2"]
    assert [loaded[0], loaded[4]] == [f"{files[0]}-line-1", f"{files[2]}-line-1"]
    assert [record.id for record in load_questions(files[:1], [document()])] == ["line-1", "line-2"]


def test_one_file_named_twice_is_told(tmp_path: Path) -> None:
    file = lines_file(tmp_path / "q.jsonl", of_lines(6))
    with pytest.raises(DatasetError, match="stands already"):
        load_questions([file, file], [document()])


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


def own(beir: Path, data: Path, *others: Path) -> list[Record]:
    """Return the queries of sets over the documents that they bring themselves."""
    settings = Settings(_env_file=None)  # type: ignore[call-arg]
    plan = plan_for(settings, Place((), data), (beir, *others))
    documents = [
        load(source.read(path), path, source.settings).document
        for source in sources_of((), plan.corpus, FILE_BYTES)
        for path in source.listing().files
    ]
    return list(load_questions(plan.questions, documents))


def filled(folder: Path, corpus: dict[str, dict[str, str]]) -> Path:
    """Make a set of which each document is what one query wants."""
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    lines_file(folder / "corpus.jsonl", *({"_id": id_, **one} for id_, one in corpus.items()))
    queries = [{"_id": f"q{n}", "text": f"{id_}?"} for n, id_ in enumerate(corpus)]
    lines_file(folder / "queries.jsonl", *queries)
    judged = "".join(f"q{n}\t{id_}\t1\n" for n, id_ in enumerate(corpus))
    (folder / "qrels" / "test.tsv").write_text(judged, encoding="utf-8")
    return folder


LONG = [f"{'x' * 300}{n}" for n in range(3)] + [f"{'磁盘已满' * 9}{n}" for n in range(3)]
ODD = [
    "x",
    ".hidden",
    ".",
    "..",
    "a/b",
    "a%2Fb",
    "README",
    "x.md",
    "ü ?*",
    "a",
    "A",
    "%41",
    "-",
    "con",
]


def test_every_document_of_a_set_is_found_whatever_its_id(tmp_path: Path) -> None:
    set_ = filled(tmp_path / "set", {id_: {"title": id_, "text": "Text."} for id_ in LONG + ODD})
    records = own(set_, tmp_path / "data")
    assert len({one.path for record in records for one in record.relevant}) == len(LONG + ODD)
    assert all(len(record.relevant) == 1 for record in records)


def test_a_name_of_a_page_is_one_that_a_disk_takes() -> None:
    names = [page_name(id_) for id_ in LONG + ODD]
    assert max(len(name) for name in names) <= 255
    assert page_name("x" * 190) == f"{'x' * 190}.md"


def test_a_text_that_no_file_may_hold_is_written_as_it_can_be_read(tmp_path: Path) -> None:
    texts = {"nul": "a\0b", "lone": "a\rb", "front": "---\nservice: sre\n---\nb"}
    set_ = filled(tmp_path / "set", {id_: {"text": text} for id_, text in texts.items()})
    assert all(record.relevant for record in own(set_, tmp_path / "data"))


def test_an_id_that_stands_twice_in_a_corpus_is_told(beir: Path, tmp_path: Path) -> None:
    lines_file(beir / "corpus.jsonl", {"_id": "1", "text": "a"}, {"_id": "1", "text": "b"})
    with pytest.raises(DatasetError, match=r"line 2: the id 1 stands already in line 1"):
        own(beir, tmp_path / "data")


def test_a_query_of_which_no_document_holds_text_is_told(tmp_path: Path) -> None:
    set_ = filled(
        tmp_path / "set", {"full": {"text": "Text."}, "empty": {"title": " ", "text": " "}}
    )
    with pytest.raises(DatasetError, match=r"queries\.jsonl, line 2: .* no text: empty"):
        own(set_, tmp_path / "data")


def test_a_document_without_text_beside_one_with_text_is_passed_over(tmp_path: Path) -> None:
    set_ = filled(tmp_path / "set", {"full": {"text": "Text."}, "empty": {"text": ""}})
    (set_ / "qrels" / "test.tsv").write_text("q0\tfull\t1\nq0\tempty\t1\n", encoding="utf-8")
    [record] = own(set_, tmp_path / "data")
    assert [one.path for one in record.relevant] == ["full.md"]


def test_sets_that_share_ids_and_their_name_can_be_read_together(tmp_path: Path) -> None:
    sets = [
        filled(tmp_path / place / "set", {"1": {"text": text}})
        for place, text in (("a", "One."), ("b", "Two, longer."))
    ]
    records = own(sets[0], tmp_path / "data", sets[1])
    assert [len(record.relevant[0].span) for record in records] == [4, 12]
    assert len({record.id for record in records}) == 2


def test_a_judgement_of_an_unknown_query_stops_the_reading(beir: Path) -> None:
    (beir / "qrels" / "test.tsv").write_text("9\tdisk.md\t1\n", encoding="utf-8")
    with pytest.raises(DatasetError, match="the query 9 of qrels is not in it"):
        load_questions([beir], [document()])


@pytest.mark.parametrize("score", ["high", "²", "--5", "-", "1_0", "9" * 5000])
def test_a_judgement_that_is_none_is_told_with_its_line(beir: Path, score: str) -> None:
    (beir / "qrels" / "test.tsv").write_text(f"1\tdisk.md\t{score}\n", encoding="utf-8")
    with pytest.raises(DatasetError, match=r"test\.tsv, line 1: a judgement is query, document"):
        load_questions([beir], [document()])


def test_a_folder_without_judgements_is_no_set(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"there is no qrels/\*\.tsv in it"):
        load_questions([tmp_path], [document()])
