"""The digest's chart: asked and unanswered by day or week, as a PNG, and the same in words.

It brings its own background, since the same picture is shown on light and dark chats, and is drawn
for a phone: 390 units wide, at twice the resolution. matplotlib takes a second to import and is
only imported when a chart is drawn; it is used through its objects, so that threads share nothing.
"""

from collections.abc import Sequence
from datetime import date
from io import BytesIO
from typing import TYPE_CHECKING

from core.ports import Attachment
from feedback.digest import Activity, Digest

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH, HEIGHT = 390, 220
"""Units; a picture has twice as many pixels each way."""
_DPI = 200
_PAPER, _INK, _FAINT = "#fbfbf9", "#22262b", "#d9dadc"
_ASKED, _UNANSWERED = "#8fb3d9", "#b3402a"
_FONT = "DejaVu Sans"
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_LABELS = 7
"""Dates that fit below the bars."""


def chart_of(digest: Digest) -> Attachment:
    """Draw a digest's chart. Blocks for a tenth of a second, the first time for about one."""
    return Attachment(
        name=f"gaps-{digest.until:%Y-%m-%d}.png",
        data=activity_png(digest.activity, weekly=digest.weekly),
        alt=chart_text(digest.activity, weekly=digest.weekly),
    )


def chart_text(activity: Activity, *, weekly: bool) -> str:
    """Say in a sentence what the chart shows."""
    asked, failed = sum(one[1] for one in activity), sum(one[2] for one in activity)
    if not asked:
        return "Nothing was asked."
    by = "week" if weekly else "day"
    worst = max(activity, key=lambda one: one[2])
    most = f", the most ({worst[2]}) {_long(worst[0], weekly=weekly)}" if failed else ""
    each = ", ".join(f"{_short(day)} {a}/{f}" for day, a, f in activity if a)
    return (
        f"Questions by {by}: {asked} asked, {failed} of them unanswered{most} "
        f"(asked/unanswered: {each})."
    )


def activity_png(activity: Activity, *, weekly: bool) -> bytes:
    """Draw asked questions as bars, and over them how many were left unanswered.

    The same activity gives the same bytes.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    figure = Figure(figsize=(WIDTH / 100, HEIGHT / 100), dpi=_DPI, facecolor=_PAPER)
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.12, 0.16, 0.85, 0.62), facecolor=_PAPER)
    places = list(range(len(activity)))
    asked = [one[1] for one in activity]
    failed = [one[2] for one in activity]
    axes.bar(places, asked, width=0.72, color=_ASKED, zorder=2)
    axes.bar(
        places, failed, width=0.72, color=_UNANSWERED, zorder=3, hatch="////", edgecolor=_PAPER
    )
    axes.set_ylim(0, max([*asked, *failed, 1]) * 1.15)
    axes.set_xlim(-0.6, max(len(activity), 1) - 0.4)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=4, integer=True))
    axes.grid(axis="y", color=_FAINT, linewidth=0.6, zorder=1)
    ticks = _ticks(len(activity))
    axes.set_xticks(ticks, [_short(activity[at][0]) for at in ticks])
    axes.tick_params(colors=_INK, labelsize=8.5, length=0, labelfontfamily=_FONT)
    for side in axes.spines.values():
        side.set_visible(False)
    by = "week" if weekly else "day"
    figure.text(0.02, 0.91, f"Questions by {by}", color=_INK, fontsize=10, family=_FONT)
    _legend(figure, (("asked", _ASKED, sum(asked)), ("unanswered", _UNANSWERED, sum(failed))))
    written = BytesIO()
    figure.savefig(written, format="png", dpi=_DPI, facecolor=_PAPER, metadata={"Software": None})
    return written.getvalue()


def _legend(figure: "Figure", entries: Sequence[tuple[str, str, int]]) -> None:
    from matplotlib.patches import Rectangle

    x = 0.02
    for name, colour, count in entries:
        hatch = "////" if colour == _UNANSWERED else None
        figure.add_artist(
            Rectangle(
                (x, 0.825), 0.025, 0.045, facecolor=colour, edgecolor=_PAPER, hatch=hatch,
                linewidth=0, transform=figure.transFigure, figure=figure,
            )
        )  # fmt: skip
        said = f"{name} {count:,}"
        figure.text(x + 0.035, 0.83, said, color=_INK, fontsize=8.5, family=_FONT)
        x += 0.06 + 0.0205 * len(said)


def _ticks(count: int) -> list[int]:
    step = max(1, -(-count // _LABELS))
    spare = 0 if step == 1 else step / 2  # a date below the last bar would leave the picture
    return [at for at in range(0, count, step) if at <= count - 1 - spare or at == 0]


def _short(day: date) -> str:
    return f"{day.day} {_MONTHS[day.month - 1]}"


def _long(day: date, *, weekly: bool) -> str:
    return f"in the week from {_short(day)}" if weekly else f"on {_short(day)}"
