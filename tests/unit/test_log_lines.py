"""What comes into the log commands no terminal, forges no line, and tells no secret."""

import logging
import sys

import pytest

from bots.output import LogLines


def logged(message: str, *arguments: object, error: Exception | None = None) -> str:
    info = None
    if error is not None:
        try:
            raise error
        except type(error):
            info = sys.exc_info()
    record = logging.LogRecord("bots.x", logging.WARNING, "x.py", 1, message, arguments, info)
    return LogLines().format(record)


def test_a_plain_line_is_as_it_was() -> None:
    said = logged("%s was posted", "x1")
    assert said.endswith(" WARNING bots.x: x1 was posted")
    assert "\n" not in said


def test_a_name_with_a_line_end_begins_no_line_of_the_log() -> None:
    forged = "a.md\n2030-01-01 00:00:00,000 ERROR bots.app: the key is wrong"
    first, second = logged("%s cannot be read", forged).split("\n")
    assert first.endswith("a.md")
    assert second.startswith("  2030-01-01")


def test_what_an_error_says_commands_no_terminal() -> None:
    said = logged("failed", error=ValueError("no anchor \x1b]0;mine\x07 \u202e\n2030-01-01 ERROR"))
    assert "no anchor ␛]0;mine␇ �" in said
    assert not {"\x1b", "\x07", "\u202e"} & set(said)
    assert all(line.startswith("  ") for line in said.split("\n")[1:])


@pytest.mark.parametrize(
    ("said", "secret"),
    [
        ("Cannot connect to https://bob:hunter2-x9@example.com/a", "hunter2-x9"),
        ("invalid_auth: " + "xoxb-" + "17653672481-19874698323-pdFZKVeTuE8sk7oO", "pdFZKVeTuE8"),
        ("{'Authorization': 'Bearer " + "9fK2xQ7vLm3TzR8pWc1Yd5" + "'}", "9fK2xQ7vLm3"),
    ],
)
def test_no_librarys_error_tells_a_secret(said: str, secret: str) -> None:
    assert secret not in logged("failed", error=ValueError(said))
    assert secret not in logged(said)
