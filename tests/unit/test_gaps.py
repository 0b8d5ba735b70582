from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from core.exchanges import Choice, Exchange, OutcomeKind, Reason, ReasonKind
from feedback.gaps import new_members
from feedback.models import (
    Evidence,
    GapKind,
    GapRecord,
    GapReport,
    GapStatus,
    Numbers,
    SectionUse,
)
from tests.gap_world import (
    NOTHING,
    SINCE,
    UNTIL,
    asked,
    document,
    earlier,
    hit,
    person,
    reported,
    section_ref,
    votes,
)

DAY = timedelta(days=1)


def members(evidence: Evidence, *records: GapRecord) -> dict[str, tuple[str, ...]]:
    return new_members(evidence, NOTHING, records, documents={})


def saved(found: dict[str, tuple[str, ...]], **changes: Any) -> list[GapRecord]:
    return [replace(GapRecord(name, "acme", SINCE, ids), **changes) for name, ids in found.items()]


# --- names --------------------------------------------------------------------------------------


def test_what_is_asked_again_joins_the_gap_of_the_week_before() -> None:
    first = Evidence((asked("x1", angle=0), asked("x2", "dns is down", angle=90)))
    records = saved(members(first))
    old = {id_: record.id for record in records for id_ in record.exchange_ids}
    second = Evidence(
        (*first.exchanges, asked("x3", "vault sealed", angle=4), asked("x4", "tls", angle=180))
    )
    found = members(second, *records)
    assert found[old["x1"]] == ("x3",)
    assert sorted(id_ for ids in found.values() for id_ in ids) == ["x3", "x4"]


def test_the_same_window_gives_the_same_names_saved_or_not() -> None:
    evidence = Evidence(tuple(asked(f"x{n}", f"t{n}", angle=40 * n) for n in range(5)))
    names = [gap.record.id for gap in reported(evidence).gaps]
    assert sorted(names) == sorted(members(evidence))
    assert [gap.record.id for gap in reported(evidence, *saved(members(evidence))).gaps] == names


def test_a_follow_up_goes_where_what_it_follows_goes() -> None:
    evidence = Evidence(
        (
            asked("x1", angle=0),
            asked("x2", "and on staging?", angle=90, follows="x1"),
            asked("x3", "why?", angle=120, follows="x2"),
        )
    )
    assert list(members(evidence).values()) == [("x1", "x2", "x3")]


def test_follow_ups_that_lead_in_a_circle_are_still_placed() -> None:
    evidence = Evidence((asked("x1", follows="x2"), asked("x2", "other", angle=90, follows="x1")))
    assert sorted(id_ for ids in members(evidence).values() for id_ in ids) == ["x1", "x2"]


def test_services_of_the_runbooks_keep_gaps_apart() -> None:
    evidence = Evidence((asked("x1", "payroll is slow"), asked("x2", "ledger is slow", angle=1)))
    known = {
        one.id: one
        for one in (document("a.md", service="payroll"), document("b.md", service="ledger"))
    }
    assert len(members(evidence)) == 1
    assert len(new_members(evidence, NOTHING, (), documents=known)) == 2


def test_a_gap_that_comes_back_after_months_keeps_its_name() -> None:
    old = earlier(asked("x0", "vault sealed", angle=2), days=90)
    record = GapRecord("G-7KQ2", "acme", SINCE - 90 * DAY, ("x0",))
    stray = earlier(asked("x9", "in no gap", angle=90), days=90)
    evidence = Evidence((asked("x1", "unseal vault"),))
    assert new_members(evidence, NOTHING, [record], documents={}, known=(old, stray)) == {
        "G-7KQ2": ("x1",)
    }


# --- one gap ------------------------------------------------------------------------------------


