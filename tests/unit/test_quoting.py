"""Words asked in private or in a narrower place appear nowhere wider."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from bots.digest_cards import digest_card, gaps_card
from bots.terminal import Look, card_text
from core.exchanges import OutcomeKind
from core.points import IndexedDocument
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


def said_everywhere(
    *exchanges: object, visibility: tuple[str, ...] = EVERYONE, note: str = f"ask {WORD}"
) -> str:
    """Return all that is made of a window for its readers, as one text."""
    evidence = Evidence(
        exchanges,  # type: ignore[arg-type]
        votes=votes(x1="u"),
        notes={"x1": note, "x2": note},
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


def test_a_secret_that_somebody_typed_is_in_no_text_made_of_a_window() -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    said = said_everywhere(
        asked("x1", f"unseal vault with {token}", results=[hit(SECTION.id)]),
        asked("x2", f"vault refuses {token}", by="U2", angle=1),
        asked("x3", "how do I unseal it", by="U3", angle=2),
        asked("x4", f"and {token}?", kind=OutcomeKind.ANSWER, results=[hit(SECTION.id)]),
        note=f"log in with {token}",
    )
    assert "unseal vault with" in said
    assert "log in with" in said
    assert token not in said
    assert token.casefold() not in said.casefold()


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
    documents = [document(), document("secret.md", visibility=("board",))]
    report = reported(evidence, documents=documents)
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
    board = [document(visibility=("board",))]
    seen = reported(evidence, record, visibility=("everyone", "board"), documents=board)
    assert seen.closed[0].record.section == record.section


@pytest.mark.parametrize(
    "now", [[document("secret.md", visibility=("board",))], []], ids=["narrower", "withheld"]
)
def test_a_page_that_readers_may_no_longer_see_is_named_nowhere(now: list[IndexedDocument]) -> None:
    open_then = hit("s9", path="secret.md", distance=0.1)
    evidence = Evidence(
        (
            asked("x1", results=[open_then, hit("s2", distance=0.5)]),
            asked("x2", "other", kind=OutcomeKind.ANSWER, results=[open_then], angle=90),
        ),
        votes=votes(x2="d"),
    )
    documents = [document(), *now]
    (gap,) = reported(Evidence(evidence.exchanges[:1]), documents=documents).gaps
    ref = replace(section_ref("s9"), path="secret.md", document_id="d-secret.md")
    closed = replace(gap.record, status=GapStatus.DONE, section=ref, changed_at=gap.last_asked)
    report = reported(evidence, closed, documents=documents)
    stub = draft(
        gap, evidence.exchanges, {}, "# T\n", visibility=EVERYONE, link=linked_now(documents)
    )
    cards = (digest_card(digest_of(report)), gaps_card(report))
    said = [str(report.gaps), stub, *(card_text(one, Look()) for one in cards)]
    assert "secret" not in "\n".join(said)
    assert gap.nearest is not None
    assert gap.nearest.section_id == "s2"


def linked_now(documents: list[IndexedDocument]) -> Callable[[SectionRef], str | None]:
    seen = {one.id for one in documents if visible(one.metadata.visibility, EVERYONE)}
    return lambda section: link_to(section) if section.document_id in seen else None
