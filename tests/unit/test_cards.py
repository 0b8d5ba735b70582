"""What the bot says: each outcome worded apart, text of runbooks verbatim."""

from datetime import UTC, date, datetime

import pytest

from bots.card import Button, ButtonKind, Card, Listing, Part, Pick, Row, Tone
from bots.cards import (
    chosen_card,
    error_card,
    help_card,
    not_saved_card,
    outcome_card,
    result_card,
    similar_card,
)
from bots.destructive import destructive
from bots.report_cards import index_card, runbooks_card, shortened
from bots.reviewed import Review, review
from core.answering import Answered
from core.errors import (
    EmbedderUnavailable,
    IndexUnavailable,
    JournalUnavailable,
    NightlampError,
    NotAllowed,
    NotFound,
)
from core.exchanges import Exchange, OutcomeKind, Recorded, ShownHit
from core.models import Metadata, Platform, Question, Section, Span, Where
from core.outcomes import (
    Answer,
    Cutoffs,
    Evidence,
    Gate,
    Help,
    Hit,
    Outcome,
    Ranks,
    Refusal,
    Result,
    Timing,
    WeakAnswer,
)
from core.points import IndexedDocument
from core.reports import FailedFile, IndexReport, RankMove, RedactedFile
from core.service import Reply
from core.settings_groups import DESTRUCTIVE, CardSettings

NOW = datetime(2026, 11, 30, 2, 0, tzinfo=UTC)
TEXT = "## Roll back\n\nRun `kubectl delete pod x`, then:\n\n```sh\nkubectl drain n1 --force\n```\n"
PAGE = Metadata("Payments", "payments", "runbook", "payments-team", last_reviewed="2025-09-14")
EVIDENCE = Evidence(0.87, Cutoffs(0.3, 0.6), 0.25, timing=Timing(5.0, 20.0, 25.4))
BY_KEYWORDS = Evidence(
    0.5,
    Cutoffs(0.4, 0.8),
    None,
    gate=Gate(dense=False, reason="the embedding model failed"),
    timing=Timing(total=3.0),
)


def section(name: str, text: str = "text", metadata: Metadata = PAGE) -> Section:
    return Section(
        id=name,
        document_id="d1",
        document_hash="h1",
        tenant="default",
        source="runbooks",
        path="pay.md",
        metadata=metadata,
        headings=("Payments", name),
        anchor=name.lower(),
        span=Span(100, 100 + len(text)),
        line_start=12,
        line_end=20,
        text=text,
    )


def hit(name: str, distance: float | None, text: str = "text", passage: Span | None = None) -> Hit:
    found = section(name, text)
    return Hit(found, distance, 0.4, 0.5, Ranks(), passage or found.span)


FIRST = Result((hit("Roll back", 0.314, TEXT, Span(90, 130)), hit("Pause", 0.4, "wait")))
OTHER = Result((hit("Refunds", 0.452),))
BY_WORDS = Result((hit("Ledger", None),))


def link(found: Section) -> str:
    return f"https://example.com/{found.path}#{found.anchor}"


def card_of(outcome: Outcome, *, private: bool = False) -> Card:
    where = Where(Platform.DISCORD, "c1", private=private)
    question = Question("q", "default", "u1", NOW, where)
    return outcome_card(
        Reply("a1b2", question, outcome), link=link, settings=CardSettings(), now=NOW
    )


def kinds(card: Card) -> list[ButtonKind]:
    return [button.kind for button in card.buttons]


REFUNDS = Pick(
    1,
    "Payments › Refunds",
    "distance 0.45",
    "runbooks/pay.md:12",
    "https://example.com/pay.md#refunds",
)


def test_an_answer_shows_the_section_verbatim_with_where_it_is_from() -> None:
    assert card_of(Answer((FIRST, OTHER), EVIDENCE)) == Card(
        tone=Tone.ANSWER,
        title="Payments › Roll back",
        link="https://example.com/pay.md#roll back",
        meta=(
            "runbooks/pay.md:12",
            "payments",
            "payments-team",
            "last reviewed 14 months ago, possibly stale",
        ),
        stale=True,
        parts=(
            Part(
                "Payments › Roll back",
                "https://example.com/pay.md#roll back",
                "runbooks/pay.md:12",
                TEXT,
                Span(0, 30),
            ),
            Part(
                "Payments › Pause",
                "https://example.com/pay.md#pause",
                "runbooks/pay.md:12",
                "wait",
                Span(0, 4),
            ),
        ),
        warning="Careful, this can destroy or interrupt: delete, drain, --force",
        picks_heading="Other results",
        picks=(REFUNDS,),
        buttons=(
            Button(ButtonKind.TELL_WHY, "Tell us why", "a1b2"),
            Button(ButtonKind.DELETE, "Delete", "a1b2"),
        ),
        footer="a1b2 · distance 0.31 · 25 ms",
    )


