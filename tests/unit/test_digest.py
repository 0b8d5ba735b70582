from dataclasses import replace
from datetime import date, timedelta

import pytest

from bots.card import GapAction
from bots.digest_cards import LONGEST, digest_card, digest_message, gap_line, gaps_card, one_line
from bots.terminal import Look, card_text
from core.exchanges import OutcomeKind, Reason, ReasonKind
from feedback.digest import Trend, digest_of, trend_of
from feedback.models import Evidence, GapRecord, GapReport, GapStatus
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
)

DAY = timedelta(days=1)
TOPICS = ("vault", "dns", "kafka", "redis", "nginx", "etcd", "helm")


def week(count: int, *records: GapRecord) -> GapReport:
    exchanges = tuple(
        asked(f"x{n}", f"{topic} is broken", angle=50 * n, by=f"U{m}", results=[hit(distance=0.3)])
        for n, topic in enumerate(TOPICS[:count])
        for m in range(1)
    )
    answered = asked("y1", "all well", kind=OutcomeKind.ANSWER, results=[hit()], angle=355)
    return reported(Evidence((*exchanges, answered)), *records, documents=[document(owner="ops")])


def test_a_digest_shows_five_gaps_and_says_how_many_more() -> None:
    digest = digest_of(week(7))
    assert (len(digest.gaps), digest.more) == (5, 2)
    card = digest_card(digest)
    assert card.title == "7 gaps in the runbooks"
    assert card.footer.startswith("2 more: ")


def test_each_gap_of_a_digest_can_be_acted_on() -> None:
    (gap,) = digest_card(digest_of(week(1))).gaps
    assert [button.action for button in gap.buttons] == list(GapAction)
    assert {button.gap_id for button in gap.buttons} == {gap.gap_id}


def test_a_digest_on_the_terminal() -> None:
    report = week(1)
    before = Evidence((earlier(asked("x9", "vault broken", angle=1)),))
    report = reported(
        Evidence(
            (
                asked("x1", "vault is broken", results=[hit(distance=0.3)]),
                asked("x2", "vault is broken", by="U2", at=DAY),
                asked("y1", "all well", kind=OutcomeKind.ANSWER, results=[hit()], angle=90),
            )
        ),
        before=before,
        documents=[document(owner="ops")],
    )
    name = report.gaps[0].record.id
    assert card_text(digest_card(digest_of(report)), Look()) == (
        "1 gap in the runbooks\n\n"
        "3 questions from 2 people, 33 % answered, 33 points more than before.\n\n"
        "Most asked for:\n".replace("Most asked for", "Open")
        + f"  {name}  “vault is broken”\n"
        "          asked twice by 2 people, more than before (1) · no page answers it\n"
        "          Page: page.md, page.md › s1 (owner: ops)\n\n"
        "2026-11-23 to 2026-11-30\n"
    )


def test_of_what_is_there_but_was_not_found_it_is_said_where_the_remedy_is() -> None:
    meant = Reason("x1", person("U2"), ReasonKind.WRONG_SECTION, "", SINCE, "page.md")
    report = reported(Evidence((asked("x1"),), reasons=(meant,)))
    assert gap_line(report.gaps[0]).detail == (
        "asked once by 1 person, new · it is there, but hard to find: draft gives the line to add"
    )


def test_a_week_without_questions_says_so_in_one_line() -> None:
    card, chart = digest_message(reported(NOTHING))
    assert chart is None
    assert card_text(card, Look()) == (
        "No gaps in the runbooks\n\nNothing was asked in these 7 days.\n"
    )


def test_a_week_without_gaps_says_so_in_one_line() -> None:
    card, chart = digest_message(week(0))
    assert chart is not None
    assert card_text(card, Look()) == (
        "No gaps in the runbooks\n\nIn these 7 days: 1 question from 1 person, 100 % answered.\n"
    )


def test_gaps_that_readers_may_not_read_are_counted_in_one_sentence() -> None:
    hidden = asked("x1", "oubliette", private=True)
    digest = digest_of(reported(Evidence((hidden,))))
    card = digest_card(digest)
    assert (digest.gaps, digest.unquoted, digest.quiet) == ((), 1, False)
    assert "1 gap was asked only in private or in narrower channels." in card.lead


