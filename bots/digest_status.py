"""How the digests stand, for `status` and `doctor`: what was posted, and what to do otherwise."""

import asyncio
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from bots.digesting import ADMINS, ELSEWHERE, FAILED, NOBODY, POSTED, UNSURE, lines
from core.errors import JournalUnavailable
from core.settings import Settings
from feedback.gap_journal import GapJournal
from feedback.journal import open_journal


@dataclass(frozen=True, slots=True)
class DigestState:
    """One digest: its channel, when it was last begun (ISO, UTC; empty for never), what came of it.

    The outcome of one that was begun is empty while it is being posted, and for good where the bot
    ended in the midst of it.
    """

    tenant: str
    channel: str
    period: str
    outcome: str

    @property
    def sound(self) -> bool:
        """Return whether nobody needs to do anything about it."""
        return not self.period or self.outcome.startswith(POSTED)


async def digest_states(settings: Settings, journal: GapJournal) -> tuple[DigestState, ...]:
    """Return how each digest of the settings stands."""
    states = []
    for line in lines(settings):
        last = await journal.last_digest(line.tenant.name, line.name)
        period, outcome = last or ("", "")
        states.append(DigestState(line.tenant.name, line.channel, period, outcome))
    return tuple(states)


async def digest_states_at(settings: Settings, path: Path) -> tuple[DigestState, ...]:
    """Return the same from the journal at this path, beside whoever has it open.

    Nothing where there is no journal, or none that can be read: that is said elsewhere.
    """
    if not (any(lines(settings)) and await asyncio.to_thread(path.exists)):
        return ()
    try:
        async with open_journal(path) as journal:
            return await digest_states(settings, journal)
    except JournalUnavailable:
        return ()


def without_tokens(settings: Settings) -> list[str]:
    """Return the digests' channels on platforms that have no token, and so cannot be reached."""
    tokens = {"discord": settings.discord.token, "slack": settings.slack.bot_token}
    channels = dict.fromkeys(line.channel for line in lines(settings))
    return [one for one in channels if not tokens[one.partition(":")[0]]]


def said(state: DigestState) -> str:
    """Say how a digest stands and, if need be, what to do about it."""
    if not state.period:
        return "none was due yet"
    when = f"{datetime.fromisoformat(state.period):%Y-%m-%d %H:%M} UTC"
    if state.outcome.startswith(POSTED):
        return f"the one of {when} was posted"
    return f"the one of {when} {_WENT.get(state.outcome, state.outcome)}".format(state.channel)


_INVITE = "see that the bot is in {} and may write there"
_POST = "if it is not in {}, run nightlamp digest --post"
_WENT = {
    "": f"was begun, and the bot may have ended before it was posted: {_POST}",
    UNSURE: f"was being posted when the platform failed: {_POST}",
    FAILED: f"could not be posted and is tried again: {_INVITE}",
    ELSEWHERE: f"went to another channel: {_INVITE}",
    ADMINS: f"went to the admins: {_INVITE}",
    NOBODY: f"reached nobody: {_INVITE}, then run nightlamp digest --post",
}
