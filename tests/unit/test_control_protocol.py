"""The words between a command and a running bot: round trips, and nonsense refused."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.control_protocol import (
    LONGEST_REQUEST,
    Event,
    Failed,
    Reply,
    Request,
    Result,
    error_of,
    failed,
    read_reply,
    read_request,
    reply_line,
    request_line,
)
from core.errors import NightlampError, UsageError

names = st.text(min_size=1, max_size=100)
values = st.dictionaries(st.text(), st.none() | st.booleans() | st.integers() | st.text())
replies = (
    st.builds(Event, names, values)
    | st.builds(Result, values)
    | st.builds(Failed, st.integers(0, 255), st.text())
)


@given(st.builds(Request, names, names, values))
def test_a_request_is_read_as_it_was_written_on_one_line(request: Request) -> None:
    line = request_line(request)
    assert (line.count(b"\n"), line[-1:]) == (1, b"\n")
    assert read_request(line) == request


@given(names, replies)
def test_a_reply_is_read_as_it_was_written_on_one_line(id_: str, reply: Reply) -> None:
    line = reply_line(id_, reply)
    assert (line.count(b"\n"), line[-1:]) == (1, b"\n")
    assert read_reply(line) == reply


@given(st.binary())
def test_garbage_is_refused_by_both_ends(line: bytes) -> None:
    for read in (read_request, read_reply):
        with pytest.raises(UsageError):
            read(line)


@pytest.mark.parametrize(
    "said",
    [
        {"v": 1},
        {"v": 1, "id": "a", "do": "ask"},
        {"v": 1, "id": "a", "do": "ask", "with": []},
        {"v": 1, "id": 7, "do": "ask", "with": {}},
        {"v": 1, "id": "a", "do": "", "with": {}},
        {"v": 1, "id": "a", "do": "x" * 101, "with": {}},
        [1],
        "ask",
        None,
    ],
)
def test_what_is_no_request_is_refused(said: Any) -> None:
    with pytest.raises(UsageError):
        read_request(json.dumps(said).encode())


def test_deep_nesting_is_refused_like_other_nonsense() -> None:
    with pytest.raises(UsageError):
        read_request(b"[" * 100_000)


def test_a_command_of_another_version_is_told_to_start_the_bot_anew() -> None:
    line = json.dumps({"v": 2, "id": "a", "do": "ask", "with": {}}).encode()
    with pytest.raises(UsageError, match="different versions: start the bot anew"):
        read_request(line)


def test_a_request_that_is_too_long_is_not_sent() -> None:
    with pytest.raises(UsageError, match="1,000,000 bytes at most"):
        request_line(Request("a", "ask", {"text": "x" * LONGEST_REQUEST}))


def test_an_error_arrives_with_its_sentence_and_exit_code() -> None:
    for error in (UsageError("Name one."), NightlampError("It failed.")):
        arrived = error_of(failed(error))
        assert (str(arrived), arrived.exit_code) == (str(error), error.exit_code)
