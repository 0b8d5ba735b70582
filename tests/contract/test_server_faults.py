"""A server behind a bad network: one sentence in time, whole again after, and the key nowhere."""

import asyncio
import logging
import traceback
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from core.engines.server_index import ServerIndex, server_version
from core.errors import IndexMisconfigured, IndexUnavailable, VectorIndexError
from core.settings_groups import QdrantSettings
from tests.fault_proxy import Cut, Delay, Fault, FaultProxy, Reset, Says, Silence
from tests.qdrant_standin import QdrantStandin
from tests.server_pages import ASKED, page, put, texts
from tests.waiting import PATIENT

KEY = "correct-horse-battery-staple"
AWAY: list[Fault] = [
    Reset(),
    Cut(20),
    Cut(200),
    Says(429, b"{}"),
    Says(429, b'{"status": {"error": "slow down"}}', (("Retry-After", "120"),)),
    Says(500, b'{"status": {"error": "panic"}}'),
    Says(502, b"<html>Bad Gateway</html>"),
    Says(503),
    Says(200, b'{"result": {"points": ['),
    Says(200, b"<html>Welcome</html>"),
    Says(200, b'{"result": 7, "status": "ok", "time": 0}'),
    Says(200, b"[]"),
    Says(404, b'{"status": {"error": "Not found: Collection"}}'),
]
SLOW: list[Fault] = [Delay(600.0), Silence()]
REFUSED: list[Fault] = [
    Says(301, b"", (("Location", "http://127.0.0.1:1/"),)),
    Says(400, b'{"status": {"error": "Wrong input"}}'),
    Says(401, b"Must provide an API key"),
    Says(403, b"Forbidden"),
    Says(413),
    Says(422, b"{}"),
]


@pytest.fixture
async def server() -> AsyncIterator[QdrantStandin]:
    async with QdrantStandin(key=KEY) as standin:
        yield standin


@pytest.fixture
async def proxy(server: QdrantStandin) -> AsyncIterator[FaultProxy]:
    async with FaultProxy(server.port) as standing:
        yield standing


@pytest.fixture
async def index(proxy: FaultProxy, tmp_path: Path) -> AsyncIterator[ServerIndex]:
    opened = await ServerIndex.open(tmp_path, 2, settings(proxy))
    await put(opened, page(1, "one"))
    yield opened
    proxy.fault = None
    await opened.aclose()


def settings(proxy: FaultProxy, timeout: float = PATIENT) -> QdrantSettings:
    told = {"url": proxy.url, "api_key": KEY, "timeout": timeout}
    return QdrantSettings.model_validate(told)


@pytest.mark.parametrize("fault", AWAY, ids=repr)
async def test_a_server_that_fails_is_unavailable_in_time_and_whole_after(
    index: ServerIndex, proxy: FaultProxy, fault: Fault
) -> None:
    proxy.fault, proxy.connections = fault, 0
    async with asyncio.timeout(PATIENT):
        with pytest.raises(IndexUnavailable):
            await index.search([ASKED])
    assert proxy.connections <= 2
    proxy.fault = None
    assert (await texts(index), await index.health()) == (["one"], "")


@pytest.mark.parametrize("fault", SLOW, ids=repr)
async def test_a_server_that_does_not_answer_is_given_up_at_the_deadline(
    index: ServerIndex, proxy: FaultProxy, tmp_path: Path, fault: Fault
) -> None:
    hasty = await ServerIndex.open(tmp_path, 2, settings(proxy, timeout=0.5))
    proxy.fault = fault
    async with asyncio.timeout(PATIENT):
        with pytest.raises(IndexUnavailable, match=r"within 0\.5 seconds"):
            await hasty.search([ASKED])
    await hasty.aclose()
    proxy.fault = None
    assert (await texts(index), await index.health()) == (["one"], "")


@pytest.mark.parametrize("fault", REFUSED, ids=repr)
async def test_a_call_that_is_refused_is_not_made_again(
    index: ServerIndex, proxy: FaultProxy, fault: Fault
) -> None:
    proxy.fault, proxy.connections = fault, 0
    with pytest.raises(IndexMisconfigured):
        await index.search([ASKED])
    assert proxy.connections == 1
    proxy.fault = None
    assert await texts(index) == ["one"]


async def test_a_refused_connection_is_unavailable_and_whole_after(
    index: ServerIndex, proxy: FaultProxy
) -> None:
    await proxy.refuse()
    with pytest.raises(IndexUnavailable, match="NIGHTLAMP_QDRANT_URL"):
        await index.search([ASKED])
    assert "cannot be reached" in await index.health()
    await proxy.accept()
    assert await texts(index) == ["one"]


@pytest.mark.parametrize(
    "fault", [Reset(), Cut(20), Says(429), Says(500), Says(200, b"{")], ids=repr
)
async def test_one_failure_is_made_good_by_asking_once_more(
    index: ServerIndex, proxy: FaultProxy, fault: Fault
) -> None:
    proxy.next.append(fault)
    [found] = await index.search([ASKED])
    assert len(found.dense) == 1


