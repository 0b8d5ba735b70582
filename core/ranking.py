"""Raw lists to one ranking: scores side by side, mixed or fused by rank, with a fixed tie-break.

Pure. The mix keeps raw figures, so that they can be explained and a refusal can be decided on them;
reciprocal rank fusion (1 / (k + rank), Cormack et al. 2009) is there to compare with.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.models import Span
from core.outcomes import Ranks
from core.points import RawHit, RawHits
from core.query import KeywordQuery

KEYWORD_WEIGHT = 1.5
"""How much the keyword share counts beside a cosine."""
PAGE_WEIGHT = 0.2
"""How much the mean of a page's best two sections adds to each of its sections."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A section with every score that some list gave it."""

    section_id: str
    document_id: str
    distance: float | None = None
    section_share: float = 0.0
    passage_share: float = 0.0
    ranks: Ranks = field(default_factory=Ranks)
    passage: Span | None = None
    exact: bool = False
    score: float = 0.0

    @property
    def keyword_score(self) -> float:
        """Return the mean share of the question's ideal BM25, over section and best passage."""
        return (self.section_share + self.passage_share) / 2


@dataclass(frozen=True, slots=True)
class Mix:
    """How the lists become one ranking: the weighted mix, or reciprocal ranks with constant k."""

    rrf_k: int | None = None

    @classmethod
    def named(cls, fusion: str, rrf_k: int) -> "Mix":
        """Return the mix of a setting: `mix` or `rrf`."""
        return cls(rrf_k if fusion == "rrf" else None)


def merged(
    raw: RawHits,
    extra: Sequence[RawHits],
    words: KeywordQuery,
    exact: frozenset[str],
    onto: Mapping[str, Candidate] | None = None,
) -> dict[str, Candidate]:
    """Return candidates by section id, each with its best score of every list.

    Ranks come from `raw` alone: `extra` lists were searched under narrower filters.
    """
    found = dict(onto or {})
    for hits, with_ranks in [(raw, True), *((more, False) for more in extra)]:
        _take(found, hits.section, "section", words, with_ranks)
        _take(found, hits.passage, "passage", words, with_ranks)
        _take(found, hits.dense, "dense", words, with_ranks)
    for id_ in exact & found.keys():
        found[id_] = replace(found[id_], exact=True)
    return found


def ranked(found: Mapping[str, Candidate], mix: Mix) -> list[Candidate]:
    """Return the candidates with their scores, best first; ties by distance, then id.

    A section whose alert or heading the question names exactly comes before any that it does not.
    """
    base = {id_: _base(candidate, mix) for id_, candidate in found.items()}
    pages: dict[str, list[float]] = {}
    for id_, candidate in found.items():
        pages.setdefault(candidate.document_id, []).append(base[id_])
    page_bonus = {
        page: PAGE_WEIGHT * sum(sorted(scores, reverse=True)[:2]) / 2
        for page, scores in pages.items()
    }
    scored = [
        replace(
            candidate,
            score=base[id_] + (page_bonus[candidate.document_id] if mix.rrf_k is None else 0.0),
        )
        for id_, candidate in found.items()
    ]
    return sorted(scored, key=lambda c: (not c.exact, -c.score, _far(c.distance), c.section_id))


def _base(candidate: Candidate, mix: Mix) -> float:
    if mix.rrf_k is not None:
        ranks = (candidate.ranks.dense, candidate.ranks.passage, candidate.ranks.section)
        return sum(1 / (mix.rrf_k + rank) for rank in ranks if rank is not None)
    similarity = 0.0 if candidate.distance is None else 1 - candidate.distance
    return similarity + KEYWORD_WEIGHT * candidate.keyword_score


def _far(distance: float | None) -> float:
    return 2.0 if distance is None else distance


def _take(
    found: dict[str, Candidate],
    hits: Sequence[RawHit],
    kind: str,
    words: KeywordQuery,
    with_ranks: bool,
) -> None:
    seen: set[str] = set()
    for hit in hits:
        if hit.section_id in seen:
            continue
        seen.add(hit.section_id)
        candidate = found.get(hit.section_id) or Candidate(hit.section_id, hit.document_id)
        rank = len(seen) if with_ranks else None
        found[hit.section_id] = _with_score(candidate, hit, kind, words, rank)


def _with_score(
    candidate: Candidate, hit: RawHit, kind: str, words: KeywordQuery, rank: int | None
) -> Candidate:
    ranks = candidate.ranks
    if kind == "dense":
        if candidate.distance is not None:
            return candidate
        return replace(
            candidate,
            distance=1 - hit.score,
            passage=hit.span,
            ranks=replace(ranks, dense=rank or ranks.dense),
        )
    if kind == "passage":
        return replace(
            candidate,
            passage_share=max(candidate.passage_share, hit.score / words.passage_ideal),
            passage=candidate.passage or hit.span,
            ranks=replace(ranks, passage=rank or ranks.passage),
        )
    return replace(
        candidate,
        section_share=max(candidate.section_share, hit.score / words.section_ideal),
        ranks=replace(ranks, section=rank or ranks.section),
    )
