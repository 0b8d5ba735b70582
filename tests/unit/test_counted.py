"""A number and its noun."""

import pytest

from bots.counted import counted


@pytest.mark.parametrize(
    ("number", "said"), [(0, "0 files"), (1, "1 file"), (2, "2 files"), (2000, "2,000 files")]
)
def test_one_alone_is_no_plural(number: int, said: str) -> None:
    assert counted(number, "file") == said
