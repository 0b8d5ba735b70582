"""Which gaps a list shows, and how far back it looks. Pure."""

import re
from dataclasses import dataclass
from datetime import timedelta

from core.errors import UsageError
from core.exchanges import Person
from feedback.models import Gap, GapKind, GapStatus

LONGEST = timedelta(days=366)
_SINCE = re.compile(r"([1-9][0-9]{0,4})\s*([hdw])", re.IGNORECASE)
_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}


@dataclass(frozen=True, slots=True)
class GapFilter:
    """What a gap must be to be listed; what is None or empty does not narrow."""

    kind: GapKind | None = None
    status: GapStatus | None = None
    owner: Person | None = None
    text: str = ""

    def passes(self, gap: Gap) -> bool:
        """Return whether a gap is listed; `text` is looked for in its name, wording and place."""
        said = (
            gap.record.id,
            gap.sample,
            gap.suggested_path,
            gap.suggested_owner,
            gap.nearest.breadcrumb if gap.nearest else "",
        )
        return (
            self.kind in {None, gap.kind}
            and self.status in {None, gap.record.status}
            and self.owner in {None, gap.record.owner}
            and self.text.casefold() in " ".join(said).casefold()
        )


def parse_since(text: str) -> timedelta:
    """Read how far back to look: `36h`, `7d`, `2w`.

    Raises:
        UsageError: it is none of these, or more than a year.
    """
    found = _SINCE.fullmatch(text.strip())
    if not found:
        raise UsageError(f"{text!r} is no length of time: write 36h, 7d or 2w.")
    length = int(found[1]) * _UNITS[found[2].lower()]
    if length > LONGEST:
        raise UsageError("Gaps are looked at for a year back at most.")
    return length