def test_a_gap_has_count_askers_trend_and_the_usual_wording() -> None:
    evidence = Evidence(
        (
            asked("x1", "vault is sealed", by="U1", angle=0),
            asked("x2", "Vault is sealed", by="U2", angle=1, at=2 * DAY),
            asked("x3", "need the unseal keys", by="U1", angle=3, at=3 * DAY),
        )
    )
    before = Evidence((earlier(asked("x0", "sealed vault", angle=2)),))
    (gap,) = reported(evidence, before=before).gaps
    assert (gap.count, gap.askers, gap.before) == (3, 2, 1)
    assert gap.sample == "vault is sealed"
    assert gap.last_asked == SINCE + 3 * DAY


def test_gaps_that_most_people_ask_for_come_first() -> None:
    evidence = Evidence(
        (
            asked("x1", "a lot", angle=0, at=1 * DAY),
            asked("x2", "a lot", angle=0, at=2 * DAY),
            asked("x3", "by two", angle=90, by="U1"),
            asked("x4", "by two", angle=90, by="U2"),
        )
    )
    assert [gap.sample for gap in reported(evidence).gaps] == ["by two", "a lot"]


def reason(kind: ReasonKind, right: str = "", id_: str = "x1") -> Reason:
    return Reason(id_, person("V1"), kind, "", SINCE, right)


def choice(index: int) -> Choice:
    return Choice("x1", person("V1"), index, f"s{index + 1}", SINCE)


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({}, GapKind.MISSING),
        ({"votes": votes(x1="d")}, GapKind.WRONG),
        ({"votes": votes(x1="d"), "reasons": (reason(ReasonKind.OUTDATED),)}, GapKind.STALE),
        ({"votes": votes(x1="d"), "choices": (choice(1),)}, GapKind.FINDABLE),
        ({"votes": votes(x1="d"), "choices": (choice(0),)}, GapKind.WRONG),
        ({"reasons": (reason(ReasonKind.WRONG_SECTION, "s7"),)}, GapKind.FINDABLE),
    ],
)
def test_what_people_said_tells_what_is_lacking(changes: dict[str, Any], kind: GapKind) -> None:
    shown = asked("x1", kind=OutcomeKind.WEAK, results=[hit("s1"), hit("s2", path="other.md")])
    (gap,) = reported(Evidence((shown,), **changes)).gaps
    assert gap.kind is kind


def test_a_section_that_was_liked_before_and_is_not_now_is_stale() -> None:
    shown = asked("x1", kind=OutcomeKind.ANSWER, results=[hit("s1")])
    liked = earlier(asked("x0", "else", kind=OutcomeKind.ANSWER, results=[hit("s1")], angle=90))
    (gap,) = reported(
        Evidence((shown,), votes=votes(x1="d")), before=Evidence((liked,), votes=votes(x0="u"))
    ).gaps
    assert gap.kind is GapKind.STALE


def test_the_section_that_somebody_chose_is_the_nearest() -> None:
    shown = asked("x1", kind=OutcomeKind.WEAK, results=[hit("s1"), hit("s2", path="other.md")])
    evidence = Evidence((shown,), votes=votes(x1="d"), choices=(choice(1),))
    (gap,) = reported(evidence, documents=[document("other.md", owner="platform")]).gaps
    assert gap.nearest is not None
    assert (gap.nearest.section_id, gap.suggested_path, gap.suggested_owner) == (
        "s2",
        "other.md",
        "platform",
    )


@pytest.mark.parametrize(
    ("distance", "place"),
    [
        (0.3, ("page.md", "platform")),
        (0.7, ("unseal-vault.md", "")),
        (None, ("unseal-vault.md", "")),
    ],
)
def test_a_page_is_the_place_only_where_it_is_near(
    distance: float | None, place: tuple[str, str]
) -> None:
    evidence = Evidence((asked("x1", results=[hit(distance=distance)]),))
    (gap,) = reported(evidence, documents=[document(owner="platform")]).gaps
    assert (gap.suggested_path, gap.suggested_owner) == place


