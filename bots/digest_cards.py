"""What the bot says of gaps: the digest, the list of gaps, a gap's line. Pure.

Questions are other people's words: one line each, cut where they are long, plain text that every
channel escapes.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import assert_never

from bots.card import Card, GapAction, GapButton, GapLine, Listing, Row, Tone
from bots.chart import chart_of
from bots.counted import counted
from core.ports import Attachment
from feedback.digest import Digest, Trend, digest_of, trend_of
from feedback.models import Gap, GapKind, GapReport, GapStatus, Numbers, SectionRef, SectionUse

LONGEST = 120
"""Characters of a question in a digest: two lines on a phone."""

SectionLink = Callable[[SectionRef], str]
"""Makes the link to a section; empty where there is none."""

_LABELS = {
    GapAction.OWN: "Own it",
    GapAction.SNOOZE: "Snooze",
    GapAction.DISMISS: "Not a gap",
    GapAction.DONE: "Done",
}


def no_link(section: SectionRef) -> str:
    """Return nothing: for where sections have no address."""
    del section
    return ""


def digest_message(
    report: GapReport, *, link: SectionLink = no_link
) -> tuple[Card, Attachment | None]:
    """Word a report as a digest, with its chart unless nothing was asked. Blocks while it draws."""
    digest = digest_of(report)
    return digest_card(digest, link=link), chart_of(digest) if digest.numbers.asked else None


def digest_card(digest: Digest, *, link: SectionLink = no_link) -> Card:
    """Word a digest; a quiet one in one line."""
    if digest.quiet:
        return Card(Tone.INFO, title="No gaps in the runbooks", lead=_quiet(digest))
    return Card(
        Tone.INFO,
        title=_title(digest),
        lead=" ".join(part for part in (_figures(digest), _unquoted(digest.unquoted)) if part),
        gaps_heading="Most asked for" if digest.more else "Open",
        gaps=tuple(gap_line(gap, link=link) for gap in digest.gaps),
        listings=_closed(digest.closed, digest.more_closed, link),
        footer=_footer(digest),
    )


def gaps_card(
    report: GapReport,
    *,
    link: SectionLink = no_link,
    most: int | None = None,
    narrowed: bool = False,
) -> Card:
    """List open gaps, and what else a report holds: for `/gaps` and the command line.

    Where the list is narrowed, it has what was looked for alone, open or not.
    """
    readable = [gap for gap in report.gaps if gap.sample]
    shown = readable[:most]
    unquoted = _unquoted(len(report.gaps) - len(readable))
    rest = len(readable) - len(shown)
    more = (f"{rest} more." if narrowed else f"{rest} more are open.") if rest else ""
    lead = (_counted(report.numbers), f"Half took {report.numbers.median_ms:.0f} ms or less.")
    said = (*lead, unquoted, more) if report.numbers.asked else (lead[0], unquoted, more)
    return Card(
        Tone.INFO,
        title=_found(len(report.gaps)) if narrowed else _open(len(report.gaps)),
        lead=" ".join(part for part in said if part),
        gaps_heading="Found" if narrowed else "Open",
        gaps=tuple(gap_line(gap, link=link, now=report.until) for gap in shown),
        listings=()
        if narrowed
        else (
            *_closed(report.closed, 0, link),
            *_uses("Most useful", report.useful, link),
            *_uses("Only voted down", report.voted_down, link),
            *_never_found(report.never_found, most),
        ),
    )


def gap_line(gap: Gap, *, link: SectionLink = no_link, now: datetime | None = None) -> GapLine:
    """Word one gap, with what can be decided on it; `now` tells a snooze from one that ran out."""
    gap_id = gap.record.id
    place, near = _place(gap)
    detail = (_times(gap), _lacks(gap), _standing(gap, now))
    return GapLine(
        gap_id=gap_id,
        label=f"“{one_line(gap.sample)}”" if gap.sample else "Asked only where you cannot read it",
        detail=" · ".join(part for part in detail if part),
        place=place,
        near=near,
        link=link(gap.nearest) if gap.nearest else "",
        buttons=tuple(GapButton(action, label, gap_id) for action, label in _LABELS.items()),
    )


def one_line(text: str, longest: int = LONGEST) -> str:
    """Return somebody's words in one line, cut between words where they are long."""
    words = " ".join(text.split())
    if len(words) <= longest:
        return words
    cut = words[: longest - 1]
    return f"{cut.rsplit(' ', 1)[0] if ' ' in cut[longest // 2 :] else cut}…"


# --- sentences ----------------------------------------------------------------------------------


def _title(digest: Digest) -> str:
    number = len(digest.gaps) + digest.more + digest.unquoted
    if not number:
        return "Gaps closed, and none open"
    return f"{counted(number, 'gap')} in the runbooks"


def _quiet(digest: Digest) -> str:
    days = _days(digest.days)
    if not digest.numbers.asked:
        return f"Nothing was asked in {days}."
    return f"In {days}: {_figures(digest)}"


