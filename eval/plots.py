"""Plots as SVG, 360 units wide so that they are read on a phone. Pure, and the same for the same.

Colours are classes that the page defines, for light and dark; every series differs in its mark or
dash too.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from html import escape

WIDTH, HEIGHT = 360, 230
_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 18, 12, 40
_BINS = 20

Scale = Callable[[float], float]


def rank_histogram(ranks: Sequence[int | None]) -> str:
    """Draw how many questions have their answer at each rank of ten, and how many at none."""
    labels = [*map(str, range(1, 11)), "none"]
    counts = [ranks.count(n) for n in range(1, 11)] + [ranks.count(None)]
    most = max(*counts, 1)
    step = (WIDTH - _LEFT - _RIGHT) / len(labels)
    y = _scale(0, most, HEIGHT - _BOTTOM, _TOP + 12)
    marks = []
    for at, (label, count) in enumerate(zip(labels, counts, strict=True)):
        x = _LEFT + at * step
        kind = "s2" if label == "none" else "s1"
        marks.append(_bar(x + 2, y(count), step - 4, HEIGHT - _BOTTOM - y(count), kind))
        marks.append(_text(x + step / 2, y(count) - 4, str(count)))
        marks.append(_text(x + step / 2, HEIGHT - _BOTTOM + 14, label))
    marks.append(_text(WIDTH / 2, HEIGHT - 8, "rank of the first result that holds the answer"))
    return _svg("How often the answer stands at each rank", HEIGHT, marks)


def interval_rows(rows: Mapping[str, tuple[float, float, float]], label: str) -> str:
    """Draw a mean from 0 to 1 with the ends of its interval for each name, one row a name."""
    height = _TOP + 24 * len(rows) + _BOTTOM
    left = 100
    x = _scale(0, 1, left, WIDTH - 44)
    marks = [_grid_x(x, n / 4, _TOP, height - _BOTTOM) for n in range(5)]
    for at, (name, (mean, low, high)) in enumerate(rows.items()):
        y = _TOP + 24 * at + 14
        marks.append(_text(left - 6, y + 4, name, "end"))
        marks.append(f'<path class="line s1" d="M{x(low):.1f} {y}H{x(high):.1f}"/>')
        marks.append(f'<circle class="dot s1" cx="{x(mean):.1f}" cy="{y}" r="4"/>')
        marks.append(_text(WIDTH - 4, y + 4, f"{mean:.2f}", "end"))
    marks.append(_text((left + WIDTH) / 2, height - 8, label))
    return _svg(label, height, marks)


def share_curves(values: Mapping[str, Sequence[float]], label: str) -> str:
    """Draw for each kind the share of its values that are at least x, x from 0 to 1."""
    steps = [n / 100 for n in range(101)]
    curves = {
        name: [(x, sum(one >= x for one in found) / len(found)) for x in steps]
        for name, found in values.items()
        if found
    }
    return _curves(curves, label, "share of the questions", most=1.0)


def distributions(values: Mapping[str, Sequence[float]], label: str) -> str:
    """Draw for each kind how its values, from 0 to 1, are spread over bins of 0.05."""
    curves = {}
    for name, found in values.items():
        if found:
            bins = [min(_BINS - 1, max(0, int(one * _BINS))) for one in found]
            shares = [bins.count(n) / len(found) for n in range(_BINS)]
            curves[name] = [((n + 0.5) / _BINS, share) for n, share in enumerate(shares)]
    most = max((share for curve in curves.values() for _, share in curve), default=1.0)
    return _curves(curves, label, "share of the questions", most=math.ceil(most * 10) / 10)


def quality_and_cost(
    points: Mapping[str, Sequence[tuple[float, float]]], marked: Mapping[str, tuple[float, float]]
) -> str:
    """Draw MRR@10 against characters (logarithmic), a mark for each series; some are named."""
    every = [point for series in points.values() for point in series]
    if not every:
        return _svg("Quality against characters", HEIGHT, [])
    costs, means = [cost for cost, _ in every], [mean for _, mean in every]
    low, high = math.log10(min(costs)) - 0.05, math.log10(max(costs)) + 0.05
    bottom, top = math.floor(10 * min(means)) / 10, math.ceil(10 * max(means)) / 10
    height = HEIGHT + 60.0
    log = _scale(low, high, _LEFT, WIDTH - _RIGHT)
    y = _scale(bottom, top, height - _BOTTOM - 20, _TOP)
    marks = [_grid_y(y, at / 10) for at in range(round(10 * bottom), round(10 * top) + 1)]
    for tick in (1000, 2000, 5000, 10_000, 20_000, 50_000):
        if low <= math.log10(tick) <= high:
            marks.append(_text(log(math.log10(tick)), height - _BOTTOM - 6, f"{tick:,}"))
    for at, series in enumerate(points.values(), start=1):
        marks += [_mark(at, log(math.log10(cost)), y(mean)) for cost, mean in series]
    for name, (cost, mean) in marked.items():
        x = log(math.log10(cost))
        marks.append(f'<circle class="ring" cx="{x:.1f}" cy="{y(mean):.1f}" r="8"/>')
        anchor = "end" if x > WIDTH / 2 else "start"
        marks.append(_text(x + (-11 if anchor == "end" else 11), y(mean) - 7, name, anchor))
    marks += _legend(list(points), height - 24, _mark)
    marks.append(_text(WIDTH / 2, height - 6, "characters in the top five results"))
    return _svg("MRR@10 against characters in the top five", height, marks)


def _curves(
    curves: Mapping[str, Sequence[tuple[float, float]]], label: str, side: str, *, most: float
) -> str:
    height = HEIGHT + 20
    x = _scale(0, 1, _LEFT, WIDTH - _RIGHT)
    y = _scale(0, most, height - _BOTTOM - 20, _TOP)
    marks = [_grid_y(y, most * n / 4) for n in range(5)]
    marks += [_text(x(n / 4), height - _BOTTOM - 6, f"{n / 4:.2f}") for n in range(5)]
    for at, curve in enumerate(curves.values(), start=1):
        way = "L".join(f"{x(one):.1f} {y(share):.1f}" for one, share in curve)
        marks.append(f'<path class="line s{at}" d="M{way}"/>')
    marks += _legend(list(curves), height - 24, _dash)
    marks.append(_text(WIDTH / 2, height - 6, label))
    return _svg(f"{side} by {label}", height, marks)


def _legend(names: Sequence[str], y: float, mark: Callable[[int, float, float], str]) -> list[str]:
    step = (WIDTH - _LEFT) / max(len(names), 1)
    marks = []
    for at, name in enumerate(names, start=1):
        x = _LEFT + (at - 1) * step
        marks += [mark(at, x, y - 4), _text(x + 12, y, name, "start")]
    return marks


def _dash(series: int, x: float, y: float) -> str:
    return f'<path class="line s{series}" d="M{x - 9:.1f} {y:.1f}h18"/>'


def _mark(series: int, x: float, y: float) -> str:
    match series % 4:
        case 1:
            shape = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5"'
        case 2:
            shape = f'<rect x="{x - 3:.1f}" y="{y - 3:.1f}" width="6" height="6"'
        case 3:
            shape = f'<path d="M{x:.1f} {y - 4.5:.1f}l4.5 8h-9z"'
        case _:
            shape = f'<path d="M{x:.1f} {y - 5:.1f}l5 5l-5 5l-5 -5z"'
    return f'{shape} class="dot s{series}"/>'


def _grid_y(y: Scale, value: float) -> str:
    line = f'<path class="grid" d="M{_LEFT} {y(value):.1f}H{WIDTH - _RIGHT}"/>'
    return line + _text(_LEFT - 5, y(value) + 4, f"{value:.2f}", "end")


def _grid_x(x: Scale, value: float, top: float, bottom: float) -> str:
    line = f'<path class="grid" d="M{x(value):.1f} {top}V{bottom}"/>'
    return line + _text(x(value), bottom + 13, f"{value:.2f}")


def _bar(x: float, y: float, width: float, height: float, kind: str) -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
    return f'<rect class="dot {kind}" {place}/>'


def _text(x: float, y: float, text: str, anchor: str = "middle") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _scale(low: float, high: float, start: float, end: float) -> Scale:
    width = high - low or 1.0
    return lambda value: start + (value - low) / width * (end - start)


def _svg(title: str, height: float, marks: Sequence[str]) -> str:
    inside = "\n".join(marks)
    return (
        f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{escape(title)}">\n'
        f"{inside}\n</svg>"
    )
