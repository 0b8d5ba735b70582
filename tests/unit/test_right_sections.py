"""Which section was meant, by what people wrote and by what they looked at."""

from dataclasses import replace
from datetime import timedelta

from core.exchanges import Choice, Exchange, Reason, ReasonKind
from core.models import Section
from feedback.models import Evidence, Gap, GapKind, GapStatus
from feedback.right_sections import meant_by, most_meant
from tests.gap_world import (
    PAGE,
    SINCE,
    asked,
    document,
    hit,
    person,
    reported,
    section_ref,
)

EVERYONE, TEAM = ("everyone",), ("everyone", "payments-team")
HITS = [hit("s0"), hit("s1"), hit("s2")]


def wrote(exchange_id: str, section: str, minute: int = 0, by: str = "U1") -> Reason:
    at = SINCE + timedelta(hours=2, minutes=minute)
    return Reason(exchange_id, person(by), ReasonKind.WRONG_SECTION, "", at, section)


def looked(exchange_id: str, section: str, index: int, minute: int = 0) -> Choice:
    at = SINCE + timedelta(hours=2, minutes=minute)
    return Choice(exchange_id, person("U1"), index, section, at)


def gap_of(evidence: Evidence) -> Gap:
    (gap,) = reported(evidence, documents=[document()]).gaps
    return gap


def meant(
    *exchanges: Exchange,
    reasons: tuple[Reason, ...] = (),
    choices: tuple[Choice, ...] = (),
    visibility: tuple[str, ...] = EVERYONE,
) -> tuple[tuple[str, ...], ...]:
    evidence = Evidence(exchanges, reasons=reasons, choices=choices)
    return meant_by(gap_of(evidence), exchanges, evidence, visibility)


def sections(*names: str) -> dict[str, Section]:
    return {name: PAGE[int(name[1])] for name in names}


def test_what_was_written_last_goes_first_and_what_was_looked_at_last_after_it() -> None:
    found = meant(
        asked("x1", results=HITS),
        reasons=(wrote("x1", "vault.md", 1), wrote("x1", "vault.md#unseal", 2, by="U2")),
        choices=(looked("x1", "s2", 2, 5), looked("x1", "s1", 1, 4), looked("x1", "s0", 0, 6)),
    )
    assert found == (("vault.md#unseal", "vault.md", "s2"),)


def test_of_a_gap_that_lacks_a_page_no_section_was_meant() -> None:
    reasons = (wrote("x1", "vault.md"),)
    exchanges = [asked(f"x{n}", at=timedelta(hours=n), by=f"U{n}") for n in range(1, 4)]
    evidence = Evidence(tuple(exchanges), reasons=reasons)
    gap = gap_of(evidence)
    assert gap.kind is GapKind.MISSING
    assert meant_by(gap, exchanges, evidence, EVERYONE) == ()


def test_what_was_meant_in_private_or_in_a_narrower_place_is_not_told() -> None:
    exchanges = (
        asked("x1", private=True),
        asked("x2", place=TEAM, by="U2"),
        asked("x3", by="U3", at=timedelta(hours=2)),
    )
    reasons = (wrote("x1", "a.md"), wrote("x2", "b.md"), wrote("x3", "c.md"))
    assert meant(*exchanges, reasons=reasons) == (("c.md",),)
    assert meant(*exchanges, reasons=reasons, visibility=TEAM) == (("c.md",), ("b.md",))


def test_the_section_that_a_person_said_answers_it_is_meant_whatever_the_kind() -> None:
    exchange = asked("x1")
    evidence = Evidence((exchange,))
    gap = gap_of(evidence)
    for status, expected in ((GapStatus.DONE, (("s1",),)), (GapStatus.CLOSED, ())):
        record = replace(gap.record, status=status, section=section_ref("s1"))
        assert meant_by(replace(gap, record=record), [exchange], evidence, EVERYONE) == expected


def test_the_section_that_most_questions_meant_is_the_one() -> None:
    names = (("s1",), ("s2",), ("s2",))
    assert most_meant(names, sections("s1", "s2")) == PAGE[2]


def test_of_sections_meant_as_often_it_is_the_newest_questions() -> None:
    assert most_meant((("s1",), ("s2",)), sections("s1", "s2")) == PAGE[1]


def test_what_is_not_there_or_not_seen_is_passed_over() -> None:
    assert most_meant((("gone.md", "s2"), ("s9",)), sections("s2")) == PAGE[2]
    assert most_meant((("gone.md",),), sections("s2")) is None
    assert most_meant((), {}) is None
