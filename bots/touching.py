"""Whose answer it is: what is pressed, picked or filled in counts only where the answer belongs.

A press carries an exchange's id, and an id is no secret: it stands below calls and errors, and what
comes back from somebody's client may carry another than what was sent there.
"""

from core.errors import NotFound
from core.exchanges import Exchange, Person
from core.journal_port import Journal


async def check_touchable(
    journal: Journal,
    exchange_id: str,
    person: Person,
    tenant: str | None,
    channel: str,
    *,
    called: bool = False,
) -> None:
    """Check that a person may do something with an exchange from where they are.

    `tenant` is None where nothing tells whose the place is, as in a direct message on Discord;
    `called` is for a call to humans, which all may answer. An exchange that is not known passes:
    there is nothing to be done with it.

    Raises:
        NotFound: it was asked elsewhere, or by somebody else in private.
        JournalUnavailable: it cannot be read.
    """
    exchange = await journal.exchange(exchange_id)
    if exchange and not touchable(exchange, person, tenant, channel, called=called):
        raise NotFound("This answer is not known any more.")


def touchable(
    exchange: Exchange, person: Person, tenant: str | None, channel: str, *, called: bool = False
) -> bool:
    """Return whether a person may do something with an exchange from where they are.

    That is where it was asked, unless in private; and anywhere in its tenant what is one's own, as
    an answer goes to its asker where its channel takes none.
    """
    question = exchange.question
    own = person == Person(question.where.platform, question.asked_by)
    if own and tenant in {None, question.tenant}:
        return True
    there = question.where.platform is person.platform and channel == question.where.channel_id
    return there and (called or not question.where.private)
