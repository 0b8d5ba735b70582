"""How long ago a document was reviewed, in words. Pure."""

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True)
class Review:
    """What is said of a document's last review, and whether it is too long ago to be trusted."""

    text: str = ""
    stale: bool = False


def review(last_reviewed: str, today: date, stale_months: int) -> Review:
    """Word a document's `last_reviewed`; nothing where it has none.

    What is no date of the form YYYY-MM-DD, or lies ahead, is repeated as it stands.
    """
    if not last_reviewed:
        return Review()
    try:
        then = date.fromisoformat(last_reviewed)
    except ValueError:
        return Review(f"last reviewed {last_reviewed}")
    if then > today:
        return Review(f"last reviewed {last_reviewed}")
    months = 12 * (today.year - then.year) + today.month - then.month - (today.day < then.day)
    stale = months >= stale_months
    flag = ", possibly stale" if stale else ""
    return Review(f"last reviewed {_age((today - then).days, months)}{flag}", stale)


def _age(days: int, months: int) -> str:
    if days == 0:
        return "today"
    if days < 14:
        return _ago(days, "day")
    if months < 2:
        return _ago(days // 7, "week")
    if months < 24:
        return _ago(months, "month")
    return _ago(months // 12, "year")


def _ago(count: int, unit: str) -> str:
    return f"{count} {unit}{'' if count == 1 else 's'} ago"
