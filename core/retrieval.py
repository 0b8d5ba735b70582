"""Finding sections: dense and keyword search in one batch, fused here, gated, made into results.

The mix is C of the measurements in docs/retrieval.md: similarity, plus BM25 over whole sections and
over passages as a share of what the question could reach, plus what the page's best two reach.
"""

import asyncio
import logging
import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from core.errors import EmbedderError, IndexUnavailable, RerankerError
from core.index_port import EMPTY
from core.models import Scope, Section, Span, Vector
from core.noise import without_noise
from core.outcomes import Finding, Gate, Hit, Result, Timing
from core.pages import Piece, packed
from core.points import Filter, RawHit, RawHits, SearchRequest, alike
from core.ports import Embedder, Reranker, SearchableIndex
from core.query import KeywordQuery, coverage, keyword_query
from core.ranking import Candidate, Mix, merged, ranked, reordered
from core.settings_groups import RetrievalSettings
from core.vocabulary import Vocabulary

PACKED = 60
"""Sections that ten results are packed from: up to three a page, and some that do not fit."""
FILL_LIMIT = 1000
"""Passages asked for when the missing scores of the candidates are filled in."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question on its way through the index."""

    where: Filter
    words: KeywordQuery
    vector: Vector | None
    by_words: bool = True


class Retriever:
    """Finds sections for a question in one tenant and scope. Knows no outcome and no chat."""

    def __init__(
        self,
        index: SearchableIndex,
        embedder: Embedder,
        vocabulary: Vocabulary,
        settings: RetrievalSettings,
        reranker: Reranker | None = None,
    ) -> None:
        self._index = index
        self._embedder = embedder
        self._vocabulary = vocabulary
        self._settings = settings
        self._reranker = reranker

    @property
    def model(self) -> str:
        """Return the fingerprint of the embedding model."""
        return self._embedder.fingerprint

    async def find(self, text: str, *, tenant: str, scope: Scope, limit: int = 10) -> Finding:
        """Return up to `limit` results with the signals that evidence is decided on.

        Raises:
            IndexUnavailable: the index cannot be reached, or nothing is indexed yet. A failing
                model is no error: the search goes on by keywords, and the gate says so.
        """
        if self._index.info is None:
            raise IndexUnavailable(EMPTY)
        started = time.perf_counter()
        asked_text = without_noise(text)
        vector, gate = await self._embed(asked_text)
        embedded = time.perf_counter()
        where = Filter(tenant, scope.visibility, scope.service, scope.type)
        words = keyword_query(asked_text, self._index.frequencies, self._vocabulary)
        dense_alone = self._settings.search == "dense" and vector is not None
        asked = _Asked(where, words, vector, by_words=not dense_alone)
        candidates = await self._candidates(asked)
        first, unranked = await self._reranked(asked_text, candidates[:PACKED])
        results = await self._results(first, limit)
        signals = await self._signals(
            asked, candidates, results[0].best.section if results else None
        )
        done = time.perf_counter()
        return Finding(
            results=results,
            signals=signals,
            gate=gate,
            vector=vector,
            exact=bool(results) and results[0].best.section.id in _exact(candidates),
            timing=Timing(
                embed=1000 * (embedded - started),
                search=1000 * (done - embedded),
                total=1000 * (done - started),
            ),
            unranked=unranked,
        )

    async def _embed(self, text: str) -> tuple[Vector | None, Gate]:
        if self._settings.search == "keyword":
            return None, Gate(dense=False, reason="dense search is switched off")
        info = self._index.info
        few = info is None or info.documents < self._settings.dense_min_documents
        if not self._embedder.trusted and few:
            return None, Gate(dense=False, reason="untrusted model on a small corpus")
        try:
            vector = await self._embedder.embed_question(text)
        except EmbedderError:
            return None, Gate(dense=False, reason="the embedding model failed")
        if info is not None and not alike(info.model, self._embedder.fingerprint):
            return None, Gate(dense=False, reason="the index was built with another model")
        return vector, Gate(dense=True)

    async def _candidates(self, asked: _Asked) -> list[Candidate]:
        requests = [
            SearchRequest(
                asked.where,
                self._settings.candidates,
                dense=asked.vector,
                passage=asked.words.passage if asked.by_words else None,
                section=asked.words.section if asked.by_words else None,
            )
        ]
        if asked.words.identifiers and asked.by_words:
            named = replace(asked.where, names=asked.words.identifiers)
            requests.append(
                SearchRequest(named, self._settings.candidates, section=asked.words.section)
            )
        raw, *named_raw = await self._index.search(requests)
        exact = frozenset(hit.section_id for found in named_raw for hit in found.section)
        missing = _missing(asked, raw, named_raw)
        filled = await self._index.search(missing) if missing else []
        found = merged(raw, [*named_raw, *filled], asked.words, exact)
        mix = Mix.named(self._settings.fusion, self._settings.rrf_k, self._settings.search)
        return ranked(found, mix)

    async def _reranked(
        self, text: str, ranked: Sequence[Candidate]
    ) -> tuple[Sequence[Candidate], str]:
        """Return the candidates as the reranker orders the first of them, and why if it did not.

        It has its seconds and no more: what was found is never lost for the sake of its order.
        """
        if self._reranker is None or not ranked:
            return ranked, ""
        hits = await self._hits(ranked[: self._settings.reranker_candidates])
        seconds = self._settings.reranker_seconds
        cause: BaseException | None = None
        try:
            async with asyncio.timeout(seconds):
                hits = await self._reranker.rerank(text, hits)
        except TimeoutError:
            unranked = f"The reranker took more than its {seconds:g} seconds."
        except RerankerError as error:
            unranked, cause = str(error), error.__cause__
        else:
            return reordered(ranked, [hit.section.id for hit in hits]), ""
        _log.warning("The order of the search stands: %s", unranked, exc_info=cause)
        return ranked, unranked

    async def _results(self, first: Sequence[Candidate], limit: int) -> tuple[Result, ...]:
        """Pack the first candidates by their lengths, and read those that are shown."""
        lengths = await self._index.lengths([c.section_id for c in first])
        pieces = [
            Piece(c.section_id, c.document_id, lengths[c.section_id])
            for c in first
            if c.section_id in lengths
        ]
        while True:
            cards = self._packed(pieces, limit)
            shown = {id_ for card in cards for id_ in card}
            hits = await self._hits([c for c in first if c.section_id in shown])
            gone = shown.difference(hit.section.id for hit in hits)
            if not gone:
                return _as_results(cards, hits)
            # Another build has taken the place of the one that they were found in.
            pieces = [piece for piece in pieces if piece.section_id not in gone]

    def _packed(self, ranked: Sequence[Piece], limit: int) -> list[list[str]]:
        card_chars = self._settings.card_chars if self._settings.results == "cards" else 0
        return packed(ranked, card_chars=card_chars, limit=limit)

    async def _hits(self, candidates: Sequence[Candidate]) -> list[Hit]:
        """Read the candidates' sections; one that is gone is left out."""
        sections = await self._index.sections([c.section_id for c in candidates])
        return [
            _hit(candidate, sections[candidate.section_id])
            for candidate in candidates
            if candidate.section_id in sections
        ]

    async def _signals(
        self, asked: _Asked, candidates: Sequence[Candidate], best: Section | None
    ) -> dict[str, float]:
        frequencies = self._index.frequencies
        page = await self._index.page_tokens(best.document_id) if best else frozenset()
        distances = [c.distance for c in candidates if c.distance is not None]
        scores = sorted((c.score for c in candidates), reverse=True)
        return {
            "cos": 1 - min(distances) if distances else 0.0,
            "gap20": scores[0] - scores[min(19, len(scores) - 1)] if scores else 0.0,
            "dcover": coverage(asked.words, frequencies, page),
            "agree": _agreement(candidates),
            "tokens": float(len(asked.words.tokens)),
            "qlen": math.log1p(len(asked.words.tokens)),
            "keyword": max((c.keyword_score for c in candidates), default=0.0),
        }


