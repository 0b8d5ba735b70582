"""What is kept of sources that could not be read, where the disk does not play along."""

import logging
from datetime import UTC, datetime
from pathlib import Path

import pytest

from corpus.lagging import Lagging

NOW = datetime(2030, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("broken", ["", "[]", '{"sources": [{"name": 1}]}', "\x00"])
def test_a_broken_file_is_passed_over_and_written_anew(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, broken: str
) -> None:
    file = tmp_path / "lagging.json"
    file.write_text(broken)
    lagging = Lagging(file)
    assert lagging.read() == ()
    assert "lagging.json is passed over" in caplog.text
    lagging.note({"books": "It is away."}, NOW)
    assert [one.name for one in lagging.read()] == ["books"]


def test_a_disk_that_cannot_be_written_ends_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    lagging = Lagging(tmp_path / "gone" / "lagging.json")
    with caplog.at_level(logging.WARNING):
        lagging.note({"books": "It is away."}, NOW)
    assert "Which sources could not be read is not kept" in caplog.text
    assert lagging.read() == ()
