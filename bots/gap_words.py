"""What is typed after `/gaps`: what to do about one gap, or which gaps to list. Pure."""

import re
from dataclasses import dataclass
from datetime import timedelta

from core.errors import UsageError
from core.exchanges import Person
from feedback.gap_filter import GapFilter, parse_since
from feedback.models import GapKind, GapStatus

WINDOW = timedelta(days=30)
"""How far back a list looks where nothing else is typed."""
SNOOZED = 7
"""Days of a snooze where nothing else is typed."""
VERBS = ("own", "snooze", "done", "dismiss", "reopen", "draft")

_GAP = re.compile(r"g[ -]?[0-9a-z]{4,12}", re.IGNORECASE)
_DAYS = re.compile(r"([1-9][0-9]{0,2})\s*d?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Deed:
    """Something to be done about one gap: `about` is the snooze's length or the section."""

    verb: str
    gap_id: str
    about: str = ""


@dataclass(frozen=True, slots=True)
class Look:
    """Which gaps to list, and how far back."""

    narrowed: GapFilter
    window: timedelta = WINDOW


def read_wish(typed: str, me: Person) -> Deed | Look:
    """Read what was typed: `own G-7KQ2`, `done G-7KQ2 disk.md#grow`, `missing since:2w`, `mine`.

    Raises:
        UsageError: a gap is acted on without its name, or the time cannot be read.
    """
    words = typed.split()
    verb = words[0].casefold() if words else ""
    if verb in VERBS:
        if len(words) < 2 or not _GAP.fullmatch(words[1]):
            raise UsageError(f"Say which gap, such as: {verb} G-7KQ2.")
        return Deed(verb, words[1], " ".join(words[2:]))
    return _look(words, me)


def days_of(about: str) -> int:
    """Return the length of a snooze in days.

    Raises:
        UsageError: it is no number of days.
    """
    if not about:
        return SNOOZED
    found = _DAYS.fullmatch(about.strip())
    if not found:
        raise UsageError(f"{about[:20]!r} is no number of days: write 14d.")
    return int(found[1])


def _look(words: list[str], me: Person) -> Look:
    kind: GapKind | None = None
    status: GapStatus | None = None
    owner: Person | None = None
    window, rest = WINDOW, []
    for word in words:
        name = word.casefold()
        if name in set(GapKind):
            kind = GapKind(name)
        elif name in set(GapStatus):
            status = GapStatus(name)
        elif name == "mine":
            owner = me
        elif name.startswith("since:"):
            window = parse_since(name.removeprefix("since:"))
        else:
            rest.append(word)
    return Look(GapFilter(kind, status, owner, " ".join(rest)), window)
