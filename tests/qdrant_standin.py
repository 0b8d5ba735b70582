"""Stands in for a Qdrant server: its REST interface on loopback, over the client's local mode.

Bodies are read with the client's own models. It wants its key, knows no collection that was not
made, keeps a collection's settings and payload indexes to be looked at, can be stopped and
started again on its port with all it held, and can lose what it acknowledges.
"""

import asyncio
import json
from collections.abc import Callable
from typing import Any, TypeVar
from warnings import catch_warnings, simplefilter

from aiohttp import web
from pydantic import BaseModel, TypeAdapter, ValidationError
from qdrant_client import QdrantClient
from qdrant_client.http import models as m

from tests.kept_port import KeptPort
from tests.standin_search import Snapshot

T = TypeVar("T")
COLLECTION = "/collections/{name}"
READING = ("/points/query/batch", "/points/scroll", "/points/count")
MANY = 1000
"""Points from which on local mode's searches take too long."""


class QdrantStandin:
    """A server on 127.0.0.1; `async with` starts and stops it."""

    def __init__(self, *, key: str = "", version: str = "1.20.0") -> None:
        self.key = key
        self.version = version
        self._kept = KeptPort()
        self.port = self._kept.number
        self.calls: list[tuple[str, str]] = []
        self.created: dict[str, dict[str, Any]] = {}
        self.indexes: dict[str, dict[str, Any]] = {}
        self.queries: list[dict[str, Any]] = []
        self.parameters: list[dict[str, str]] = []
        self.loses: set[str] = set()
        """Which writes are acknowledged and not done: of `points`, of their `payload`."""
        self.late_counts = 0
        """How many counts are answered as if nothing had been written."""
        self.held = QdrantClient(":memory:")
        self._snapshots: dict[str, Snapshot] = {}
        self.held_query = asyncio.Event()
        self._may_query = asyncio.Event()
        self._may_query.set()
        self._runner: web.AppRunner | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def __aenter__(self) -> "QdrantStandin":
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()
        self.held.close()
        self._kept.let_go()

    async def start(self) -> None:
        self._runner = web.AppRunner(self._app(), shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self.port).start()

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    @property
    def collections(self) -> list[str]:
        return sorted(one.name for one in self.held.get_collections().collections)

    @property
    def aliases(self) -> dict[str, str]:
        return {one.alias_name: one.collection_name for one in self.held.get_aliases().aliases}

    def points(self, name: str) -> list[dict[str, Any]]:
        """Return the payloads of every point of a collection, whatever its generation."""
        records, _ = self.held.scroll(name, limit=100_000)
        return [record.payload or {} for record in records]

    def forget_alias(self, name: str) -> None:
        forgotten = m.DeleteAliasOperation(delete_alias=m.DeleteAlias(alias_name=name))
        self.held.update_collection_aliases([forgotten])

    def add_alias(self, name: str, collection: str) -> None:
        made = m.CreateAlias(alias_name=name, collection_name=collection)
        self.held.update_collection_aliases([m.CreateAliasOperation(create_alias=made)])

    def add_collection(self, name: str) -> None:
        self.held.create_collection(
            name, vectors_config=m.VectorParams(size=2, distance=m.Distance.DOT)
        )

    def delete_points(self, name: str, key: str, value: str) -> None:
        matched = m.FieldCondition(key=key, match=m.MatchValue(value=value))
        self.held.delete(name, m.FilterSelector(filter=m.Filter(must=[matched])))
        self._snapshots.clear()

    def hold_queries(self) -> None:
        """Answer no query before `let_queries`; `held_query` is set when one has come."""
        self._may_query.clear()

    def let_queries(self) -> None:
        self._may_query.set()

    def _app(self) -> web.Application:
        app = web.Application(client_max_size=64 * 2**20)
        put, post, get, delete = app.router.add_put, app.router.add_post, "GET", "DELETE"
        app.router.add_route(get, "/", self._root)
        app.router.add_route(get, "/collections", self._on(self._list))
        app.router.add_route(get, "/aliases", self._on(self._list_aliases))
        post("/collections/aliases", self._on(self._change_aliases))
        put(COLLECTION, self._on(self._create))
        app.router.add_route(get, COLLECTION, self._on(self._collection, there=True))
        app.router.add_route(delete, COLLECTION, self._on(self._delete_collection))
        app.router.add_route(get, COLLECTION + "/exists", self._on(self._exists))
        put(COLLECTION + "/index", self._on(self._index, there=True))
        put(COLLECTION + "/points", self._on(self._upsert, there=True))
        post(COLLECTION + "/points/query/batch", self._on(self._query_batch, there=True))
        post(COLLECTION + "/points/scroll", self._on(self._scroll, there=True))
        post(COLLECTION + "/points/count", self._on(self._count, there=True))
        post(COLLECTION + "/points/delete", self._on(self._delete, there=True))
        post(COLLECTION + "/points/payload", self._on(self._set_payload, there=True))
        post(COLLECTION + "/points/payload/delete", self._on(self._delete_payload, there=True))
        return app

    async def _root(self, request: web.Request) -> web.Response:
        told = {"title": "qdrant - vector search engine", "version": self.version}
        return web.json_response(told)

    def _on(self, answer: Callable[[str, Any], Any], *, there: bool = False) -> Any:
        async def handle(request: web.Request) -> web.Response:
            if self.key and request.headers.get("api-key") != self.key:
                return failed(401, "Must provide an API key or an Authorization bearer token")
            name = request.match_info.get("name", "")
            body = await request.read()
            self._notice(request)
            if request.path.endswith("/query/batch"):
                self.held_query.set()
                await self._may_query.wait()
            if there and name not in self.collections:
                return failed(404, f"Not found: Collection `{name}` doesn't exist!")
            try:
                with catch_warnings():  # local mode remarks that it has no payload indexes
                    simplefilter("ignore")
                    result = answer(name, json.loads(body) if body else {})
            except ValidationError as error:
                return failed(400, f"Format error in JSON body: {error.error_count()} errors")
            except FileExistsError as error:
                return failed(409, str(error))
            except ValueError as error:
                return failed(400, str(error))
            return web.json_response({"result": dumped(result), "status": "ok", "time": 0.0})

        return handle

    def _notice(self, request: web.Request) -> None:
        self.calls.append((request.method, request.path))
        self.parameters.append(dict(request.query))
        if not request.path.endswith(READING):
            self._snapshots.clear()

    def _list(self, name: str, body: Any) -> Any:
        return self.held.get_collections()

    def _list_aliases(self, name: str, body: Any) -> Any:
        return self.held.get_aliases()

    def _change_aliases(self, name: str, body: Any) -> Any:
        actions = read(m.ChangeAliasesOperation, body).actions
        for action in actions:
            creates = isinstance(action, m.CreateAliasOperation)
            if creates and action.create_alias.alias_name in self.collections:
                raise FileExistsError("Collection with the name of the alias exists")
        return self.held.update_collection_aliases(actions)

    def _create(self, name: str, body: Any) -> Any:
        if name in self.collections:
            raise FileExistsError(f"Wrong input: Collection `{name}` already exists!")
        asked = read(m.CreateCollection, body)
        self.created[name] = body
        return self.held.create_collection(
            name,
            vectors_config=asked.vectors,
            sparse_vectors_config=asked.sparse_vectors,
        )

    def _collection(self, name: str, body: Any) -> Any:
        return self.held.get_collection(name)

    def _delete_collection(self, name: str, body: Any) -> Any:
        return name in self.collections and self.held.delete_collection(name)

    def _exists(self, name: str, body: Any) -> Any:
        return {"exists": name in self.collections}

    def _index(self, name: str, body: Any) -> Any:
        asked = read(m.CreateFieldIndex, body)
        self.indexes.setdefault(name, {})[asked.field_name] = body["field_schema"]
        return updated()

    def _upsert(self, name: str, body: Any) -> Any:
        asked = read(m.PointInsertOperations, body)
        assert isinstance(asked, m.PointsList)
        if "points" in self.loses:
            return updated()
        return self.held.upsert(name, asked.points)

    def _query_batch(self, name: str, body: Any) -> Any:
        asked = read(m.QueryRequestBatch, body)
        self.queries += body["searches"]
        return [{"points": dumped(self._query(name, one))} for one in asked.searches]

    def _query(self, name: str, one: m.QueryRequest) -> Any:
        if name not in self._snapshots and self.held.count(name).count >= MANY:
            self._snapshots[name] = Snapshot(self.held, name)
        if name in self._snapshots:
            return self._snapshots[name].query(one)
        return self.held.query_points(
            name,
            query=one.query,
            using=one.using,
            query_filter=one.filter,
            limit=one.limit or 10,
            with_payload=one.with_payload or False,
        ).points

    def _scroll(self, name: str, body: Any) -> Any:
        asked = read(m.ScrollRequest, body)
        points, after = self.held.scroll(
            name,
            scroll_filter=asked.filter,
            limit=asked.limit or 10,
            offset=asked.offset,
            with_payload=True if asked.with_payload is None else asked.with_payload,
            with_vectors=asked.with_vector or False,
        )
        return {"points": dumped(points), "next_page_offset": after}

    def _count(self, name: str, body: Any) -> Any:
        if self.late_counts:
            self.late_counts -= 1
            return m.CountResult(count=0)
        return self.held.count(name, count_filter=read(m.CountRequest, body).filter)

    def _delete(self, name: str, body: Any) -> Any:
        selected: Any = TypeAdapter(m.PointsSelector).validate_python(body)
        return self.held.delete(name, selected)

    def _set_payload(self, name: str, body: Any) -> Any:
        asked = read(m.SetPayload, body)
        if "payload" in self.loses:
            return updated()
        chosen: Any = asked.points or asked.filter
        return self.held.set_payload(name, asked.payload, points=chosen)

    def _delete_payload(self, name: str, body: Any) -> Any:
        asked = read(m.DeletePayload, body)
        chosen: Any = asked.points or asked.filter
        return self.held.delete_payload(name, asked.keys, points=chosen)


def read(kind: Any, body: Any) -> Any:
    return TypeAdapter(kind).validate_python(body)


def updated() -> m.UpdateResult:
    return m.UpdateResult(operation_id=0, status=m.UpdateStatus.COMPLETED)


def failed(status: int, why: str) -> web.Response:
    return web.json_response({"status": {"error": why}, "time": 0.0}, status=status)


def dumped(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", exclude_none=True)
    if isinstance(value, list):
        return [dumped(one) for one in value]
    return value
