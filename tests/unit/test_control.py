"""The control socket: who may use it, what becomes of nonsense, and of those who leave."""

import asyncio
import json
import os
import socket
import stat
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from bots.control import ControlServer, Handler, Tell, control_open
from bots.control_client import ControlClient, beside, reached
from bots.control_protocol import LONGEST_REQUEST, Request, request_line
from bots.control_socket import LONGEST_PATH
from core.errors import DataFolderBroken, DataFolderBusy, NightlampError, UsageError
from corpus.data_folder import DataFolder


class Verbs:
    """Handlers that echo, fail, and wait until they are let go on."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.go_on = asyncio.Event()
        self.done = 0
        self.cancelled = False

    def table(self) -> Mapping[str, Handler]:
        return {
            "echo": self.echo,
            "refuse": self.refuse,
            "break": self.broken,
            "wait": self.wait,
            "flood": self.flood,
        }

    async def echo(self, arguments: Mapping[str, Any], tell: Tell) -> Mapping[str, Any]:
        tell("progress", {"done": 1})
        tell("note", {"text": "half"})
        return arguments

    async def refuse(self, arguments: Mapping[str, Any], tell: Tell) -> Mapping[str, Any]:
        raise UsageError("Name one with --tenant.")

    async def broken(self, arguments: Mapping[str, Any], tell: Tell) -> Mapping[str, Any]:
        raise ZeroDivisionError("secret inside")

    async def wait(self, arguments: Mapping[str, Any], tell: Tell) -> Mapping[str, Any]:
        self.begun.set()
        try:
            await self.go_on.wait()
        except asyncio.CancelledError:
            self.cancelled = True
            raise
        self.done += 1
        return {}

    async def flood(self, arguments: Mapping[str, Any], tell: Tell) -> Mapping[str, Any]:
        for number in range(10_000):
            tell("progress", {"number": number, "filler": "x" * 1000})
        return {"told": 10_000}


@asynccontextmanager
async def running(folder: Path, verbs: Verbs | None = None) -> AsyncIterator[DataFolder]:
    data = DataFolder(folder)
    async with control_open(data.control, (verbs or Verbs()).table()):
        yield data


@asynccontextmanager
async def client_of(data: DataFolder) -> AsyncIterator[ControlClient]:
    async with reached(data) as client:
        assert client is not None
        yield client


async def test_a_verb_is_done_and_tells_on_the_way(tmp_path: Path) -> None:
    told: list[tuple[str, Mapping[str, Any]]] = []
    async with running(tmp_path) as data, client_of(data) as client:
        value = {"text": "Ünïcode \u2028\n", "n": 1.5}
        assert await client.call("echo", value, lambda *one: told.append(one)) == value
        assert told == [("progress", {"done": 1}), ("note", {"text": "half"})]
        assert await client.call("echo", {}) == {}


async def test_an_error_has_the_exit_code_that_the_command_has_alone(tmp_path: Path) -> None:
    async with running(tmp_path) as data, client_of(data) as client:
        with pytest.raises(NightlampError, match="Name one with --tenant") as error:
            await client.call("refuse", {})
        assert error.value.exit_code == 2


async def test_a_fault_shows_a_reference_and_ends_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with running(tmp_path) as data, client_of(data) as client:
        with pytest.raises(NightlampError, match=r"its log has [0-9a-f]{8}") as error:
            await client.call("break", {})
        assert (error.value.exit_code, "secret" in str(error.value)) == (3, False)
        assert await client.call("echo", {}) == {}
    assert str(error.value)[-9:-1] in caplog.text


async def test_an_unknown_verb_is_wrong_use(tmp_path: Path) -> None:
    async with running(tmp_path) as data, client_of(data) as client:
        with pytest.raises(NightlampError, match="does not know how to dance") as error:
            await client.call("dance", {})
        assert error.value.exit_code == 2


@pytest.mark.parametrize(
    "sent", [b"\x00\xff\n", b"{}\n", b"[1]\n", b"no line end", b"[" * 5000 + b"\n", b"\n"]
)
async def test_nonsense_is_refused_and_ends_its_connection_alone(
    tmp_path: Path, sent: bytes
) -> None:
    async with running(tmp_path) as data, client_of(data) as client:
        reader, writer = await asyncio.open_unix_connection(data.control)
        writer.write(sent)
        writer.write_eof()
        assert json.loads(await reader.read())["error"]["code"] == 2
        writer.close()
        assert await client.call("echo", {}) == {}


async def test_a_line_that_is_too_long_is_refused(tmp_path: Path) -> None:
    async with running(tmp_path) as data, client_of(data) as client:
        reader, writer = await asyncio.open_unix_connection(data.control)
        writer.write(b"x" * (LONGEST_REQUEST + 1))
        assert b"1,000,000 bytes at most" in await reader.readline()
        writer.close()
        assert await client.call("echo", {}) == {}


async def test_a_request_may_come_in_pieces_and_two_in_one(tmp_path: Path) -> None:
    async with running(tmp_path) as data:
        line = request_line(Request("a", "refuse", {}))
        reader, writer = await asyncio.open_unix_connection(data.control)
        for byte in line[:-1]:
            writer.write(bytes([byte]))
            await writer.drain()
        writer.write(line[-1:] + request_line(Request("b", "refuse", {})))
        replies = [json.loads(await reader.readline())["id"] for _ in range(2)]
        assert replies == ["a", "b"]
        writer.close()


async def test_who_leaves_does_not_end_what_was_begun(tmp_path: Path) -> None:
    verbs = Verbs()
    async with running(tmp_path, verbs) as data:
        async with client_of(data) as client:
            waiting = asyncio.create_task(client.call("wait", {}))
            await verbs.begun.wait()
            waiting.cancel()
            await asyncio.wait({waiting})
        verbs.go_on.set()
        async with client_of(data) as client:
            await client.call("wait", {})
        assert (verbs.done, verbs.cancelled) == (2, False)


async def test_a_bot_that_stops_says_so_to_who_waits(tmp_path: Path) -> None:
    verbs = Verbs()
    async with AsyncExitStack() as client_side:
        async with running(tmp_path, verbs) as data:
            client = await client_side.enter_async_context(client_of(data))
            waiting = asyncio.create_task(client.call("wait", {}))
            await verbs.begun.wait()
        with pytest.raises(NightlampError, match="stopped before it was done"):
            await waiting
    assert verbs.cancelled


async def test_who_does_not_read_misses_progress_and_not_the_result(tmp_path: Path) -> None:
    told: list[Mapping[str, Any]] = []
    async with running(tmp_path) as data, client_of(data) as client:
        assert await client.call("flood", {}, lambda _, one: told.append(one)) == {"told": 10_000}
        assert 0 < len(told) < 10_000


async def test_more_connections_than_there_may_be_are_told_to_come_again(tmp_path: Path) -> None:
    verbs = Verbs()
    path = tmp_path / "few.sock"
    server = await asyncio.start_unix_server(ControlServer(verbs.table(), most=1).serve, path)
    async with server:
        _, first = await asyncio.open_unix_connection(path)
        first.write(request_line(Request("a", "wait", {})))
        await verbs.begun.wait()
        reader, second = await asyncio.open_unix_connection(path)
        assert b"1 commands to answer already: try again" in await reader.read()
        verbs.go_on.set()
        for writer in (first, second):
            writer.close()


async def test_a_connection_that_says_nothing_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "idle.sock"
    server = await asyncio.start_unix_server(ControlServer({}, idle=0.01).serve, path)
    async with server:
        reader, writer = await asyncio.open_unix_connection(path)
        assert await reader.read() == b""
        writer.close()


# --- where it is, and whose ----------------------------------------------------------------------


async def test_the_socket_is_its_owners_alone_and_gone_afterwards(tmp_path: Path) -> None:
    async with running(tmp_path) as data:
        assert stat.S_IMODE(os.lstat(data.control).st_mode) == 0o600
    assert os.listdir(tmp_path) == []


async def test_the_socket_of_a_dead_process_is_replaced(tmp_path: Path) -> None:
    dead = socket.socket(socket.AF_UNIX)
    dead.bind(str(tmp_path / "control.sock"))
    (tmp_path / "control.sock").chmod(0o600)
    dead.close()
    async with reached(DataFolder(tmp_path)) as nobody:
        assert nobody is None
    async with running(tmp_path) as data, client_of(data) as client:
        assert await client.call("echo", {}) == {}


async def test_where_something_else_lies_the_bot_runs_without_a_socket(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "control.sock").write_text("mine")
    async with running(tmp_path) as data, reached(data) as nobody:
        assert nobody is None
    assert (tmp_path / "control.sock").read_text() == "mine"
    assert "is in the way of the socket for commands: remove it" in caplog.text


@pytest.mark.parametrize("variable", ["XDG_RUNTIME_DIR", "TMPDIR"])
async def test_in_a_folder_with_a_long_path_it_lies_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    short = tmp_path.parent / "r"
    short.mkdir(exist_ok=True)
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setenv(variable, str(short))
    long = tmp_path / ("d" * LONGEST_PATH)
    long.mkdir()
    async with running(long) as data, client_of(data) as client:
        assert await client.call("echo", {}) == {}
        target = data.control.readlink()
        assert target.is_relative_to(short)
        assert stat.S_IMODE(os.lstat(target).st_mode) == 0o600
        assert stat.S_IMODE(os.lstat(target.parent).st_mode) == 0o700
        monkeypatch.setenv(variable, "/nonexistent")
        async with client_of(data) as another:
            assert await another.call("echo", {}) == {}
    assert list(long.iterdir()) == list(target.parent.iterdir()) == []


async def test_a_socket_that_others_may_use_is_not_spoken_to(tmp_path: Path) -> None:
    async with running(tmp_path) as data:
        data.control.chmod(0o666)
        with pytest.raises(DataFolderBroken, match="others may write there: remove it"):
            async with reached(data):
                pass


# --- beside a bot, or alone ----------------------------------------------------------------------


async def through(client: ControlClient) -> str:
    await client.call("echo", {})
    return "through"


async def alone() -> str:
    return "alone"


async def test_a_command_goes_through_the_bot_that_runs_and_alone_where_none_does(
    tmp_path: Path,
) -> None:
    async with running(tmp_path) as data:
        assert await beside(data, through, alone) == "through"
    assert await beside(data, through, alone) == "alone"


async def test_a_bot_that_is_starting_is_waited_for(tmp_path: Path) -> None:
    data, verbs = DataFolder(tmp_path), Verbs()
    starting = asyncio.Event()

    async def locked() -> str:
        starting.set()
        raise DataFolderBusy("The data folder is in use.")

    waiting = asyncio.create_task(beside(data, through, locked, wait=60))
    await starting.wait()
    async with control_open(data.control, verbs.table()):
        assert await waiting == "through"


async def test_a_folder_that_stays_locked_is_said_after_the_wait(tmp_path: Path) -> None:
    async def locked() -> str:
        raise DataFolderBusy("The data folder is in use by process 7.")

    with pytest.raises(DataFolderBusy, match="in use by process 7"):
        await beside(DataFolder(tmp_path), through, locked, wait=0.0)


async def test_a_bot_that_dies_meanwhile_is_said(tmp_path: Path) -> None:
    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.close()

    data = DataFolder(tmp_path)
    server = await asyncio.start_unix_server(hang_up, data.control)
    data.control.chmod(0o600)
    async with server, client_of(data) as client:
        with pytest.raises(NightlampError, match="ended before it was done"):
            await client.call("echo", {})


async def test_a_bot_that_says_nothing_is_given_up(tmp_path: Path) -> None:
    async with running(tmp_path) as data, client_of(data) as client:
        with pytest.raises(NightlampError, match="does not answer"):
            await client.call("wait", {}, deadline=0.01)
