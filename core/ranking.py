"""Raw lists to one ranking: scores side by side, mixed or fused by rank, with a fixed tie-break.

Pure. The mix keeps raw figures, so that they can be explained and a refusal can be decided on them;
reciprocal rank fusion (1 / (k + rank), Cormack et al. 2009) is there to compare with.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, NamedTuple

from core.models import Span
from core.outcomes import Ranks
from core.points import RawHit, RawHits
from core.query import KeywordQuery

_UNRANKED: Final = Ranks()
_UNLISTED: Final[tuple[None, None]] = None, None
KEYWORD_WEIGHT = 1.5
"""How much the keyword share counts beside a cosine."""
PAGE_WEIGHT = 0.2
"""How much the mean of a page's best two sections adds to each of its sections."""


class Candidate(NamedTuple):
    """A section with every score that some list gave it.

    A tuple, since hundreds are made for a question: a frozen dataclass takes three times as long.
    """

    section_id: str
    document_id: str
    distance: float | None = None
    section_share: float = 0.0
    passage_share: float = 0.0
    ranks: Ranks = _UNRANKED
    passage: Span | None = None
    exact: bool = False
    score: float = 0.0

    @property
    def keyword_score(self) -> float:
        """Return the mean share of the question's ideal BM25, over section and best passage."""
        return (self.section_share + self.passage_share) / 2


@dataclass(frozen=True, slots=True)
class Mix:
    """How the lists become one ranking: the weighted mix, or reciprocal ranks with constant k.

    With `pages` a page's best two sections count for each of its sections, in the mix alone.
    """

    rrf_k: int | None = None
    pages: bool = True

    @classmethod
    def named(cls, fusion: str, rrf_k: int, search: str = "fused") -> "Mix":
        """Return the mix of the settings; where only one half is searched, its order stands."""
        return cls(rrf_k if fusion == "rrf" else None, pages=search == "fused")


def merged(
    raw: RawHits, extra: Sequence[RawHits], words: KeywordQuery, exact: frozenset[str]
) -> dict[str, Candidate]:
    """Return candidates by section id, each with its best score of every list.

    Ranks come from `raw` alone: `extra` lists were searched under narrower filters.
    """
    section = _best(raw.section, [more.section for more in extra])
    passage = _best(raw.passage, [more.passage for more in extra])
    dense = _best(raw.dense, [more.dense for more in extra])
    found: dict[str, Candidate] = {}
    for id_ in section | passage | dense:
        by_section, section_rank = section.get(id_, _UNLISTED)
        by_passage, passage_rank = passage.get(id_, _UNLISTED)
        by_dense, dense_rank = dense.get(id_, _UNLISTED)
        some = by_dense or by_passage or by_section
        if some is None:
            continue
        found[id_] = Candidate(
            id_,
            some.document_id,
            distance=1 - by_dense.score if by_dense else None,
            section_share=by_section.score / words.section_ideal if by_section else 0.0,
            passage_share=by_passage.score / words.passage_ideal if by_passage else 0.0,
            ranks=Ranks(dense_rank, passage_rank, section_rank),
            passage=some.span,
            exact=id_ in exact,
        )
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
    with_pages = mix.pages and mix.rrf_k is None
    scored = [
        Candidate(*one[:-1], score=base[id_] + (page_bonus[one.document_id] if with_pages else 0.0))
        for id_, one in found.items()
    ]
    return sorted(scored, key=lambda c: (not c.exact, -c.score, _far(c.distance), c.section_id))


def reordered(candidates: Sequence[Candidate], ids: Sequence[str]) -> list[Candidate]:
    """Return ranked candidates in the order of these section ids, and then those without a place.

    A section that the question names exactly stays before any that it does not.
    """
    places = {id_: place for place, id_ in enumerate(ids)}
    return sorted(candidates, key=lambda c: (not c.exact, places.get(c.section_id, len(ids))))


def _base(candidate: Candidate, mix: Mix) -> float:
    if mix.rrf_k is not None:
        ranks = (candidate.ranks.dense, candidate.ranks.passage, candidate.ranks.section)
        return sum(1 / (mix.rrf_k + rank) for rank in ranks if rank is not None)
    similarity = 0.0 if candidate.distance is None else 1 - candidate.distance
    return similarity + KEYWORD_WEIGHT * candidate.keyword_score


def _far(distance: float | None) -> float:
    return 2.0 if distance is None else distance


_Listed = tuple[RawHit, int | None]
"""A section's best hit of one list, and its rank among the sections there."""


def _best(ranked_hits: Sequence[RawHit], others: Sequence[Sequence[RawHit]]) -> dict[str, _Listed]:
    """Return each section's best hit; what only `others` hold has no rank."""
    best: dict[str, _Listed] = {}
    for hit in ranked_hits:
        if hit.section_id not in best:
            best[hit.section_id] = hit, len(best) + 1
    for hit in chain.from_iterable(others):
        known = best.get(hit.section_id)
        if known is None:
            best[hit.section_id] = hit, None
        elif hit.score > known[0].score:
            best[hit.section_id] = hit, known[1]
    return best
