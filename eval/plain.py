"""What a plain tool does, to compare with: BM25 by a well-kept library, and cosine over windows.

Neither knows identifiers, breadcrumbs, pages or evidence. Both read what authors say that a section
is asked, which stands in the file for any tool to read. A follow-up is asked together with the
question that it follows.
"""

from collections.abc import Sequence
from typing import Any, Final

import bm25s
import numpy as np
import Stemmer

from core.models import CutDocument, Section, Vector
from eval.dataset import Record
from eval.runfile import RESULTS, RunLine, Shown


class PlainKeywords:
    """BM25 by bm25s over stemmed words, its own stop words and parameters."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._stemmer = Stemmer.Stemmer("english")
        self._index = bm25s.BM25()
        self._index.index(self._tokens(texts), show_progress=False)
        self._count = len(texts)

    def find(self, question: str, limit: int = RESULTS) -> list[int]:
        """Return the positions of the best texts that have a word of the question."""
        found, scores = self._index.retrieve(
            self._tokens([question]), k=min(limit, self._count), show_progress=False
        )
        return [int(at) for at, one in zip(found[0], scores[0], strict=True) if one > 0]

    def _tokens(self, texts: Sequence[str]) -> Any:
        return bm25s.tokenize(
            list(texts), stopwords="en", stemmer=self._stemmer, show_progress=False
        )


class PlainVectors:
    """Exact cosine search over rows of unit length."""

    def __init__(self, vectors: "Sequence[Vector] | np.ndarray[Any, np.dtype[np.float32]]") -> None:
        self._rows = np.asarray(vectors, dtype=np.float32)

    def find(self, question: Vector, limit: int = RESULTS) -> list[int]:
        """Return the positions of the nearest rows, nearest first."""
        scores = self._rows @ np.asarray(question, dtype=np.float32)
        few = min(limit, len(scores))
        best = np.argpartition(-scores, few - 1)[:few]
        return [int(at) for at in best[np.argsort(-scores[best], kind="stable")]]


WINDOW: Final = {"kind": "fixed", "size": 500, "overlap": 50, "breadcrumb": False}
"""The usual tutorial: windows of 500 characters, embedded as they stand."""


def asked_text(record: Record) -> str:
    """Return what a plain tool is asked: a follow-up together with what it follows."""
    return f"{record.follows} {record.question}".strip()


def sections_of(cuts: Sequence[CutDocument]) -> list[Section]:
    """Return the pieces of all documents that hold more than a heading, in order."""
    return [
        section
        for cut in cuts
        for section in cut.sections
        if any(passage.section_id == section.id for passage in cut.passages)
    ]


def read_text(section: Section) -> str:
    """Return what a plain tool reads of a piece: its text and what it is said to be asked."""
    return "\n".join((section.text, *section.asked))


def plain_line(record: Record, found: Sequence[Section]) -> RunLine:
    """Return a question's line from the sections that were found; a plain tool never refuses."""
    return RunLine(
        id=record.id,
        outcome="answer",
        distance=None,
        confidence=1.0,
        ms=0.0,
        results=tuple(map(_shown, found)),
    )


def _shown(section: Section) -> Shown:
    return Shown(
        source=section.source,
        path=section.path,
        anchor=section.anchor,
        parts=(section.span,),
        chars=len(section.text),
    )
