"""What the bot says to people who do something with an answer, as cards. Pure."""

from collections.abc import Sequence
from datetime import datetime

from bots.card import Button, ButtonKind, Card, Listing, Row, Tone
from bots.limits import Wait
from core.errors import NightlampError, NotAllowed, NotFound, UsageError
from core.exchanges import Exchange, OutcomeKind
from core.models import Platform
from core.reports import IndexProgress

_OUTCOMES = {
    OutcomeKind.ANSWER: "answered",
    OutcomeKind.WEAK: "not sure",
    OutcomeKind.REFUSAL: "no answer",
    OutcomeKind.HELP: "help",
    OutcomeKind.ERROR: "failed",
}
_COUNTED = {
    "reading": "files",
    "cutting": "documents",
    "embedding": "passages",
    "storing": "passages",
}
_ONLY_YOU = {
    "not_in_channel": "I am not in this channel, so only you see this: invite me with /invite.",
    "channel_not_found": "I am not in this channel, so only you see this: invite me with /invite.",
    "is_archived": "This channel is archived, so only you see this.",
    "restricted_action": "Posting is restricted in this channel, so only you see this.",
}


def only_you(refusal: str) -> str:
    """Say why an answer is seen by its asker alone, by what Slack calls the refusal."""
    kind = "restricted_action" if refusal.startswith("restricted_action") else refusal
    return _ONLY_YOU.get(kind, "I could not post in this channel, so only you see this.")


def voted_card() -> Card:
    """Thank for a thumb or a reason."""
    return Card(Tone.INFO, "Noted, thank you.")


def unsaved_thumb_card(link: str) -> Card:
    """Say that a thumb was not saved, with the link to what it stands on."""
    return Card(
        Tone.ERROR,
        "Your thumb was not saved",
        link=link,
        lead="Please take it back and put it up again in a while.",
    )


def gap_card(*, first: bool) -> Card:
    """Say that a gap was logged, or that this person had done so before."""
    if first:
        return Card(Tone.INFO, "Logged as a gap.", lead="It counts in the next digest.")
    return Card(Tone.INFO, "You have logged this gap already.")


def human_asked_card(*, first: bool) -> Card:
    """Say that a human was asked, or that one was asked before."""
    return Card(Tone.INFO, "A human was asked." if first else "A human was asked already.")


def call_card(exchange: Exchange, *, oncall: bool) -> Card:
    """Call a human to an exchange. What was asked in private is not repeated."""
    where = exchange.question.where
    asked = "It was asked in private." if where.private else exchange.question.text
    return Card(
        Tone.INFO,
        "A human is needed",
        lead=asked,
        warning="" if oncall else "Nobody is named as on call in nightlamp.toml.",
        buttons=(Button(ButtonKind.RESOLVE, "Resolved", exchange.id),),
        footer=exchange.id,
    )


def resolved_card(*, first: bool, note: str = "") -> Card:
    """Say that what a human was asked is resolved, or that it was before."""
    if first:
        return Card(Tone.INFO, "Resolved, thank you.", lead=note)
    return Card(Tone.INFO, "This is resolved already.")


def shared_card(*, first: bool) -> Card:
    """Say that an answer was shared, or that it stands in the channel already."""
    return Card(Tone.INFO, "Shared with the channel." if first else "This was shared here already.")


def deleted_card() -> Card:
    """Say that an answer was taken down."""
    return Card(Tone.INFO, "Deleted.")


def muted_card(*, muted: bool, thread: bool) -> Card:
    """Say that the bot keeps quiet in a thread or a channel, or listens again."""
    place = "thread" if thread else "channel's threads"
    if muted:
        return Card(
            Tone.INFO,
            f"I keep quiet in this {place}.",
            lead="Mention me, and I answer all the same.",
        )
    return Card(Tone.INFO, f"I answer follow-ups in this {place} again.")


def limited_card(wait: Wait) -> Card:
    """Say that too much was asked, and for how long to wait."""
    whose = "This channel has" if wait.whole_channel else "You have"
    plural = "" if wait.seconds == 1 else "s"
    return Card(
        Tone.ERROR,
        "Too many questions",
        lead=f"{whose} asked a lot in the last minute. "
        f"Please ask again in {wait.seconds} second{plural}.",
    )


def admins_only_card() -> Card:
    """Say that a command is for admins."""
    return Card(Tone.ERROR, "Only for admins", lead="Admins are named in nightlamp.toml.")


def unmapped_card(platform: Platform, workspace: str) -> Card:
    """Say that nobody's runbooks belong to a guild or workspace."""
    key = "discord_guilds" if platform is Platform.DISCORD else "slack_teams"
    return Card(
        Tone.ERROR,
        "This place has no runbooks yet",
        lead=f"Add {workspace} to the {key} of a tenant in nightlamp.toml.",
    )


def switched_off_card() -> Card:
    """Say that the bot does not answer in a channel."""
    return Card(Tone.ERROR, "I am switched off in this channel")


def reindexing_card() -> Card:
    """Say that the runbooks are being read."""
    return Card(Tone.INFO, "Reading the runbooks again …", lead="I say here when it is done.")


def recent_card(exchanges: Sequence[Exchange]) -> Card:
    """List a person's own last questions, for that person alone."""
    rows = tuple(
        Row(_first_line(one.question.text), _OUTCOMES[one.recorded.kind] if one.recorded else "")
        for one in exchanges
    )
    if not rows:
        return Card(Tone.INFO, "Your last questions", lead="None yet.")
    return Card(Tone.INFO, "Your last questions", listings=(Listing("Newest first", rows),))


def _first_line(text: str, longest: int = 100) -> str:
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def indexing_card(at: IndexProgress | None = None) -> Card:
    """Say how far a run is that reads the runbooks."""
    if at is None:
        return reindexing_card()
    if at.phase == "fetching":  # which one is for the operator to know: it may be another tenant's
        return Card(Tone.INFO, "Reading the runbooks again …", lead="Fetching repositories.")
    lead = f"{at.phase.capitalize()} {_COUNTED.get(at.phase, '')}: {at.done:,} of {at.total:,}."
    return Card(Tone.INFO, "Reading the runbooks again …", lead=lead)


def busy_card(since: datetime, now: datetime) -> Card:
    """Say that a run is going on already, and since when."""
    seconds = max(int((now - since).total_seconds()), 0)
    ago = f"{seconds} s" if seconds < 120 else f"{seconds // 60} minutes"
    return Card(
        Tone.ERROR,
        "The runbooks are being read already",
        lead=f"Since {since:%H:%M} UTC, {ago} ago. Please wait for that to end.",
    )


def refusal(error: NightlampError) -> str:
    """Return what may be said of an error to whoever acted: what they did wrong, else no more.

    What is not there, not allowed or not understood has a sentence that names nothing unseen.
    """
    if isinstance(error, NotFound | NotAllowed | UsageError):
        return str(error)
    return "That did not work. Please try again."


def refused_card(error: NotFound | NotAllowed | UsageError) -> Card:
    """Say why something was not done."""
    return Card(Tone.ERROR, "That was not done", lead=refusal(error))
