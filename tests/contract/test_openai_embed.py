"""Embeddings from a server: what is sent, and every way in which it can fail."""

import logging
import math
from array import array
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr, ValidationError

from core.engines.openai_embed import OpenAIEmbedder, Patience
from core.engines.vector_cache import CachedEmbedder
from core.errors import EmbedderUnavailable
from core.models import Scope
from core.outcomes import Gate
from core.reports import IndexOptions
from core.settings import Settings
from core.settings_groups import EmbeddingSettings
from corpus.data_folder import DataFolder
from corpus.library import embedder_for, open_library
from tests.kept_port import KeptPort
from tests.scripted_embeddings import FAULTS, ScriptedEmbeddings
from tests.waiting import PATIENT

SHORT = Patience(question=0.5, batch=0.5, tries=3, pause=0.001)
CALM = Patience(question=PATIENT, batch=PATIENT, pause=0.001)
KEY = "sk-secret"


@pytest.fixture
def server() -> Iterator[ScriptedEmbeddings]:
    with ScriptedEmbeddings().running() as running:
        yield running


def settings(server: ScriptedEmbeddings, **more: Any) -> EmbeddingSettings:
    given: dict[str, Any] = {"model": "any", "base_url": server.base_url}
    return EmbeddingSettings(**{**given, "dimensions": server.dimension, **more})


