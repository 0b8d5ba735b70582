"""What the index lags behind is kept: until it has caught up, and where the disk fails."""

import logging
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.errors import BuildRefused, NightlampError, SourceError
from corpus.lagging import Behind, Lagging, LaggingSource, Unfinished
from tests.fakes import FrozenClock

NOW = datetime(2030, 1, 1, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)
REFUSED = BuildRefused("20 of the 30 documents of the source books are gone.")
AWAY = SourceError("The repository cannot be fetched.")
BOOKS = LaggingSource("books", NOW, "It is away.")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "lagging.json"


def test_who_comes_after_a_restart_is_told_of_sources_and_of_the_update(file: Path) -> None:
    Lagging(file).note_sources({"books": "It is away."}, NOW)
    Lagging(file).note_update(REFUSED, LATER)
    update = Unfinished(LATER, refused=True, sentence=str(REFUSED))
    assert Lagging(file).read() == Behind((BOOKS,), update)


def test_the_last_reason_is_kept_with_the_time_of_the_first(file: Path) -> None:
    lagging = Lagging(file)
    lagging.note_update(AWAY, NOW)
    lagging.note_update(REFUSED, LATER)
    assert lagging.read().update == Unfinished(NOW, refused=True, sentence=str(REFUSED))


def test_each_ends_by_itself_and_nothing_is_left_of_both(file: Path) -> None:
    lagging = Lagging(file)
    lagging.note_sources({"books": "It is away."}, NOW)
    lagging.note_update(AWAY, NOW)
    lagging.note_update(None, LATER)
    assert lagging.read() == Behind((BOOKS,))
    lagging.note_sources({}, LATER)
    assert (lagging.read(), file.exists()) == (Behind(), False)


def test_a_file_without_an_update_is_read(file: Path) -> None:
    file.write_text(
        '{"sources": [{"name": "books", "since": "2030-01-01T00:00:00+00:00",'
        ' "sentence": "It is away."}]}'
    )
    assert Lagging(file).read() == Behind((BOOKS,))


@pytest.mark.parametrize("broken", ["", "[]", '{"sources": [{"name": 1}]}', "\x00"])
def test_a_broken_file_is_passed_over_and_written_anew(
    file: Path, caplog: pytest.LogCaptureFixture, broken: str
) -> None:
    file.write_text(broken)
    lagging = Lagging(file)
    assert lagging.read() == Behind()
    assert "lagging.json is passed over" in caplog.text
    lagging.note_sources({"books": "It is away."}, NOW)
    assert lagging.read() == Behind((BOOKS,))


def test_what_cannot_be_written_ends_nothing_and_is_known_until_the_program_ends(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "gone" / "lagging.json"
    lagging = Lagging(file)
    with caplog.at_level(logging.WARNING):
        lagging.note_update(AWAY, NOW)
    assert "What the index lags behind is not kept over a restart" in caplog.text
    found = Behind(update=Unfinished(NOW, refused=False, sentence=str(AWAY)))
    assert (lagging.read(), Lagging(file).read()) == (found, Behind())
    file.parent.mkdir()
    lagging.note_update(AWAY, LATER)
    assert (lagging.read(), Lagging(file).read()) == (found, found)


async def test_an_error_of_the_system_is_a_failed_update_too(file: Path) -> None:
    lagging = Lagging(file)
    with pytest.raises(PermissionError):
        async with lagging.updating(FrozenClock()):
            raise PermissionError(13, "Permission denied", "/srv/docs/a")
    assert lagging.read().update == Unfinished(
        FrozenClock().now(),
        refused=False,
        sentence="A file cannot be read or written: [Errno 13] Permission denied: '/srv/docs/a'",
    )


async def test_an_update_that_succeeds_ends_it_and_one_that_is_interrupted_does_not(
    file: Path,
) -> None:
    lagging = Lagging(file)
    with pytest.raises(NightlampError):
        async with lagging.updating(FrozenClock()):
            raise AWAY
    with pytest.raises(KeyboardInterrupt):
        async with lagging.updating(FrozenClock()):
            raise KeyboardInterrupt
    assert lagging.read().update is not None
    async with lagging.updating(FrozenClock()):
        pass
    assert lagging.read() == Behind()
