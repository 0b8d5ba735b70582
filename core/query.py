"""What a question asks the keyword side: its tokens, their synonyms, their weights. Pure."""

from dataclasses import dataclass

from core import keywords
from core.points import Frequencies, SparseVector
from core.vocabulary import Vocabulary

SYNONYM_WEIGHT = 0.3
"""How much a word of the vocabulary counts beside a word that was asked."""
SYNONYM_COVER = 0.6
"""How much of a word's weight is covered where the page says it in other words."""
LONGEST_QUESTION = 200
"""Distinct tokens that are searched for; the rest of a pasted log adds nothing but time."""


@dataclass(frozen=True, slots=True)
class KeywordQuery:
    """A question's distinct tokens, what else says the same, and its two weighted vectors.

    `section_ideal` and `passage_ideal` are the sums of idf that a text with every word of the
    question could come near to: dividing by them makes scores of different questions comparable.
    """

    tokens: tuple[str, ...]
    synonyms: dict[str, frozenset[str]]
    section: SparseVector
    passage: SparseVector
    section_ideal: float
    passage_ideal: float
    identifiers: tuple[str, ...]


def keyword_query(text: str, frequencies: Frequencies, vocabulary: Vocabulary) -> KeywordQuery:
    """Weigh a question's words by the idf of a build."""
    said = keywords.tokens(text)
    distinct = tuple(dict.fromkeys(said))[:LONGEST_QUESTION]
    synonyms = vocabulary.synonyms(said[: 2 * LONGEST_QUESTION])
    others = tuple(sorted({other for group in synonyms.values() for other in group}))
    section = {token: keywords.section_idf(frequencies, token) for token in distinct}
    passage = {token: keywords.passage_idf(frequencies, token) for token in distinct}
    return KeywordQuery(
        tokens=distinct,
        synonyms=synonyms,
        section=keywords.query_vector(
            [
                *section.items(),
                *((t, SYNONYM_WEIGHT * keywords.section_idf(frequencies, t)) for t in others),
            ]
        ),
        passage=keywords.query_vector(
            [
                *passage.items(),
                *((t, SYNONYM_WEIGHT * keywords.passage_idf(frequencies, t)) for t in others),
            ]
        ),
        section_ideal=sum(section.values()) or 1.0,
        passage_ideal=sum(passage.values()) or 1.0,
        identifiers=tuple(keywords.identifiers(text)),
    )


def coverage(query: KeywordQuery, frequencies: Frequencies, page: frozenset[int]) -> float:
    """Return the idf-weighted share (0 to 1) of the question's tokens that a page has.

    A token that the page says only in other words of the vocabulary counts by 0.6.
    """
    total = covered = 0.0
    for token in query.tokens:
        weight = keywords.section_idf(frequencies, token)
        total += weight
        if keywords.token_number(token) in page:
            covered += weight
        elif any(keywords.token_number(t) in page for t in query.synonyms.get(token, ())):
            covered += SYNONYM_COVER * weight
    return covered / total if total else 0.0