def test_a_weak_answer_says_that_it_is_not_sure() -> None:
    card = card_of(WeakAnswer((FIRST, OTHER), EVIDENCE))
    assert (card.tone, card.lead) == (Tone.WEAK, "Not sure. The closest I have:")
    assert kinds(card) == [
        ButtonKind.TELL_WHY,
        ButtonKind.LOG_GAP,
        ButtonKind.ASK_HUMAN,
        ButtonKind.DELETE,
    ]


def test_a_refusal_shows_nothing_as_an_answer_but_the_nearest_misses() -> None:
    assert card_of(Refusal((OTHER,), EVIDENCE)) == Card(
        tone=Tone.REFUSAL,
        title="No runbook answers this",
        lead="Nothing I have is close enough to be shown as an answer.",
        picks_heading="The nearest misses",
        picks=(
            Pick(
                0,
                "Payments › Refunds",
                "distance 0.45",
                "runbooks/pay.md:12",
                "https://example.com/pay.md#refunds",
            ),
        ),
        buttons=(
            Button(ButtonKind.LOG_GAP, "Log this gap", "a1b2"),
            Button(ButtonKind.ASK_HUMAN, "Ask a human", "a1b2"),
            Button(ButtonKind.DELETE, "Delete", "a1b2"),
        ),
        footer="a1b2 · distance 0.25 · 25 ms",
    )


def test_a_search_by_keywords_says_so_and_why() -> None:
    card = card_of(WeakAnswer((BY_WORDS,), BY_KEYWORDS))
    assert card.lead == (
        "Searched by keywords only: the embedding model failed. Not sure. The closest I have:"
    )
    assert card.footer == "a1b2 · by keywords · 3 ms"


def test_the_confidence_is_never_shown() -> None:
    for outcome in (Answer((FIRST,), EVIDENCE), Refusal((FIRST,), EVIDENCE)):
        assert "0.87" not in repr(card_of(outcome))
        assert "87" not in repr(card_of(outcome))


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        (
            Answer((FIRST,), EVIDENCE),
            [ButtonKind.UP, ButtonKind.DOWN, ButtonKind.TELL_WHY, ButtonKind.SHARE],
        ),
        (
            Refusal((FIRST,), EVIDENCE),
            [ButtonKind.UP, ButtonKind.DOWN, ButtonKind.LOG_GAP, ButtonKind.ASK_HUMAN],
        ),
    ],
)
def test_a_private_card_has_thumbs_as_buttons(outcome: Outcome, expected: list[ButtonKind]) -> None:
    assert kinds(card_of(outcome, private=True)) == expected


def test_a_greeting_gets_help() -> None:
    assert card_of(Help()) == help_card(Platform.DISCORD)


def test_help_says_how_to_ask_on_the_platform() -> None:
    examples, commands = help_card(Platform.SLACK).listings
    assert examples.rows[0] == Row("/query CrashLoopBackOff", "an alert or a state")
    assert commands.rows[-1] == Row("/nightlamp reindex [full]", "read the runbooks again (admins)")


def test_help_in_the_terminal_has_only_what_can_be_typed_there() -> None:
    examples, commands = help_card(Platform.TERMINAL).listings
    assert examples.rows[0].label == 'nightlamp ask "CrashLoopBackOff"'
    assert [row.label for row in commands.rows] == [
        "nightlamp ask QUESTION",
        "nightlamp gaps",
        "nightlamp forget PLATFORM USER",
        "nightlamp status",
        "nightlamp --help",
        "nightlamp index",
    ]


def test_a_chosen_result_stands_in_with_the_others_to_pick_from() -> None:
    kept = tuple(
        ShownHit(
            (name,), "d1", "runbooks", "pay.md", f"Payments › {name}", 0.4, 0.2, Span(0, 1), ()
        )
        for name in ("Roll back", "Refunds")
    )
    recorded = Recorded(OutcomeKind.ANSWER, 0.9, 0.3, kept, dense=True, ms=1.0)
    question = Question("q", "default", "u1", NOW, Where(Platform.DISCORD, "c1"))
    card = chosen_card(
        Exchange("a1b2", question, recorded),
        1,
        OTHER,
        link=link,
        settings=CardSettings(),
        now=NOW,
    )
    assert (card.tone, card.title, card.lead, card.picks, card.footer) == (
        Tone.INFO,
        "Payments › Refunds",
        "Result 2 of 2, as you picked it.",
        (Pick(0, "Payments › Roll back", "distance 0.40", "runbooks/pay.md"),),
        "a1b2 · distance 0.45",
    )
    assert kinds(card) == [ButtonKind.TELL_WHY, ButtonKind.DELETE]


