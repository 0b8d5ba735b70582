"""On whose answer somebody on Slack acts, and from where."""

from dataclasses import dataclass

from bots.app import App
from bots.slack_bot.events import Filled, Pressed, person
from bots.slack_bot.workspaces import Workspaces
from bots.touching import check_touchable


@dataclass(frozen=True, slots=True)
class Touched:
    """An exchange on which somebody acts; `called` where they answer a call to humans."""

    exchange_id: str
    user: str
    team: str
    channel: str
    called: bool = False

    async def check(self, app: App, workspaces: Workspaces) -> None:
        """Check that they may.

        Raises:
            NotFound: it was asked elsewhere, or by somebody else in private.
            JournalUnavailable: it cannot be read.
        """
        tenant = workspaces.tenant(self.team)
        await check_touchable(
            app.journal,
            self.exchange_id,
            person(self.user),
            tenant.name if tenant else None,
            self.channel,
            called=self.called,
        )


def by_press(pressed: Pressed, exchange_id: str = "") -> Touched:
    """Return what a button touches; a choice carries more than the exchange's id."""
    return Touched(exchange_id or pressed.value, pressed.user, pressed.team, pressed.channel)


def by_form(filled: Filled, *, called: bool) -> Touched:
    """Return what a form touches, by what it was opened with."""
    exchange_id, channel, *_ = filled.about.split("|")
    return Touched(exchange_id, filled.user, filled.team, channel, called)