async def test_a_write_is_tried_four_times(index: ServerIndex, proxy: FaultProxy) -> None:
    build = await index.begin(from_live=False)
    proxy.next.extend([Says(503), Reset(), Cut(20)])
    await build.upsert(page(2, "two"))
    assert await build.count() == 2
    proxy.next.extend([Says(503)] * 4)
    with pytest.raises(IndexUnavailable):
        await build.upsert(page(3, "three"))
    await build.drop()


@pytest.mark.parametrize("until", range(1, 12))
async def test_an_update_that_fails_at_any_call_leaves_what_there_was(
    index: ServerIndex, server: QdrantStandin, proxy: FaultProxy, until: int
) -> None:
    proxy.next.extend([None] * until)
    proxy.fault = Says(400)
    try:
        await put(index, page(1, "new") + page(2, "two"))
        done = True
    except VectorIndexError:
        done = False
    proxy.next.clear()
    proxy.fault = None
    assert await texts(index) == (["new", "two"] if done else ["one"])
    assert await index.health() == ""
    await put(index, page(3, "three"))
    left = ["new", "three", "two"] if done else ["one", "three"]
    assert (await texts(index), await index.health()) == (left, "")
    assert len(server.points(server.collections[0])) == 2 * len(left)


async def test_text_that_is_no_unicode_is_refused_at_once_and_not_written(
    index: ServerIndex, proxy: FaultProxy
) -> None:
    build = await index.begin(from_live=False)
    before = proxy.connections
    with pytest.raises(IndexMisconfigured, match="cannot hold"):
        await build.upsert(page(2, "half a pair: \ud83d"))
    assert (proxy.connections, await build.count()) == (before, 0)
    await build.drop()


async def test_an_index_opens_without_its_server_and_answers_when_that_is_back(
    index: ServerIndex, server: QdrantStandin, proxy: FaultProxy, tmp_path: Path
) -> None:
    await index.aclose()
    await proxy.refuse()
    again = await ServerIndex.open(tmp_path, 2, settings(proxy))
    assert again.info is not None
    with pytest.raises(IndexUnavailable):
        await again.search([ASKED])
    await proxy.accept()
    assert await texts(again) == ["one"]
    await again.aclose()


async def test_a_build_does_not_begin_without_the_server(
    index: ServerIndex, proxy: FaultProxy
) -> None:
    await proxy.refuse()
    for from_live in (True, False):
        with pytest.raises(IndexUnavailable):
            await index.begin(from_live=from_live)
    await proxy.accept()


async def test_what_is_no_qdrant_is_said_to_be_none(proxy: FaultProxy) -> None:
    proxy.fault = Says(404, b"<html>nginx</html>")
    with pytest.raises(IndexMisconfigured, match="NIGHTLAMP_QDRANT_URL"):
        await server_version(settings(proxy))


async def test_a_certificate_that_is_not_trusted_is_no_passing_failure() -> None:
    from core.engines.server import _translated  # the one place that knows httpx's wording

    class Wrapped(Exception):
        source = OSError("[SSL: CERTIFICATE_VERIFY_FAILED] self-signed certificate")

    assert "SSL_CERT_FILE" in str(_translated(Wrapped(), "https://qdrant.example.com"))


@pytest.mark.parametrize("status", [200, 400, 401, 429, 502])
async def test_the_key_is_in_no_error_and_no_log(
    index: ServerIndex, proxy: FaultProxy, caplog: pytest.LogCaptureFixture, status: int
) -> None:
    caplog.set_level(logging.DEBUG)
    proxy.fault = Says(status, b"You sent: ", echo=True)
    with pytest.raises(VectorIndexError) as error:
        await index.search([ASKED])
    told = "".join(traceback.format_exception(error.value))
    assert KEY not in told + caplog.text + repr(settings(proxy))


async def test_proxies_of_the_environment_are_used_for_https(
    server: QdrantStandin, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with FaultProxy(server.port) as proxy:
        for name, value in (("https_proxy", proxy.url), ("no_proxy", "")):
            monkeypatch.setenv(name, value)
            monkeypatch.setenv(name.upper(), value)
        proxy.fault = Says(403)
        secured = QdrantSettings.model_validate({"url": "https://qdrant.invalid", "api_key": KEY})
        with pytest.raises(IndexUnavailable, match="ProxyError"):
            await server_version(secured)
        assert proxy.connections == 2


async def test_proxies_of_the_environment_are_not_used_for_plain_http(
    server: QdrantStandin, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with FaultProxy(server.port) as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.url)
        direct = QdrantSettings.model_validate({"url": server.url, "api_key": KEY})
        assert (await server_version(direct), proxy.connections) == ("1.20.0", 0)
