"""Which columns of the journal name a person, and which hold what somebody wrote.

A table that is not told of here is not forgotten: a test compares this with the schema.
"""

from dataclasses import dataclass
from typing import Final

from core.exchanges import TOLD


@dataclass(frozen=True, slots=True)
class Named:
    """Two columns that together name a person."""

    platform: str = "platform"
    user_id: str = "user_id"


PEOPLE: Final[dict[str, tuple[Named, ...]]] = {
    "exchanges": (Named(),),
    "thumbs": (Named(),),
    "reasons": (Named(),),
    "choices": (Named(),),
    "logged_gaps": (Named(),),
    "escalations": (Named(), Named("resolved_platform", "resolved_user_id")),
    "mutes": (Named("user_platform"),),
    "threads": (Named(user_id="opened_by"),),
    "gaps": (
        Named("owner_platform", "owner_user_id"),
        Named("changed_platform", "changed_user_id"),
    ),
    "gap_decisions": (Named(),),
    "notices": (Named(),),
    "notice_optouts": (Named(),),
}
"""By table. The participants of a thread are a JSON list of user ids beside it."""

PARTICIPANTS: Final = ("threads", "participants")

TEXTS: Final[dict[str, tuple[str, ...]]] = {
    "exchanges": ("question",),
    "reasons": ("text", "right_section"),
    "escalations": ("note",),
}
"""What somebody wrote, by table: blanked when it or its writer is to be forgotten."""

NAMELESS_EVENT: Final = f"case when event_id glob '{TOLD}*' then '{TOLD}' || id end"
"""What an event's id, which may lead to a person, becomes: all that is kept is what kind it was."""
