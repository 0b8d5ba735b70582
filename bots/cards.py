"""What the bot says to a question and about its answers, as cards. Pure.

What people are shown is a distance, never the confidence.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import assert_never

from bots.card import Button, ButtonKind, Card, Listing, Part, Pick, Row, Tone
from bots.commands import COMMANDS, Who, usage
from bots.destructive import destructive
from bots.reviewed import review
from bots.unknown_names import unknown_card
from core.answering import Answered
from core.errors import IndexUnavailable, JournalUnavailable, NightlampError, NotAllowed, NotFound
from core.exchanges import Exchange, OutcomeKind, ShownHit
from core.models import Platform, Question, Section, Span
from core.outcomes import (
    Answer,
    Evidence,
    Gate,
    Help,
    Hit,
    Refusal,
    Result,
    UnknownName,
    WeakAnswer,
    shown,
)
from core.ports import Linker
from core.service import Reply
from core.settings_groups import CardSettings

OPENS_LATER = "(A long section: it opens here at the part that matched.)"
GOES_ON = "(It goes on: the rest is behind the link.)"
NOT_SURE = "Not sure. The closest I have:"

_LABELS = {
    ButtonKind.UP: "👍",
    ButtonKind.DOWN: "👎",
    ButtonKind.TELL_WHY: "Tell us why",
    ButtonKind.LOG_GAP: "Log this gap",
    ButtonKind.ASK_HUMAN: "Ask a human",
    ButtonKind.SHARE: "Share",
    ButtonKind.DELETE: "Delete",
    ButtonKind.RESOLVE: "Resolved",
}
_OFFERED = {
    OutcomeKind.ANSWER: (ButtonKind.TELL_WHY,),
    OutcomeKind.WEAK: (ButtonKind.TELL_WHY, ButtonKind.LOG_GAP, ButtonKind.ASK_HUMAN),
    OutcomeKind.REFUSAL: (ButtonKind.LOG_GAP, ButtonKind.ASK_HUMAN),
}
_EXAMPLES = (
    ("CrashLoopBackOff", "an alert or a state"),
    ("ERR_CONN_RESET", "an error code, or a line of a log"),
    ("how do I roll back a deploy", "a question"),
    ("disk full service:payments", "a symptom, within one service"),
)
_FAILURES: tuple[tuple[type[NightlampError], str], ...] = (
    (IndexUnavailable, "The runbooks cannot be searched right now. Please ask again in a minute."),
    (JournalUnavailable, "That could not be saved. Please try again."),
    (NotFound, "That is not there any more: the runbooks or the answer have changed since."),
    (NotAllowed, "That is not possible here: it is somebody else's, or not visible in this place."),
)
_WENT_WRONG = "Something went wrong on my side. Please try again."


# --- outcomes -----------------------------------------------------------------------------------


def outcome_card(reply: Reply, *, link: Linker, settings: CardSettings, now: datetime) -> Card:
    """Word an outcome: an answer, a weak answer, a refusal or help."""
    match reply.outcome:
        case Answer(results, evidence):
            shown_one = result_card(results[0], link=link, settings=settings, today=now.date())
            return replace(
                shown_one,
                tone=Tone.ANSWER,
                lead=_notice(evidence.gate),
                picks_heading="Other results",
                picks=_picks(results, link)[1:],
                buttons=_buttons(reply.exchange_id, reply.question, OutcomeKind.ANSWER),
                footer=_footer(reply, results[0].best.distance, evidence),
            )
        case WeakAnswer(results, evidence):
            shown_one = result_card(results[0], link=link, settings=settings, today=now.date())
            return replace(
                shown_one,
                tone=Tone.WEAK,
                lead=_sentences(_notice(evidence.gate), NOT_SURE),
                picks_heading="Other near misses",
                picks=_picks(results, link)[1:],
                buttons=_buttons(reply.exchange_id, reply.question, OutcomeKind.WEAK),
                footer=_footer(reply, results[0].best.distance, evidence),
            )
        case Refusal(nearest, evidence):
            return Card(
                Tone.REFUSAL,
                title="No runbook answers this",
                lead=_sentences(
                    _notice(evidence.gate),
                    "Nothing I have is close enough to be shown as an answer.",
                ),
                picks_heading="The nearest misses",
                picks=_picks(nearest, link),
                buttons=_buttons(reply.exchange_id, reply.question, OutcomeKind.REFUSAL),
                footer=_footer(reply, evidence.distance, evidence),
            )
        case Help():
            return help_card(reply.question.where.platform)
        case UnknownName() as unknown:
            return unknown_card(unknown)
        case _:
            assert_never(reply.outcome)


def result_card(result: Result, *, link: Linker, settings: CardSettings, today: date) -> Card:
    """Show one result: its sections verbatim, where they are from, what to be careful with."""
    section = result.best.section
    reviewed = review(section.metadata.last_reviewed, today, settings.stale_months)
    said = (place(section), section.metadata.service, section.metadata.owner, reviewed.text)
    return Card(
        Tone.INFO,
        title=section.breadcrumb,
        link=link(section),
        meta=tuple(text for text in said if text),
        stale=reviewed.stale,
        parts=tuple(_part(hit, link) for hit in result.hits),
        warning=warning([hit.section.text for hit in result.hits], settings),
    )


def chosen_card(
    exchange: Exchange,
    index: int,
    result: Result,
    *,
    link: Linker,
    settings: CardSettings,
    now: datetime,
) -> Card:
    """Show another result of an exchange in the place of the one before, the rest to pick from."""
    kept = exchange.recorded.results if exchange.recorded else ()
    others = tuple(_pick_again(at, one) for at, one in enumerate(kept) if at != index)
    return replace(
        result_card(result, link=link, settings=settings, today=now.date()),
        lead=f"Result {index + 1} of {len(kept)}, as you picked it.",
        picks_heading="Other results",
        picks=others,
        buttons=_buttons(exchange.id, exchange.question, exchange.recorded.kind)
        if exchange.recorded
        else (),
        footer=f"{exchange.id} · {_distance(result.best.distance)}",
    )


def similar_card(
    answered: Answered, *, link: Linker, settings: CardSettings, now: datetime
) -> Card:
    """Show the past incident that is most like a question, and list the next."""
    results = shown(answered.outcome)
    rows = tuple(_row(result, link) for result in results)
    match answered.outcome:
        case Answer() | WeakAnswer() as outcome:
            weak = isinstance(outcome, WeakAnswer)
            return replace(
                result_card(results[0], link=link, settings=settings, today=now.date()),
                tone=Tone.WEAK if weak else Tone.ANSWER,
                lead=_sentences(
                    _notice(outcome.evidence.gate), NOT_SURE if weak else "This happened before:"
                ),
                listings=_listing("Other incidents", rows[1:]),
            )
        case Refusal(_, evidence):
            return Card(
                Tone.REFUSAL,
                title="No past incident is like this",
                lead=_notice(evidence.gate),
                listings=_listing("The nearest", rows),
            )
        case Help():
            return Card(
                Tone.INFO, "Past incidents", lead="Say what is happening, and I look for the like."
            )
        case UnknownName() as unknown:
            return unknown_card(unknown)
        case _:
            assert_never(answered.outcome)


# --- help and failures --------------------------------------------------------------------------


def help_card(platform: Platform) -> Card:
    """Say what can be asked, and how, on a platform."""
    ask = {command.name: usage(command, platform) for command in COMMANDS}["query"]
    ask = ask.partition(" text")[0].partition(" QUESTION")[0]
    quoted = '{} "{}"' if platform is Platform.TERMINAL else "{} {}"
    examples = tuple(Row(quoted.format(ask, text), about) for text, about in _EXAMPLES)
    commands = tuple(
        Row(usage(command, platform), command.about + _reserved(command.who, platform))
        for command in COMMANDS
        if usage(command, platform)
    )
    return Card(
        Tone.INFO,
        title="Ask me about an alert, an error or a symptom",
        lead="I show the section of your runbooks that answers it, word for word, or say that "
        "there is none.",
        listings=(Listing("For example", examples), Listing("Commands", commands)),
    )


def error_card(error: NightlampError, reference: str) -> Card:
    """Say that something failed, never what the error says: that is in the log by its reference."""
    sentence = next((text for kind, text in _FAILURES if isinstance(error, kind)), _WENT_WRONG)
    return Card(
        Tone.ERROR, title="That did not work", lead=sentence, footer=f"reference {reference}"
    )


def not_saved_card(reference: str) -> Card:
    """Say that a question was not taken, because it could not be written down first."""
    return Card(
        Tone.ERROR,
        title="Not saved",
        lead="Your question could not be saved and was not searched for. Please send it again.",
        footer=f"reference {reference}",
    )


# --- pieces -------------------------------------------------------------------------------------


def place(section: Section) -> str:
    """Return where a section stands: source, path and line of the original file."""
    return f"{section.source}/{section.path}:{section.line_start}"


def _part(hit: Hit, link: Linker) -> Part:
    section, start = hit.section, hit.section.span.start
    matched = Span(
        max(hit.passage.start - start, 0), min(hit.passage.end - start, len(section.text))
    )
    return Part(section.breadcrumb, link(section), place(section), section.text, matched)


def warning(texts: Sequence[str], settings: CardSettings) -> str:
    """Say which destructive commands the texts hold; empty where there are none."""
    found = destructive(texts, settings.destructive)
    return f"Careful, this can destroy or interrupt: {', '.join(found)}" if found else ""


def _notice(gate: Gate) -> str:
    return "" if gate.dense else f"Searched by keywords only: {gate.reason}."


def _sentences(*parts: str) -> str:
    return " ".join(part for part in parts if part)


def _picks(results: Sequence[Result], link: Linker) -> tuple[Pick, ...]:
    return tuple(
        Pick(
            index,
            result.best.section.breadcrumb,
            _distance(result.best.distance),
            place(result.best.section),
            link(result.best.section),
        )
        for index, result in enumerate(results)
    )


def _pick_again(index: int, kept: ShownHit) -> Pick:
    return Pick(index, kept.breadcrumb, _distance(kept.distance), f"{kept.source}/{kept.path}")


def _row(result: Result, link: Linker) -> Row:
    section = result.best.section
    return Row(
        section.breadcrumb, f"{_distance(result.best.distance)} · {place(section)}", link(section)
    )


def _listing(heading: str, rows: tuple[Row, ...]) -> tuple[Listing, ...]:
    return (Listing(heading, rows),) if rows else ()


def _buttons(exchange_id: str, question: Question, kind: OutcomeKind) -> tuple[Button, ...]:
    """Private cards take no reactions, so two buttons stand in; nothing unshown can be shared."""
    kinds = _OFFERED.get(kind, ())
    if question.where.private:
        shared = () if kind is OutcomeKind.REFUSAL else (ButtonKind.SHARE,)
        kinds = (ButtonKind.UP, ButtonKind.DOWN, *kinds, *shared)
    else:
        kinds = (*kinds, ButtonKind.DELETE)
    return tuple(button(one, exchange_id) for one in kinds)


def button(kind: ButtonKind, exchange_id: str) -> Button:
    """Return a button with its label."""
    return Button(kind, _LABELS[kind], exchange_id)


def _footer(reply: Reply, distance: float | None, evidence: Evidence) -> str:
    return f"{reply.exchange_id} · {_distance(distance)} · {evidence.timing.total:.0f} ms"


def _distance(distance: float | None) -> str:
    return "by keywords" if distance is None else f"distance {distance:.2f}"


def _reserved(who: Who, platform: Platform) -> str:
    return " (admins)" if who is Who.ADMIN and platform is not Platform.TERMINAL else ""