def test_what_closed_since_is_listed_with_what_answers_it() -> None:
    record = GapRecord(
        "G-7KQ2", "acme", SINCE, ("x0",), GapStatus.CLOSED, section=section_ref(),
        changed_at=SINCE + DAY,
    )  # fmt: skip
    card = digest_card(
        digest_of(week(0, record)), link=lambda one: f"https://example.com/{one.path}"
    )
    assert card.title == "Gaps closed, and none open"
    (listing,) = card.listings
    (row,) = listing.rows
    assert (listing.heading, row.label, row.detail, row.link) == (
        "Answered since",
        "G-7KQ2",
        "page.md › s1",
        "https://example.com/page.md",
    )


def test_a_digest_fits_a_phone() -> None:
    long = "vault " * 400
    exchanges = tuple(
        asked(f"x{n}", f"{topic} {long}", angle=50 * n, results=[hit(distance=0.3)])
        for n, topic in enumerate(TOPICS)
    )
    report = reported(Evidence(exchanges), documents=[document()])
    assert len(card_text(digest_card(digest_of(report)), Look())) < 2000


@pytest.mark.parametrize(
    ("count", "before", "trend"),
    [(2, 0, Trend.NEW), (3, 2, Trend.MORE), (2, 2, Trend.AS_OFTEN), (1, 2, Trend.LESS)],
)
def test_a_trend_is_against_the_window_before(count: int, before: int, trend: Trend) -> None:
    (gap,) = week(1).gaps
    assert trend_of(replace(gap, count=count, before=before)) is trend


@pytest.mark.parametrize(
    ("status", "said"),
    [(GapStatus.OWNED, "owned"), (GapStatus.CLOSED, "asked again since it was answered")],
)
def test_a_line_says_where_its_gap_stands(status: GapStatus, said: str) -> None:
    (gap,) = week(1).gaps
    line = gap_line(replace(gap, record=replace(gap.record, status=status)))
    assert line.detail.endswith(said)


def test_words_of_people_are_one_line_cut_between_words() -> None:
    assert one_line("a\n\n b\t c\u2028d") == "a b c d"
    cut = one_line("word " * 100)
    assert len(cut) <= LONGEST
    assert cut.endswith("word…")
    assert one_line("x" * 500) == "x" * (LONGEST - 1) + "…"


def test_a_long_window_is_drawn_by_week() -> None:
    report = replace(
        week(0),
        days=tuple(((date(2026, 10, 1) + n * DAY).isoformat(), 2, 1) for n in range(40)),
    )
    digest = digest_of(report)
    assert digest.weekly
    assert digest.activity[:2] == ((date(2026, 9, 28), 8, 4), (date(2026, 10, 5), 14, 7))


def test_the_list_of_gaps_has_all_of_them_and_the_rest_of_the_report() -> None:
    card = gaps_card(week(7))
    assert len(card.gaps) == 7
    assert card.title == "7 open gaps"
    shorter = gaps_card(week(7), most=3)
    assert len(shorter.gaps) == 3
    assert "4 more are open." in shorter.lead


def test_a_narrowed_list_has_what_was_looked_for_alone() -> None:
    card = gaps_card(week(7), most=3, narrowed=True)
    assert (card.title, card.gaps_heading, card.listings) == ("7 gaps", "Found", ())
    assert "4 more." in card.lead
    assert gaps_card(week(0), narrowed=True).title == "No such gap"


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"status": GapStatus.SNOOZED, "snoozed_until": UNTIL + DAY}, "snoozed until 2026-12-01"),
        ({"status": GapStatus.SNOOZED, "snoozed_until": UNTIL - DAY}, "back from a snooze"),
        ({"status": GapStatus.DONE, "changed_at": UNTIL}, "answered"),
        ({"status": GapStatus.CLOSED, "changed_at": UNTIL - 9 * DAY}, "asked again since it was"),
        ({"status": GapStatus.DISMISSED}, "no gap"),
    ],
)
def test_a_gap_in_a_list_says_how_it_stands(record: dict[str, object], said: str) -> None:
    [gap] = week(1).gaps
    stood = replace(gap, record=replace(gap.record, **record))  # type: ignore[arg-type]
    assert said in gap_line(stood, now=UNTIL).detail


def test_a_digest_names_its_window() -> None:
    assert digest_of(week(1)).days == 7
    assert digest_of(replace(week(1), until=UNTIL - 6 * DAY)).days == 1