def test_similar_incidents_show_the_first_and_list_the_next() -> None:
    answered = Answered(Answer((FIRST, OTHER), EVIDENCE))
    card = similar_card(answered, link=link, settings=CardSettings(), now=NOW)
    assert (card.tone, card.lead, card.parts[0].text) == (
        Tone.ANSWER,
        "This happened before:",
        TEXT,
    )
    assert card.listings == (
        Listing(
            "Other incidents",
            (
                Row(
                    "Payments › Refunds",
                    "distance 0.45 · runbooks/pay.md:12",
                    "https://example.com/pay.md#refunds",
                ),
            ),
        ),
    )


def test_no_similar_incident_is_said_plainly() -> None:
    answered = Answered(Refusal((), EVIDENCE))
    assert similar_card(answered, link=link, settings=CardSettings(), now=NOW) == Card(
        Tone.REFUSAL, "No past incident is like this"
    )


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (
            IndexUnavailable("secret path"),
            "The runbooks cannot be searched right now. Please ask again in a minute.",
        ),
        (JournalUnavailable("secret path"), "That could not be saved. Please try again."),
        (
            NotFound("secret path"),
            "That is not there any more: the runbooks or the answer have changed since.",
        ),
        (
            NotAllowed("secret path"),
            "That is not possible here: it is somebody else's, or not visible in this place.",
        ),
        (
            EmbedderUnavailable("secret path"),
            "Something went wrong on my side. Please try again.",
        ),
    ],
)
def test_an_error_gets_a_fixed_sentence_and_its_reference(
    error: NightlampError, sentence: str
) -> None:
    assert error_card(error, "r77") == Card(
        Tone.ERROR, "That did not work", lead=sentence, footer="reference r77"
    )


def test_what_was_not_saved_was_not_asked() -> None:
    assert not_saved_card("r77") == Card(
        Tone.ERROR,
        "Not saved",
        lead="Your question could not be saved and was not searched for. Please send it again.",
        footer="reference r77",
    )


# --- what is pointed out ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("last_reviewed", "expected"),
    [
        ("", Review()),
        ("2026-11-30", Review("last reviewed today")),
        ("2026-11-29", Review("last reviewed 1 day ago")),
        ("2026-11-01", Review("last reviewed 4 weeks ago")),
        ("2025-12-01", Review("last reviewed 11 months ago")),
        ("2025-11-30", Review("last reviewed 12 months ago, possibly stale", stale=True)),
        ("2024-11-30", Review("last reviewed 2 years ago, possibly stale", stale=True)),
        ("2027-01-01", Review("last reviewed 2027-01-01")),
        ("last spring", Review("last reviewed last spring")),
    ],
)
def test_a_review_is_told_by_its_age(last_reviewed: str, expected: Review) -> None:
    assert review(last_reviewed, date(2026, 11, 30), 12) == expected


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("run `kubectl delete pod x`", ("delete",)),
        ("```sql\nDROP TABLE x;\n```", ("drop",)),
        ("- step\n\n  ~~~\n  terraform destroy\n  ~~~", ("destroy",)),
        ("    kubectl drain n1\n", ("drain",)),
        ("git push --force", ("--force",)),
        ("`git push --force-with-lease`", ()),
        ("`rm  -rf /tmp/x`", ("rm -rf",)),
        ("`rm -r x; kill -9 1`", ("kill -9", "rm -r")),
        ("expect a drop in traffic, then reset the alarm", ()),
        ("`dropped_total` and `undelete`", ()),
        ("```drop\nls\n```", ()),
    ],
)
def test_destructive_commands_are_found_as_whole_words(text: str, found: tuple[str, ...]) -> None:
    assert destructive([text], DESTRUCTIVE) == found


def test_what_counts_as_destructive_is_a_setting() -> None:
    settings = CardSettings(destructive=("flushall",))
    result = Result((hit("Cache", 0.3, "```\nredis-cli FLUSHALL\nrm -rf x\n```"),))
    card = result_card(result, link=link, settings=settings, today=NOW.date())
    assert card.warning == "Careful, this can destroy or interrupt: flushall"


# --- the runbooks as a whole --------------------------------------------------------------------


def document(title: str, service: str) -> IndexedDocument:
    path = f"{title.lower()}.md"
    return IndexedDocument(path, "default", "runbooks", path, "h", Metadata(title, service), (), 3)


def test_runbooks_are_listed_under_their_services() -> None:
    card = runbooks_card([document("Alone", ""), document("Refunds", "pay"), document("X", "pay")])
    assert (card.title, card.listings) == (
        "3 documents",
        (
            Listing("Without a service", (Row("Alone", "runbooks/alone.md"),)),
            Listing("pay", (Row("Refunds", "runbooks/refunds.md"), Row("X", "runbooks/x.md"))),
        ),
    )


