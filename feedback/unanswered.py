"""Which exchanges the runbooks left unanswered, and which of them are the same asking. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta

from core.exchanges import Exchange, OutcomeKind, Person
from core.greetings import asks_for_help
from core.models import Vote
from feedback.models import Evidence

AGAIN = timedelta(minutes=10)
"""Within this time the same words of one person are the same asking: impatience, or a retry."""
SHARED = "share "
"""What the event ids of copies begin with that were shared for all to see."""
_SHORTEST = 3
"""Letters and digits: less is a slip of the hand."""


def unanswered(evidence: Evidence) -> tuple[Exchange, ...]:
    """Return what was refused, answered weakly or wrongly, or logged by hand; oldest first.

    A weak answer that was thumbed up was an answer. Found by keywords only, nothing is known of
    what the runbooks lack. What nobody asked (askers being told) and what asks nothing is left out.
    """
    logged = {one.exchange_id for one in evidence.logged}
    return tuple(
        exchange
        for exchange in evidence.exchanges
        if counts(exchange)
        and (exchange.id in logged or _failed(exchange, evidence))
        and not _says_nothing(exchange.question.text)
    )


def counts(exchange: Exchange) -> bool:
    """Return whether somebody asked it, and dense search had its say."""
    return exchange.recorded is not None and exchange.recorded.dense and not exchange.told


def net(evidence: Evidence, exchange_id: str) -> int:
    """Return the thumbs up less the thumbs down that stand on an exchange."""
    votes = evidence.votes.get(exchange_id)
    return sum(1 if vote is Vote.UP else -1 for vote in votes.values()) if votes else 0


def askings(members: Sequence[Exchange], by_id: Mapping[str, Exchange]) -> list[Exchange]:
    """Return one exchange for each time that it was asked, of those that mean the same.

    A follow-up of one of them, a copy that was shared, and the same words of one person within
    minutes are the same asking. `by_id` has the exchanges that may be followed.
    """
    found: list[Exchange] = []
    ids = {one.id for one in members}
    said: dict[tuple[Person, str], Exchange] = {}
    for exchange in sorted(members, key=lambda one: (one.question.asked_at, one.id)):
        key = (asker(exchange), folded(exchange.question.text))
        before = said.get(key)
        said[key] = exchange
        if not (before and _same_asking(before, exchange)) and not _follows(exchange, ids, by_id):
            found.append(exchange)
    return found


def asker(exchange: Exchange) -> Person:
    """Return who asked."""
    return Person(exchange.question.where.platform, exchange.question.asked_by)


def askers(exchanges: Iterable[Exchange]) -> set[Person]:
    """Return who asked any of them."""
    return {asker(one) for one in exchanges}


def folded(text: str) -> str:
    """Return a text by which the same words are recognised."""
    return " ".join(text.casefold().split())


def _failed(exchange: Exchange, evidence: Evidence) -> bool:
    kind = exchange.recorded.kind if exchange.recorded else OutcomeKind.ERROR
    match kind:
        case OutcomeKind.REFUSAL:
            return True
        case OutcomeKind.WEAK:
            return net(evidence, exchange.id) <= 0
        case OutcomeKind.ANSWER:
            return net(evidence, exchange.id) < 0
        case _:
            return False


def _says_nothing(text: str) -> bool:
    return sum(map(str.isalnum, text)) < _SHORTEST or asks_for_help(text)


def _same_asking(before: Exchange, exchange: Exchange) -> bool:
    """A copy is shared whenever its asker pleases; it differs by being for all to see."""
    shared = exchange.question.event_id.startswith(SHARED) or (
        before.question.where.private and not exchange.question.where.private
    )
    return shared or exchange.question.asked_at - before.question.asked_at <= AGAIN


def _follows(exchange: Exchange, ids: set[str], by_id: Mapping[str, Exchange]) -> bool:
    """Return whether it follows, over however many others, one of these."""
    seen = {exchange.id}
    before = exchange.question.follows
    while before and before not in seen:
        if before in ids:
            return True
        seen.add(before)
        before = by_id[before].question.follows if before in by_id else None
    return False
