"""One collection on a Qdrant server, and the generations of points in it."""

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from qdrant_client import AsyncQdrantClient, models

from core.engines.server import ServerCalls
from core.engines.server_points import (
    KEYWORDS,
    NUMBERS,
    Stored,
    any_of,
    ended,
    hits,
    later,
    point_struct,
    query,
    seen,
    sees_nothing,
    server_words,
    stored_from,
)
from core.engines.sound_points import check_dense, check_sparse
from core.errors import IndexUnavailable
from core.points import Point, RawHit, RawHits, SearchRequest
from core.settings_groups import QdrantSettings

BATCH: Final = 128
"""Points a write: about a megabyte of JSON."""
_PAGE = 1000


@dataclass(frozen=True, slots=True)
class _List:
    """One list that a request asks for."""

    number: int
    name: str
    vector: Any
    request: SearchRequest


class Collection:
    """A collection by its name. Whatever is read is read as one generation sees it."""

    def __init__(
        self, calls: ServerCalls, settings: QdrantSettings, name: str, dimension: int
    ) -> None:
        self._calls = calls
        self._settings = settings
        self._read = _consistency(settings.read_consistency)
        self.name = name
        self.dimension = dimension

    async def create(self) -> None:
        """Make the collection and its payload indexes, where they are not there yet."""

        async def make(client: AsyncQdrantClient) -> None:
            if not await client.collection_exists(self.name):
                await client.create_collection(
                    self.name,
                    vectors_config={
                        "dense": models.VectorParams(
                            size=self.dimension, distance=models.Distance.COSINE
                        )
                    },
                    sparse_vectors_config={
                        "passage": models.SparseVectorParams(),
                        "section": models.SparseVectorParams(),
                    },
                    shard_number=self._settings.shards,
                    replication_factor=self._settings.replicas,
                    write_consistency_factor=self._settings.write_consistency,
                    on_disk_payload=True,
                )

        await self._calls.write(make)
        for name, schema in _indexes():
            await self._index(name, schema)

    async def _index(self, name: str, schema: Any) -> None:
        await self._calls.write(
            lambda client: client.create_payload_index(self.name, name, field_schema=schema)
        )

    async def there(self) -> bool:
        """Return whether the server has the collection."""
        return await self._calls.ask(lambda client: client.collection_exists(self.name))

    async def remove(self) -> None:
        """Delete the collection; one that is gone already is fine."""
        await self._calls.write(lambda client: client.delete_collection(self.name))

    async def write(self, points: Sequence[Point], since: int) -> None:
        """Add at most one batch of points that were checked, or write it again."""
        structs = [point_struct(point, since) for point in points]
        await self._calls.write(lambda client: client.upsert(self.name, structs))

    async def end(self, ids: Sequence[str], until: int) -> None:
        """Hide points from a generation on."""
        for some in _some(ids):
            await self._end(some, until)

    async def _end(self, ids: list[str], until: int) -> None:
        await self._calls.write(
            lambda client: client.set_payload(self.name, {"until": until}, points=[*ids])
        )

    async def erase(self, ids: Sequence[str]) -> None:
        """Delete points by the server's ids."""
        for some in _some(ids):
            await self._erase(some)

    async def _erase(self, ids: list[str]) -> None:
        selected = models.PointIdsList(points=[*ids])
        await self._calls.write(lambda client: client.delete(self.name, selected))

    async def keep_only(self, at: int) -> None:
        """Delete what a generation does not see, and what a later one had begun."""
        gone = models.Filter(should=[ended(at), *(later("since", at).must or [])])
        await self._calls.write(
            lambda client: client.delete(self.name, models.FilterSelector(filter=gone))
        )
        await self._calls.write(
            lambda client: client.delete_payload(self.name, ["until"], later("until", at))
        )

    async def count(self, at: int) -> int:
        """Return the number of points."""
        found = await self._calls.ask(
            lambda client: client.count(self.name, count_filter=seen(at), exact=True)
        )
        return found.count

    async def count_since(self, at: int) -> int:
        """Return the number of points that a generation wrote."""
        found = await self._calls.ask(
            lambda client: client.count(self.name, count_filter=later("since", at - 1), exact=True)
        )
        return found.count

    async def broken(self) -> bool:
        """Return whether the server says that a part of the collection cannot be read."""
        found = await self._calls.ask(lambda client: client.get_collection(self.name))
        return found.status is models.CollectionStatus.RED

    async def scroll(
        self,
        at: int,
        *must: models.Condition,
        fields: Sequence[str] = (),
        words: bool = False,
    ) -> AsyncIterator[list[Stored]]:
        """Yield points page by page; `fields` are those of the payload that are read, or all."""
        after: Any = None

        async def page(client: AsyncQdrantClient) -> tuple[list[models.Record], Any]:
            return await client.scroll(
                self.name,
                scroll_filter=seen(at, *must),
                limit=_PAGE,
                offset=after,
                with_payload=list(fields) or True,
                with_vectors=["passage", "section"] if words else False,
                consistency=self._read,
            )

        while True:
            records, after = await self._calls.ask(page)
            yield [stored_from(record) for record in records]
            if after is None:
                return

    async def written(self, at: int, name: str, values: Sequence[str]) -> list[Stored]:
        """Return the points with these ids, or of these documents, with their tokens."""
        pages = self.scroll(at, any_of(name, values), fields=("since", "point_id"), words=True)
        return [one async for page in pages for one in page]

    async def search(self, requests: Sequence[SearchRequest], at: int) -> list[RawHits]:
        """Answer all lists of all requests in one batch, and ask on where a tie was cut.

        Raises:
            IndexMisconfigured: a question's vector has another length or is not finite.
        """
        found: list[dict[str, tuple[RawHit, ...]]] = [{} for _ in requests]
        for one, points in await self._lists(list(self._asked(requests)), at):
            found[one.number][one.name] = hits(points, one.request.limit, one.name)
        return [RawHits(**by_name) for by_name in found]

    def _asked(self, requests: Sequence[SearchRequest]) -> Iterator[_List]:
        for number, request in enumerate(requests):
            blind = sees_nothing(request.where)
            if request.dense is not None:
                check_dense(request.dense, self.dimension)
                if not blind:
                    yield _List(number, "dense", list(request.dense), request)
            for name, words in (("passage", request.passage), ("section", request.section)):
                if words is not None:
                    check_sparse(words)
                    if words.indices and not blind:
                        yield _List(number, name, server_words(words), request)

    async def _lists(
        self, asked: Sequence[_List], at: int
    ) -> list[tuple[_List, list[models.ScoredPoint]]]:
        """Ask for one more than the limit, and for more again until no list ends within a tie."""
        done: list[tuple[_List, list[models.ScoredPoint]]] = []
        limits = [one.request.limit + 1 for one in asked]
        while asked:
            queries = [
                query(one.request, one.name, one.vector, at, limit=n, exact=self._settings.exact)
                for one, n in zip(asked, limits, strict=True)
            ]
            more: list[tuple[_List, int]] = []
            for one, n, answer in zip(asked, limits, await self._answers(queries), strict=True):
                if _cut_in_a_tie(answer.points, one.request.limit, n):
                    more.append((one, 4 * n))
                else:
                    done.append((one, answer.points))
            asked, limits = [one for one, _ in more], [n for _, n in more]
        return done

    async def _answers(
        self, queries: Sequence[models.QueryRequest]
    ) -> Sequence[models.QueryResponse]:
        answers = await self._calls.ask(
            lambda client: client.query_batch_points(self.name, queries, consistency=self._read)
        )
        if len(answers) != len(queries):
            raise IndexUnavailable("The Qdrant server left a part of a question unanswered.")
        return answers


def _some(ids: Sequence[str]) -> Iterator[list[str]]:
    waiting = iter(ids)
    while some := list(islice(waiting, _PAGE)):
        yield some


def _cut_in_a_tie(points: Sequence[models.ScoredPoint], limit: int, asked: int) -> bool:
    """Return whether the last that is wanted scores as the last that came, and more may follow."""
    return len(points) >= asked and points[limit - 1].score == points[-1].score


def _indexes() -> Iterator[tuple[str, Any]]:
    yield (
        "tenant",
        models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=True),
    )
    for name in KEYWORDS:
        yield name, models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD)
    for name in NUMBERS:
        yield (
            name,
            models.IntegerIndexParams(
                type=models.IntegerIndexType.INTEGER, lookup=False, range=True
            ),
        )


def _consistency(typed: str) -> Any:
    """Return how many replicas must agree on what is read; None leaves it to the server."""
    if not typed:
        return None
    return int(typed) if typed.isdecimal() else models.ReadConsistencyType(typed)
