"""A reply in the terms that every channel shares, before any markup. Plain values.

Text of runbooks is Markdown only in a part's `text`; everywhere else it is plain text, which a
channel escapes for its own markup.
"""

from dataclasses import dataclass
from enum import StrEnum

from core.models import Span


class Tone(StrEnum):
    """What kind of reply it is; channels colour it by this."""

    ANSWER = "answer"
    WEAK = "weak"
    REFUSAL = "refusal"
    INFO = "info"
    ERROR = "error"


class ButtonKind(StrEnum):
    """What a button does with its exchange."""

    UP = "up"
    DOWN = "down"
    TELL_WHY = "tell_why"
    LOG_GAP = "log_gap"
    ASK_HUMAN = "ask_human"
    SHARE = "share"
    DELETE = "delete"
    RESOLVE = "resolve"


@dataclass(frozen=True, slots=True)
class Button:
    """A button and the exchange that it carries."""

    kind: ButtonKind
    label: str
    exchange_id: str


class GapAction(StrEnum):
    """What a button decides on a gap."""

    OWN = "gap_own"
    SNOOZE = "gap_snooze"
    DISMISS = "gap_dismiss"
    DONE = "gap_done"


@dataclass(frozen=True, slots=True)
class GapButton:
    """A button and the gap that it carries."""

    action: GapAction
    label: str
    gap_id: str


@dataclass(frozen=True, slots=True)
class GapLine:
    """A gap in a digest or list: what was asked, how often, where to write the answer down.

    `near` is the nearest section where `place` is a page that is yet to be written. `link` leads to
    `near`, or else to `place`.
    """

    gap_id: str
    label: str
    detail: str
    place: str = ""
    near: str = ""
    link: str = ""
    buttons: tuple[GapButton, ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """A section to show: `text` is its Markdown, verbatim, `matched` the stretch that matched.

    `place` says where it stands as path and line; `link` is empty where none would be right.
    """

    heading: str
    link: str
    place: str
    text: str
    matched: Span | None = None


@dataclass(frozen=True, slots=True)
class Pick:
    """Another result that can be shown instead: `index` is its place in the exchange, from 0."""

    index: int
    label: str
    distance: str
    place: str
    link: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a list."""

    label: str
    detail: str = ""
    link: str = ""


@dataclass(frozen=True, slots=True)
class Listing:
    """A headed list; `more` counts the rows that were left out."""

    heading: str
    rows: tuple[Row, ...]
    more: int = 0


@dataclass(frozen=True, slots=True)
class Card:
    """A whole reply.

    Read from the top: title, lead, meta, parts, warning, gaps, lists, picks, footer.
    """

    tone: Tone
    title: str
    link: str = ""
    lead: str = ""
    meta: tuple[str, ...] = ()
    stale: bool = False
    parts: tuple[Part, ...] = ()
    warning: str = ""
    gaps_heading: str = ""
    gaps: tuple[GapLine, ...] = ()
    listings: tuple[Listing, ...] = ()
    picks_heading: str = ""
    picks: tuple[Pick, ...] = ()
    buttons: tuple[Button, ...] = ()
    footer: str = ""