def _missing(asked: _Asked, raw: RawHits, named: Sequence[RawHits]) -> list[SearchRequest]:
    """Return what asks for the scores of the lists that a candidate was not in."""
    near, said, told = (_section_ids(one) for one in (raw.dense, raw.passage, raw.section))
    found = near | said | told | _section_ids(hit for one in named for hit in one.section)
    requests: list[SearchRequest] = []
    if asked.vector is not None:
        far = _among(asked, sorted(found - near))
        requests.append(SearchRequest(far, FILL_LIMIT, dense=asked.vector))
    if asked.by_words:
        unsaid = _among(asked, sorted(found - said))
        untold = _among(asked, sorted(found - told))
        requests.append(SearchRequest(unsaid, FILL_LIMIT, passage=asked.words.passage))
        requests.append(SearchRequest(untold, FILL_LIMIT, section=asked.words.section))
    return [request for request in requests if request.where.section_ids]


def _section_ids(hits: Iterable[RawHit]) -> set[str]:
    return {hit.section_id for hit in hits}


def _among(asked: _Asked, ids: Sequence[str]) -> Filter:
    return replace(asked.where, section_ids=tuple(ids))


def _exact(candidates: Sequence[Candidate]) -> frozenset[str]:
    return frozenset(c.section_id for c in candidates if c.exact)


def _agreement(candidates: Sequence[Candidate]) -> float:
    """Return 1 if the nearest section and the best by keywords lie in one page."""
    with_distance = [c for c in candidates if c.distance is not None]
    if not with_distance:
        return 0.0
    nearest = min(with_distance, key=lambda c: (c.distance, c.section_id))
    by_words = min(candidates, key=lambda c: (-c.keyword_score, c.section_id))
    return float(nearest.document_id == by_words.document_id and by_words.keyword_score > 0)


def _as_results(cards: Sequence[Sequence[str]], hits: Sequence[Hit]) -> tuple[Result, ...]:
    by_id = {hit.section.id: hit for hit in hits}
    return tuple(Result(tuple(by_id[id_] for id_ in card)) for card in cards)


def _hit(candidate: Candidate, section: Section) -> Hit:
    return Hit(
        section=section,
        distance=candidate.distance,
        keyword_score=candidate.keyword_score,
        score=candidate.score,
        ranks=candidate.ranks,
        passage=candidate.passage or Span(section.span.start, section.span.end),
    )
