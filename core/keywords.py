"""Keywords that keep identifiers whole: tokens, and the term-frequency half of BM25. Pure.

`PAY-1042`, `INDEXER_BATCH_SIZE`, `KubePodCrashLooping`, `10.0.0.5`, `--dry-run` and
`/var/log/x.log` are tokens as they stand *and* in parts, so that they are found by either. Plain
words are stemmed (Snowball English); runs of Chinese, Japanese or Korean become character pairs,
since no spaces divide them.
"""

import hashlib
import math
import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from pathlib import PurePosixPath

from snowballstemmer.english_stemmer import EnglishStemmer

from core.models import Section
from core.points import Frequencies, SparseVector

KEYWORDS_VERSION = "1"

K1 = 1.2
"""How fast a repeated word stops counting (Lucene's default)."""
SECTION_B, PASSAGE_B = 0.6, 0.75
"""How much length counts against a text: 0 not at all, 1 in full."""
SECTION_LENGTH, PASSAGE_LENGTH = 130, 85
"""Reference lengths in tokens, in place of the corpus averages.

Fixed, so that a weight never depends on which documents were indexed before: an index that grew
by updates is the same, point by point, as one built anew.
"""
LONGEST_TOKEN = 80

_CHUNK = re.compile(r"(?:--?|/)?\w+(?:(?:[-._:/@+]|::)+\w+)*")
_PIECE = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\W\d_a-zA-Z]+")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\u00ad]")
# The pure stemmer, by its class: the package's own choice takes a C library of another version
# where one happens to be installed. It keeps a word in its fields while it stems.
_STEMMER, _STEMMING = EnglishStemmer(), threading.Lock()


def tokens(text: str) -> list[str]:
    """Return the tokens of a text in order, repeats included."""
    found: list[str] = []
    for chunk in _CHUNK.findall(_plain(text)):
        found.extend(_chunk_tokens(chunk))
    return found


def identifiers(text: str) -> list[str]:
    """Return the distinct tokens of a text that are identifiers as they stand, in lower case.

    An identifier has a digit, an underscore, a capital inside, or joins parts by punctuation.
    """
    chunks = dict.fromkeys(_CHUNK.findall(_plain(text)))
    return list(dict.fromkeys(_whole(chunk) for chunk in chunks if _is_identifier(chunk)))


def token_number(token: str) -> int:
    """Return the 32-bit number by which an index knows a token (BLAKE2b)."""
    return _numbered(token)


def section_keywords(section: Section) -> list[str]:
    """Return all that a section is found by, in tokens.

    They are its path of headings, file name, alerts, text, and the questions that it is said to
    answer.
    """
    stem = PurePosixPath(section.path).name.partition(".")[0]
    head = " ".join((section.breadcrumb, stem, *section.metadata.alerts))
    return tokens(head) + tokens(section.text) + tokens("\n".join(section.asked))


def section_vector(section: Section) -> SparseVector:
    """Return a section's keyword vector."""
    return _term_frequencies(section_keywords(section), SECTION_B, SECTION_LENGTH)


def passage_vector(embedded: str) -> SparseVector:
    """Return a passage's keyword vector, from the text that is embedded for it."""
    return _term_frequencies(tokens(embedded), PASSAGE_B, PASSAGE_LENGTH)


def idf(count: int, total: int) -> float:
    """Return Lucene's inverse document frequency, ln(1 + (N − n + 0.5) / (n + 0.5))."""
    return math.log(1 + (max(total - count, 0) + 0.5) / (count + 0.5))


def section_idf(frequencies: Frequencies, token: str) -> float:
    """Return a token's idf among the sections of a build."""
    count = frequencies.by_token.get(token_number(token), (0, 0))[1]
    return idf(count, frequencies.sections)


def passage_idf(frequencies: Frequencies, token: str) -> float:
    """Return a token's idf among the passages of a build."""
    count = frequencies.by_token.get(token_number(token), (0, 0))[0]
    return idf(count, frequencies.passages)


def query_vector(weights: Iterable[tuple[str, float]]) -> SparseVector:
    """Return a query's vector from tokens and their weights; a token said twice weighs more."""
    summed: dict[int, float] = {}
    for token, weight in weights:
        number = token_number(token)
        summed[number] = summed.get(number, 0.0) + weight
    return _sparse(summed)


def _term_frequencies(found: list[str], b: float, reference: int) -> SparseVector:
    """Return tf / (tf + k1 (1 − b + b · length / reference)), Lucene's BM25 without the idf."""
    norm = K1 * (1 - b + b * len(found) / reference)
    counts = Counter(map(token_number, found))
    return _sparse({number: count / (count + norm) for number, count in counts.items()})


def _sparse(weights: dict[int, float]) -> SparseVector:
    ordered = sorted(weights.items())
    return SparseVector(tuple(n for n, _ in ordered), tuple(w for _, w in ordered))


def _plain(text: str) -> str:
    return _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))


@lru_cache(maxsize=200_000)
def _chunk_tokens(chunk: str) -> tuple[str, ...]:
    parts: list[str] = []
    for piece in _PIECE.findall(chunk):
        parts.extend(_piece_tokens(piece))
    whole = _whole(chunk)
    if len(parts) > 1 and whole not in parts and _may_be_whole(whole):
        parts.append(whole)
    return tuple(parts)


def _may_be_whole(whole: str) -> bool:
    return len(whole) <= LONGEST_TOKEN and not _CJK.search(whole)


def _piece_tokens(piece: str) -> list[str]:
    if _CJK.search(piece):
        return _pairs(piece)
    if piece.isascii() and piece.isalpha():
        words = _CAMEL.findall(piece)
        if len(words) > 1:
            return [*(_stem(word.lower()) for word in words), piece.lower()]
        return [_stem(piece.lower())]
    lowered = piece.casefold()[:LONGEST_TOKEN]
    return [_stem(lowered)] if lowered.isalpha() else [lowered]


def _pairs(piece: str) -> list[str]:
    found: list[str] = []
    for run in _CJK.findall(piece):
        found.extend(run[i : i + 2] for i in range(max(len(run) - 1, 1)))
    found.extend(_stem(rest.casefold()) for rest in _CJK.split(piece) if rest)
    return found


def _whole(chunk: str) -> str:
    return chunk.lstrip("-/").casefold()


def _is_identifier(chunk: str) -> bool:
    inner = chunk.lstrip("-/")
    if len(inner) < 3:
        return False
    camel = any(c.isupper() for c in inner[1:]) and any(c.islower() for c in inner)
    return camel or any(c.isdigit() or c in "_-./:@" for c in inner)


@lru_cache(maxsize=200_000)
def _stem(word: str) -> str:
    with _STEMMING:
        return str(_STEMMER.stemWord(word))


@lru_cache(maxsize=400_000)
def _numbered(token: str) -> int:
    raw = token.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(raw, digest_size=4).digest(), "big")