@pytest.mark.parametrize("fault", FAULTS)
async def test_every_fault_is_one_sentence_without_key_or_text(
    server: ScriptedEmbeddings, fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.faults = [fault]
    embedder = OpenAIEmbedder(settings(server, api_key=SecretStr(KEY)), SHORT)
    with pytest.raises(EmbedderUnavailable) as caught:
        await embedder.embed_passages(["the disk is full", "and the login fails"])
    await embedder.aclose()
    said = f"{caught.value} {caplog.text}"
    assert str(caught.value).startswith("The embedding server 127.0.0.1:")
    assert [secret for secret in (KEY, "disk", "login", "log in") if secret in said] == []
    assert caught.value.__suppress_context__


@pytest.mark.parametrize("fault", ["stall", "trickle"])
async def test_a_question_has_one_deadline(server: ScriptedEmbeddings, fault: str) -> None:
    server.faults = [fault]
    embedder = OpenAIEmbedder(settings(server), Patience(question=1.0))
    with pytest.raises(EmbedderUnavailable, match="did not reply within 1 seconds"):
        await embedder.embed_question("disk full")
    await embedder.aclose()


async def test_a_server_that_is_not_there_is_named() -> None:
    kept = KeptPort()
    base_url = f"http://127.0.0.1:{kept.number}/v1"
    nowhere = EmbeddingSettings(model="any", base_url=base_url, dimensions=3)
    embedder = OpenAIEmbedder(nowhere, CALM)
    with pytest.raises(EmbedderUnavailable, match=rf"127\.0\.0\.1:{kept.number} cannot be reached"):
        await embedder.embed_question("disk full")
    await embedder.aclose()
    kept.let_go()


@pytest.mark.parametrize("fault", ["429", "500", "503 html"])
async def test_what_passes_is_asked_for_again(server: ScriptedEmbeddings, fault: str) -> None:
    server.faults = [fault, fault, ""]
    embedder = OpenAIEmbedder(settings(server), CALM)
    vector = await embedder.embed_question("disk full")
    await embedder.aclose()
    assert (len(vector), len(server.requests)) == (server.dimension, 3)


@pytest.mark.parametrize(("fault", "requests"), [("401", 1), ("429 long", 1), ("500", 4)])
async def test_requests_are_bounded(server: ScriptedEmbeddings, fault: str, requests: int) -> None:
    server.faults = [fault]
    embedder = OpenAIEmbedder(settings(server), CALM)
    with pytest.raises(EmbedderUnavailable):
        await embedder.embed_question("disk full")
    await embedder.aclose()
    assert len(server.requests) == requests


async def test_a_server_that_fails_again_and_again_is_left_alone(
    server: ScriptedEmbeddings,
) -> None:
    server.faults = ["401", "401", "401", ""]
    embedder = OpenAIEmbedder(settings(server), CALM)
    for _ in range(5):
        with pytest.raises(EmbedderUnavailable):
            await embedder.embed_question("disk full")
    assert (len(server.requests), await embedder.health()) == (3, "")
    await embedder.aclose()


async def test_a_server_that_was_left_alone_is_asked_once_more(server: ScriptedEmbeddings) -> None:
    server.faults = ["401", "401", "401", ""]
    embedder = OpenAIEmbedder(settings(server), Patience(question=PATIENT, rest=0.0))
    for _ in range(3):
        with pytest.raises(EmbedderUnavailable):
            await embedder.embed_question("disk full")
    assert len(await embedder.embed_question("disk full")) == server.dimension
    await embedder.aclose()


async def test_no_key_of_the_environment_is_sent(
    server: ScriptedEmbeddings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-other")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-other")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Other: sk-other")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    embedder = OpenAIEmbedder(settings(server), CALM)
    await embedder.embed_question("disk full")
    await embedder.aclose()
    [headers] = server.headers
    assert headers["authorization"] == "Bearer none"
    assert "other" not in str(headers)


async def test_the_key_that_is_set_is_sent(server: ScriptedEmbeddings) -> None:
    embedder = OpenAIEmbedder(settings(server, api_key=SecretStr(KEY)), CALM)
    await embedder.embed_question("disk full")
    await embedder.aclose()
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"


async def test_prefixes_are_sent_and_named(server: ScriptedEmbeddings) -> None:
    prefixed = settings(server, query_prefix="query: ", passage_prefix="passage: ")
    embedder = OpenAIEmbedder(prefixed, CALM)
    bare = OpenAIEmbedder(settings(server), CALM)
    await embedder.embed_question("disk")
    await embedder.embed_passages(["login"])
    assert [body["input"] for body in server.requests] == [["query: disk"], ["passage: login"]]
    assert embedder.count_tokens("login") == bare.count_tokens("passage: login")
    assert embedder.fingerprint != bare.fingerprint
    await embedder.aclose()
    await bare.aclose()


def test_the_fingerprint_tells_server_model_length_window_and_prefixes() -> None:
    one = EmbeddingSettings(model="text-embedding-3-small", base_url="https://API.openai.com/v1")
    assert OpenAIEmbedder(one).fingerprint == (
        "text-embedding-3-small:openai:api.openai.com:1536:8191:'':''"
    )


@pytest.mark.parametrize(
    ("model", "dimensions", "sent"),
    [
        ("text-embedding-3-small", 0, None),
        ("text-embedding-3-small", 256, 256),
        ("any", 1024, 1024),
    ],
)
async def test_a_length_is_asked_for_where_it_is_not_the_models_own(
    server: ScriptedEmbeddings, model: str, dimensions: int, sent: int | None
) -> None:
    embedder = OpenAIEmbedder(settings(server, model=model, dimensions=dimensions), CALM)
    with suppress(EmbedderUnavailable):  # the scripted vectors are of another length than most
        await embedder.embed_question("disk")
    await embedder.aclose()
    assert server.requests[0].get("dimensions") == sent


async def test_a_server_that_refuses_a_length_is_asked_without(server: ScriptedEmbeddings) -> None:
    server.refuses = {"dimensions"}
    embedder = OpenAIEmbedder(settings(server), CALM)
    await embedder.embed_question("disk")
    await embedder.embed_question("login")
    await embedder.aclose()
    assert ["dimensions" in body for body in server.requests] == [True, False, False]


async def test_no_request_has_more_than_a_server_takes(server: ScriptedEmbeddings) -> None:
    embedder = OpenAIEmbedder(settings(server), CALM)
    many = await embedder.embed_passages([f"text {number}" for number in range(300)])
    long = await embedder.embed_passages(["x" * 8000] * 40)
    await embedder.aclose()
    assert (len(many), len(long)) == (300, 40)
    assert [len(body["input"]) for body in server.requests] == [128, 128, 44, 31, 9]


@pytest.mark.parametrize("text", ["x" * 9000, "日本語のログ" * 2000, "🔥" * 3000, "\ud800" * 9000])
async def test_no_text_is_beyond_the_window(server: ScriptedEmbeddings, text: str) -> None:
    embedder = OpenAIEmbedder(settings(server, window=512), CALM)
    await embedder.embed_question(text)
    await embedder.embed_passages([text])
    await embedder.aclose()
    sizes = [len(body["input"][0].encode()) for body in server.requests]
    assert max(sizes) <= 508
    assert min(sizes) > 500
    assert embedder.count_tokens(text) > 512


async def test_vectors_are_normalised_and_single(server: ScriptedEmbeddings) -> None:
    embedder = OpenAIEmbedder(settings(server), CALM)
    vector = await embedder.embed_question("disk full")
    await embedder.aclose()
    assert isinstance(vector, array)
    assert math.hypot(*vector) == pytest.approx(1.0, abs=1e-6)


async def test_a_passage_is_asked_for_once(server: ScriptedEmbeddings, tmp_path: Path) -> None:
    embedder = CachedEmbedder(OpenAIEmbedder(settings(server), CALM), tmp_path / "vectors.db")
    first = await embedder.embed_passages(["disk", "login"])
    again = await embedder.embed_passages(["login", "disk"])
    await embedder.aclose()
    assert (again, len(server.requests)) == (first[::-1], 1)


async def test_the_settings_choose_it_by_the_base_url(
    server: ScriptedEmbeddings, tmp_path: Path
) -> None:
    embedder = await embedder_for(settings(server), DataFolder(tmp_path))
    [vector] = await embedder.embed_passages(["disk"])
    await embedder.aclose()
    assert len(vector) == embedder.dimension == server.dimension


async def test_while_the_server_fails_search_goes_by_keywords(
    server: ScriptedEmbeddings, tmp_path: Path
) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "disk.md").write_text("# The disk is full\n\nDelete old logs.\n")
    chosen = Settings(embedding=settings(server))
    async with open_library(chosen, tmp_path / "data", sources=[tmp_path / "pages"]) as library:
        await library.indexer.run(IndexOptions())
        well = await library.retriever.find("disk full", tenant="default", scope=Scope())
        server.faults = ["401"]
        ill = await library.retriever.find("disk full", tenant="default", scope=Scope())
    assert (well.gate, ill.gate) == (
        Gate(dense=True),
        Gate(dense=False, reason="the embedding model failed"),
    )
    assert [len(found.results) for found in (well, ill)] == [1, 1]


async def test_health_says_what_is_wrong(server: ScriptedEmbeddings) -> None:
    embedder = OpenAIEmbedder(settings(server), CALM)
    well = await embedder.health()
    server.faults = ["401"]
    ill = await embedder.health()
    await embedder.aclose()
    assert well == ""
    assert "correct NIGHTLAMP_EMBEDDING_API_KEY" in ill


def test_an_unknown_model_needs_the_length_of_its_vectors() -> None:
    with pytest.raises(ValidationError, match="length of the vectors"):
        EmbeddingSettings(model="nomic-embed-text", base_url="http://127.0.0.1:11434/v1")


def test_a_base_url_holds_no_password() -> None:
    with pytest.raises(ValidationError):
        EmbeddingSettings(
            model="text-embedding-3-small", base_url="https://me:secret@example.com/v1"
        )
