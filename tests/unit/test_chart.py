import subprocess
import sys
from datetime import date, timedelta

import pytest

from bots.chart import HEIGHT, WIDTH, activity_png, chart_text

WEEK = tuple((date(2026, 11, 23) + timedelta(days=at), 10 - at, at) for at in range(7))


def size(png: bytes) -> tuple[int, int]:
    return int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")


def test_the_text_says_what_the_chart_shows() -> None:
    assert chart_text(WEEK[:3], weekly=False) == (
        "Questions by day: 27 asked, 3 of them unanswered, the most (2) on 25 Nov "
        "(asked/unanswered: 23 Nov 10/0, 24 Nov 9/1, 25 Nov 8/2)."
    )


def test_the_text_of_weeks_and_of_nothing() -> None:
    assert "the most (1) in the week from 24 Nov" in chart_text(WEEK[:2], weekly=True)
    assert chart_text((), weekly=False) == "Nothing was asked."


@pytest.mark.slow
@pytest.mark.parametrize("count", [0, 1, 7, 31])
def test_a_chart_is_a_png_for_a_phone_at_twice_its_resolution(count: int) -> None:
    days = tuple((date(2026, 11, 1) + timedelta(days=at), at * 999, at) for at in range(count))
    png = activity_png(days, weekly=False)
    assert png.startswith(b"\x89PNG")
    assert size(png) == (2 * WIDTH, 2 * HEIGHT)
    assert len(png) < 60_000


@pytest.mark.slow
def test_the_same_days_give_the_same_bytes() -> None:
    first = activity_png(WEEK, weekly=False)
    assert first == activity_png(WEEK, weekly=False)
    assert b"Software" not in first
    assert first != activity_png(WEEK[:6], weekly=False)


@pytest.mark.slow
def test_matplotlib_is_imported_only_to_draw_and_never_pyplot() -> None:
    code = (
        "import sys, datetime, bots.chart as c; assert 'matplotlib' not in sys.modules;"
        "c.activity_png(((datetime.date(2026, 1, 1), 1, 1),), weekly=False);"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
