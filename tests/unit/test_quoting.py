"""Words asked in private or in a narrower place appear nowhere wider."""

from dataclasses import replace

import pytest

from bots.digest_cards import digest_card, gaps_card
from bots.terminal import Look, card_text
from feedback.digest import digest_of
from feedback.drafts import draft, draft_name
from feedback.gap_csv import gaps_csv
from feedback.golden import golden
from feedback.models import Evidence, GapStatus, SectionRef
from feedback.quoting import quotable, visible
from tests.gap_world import (
    PAGE,
    SECTION,
    asked,
    document,
    hit,
    person,
    reported,
    section_ref,
    votes,
)

EVERYONE, TEAM = ("everyone",), ("everyone", "payments-team")


@pytest.mark.parametrize(
    ("place", "reader", "allowed"),
    [
        (EVERYONE, EVERYONE, True),
        (EVERYONE, TEAM, True),
        (EVERYONE, ("payments-team",), True),
        (TEAM, EVERYONE, False),
        (TEAM, TEAM, True),
        (("payments-team",), EVERYONE, False),
        (("payments-team",), TEAM, True),
        (("payments-team", "board"), TEAM, False),
        (TEAM, ("everyone", "board"), False),
        (TEAM, (), False),
        ((), EVERYONE, False),
        ((), (), False),
    ],
)
def test_words_are_for_those_who_see_as_much_as_their_place(
    place: tuple[str, ...], reader: tuple[str, ...], allowed: bool
) -> None:
    assert quotable(asked("x1", place=place), reader) is allowed


def test_private_words_are_for_nobody() -> None:
    assert not quotable(asked("x1", private=True), EVERYONE)
    assert not quotable(asked("x1", private=True, place=TEAM), TEAM)


def test_a_document_is_seen_by_who_shares_a_label() -> None:
    assert visible(("payments-team",), TEAM)
    assert not visible(("payments-team",), EVERYONE)
    assert not visible(EVERYONE, ())


WORD = "heliotrope"


def said_everywhere(*exchanges: object, visibility: tuple[str, ...] = EVERYONE) -> str:
    """Return all that is made of a window for its readers, as one text."""
    evidence = Evidence(
        exchanges,  # type: ignore[arg-type]
        votes=votes(x1="u"),
        notes={"x1": f"ask {WORD}", "x2": f"ask {WORD}"},
    )
    report = reported(evidence, visibility=visibility, documents=[document()])
    drafts = [
        draft(gap, evidence.exchanges, evidence.notes, "# T\n", visibility=visibility, link=link_to)
        + draft_name(gap)
        for gap in report.gaps
    ]
    closed = [
        replace(gap.record, status=GapStatus.CLOSED, section=section_ref(SECTION.id))
        for gap in report.gaps
    ]
    exported = golden(evidence, closed, {SECTION.id: SECTION}, {"d1": PAGE}, visibility=visibility)
    cards = (digest_card(digest_of(report)), gaps_card(report))
    return "\n".join(
        [*drafts, str(exported), gaps_csv(report.gaps), *(card_text(c, Look()) for c in cards)]
    )


def link_to(section: SectionRef) -> str:
    return f"https://example.com/{section.path}"


def test_private_words_are_in_no_text_made_of_a_window() -> None:
    said = said_everywhere(
        asked("x1", f"where is the {WORD}", private=True, results=[hit()]),
        asked("x2", f"the {WORD} is gone", private=True, by="U2"),
    )
    assert WORD not in said


def test_words_of_a_narrower_place_are_in_no_text_for_wider_readers() -> None:
    exchanges = (
        asked("x1", f"where is the {WORD}", place=TEAM),
        asked("x2", f"the {WORD} is gone", place=TEAM, by="U2"),
    )
    assert WORD not in said_everywhere(*exchanges)
    assert WORD in said_everywhere(*exchanges, visibility=TEAM)


def test_a_gap_asked_in_private_too_is_worded_as_in_public() -> None:
    evidence = Evidence(
        (
            asked("x1", f"{WORD} unseal vault", private=True, by="U1"),
            asked("x2", f"{WORD} unseal vault", private=True, by="U2", angle=1),
            asked("x3", "vault is sealed", by="U3", angle=2),
        )
    )
    (gap,) = reported(evidence).gaps
    assert (gap.count, gap.askers, gap.sample) == (3, 3, "vault is sealed")
    assert gap.suggested_path == "vault-sealed.md"


def test_what_private_questions_came_near_to_is_not_told() -> None:
    evidence = Evidence((asked("x1", private=True, results=[hit("layoffs", distance=0.2)]),))
    (gap,) = reported(evidence).gaps
    assert (gap.sample, gap.nearest, gap.suggested_path, gap.suggested_owner) == ("", None, "", "")


def test_a_section_that_readers_may_not_see_is_neither_nearest_nor_listed() -> None:
    secret = hit("s9", path="secret.md", distance=0.1, visibility=("board",))
    evidence = Evidence(
        (
            asked("x1", results=[secret, hit("s2", distance=0.5)]),
            asked("x2", "other", kind="answer", results=[secret], angle=90),  # type: ignore[arg-type]
        ),
        votes=votes(x2="d"),
    )
    report = reported(evidence, documents=[document("secret.md", visibility=("board",))])
    assert "secret" not in str((report.useful, report.voted_down, report.never_found))
    assert {gap.nearest.section_id for gap in report.gaps if gap.nearest} == {"s2"}


def test_a_section_that_answers_a_gap_is_told_to_those_who_see_it() -> None:
    evidence = Evidence((asked("x1"),))
    (gap,) = reported(evidence).gaps
    record = replace(
        gap.record,
        status=GapStatus.DONE,
        section=section_ref("s9", ("board",)),
        changed_at=gap.last_asked,
        changed_by=person("U9"),
    )
    assert reported(evidence, record).closed[0].record.section is None
    seen = reported(evidence, record, visibility=("everyone", "board"))
    assert seen.closed[0].record.section == record.section