# --- which gaps ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "changes", "shown"),
    [
        (GapStatus.OPEN, {}, True),
        (GapStatus.OWNED, {}, True),
        (GapStatus.DISMISSED, {}, False),
        (GapStatus.SNOOZED, {"snoozed_until": UNTIL + DAY}, False),
        (GapStatus.SNOOZED, {"snoozed_until": UNTIL - DAY}, True),
        (GapStatus.CLOSED, {"changed_at": SINCE + DAY}, False),
        (GapStatus.CLOSED, {"changed_at": SINCE}, True),
        (GapStatus.DONE, {"changed_at": SINCE + DAY}, False),
    ],
)
def test_only_what_is_to_be_worked_on_is_listed(
    status: GapStatus, changes: dict[str, Any], shown: bool
) -> None:
    evidence = Evidence((asked("x1", at=timedelta(hours=5)),))
    records = saved(members(evidence), status=status, **changes)
    assert bool(reported(evidence, *records).gaps) is shown


def test_what_closed_since_is_told_even_if_nobody_asks_any_more() -> None:
    closed = GapRecord(
        "G-7KQ2", "acme", SINCE - 30 * DAY, ("x1",), GapStatus.CLOSED,
        section=section_ref(), build="b1", changed_at=SINCE + DAY,
    )  # fmt: skip
    long_ago = replace(closed, id="G-2222", exchange_ids=("x2",), changed_at=SINCE - DAY)
    assert [gap.record.id for gap in reported(NOTHING, closed, long_ago).closed] == ["G-7KQ2"]


def test_a_gap_that_nobody_asked_for_in_the_window_is_not_listed() -> None:
    assert reported(NOTHING, GapRecord("G-7KQ2", "acme", SINCE, ("x1",))).gaps == ()


def test_a_question_that_was_liked_after_all_counts_no_more() -> None:
    evidence = Evidence((asked("x1", kind=OutcomeKind.WEAK),))
    records = saved(members(evidence))
    assert reported(replace(evidence, votes=votes(x1="u")), *records).gaps == ()


# --- figures ------------------------------------------------------------------------------------


def figures() -> GapReport:
    exchanges: tuple[Exchange, ...] = (
        asked("x1", "one", kind=OutcomeKind.ANSWER, results=[hit("s1", path="a.md")], ms=10),
        asked("x2", "two", kind=OutcomeKind.WEAK, results=[hit("s2", path="b.md")], ms=20, by="U2"),
        asked("x3", "three", kind=OutcomeKind.REFUSAL, results=[hit("s3", path="c.md")], ms=90),
        asked("x4", "four", kind=OutcomeKind.REFUSAL, dense=False, ms=40, at=6 * DAY),
        asked(
            "x5",
            "one",
            kind=OutcomeKind.ANSWER,
            results=[hit("s1", path="a.md")],
            event_id="told G",
        ),
    )
    documents = [document(f"{name}.md") for name in "abcd"]
    return reported(Evidence(exchanges, votes=votes(x1="uu", x2="d")), documents=documents)


def test_the_numbers_count_keyword_answers_as_asked_and_what_nobody_asked_not_at_all() -> None:
    assert figures().numbers == Numbers(4, 1, 1, 1, 2, 2, 1, 30.0)


def test_sections_are_told_apart_by_votes() -> None:
    report = figures()
    (useful,) = report.useful
    (bad,) = report.voted_down
    assert (useful.section.section_id, useful.shown, useful.up) == ("s1", 1, 2)
    assert bad == SectionUse(bad.section, shown=1, up=0, down=1)
    assert bad.section.section_id == "s2"


def test_a_document_that_only_a_refusal_came_near_was_never_found() -> None:
    assert figures().never_found == ("runbooks/c.md", "runbooks/d.md")


def test_every_day_of_the_window_has_its_figures() -> None:
    days = figures().days
    assert days[0] == ("2026-11-23", 3, 2)
    assert days[6] == ("2026-11-29", 1, 0)
    assert len(days) == 8


def test_an_empty_window_is_a_report() -> None:
    report = reported(NOTHING)
    assert (report.gaps, report.closed, report.numbers.answer_rate) == ((), (), None)
