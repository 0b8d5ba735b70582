import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.exchanges import Exchange, OutcomeKind, Reason, ReasonKind
from core.models import Document, Metadata
from eval.dataset import load_questions, load_what_is_there
from feedback.golden import golden, golden_lines, merged, unique_quote
from feedback.models import Evidence, GapRecord, GapStatus
from tests.gap_world import PAGE, SINCE, TEXT, asked, hit, person, section_ref, votes

SECTIONS = {one.id: one for one in PAGE}
DOCUMENT = Document("d1", "acme", "runbooks", "vault.md", Metadata("Vault"), TEXT, 1, "hash")
QUOTE = "Run `vault operator unseal` with three keys."


def answered(id_: str, text: str = "how do I unseal vault", **changes: Any) -> Exchange:
    return asked(id_, text, kind=OutcomeKind.ANSWER, results=[hit("s1")], **changes)


def exported(
    evidence: Evidence, *records: GapRecord, visibility: Sequence[str] = ("everyone",)
) -> list[dict[str, Any]]:
    return golden(evidence, records, SECTIONS, {"d1": PAGE}, visibility=visibility)


def test_a_thumbed_up_answer_becomes_a_question_with_a_quote() -> None:
    (record,) = exported(Evidence((answered("x1"),), votes=votes(x1="uud")))
    assert record.pop("id").startswith("voted-")
    assert record == {
        "category": "voted",
        "question": "how do I unseal vault",
        "relevant": [{"doc": "runbooks/vault.md", "evidence": QUOTE}],
        "from": {"origin": "voted"},
        "reviewed": False,
    }


@pytest.mark.parametrize("letters", ["d", "ud", "udd"])
def test_an_answer_that_is_not_liked_on_balance_does_not(letters: str) -> None:
    assert exported(Evidence((answered("x1"),), votes=votes(x1=letters))) == []


def test_a_correction_names_the_right_section_instead_of_what_was_shown() -> None:
    reason = Reason("x1", person("V1"), ReasonKind.WRONG_SECTION, "no", SINCE, right_section="s2")
    (record,) = exported(Evidence((answered("x1"),), votes=votes(x1="u"), reasons=(reason,)))
    assert record["category"] == "corrected"
    assert record["relevant"][0]["evidence"] == "Run `vault operator seal` as an admin."


def test_a_closed_gap_gives_each_of_its_wordings_once() -> None:
    exchanges = (asked("x1", "vault sealed"), asked("x2", "Vault  sealed"), asked("x3", "unseal?"))
    record = GapRecord(
        "G-7KQ2", "acme", SINCE, ("x1", "x2", "x3", "gone"), GapStatus.CLOSED,
        section=section_ref("s1"), build="b1",
    )  # fmt: skip
    found = exported(Evidence(exchanges), record)
    assert [one["question"] for one in found] == ["vault sealed", "unseal?"]
    assert {one["from"]["gap"] for one in found} == {"G-7KQ2"}
    assert exported(Evidence(exchanges), replace(record, status=GapStatus.OWNED)) == []


def test_two_sections_for_one_question_are_alternatives() -> None:
    seal = asked("x2", kind=OutcomeKind.ANSWER, results=[hit("s2")])
    (record,) = exported(Evidence((answered("x1"), seal), votes=votes(x1="u", x2="u")))
    assert len(record["relevant"]) == 2


def test_a_follow_up_brings_what_it_follows_or_stays_away() -> None:
    first = asked("x1", "vault is sealed")
    follow_up = answered("x2", "and on staging?", follows="x1")
    (record,) = exported(Evidence((first, follow_up), votes=votes(x2="u")))
    assert record["follows"] == {"question": "vault is sealed"}
    assert exported(Evidence((follow_up,), votes=votes(x2="u"))) == []
    hidden = asked("x1", "vault is sealed", private=True)
    assert exported(Evidence((hidden, follow_up), votes=votes(x2="u"))) == []


def test_nothing_private_is_exported_nor_who_asked() -> None:
    private = answered("x1", "private words", private=True)
    public = answered("x2", by="U-SECRET")
    written = golden_lines(exported(Evidence((private, public), votes=votes(x1="u", x2="u"))))
    assert "private words" not in written
    assert "U-SECRET" not in written
    assert "x2" not in written


def test_a_quote_is_what_its_page_has_once() -> None:
    assert unique_quote(PAGE[1], PAGE) == QUOTE
    twice = (PAGE[1], replace(PAGE[1], id="copy"))
    assert unique_quote(PAGE[1], twice) == ""


def test_a_short_section_is_quoted_whole() -> None:
    short = replace(PAGE[0], text="## Who\n\nAsk Ann.\n")
    assert unique_quote(short, (short, PAGE[1])) == "## Who Ask Ann."


def test_evaluation_reads_what_is_exported(tmp_path: Path) -> None:
    path = tmp_path / "golden.jsonl"
    evidence = Evidence((answered("x1"), answered("x2", "unseal")), votes=votes(x1="u", x2="u"))
    path.write_text(golden_lines(exported(evidence)), encoding="utf-8")
    (first, _) = load_questions([path], [DOCUMENT])
    (place,) = first.relevant
    assert TEXT[place.span.start : place.span.end] == QUOTE


def test_only_what_a_person_reviewed_is_followed(tmp_path: Path) -> None:
    path = tmp_path / "golden.jsonl"
    evidence = Evidence((answered("x1"), answered("x2", "unseal")), votes=votes(x1="u", x2="u"))
    waiting, reviewed = exported(evidence)
    reviewed["reviewed"] = True
    path.write_text(golden_lines([waiting, reviewed]), encoding="utf-8")
    loaded = load_what_is_there([path], [DOCUMENT])
    assert [one.question for one in loaded.records] == ["unseal"]
    assert loaded.gone == []


def test_a_second_export_leaves_what_people_reviewed_and_adds_what_is_new() -> None:
    evidence = Evidence((answered("x1"), answered("x2", "unseal")), votes=votes(x1="u", x2="u"))
    first, second = exported(evidence)
    kept = {
        **json.loads(golden_lines([first])),
        "question": "how to unseal vault",
        "reviewed": True,
    }
    assert merged([kept], [first, second]) == [kept, second]