def test_a_long_list_says_how_much_it_leaves_out() -> None:
    card = runbooks_card([document(f"Page {n}", "pay") for n in range(5)], longest=2)
    assert (len(card.listings[0].rows), card.listings[0].more) == (2, 3)


def test_an_indexing_run_tells_each_failed_file_with_line_and_reason() -> None:
    report = IndexReport(
        added=("r/a.md",),
        unchanged=("r/b.md", "r/c.md"),
        failed=(FailedFile("r/bad.md", "not UTF-8", 7), FailedFile("r/gone.md", "vanished")),
        warned=(FailedFile("r/c.md", "its frontmatter does not parse", 2),),
        redacted=(RedactedFile("r/a.md", 3, "GitHub token"),),
        skipped={".png": 2},
        sections=9,
        passages=1200,
        build="b1",
        seconds=1.25,
    )
    assert index_card(report) == Card(
        Tone.ERROR,
        title="The index is up to date, but 2 files failed",
        lead="1 added, 0 changed, 0 removed, 2 unchanged, 2 failed.",
        listings=(
            Listing("Failed", (Row("r/bad.md:7", "not UTF-8"), Row("r/gone.md", "vanished"))),
            Listing("Indexed, with a remark", (Row("r/c.md:2", "its frontmatter does not parse"),)),
            Listing("Secrets replaced in the index", (Row("r/a.md:3", "GitHub token"),)),
            Listing("Added", (Row("r/a.md"),)),
            Listing("Other files, not read", (Row(".png", "2"),)),
        ),
        footer="9 sections · 1,200 passages · build b1 · 1.2 s",
    )


@pytest.mark.parametrize(
    ("report", "title"),
    [
        (IndexReport(unchanged=("a",)), "Nothing has changed"),
        (IndexReport(removed=("a",)), "The index is up to date"),
        (IndexReport(removed=("a",), dry_run=True), "This would change"),
        (IndexReport(unchanged=("a",), dry_run=True), "Nothing would change"),
        (
            IndexReport(),
            "The sources hold no Markdown files: correct path, include or --corpus",
        ),
    ],
)
def test_a_run_says_whether_anything_changed(report: IndexReport, title: str) -> None:
    assert index_card(report).title == title


AWAY = "The repository cannot be fetched."
KEPT = "The repository cannot be fetched, so its last state is used."


def test_sources_are_told_apart_from_files_and_only_once() -> None:
    report = IndexReport(
        unchanged=("kept/a.md",),
        failed=(FailedFile("away", AWAY), FailedFile("kept/b.md", "not UTF-8", 7)),
        warned=(FailedFile("kept", KEPT), FailedFile("kept", "No file is chosen by *.mdx.")),
        lagging={"away": AWAY, "kept": KEPT},
    )
    card = index_card(report)
    assert (card.tone, card.title, card.lead) == (
        Tone.ERROR,
        "Nothing has changed, but 2 sources cannot be read anew and 1 file failed",
        "0 added, 0 changed, 0 removed, 1 unchanged, 1 failed.",
    )
    assert card.listings == (
        Listing("Sources that cannot be read anew", (Row("away", AWAY), Row("kept", KEPT))),
        Listing("Failed", (Row("kept/b.md:7", "not UTF-8"),)),
        Listing("Indexed, with a remark", (Row("kept", "No file is chosen by *.mdx."),)),
    )


def test_a_source_on_its_last_state_is_told_in_the_headline() -> None:
    report = IndexReport(
        changed=("a/b.md",), warned=(FailedFile("kept", KEPT),), lagging={"kept": KEPT}
    )
    assert index_card(report).title == "The index is up to date, but 1 source cannot be read anew"


def test_a_dry_run_says_that_a_real_one_would_be_refused() -> None:
    card = index_card(IndexReport(removed=("a",), dry_run=True, refused="Much is gone: force it."))
    assert (card.title, card.warning) == (
        "This would change",
        "Without --dry-run this is refused: Much is gone: force it.",
    )


def test_a_report_says_which_known_questions_moved() -> None:
    moved = (RankMove("disk full", "acme/disk.md", 1, None), RankMove("lag", "acme/lag.md", 3, 2))
    listing = index_card(IndexReport(changed=("a",), moved=moved)).listings[-1]
    assert (listing.heading, listing.rows) == (
        "Known questions whose answers moved",
        (Row("disk full", "rank 1 → none"), Row("lag", "rank 3 → 2")),
    )


def test_a_list_is_shortened_for_a_screen_and_says_by_how_much() -> None:
    rows = tuple(Row(str(number)) for number in range(25))
    card = Card(
        Tone.INFO, title="x", listings=(Listing("Long", rows, 2), Listing("Short", rows[:3]))
    )
    assert shortened(card, 20).listings == (
        Listing("Long", rows[:20], 7),
        Listing("Short", rows[:3]),
    )
