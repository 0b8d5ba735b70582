import json
from pathlib import Path
from typing import Any

import pytest

from core.models import Document, Metadata, Span
from core.redaction import redact
from eval.dataset import DatasetError, Kind, Record, Relevant, load_questions

TEXT = "# Disk full\n\nDelete old\n  logs   first. Then call.\n\nThen call.\n"


def document(path: str = "disk.md", source: str = "docs", text: str = TEXT) -> Document:
    return Document("id", "acme", source, path, Metadata("Disk full"), text, 1, "hash")


def question(**values: Any) -> dict[str, Any]:
    relevant = [{"doc": "disk.md", "evidence": "Delete old logs first."}]
    return {"id": "q1", "category": "lookup", "question": "disk?", "relevant": relevant} | values


def written(path: Path, *lines: dict[str, Any] | str) -> Path:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return path


def load(path: Path, *documents: Document) -> tuple[Record, ...]:
    return load_questions([path], documents or [document()])


def test_a_quote_is_found_whatever_its_white_space(tmp_path: Path) -> None:
    assert load(written(tmp_path / "q.jsonl", question())) == (
        Record("q1", "lookup", "disk?", (Relevant("docs", "disk.md", Span(13, 39)),)),
    )


def test_a_document_may_be_named_with_its_source(tmp_path: Path) -> None:
    relevant = [{"doc": "b/disk.md", "evidence": "# Disk full"}]
    path = written(tmp_path / "q.jsonl", question(relevant=relevant))
    loaded = load(path, document(source="a"), document(source="b"))
    assert loaded[0].relevant == (Relevant("b", "disk.md", Span(0, 11)),)


def test_a_follow_up_knows_what_it_follows(tmp_path: Path) -> None:
    path = written(tmp_path / "q.jsonl", question(follows={"question": "disk full"}))
    assert load(path)[0].follows == "disk full"


def test_a_secret_in_a_quote_is_replaced_as_in_the_document(tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    redacted = redact(f"token: {secret} is old\n")[0]
    relevant = [{"doc": "disk.md", "evidence": f"token: {secret} is"}]
    path = written(tmp_path / "q.jsonl", question(relevant=relevant))
    span = load(path, document(text=redacted))[0].relevant[0].span
    assert redacted[span.start : span.end] == "token: [redacted: github token] is"


def test_blank_lines_and_a_byte_order_mark_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    path.write_bytes(b"\xef\xbb\xbf\r\n" + json.dumps(question()).encode() + b"\r\n\r\n")
    assert [record.id for record in load(path)] == ["q1"]


def test_a_line_separator_inside_a_text_ends_no_line(tmp_path: Path) -> None:
    raw = json.dumps(question(question="a\u2028b"), ensure_ascii=False)
    assert load(written(tmp_path / "q.jsonl", raw))[0].question == "a\u2028b"


@pytest.mark.parametrize(
    ("category", "kind"),
    [
        ("unanswerable-near", Kind.NEAR),
        ("near", Kind.NEAR),
        ("unanswerable-far", Kind.UNRELATED),
        ("unrelated", Kind.UNRELATED),
        ("unanswerable", Kind.UNANSWERABLE),
        ("linear", Kind.UNANSWERABLE),
    ],
)
def test_an_unanswerable_category_says_how_near_it_is(category: str, kind: Kind) -> None:
    assert Record("q", category, "?").kind is kind


def test_a_record_with_evidence_is_answerable() -> None:
    record = Record("q", "near", "?", (Relevant("docs", "disk.md", Span(0, 1)),))
    assert record.kind is Kind.ANSWERABLE


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{not json", "the line is not JSON (Expecting property name enclosed in double quotes, "
                      "column 2)"),
        ("[1]", "the line must be a JSON object"),
        ('{"id": "q1"', "the line is not JSON (Expecting ',' delimiter, column 12)"),
        (question(id=7), "“id” must be a text that is not empty"),
        (question(question=" "), "“question” must be a text that is not empty"),
        (question(question="\ud800"), "“question” holds half a surrogate pair, which is no text"),
        (question(relevant=None),
         "“relevant” must be a list, empty for a question that must be refused"),
        (question(relevant=["disk.md"]), "each entry of “relevant” must be a JSON object"),
        (question(relevant=[{"doc": "disk.md", "evidence": "  "}]),
         "“evidence” must be a text that is not empty"),
        (question(relevant=[{"doc": "gone.md", "evidence": "x"}]), "there is no document gone.md"),
        (question(relevant=[{"doc": "disk.md", "evidence": "Reboot."}]),
         "the evidence “Reboot.” does not occur in disk.md"),
        (question(relevant=[{"doc": "disk.md", "evidence": "Then  call."}]),
         "the evidence “Then call.” occurs 2 times in disk.md"),
        (question(follows="disk?"), "follows must be a JSON object"),
        (question(category="unanswerable-near"),
         "the category is unanswerable-near, and yet it has evidence"),
        ("[" * 100_000, "the line is JSON that is too long or too deep"),
    ],
)  # fmt: skip
def test_a_broken_line_is_named_with_its_reason(
    tmp_path: Path, line: dict[str, Any] | str, reason: str
) -> None:
    path = written(tmp_path / "q.jsonl", question(id="q0"), line)
    with pytest.raises(DatasetError) as raised:
        load(path)
    assert str(raised.value) == f"{path}, line 2: {reason}."


def test_an_id_must_not_stand_twice(tmp_path: Path) -> None:
    first = written(tmp_path / "a.jsonl", question())
    second = written(tmp_path / "b.jsonl", question(id="q2"), question())
    with pytest.raises(DatasetError) as raised:
        load_questions([first, second], [document()])
    assert str(raised.value) == f"{second}, line 2: the id q1 stands already in {first}, line 1."


def test_a_path_that_two_sources_share_must_name_its_source(tmp_path: Path) -> None:
    path = written(tmp_path / "q.jsonl", question())
    with pytest.raises(DatasetError, match=r"more than one document: a/disk\.md and b/disk\.md"):
        load(path, document(source="a"), document(source="b"))


def test_bytes_that_are_not_utf8_are_named_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    path.write_bytes(b'\n{"id": "\xff"}\n')
    with pytest.raises(DatasetError) as raised:
        load(path)
    assert str(raised.value) == f"{path}, line 2: the line is not UTF-8."


def test_an_empty_file_is_an_error(tmp_path: Path) -> None:
    path = written(tmp_path / "q.jsonl", "")
    with pytest.raises(DatasetError) as raised:
        load(path)
    assert str(raised.value) == f"{path}: it holds no questions."


def test_a_missing_file_is_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(DatasetError) as raised:
        load(tmp_path / "gone.jsonl")
    assert (raised.value.exit_code, raised.value.reason) == (
        2,
        "it cannot be read (No such file or directory)",
    )