def _figures(digest: Digest) -> str:
    change = digest.rate_change
    if change is None:
        against = ""
    elif abs(change) < 1:
        against = ", as before"
    else:
        against = f", {abs(change):.0f} points {'more' if change > 0 else 'fewer'} than before"
    return _counted(digest.numbers, against)


def _counted(numbers: Numbers, against: str = "") -> str:
    rate = numbers.answer_rate
    if rate is None:
        return "Nothing was asked."
    asked = f"{counted(numbers.asked, 'question')} from {_people(numbers.people)}"
    thumbs = f" 👍 {numbers.thumbs_up} 👎 {numbers.thumbs_down}."
    voted = numbers.thumbs_up or numbers.thumbs_down
    return f"{asked}, {100 * rate:.0f} % answered{against}.{thumbs if voted else ''}"


def _unquoted(number: int) -> str:
    if not number:
        return ""
    verb = "was" if number == 1 else "were"
    return f"{counted(number, 'gap')} {verb} asked only in private or in narrower channels."


def _times(gap: Gap) -> str:
    if not gap.count:
        return "not asked since"
    said = f"asked {_often(gap.count)} by {_people(gap.askers)}"
    match trend_of(gap):
        case Trend.NEW:
            return f"{said}, new"
        case Trend.MORE:
            return f"{said}, more than before ({gap.before})"
        case Trend.AS_OFTEN:
            return f"{said}, as before"
        case Trend.LESS:
            return f"{said}, less than before ({gap.before})"
        case unknown:
            assert_never(unknown)


def _lacks(gap: Gap) -> str:
    match gap.kind:
        case GapKind.MISSING:
            return "no page answers it"
        case GapKind.WRONG:
            return "what was shown is voted down"
        case GapKind.STALE:
            return "what was shown is out of date"
        case GapKind.FINDABLE:
            return "it is there, but hard to find: draft gives the line to add"
        case unknown:
            assert_never(unknown)


def _standing(gap: Gap, now: datetime | None) -> str:
    until, changed = gap.record.snoozed_until, gap.record.changed_at
    match gap.record.status:
        case GapStatus.OWNED:
            return "owned"
        case GapStatus.SNOOZED:
            sleeps = until is not None and now is not None and until > now
            return f"snoozed until {until:%Y-%m-%d}" if sleeps else "back from a snooze"
        case GapStatus.DONE | GapStatus.CLOSED:
            answered = changed is not None and gap.last_asked <= changed
            return "answered" if answered else "asked again since it was answered"
        case GapStatus.DISMISSED:
            return "no gap"
        case _:
            return ""


def _open(number: int) -> str:
    return counted(number, "open gap") if number else "No gaps in the runbooks"


def _found(number: int) -> str:
    return counted(number, "gap") if number else "No such gap"


def _place(gap: Gap) -> tuple[str, str]:
    """Say where to write it down, the nearest page or a new one, and what is nearest to that."""
    owner = f" (owner: {gap.suggested_owner})" if gap.suggested_owner else ""
    near = gap.nearest
    if near and gap.suggested_path == near.path:
        return f"Page: {near.path}, {near.breadcrumb}{owner}", ""
    new = f"New page: {gap.suggested_path}{owner}" if gap.suggested_path else ""
    return new, f"Nearest: {near.breadcrumb}, {_distance(near)}" if near else ""


def _closed(gaps: Sequence[Gap], more: int, link: SectionLink) -> tuple[Listing, ...]:
    if not gaps and not more:
        return ()
    return (Listing("Answered since", tuple(_closed_row(gap, link) for gap in gaps), more),)


def _closed_row(gap: Gap, link: SectionLink) -> Row:
    section = gap.record.section
    name = f"{gap.record.id} “{one_line(gap.sample)}”" if gap.sample else gap.record.id
    if section is None:
        return Row(name)
    return Row(name, section.breadcrumb, link(section))


def _uses(heading: str, uses: Sequence[SectionUse], link: SectionLink) -> tuple[Listing, ...]:
    rows = tuple(
        Row(
            use.section.breadcrumb,
            f"shown {_often(use.shown)}, 👍 {use.up} 👎 {use.down}",
            link(use.section),
        )
        for use in uses
    )
    return (Listing(heading, rows),) if rows else ()


def _never_found(paths: Sequence[str], most: int | None) -> tuple[Listing, ...]:
    shown = paths[:most]
    rows = tuple(Row(path) for path in shown)
    return (Listing("Never found", rows, len(paths) - len(shown)),) if paths else ()


def _footer(digest: Digest) -> str:
    more = f"{digest.more} more: ask for gaps to see them all · " if digest.more else ""
    return f"{more}{digest.since:%Y-%m-%d} to {digest.until:%Y-%m-%d}"


def _distance(section: SectionRef) -> str:
    if section.distance is None:
        return "by keywords"
    return f"distance {section.distance:.2f}"


def _days(days: int) -> str:
    return "this day" if days == 1 else f"these {days} days"


def _often(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count:,} times")


def _people(count: int) -> str:
    return "1 person" if count == 1 else f"{count:,} people"
