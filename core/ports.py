"""What the core needs from outside, in the core's own words."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from core.exchanges import MessageRef, Person
from core.index_port import Build as Build
from core.index_port import SearchableIndex as SearchableIndex
from core.index_port import VectorIndex as VectorIndex
from core.models import Platform, Section, Vector
from core.outcomes import Hit
from core.reports import IndexOptions, IndexProgress, IndexReport, Verdict
from core.written import Prompt, Written


class Clock(Protocol):
    """Tells the time; tests freeze it."""

    def now(self) -> datetime:
        """Return the current time, aware, in UTC."""
        ...


class Embedder(Protocol):
    """Turns text into vectors.

    `fingerprint` names model, weights, backend, precision and prefixes: two embedders with one
    fingerprint give the same vectors. `trusted` is False for one whose distances mean little on a
    small corpus (hashing; trained on the corpus): the gate keeps it shut there. `window` is the
    model's limit in tokens, all special tokens included.
    """

    @property
    def fingerprint(self) -> str:
        """Return the name of exactly these vectors."""
        ...

    @property
    def dimension(self) -> int:
        """Return the length of a vector."""
        ...

    @property
    def window(self) -> int:
        """Return how many tokens one text may have."""
        ...

    @property
    def trusted(self) -> bool:
        """Return whether distances mean something from the first document on."""
        ...

    def count_tokens(self, text: str) -> int:
        """Return the tokens of a text as the model counts them, special tokens included.

        Raises:
            EmbedderMissing: the tokenizer is not there.
        """
        ...

    async def embed_question(self, text: str) -> Vector:
        """Embed one question, off the event loop.

        Raises:
            EmbedderError: the model is missing or failed.
        """
        ...

    async def embed_passages(
        self, texts: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> list[Vector]:
        """Embed texts in their order, off the event loop; `progress` is told how many are done.

        Raises:
            EmbedderError: the model is missing or failed.
        """
        ...

    async def aclose(self) -> None:
        """Let go of threads and files."""
        ...


class Reranker(Protocol):
    """Re-orders the first hits of a search. A setting; none is shipped."""

    async def load(self) -> None:
        """Get ready, off the event loop, so that the first question need not wait for it.

        Raises:
            RerankerError: the model is missing or cannot be used.
        """
        ...

    async def rerank(self, question: str, hits: Sequence[Hit]) -> list[Hit]:
        """Return the same hits in another order, made off the event loop; it may be cancelled.

        Raises:
            RerankerError: the model is missing or failed.
        """
        ...

    async def aclose(self) -> None:
        """Let go of threads and files."""
        ...


class Admission(Protocol):
    """May this build replace that one?"""

    async def admit(self, live: SearchableIndex, candidate: SearchableIndex) -> Verdict:
        """Compare what both find for the known questions; nothing is live before the first."""
        ...


class Calibrator(Protocol):
    """Sees to it that outcomes are decided by weights that fit the index."""

    async def calibrate(self, index: SearchableIndex) -> None:
        """Choose the calibration for a new build, and fit one where none was fitted for its kind.

        What cannot be fitted leaves the stand-in in use; that is no reason for a build to fail.
        """
        ...


class VectorMemory(Protocol):
    """Vectors that were made before, kept aside so that no passage is embedded twice."""

    async def forget_unused(self) -> int:
        """Let go of what has not been used for long; return how many. It never fails.

        Right after a build from nothing, all that the live build consists of has just been used.
        """
        ...


class Indexer(Protocol):
    """Brings the index up to date with the sources."""

    @property
    def running_since(self) -> datetime | None:
        """Return when the run that is going on began; None while there is none."""
        ...

    async def run(
        self, options: IndexOptions, progress: Callable[[IndexProgress], None] | None = None
    ) -> IndexReport:
        """Read all sources, build, admit, activate.

        Raises:
            BuildRefused: it would lose too much, and `force` was not given.
            EmbedderError: passages could not be embedded; the old build goes on answering.
        """
        ...


@dataclass(frozen=True, slots=True)
class Attachment:
    """A picture that goes with a card: its file name, its PNG, and what it shows, in words."""

    name: str
    data: bytes
    alt: str


class Announcer(Protocol):
    """Says something that nobody just asked for. Implemented by the channels.

    None means that nothing was sent, so that another way may be tried. An exception means that
    nobody knows whether it was: it is not tried again, for it might come twice.
    """

    async def post(
        self,
        platform: Platform,
        channel_id: str,
        card: object,
        *,
        thread_id: str = "",
        mention: Person | None = None,
        attachment: Attachment | None = None,
    ) -> MessageRef | None:
        """Post a card to a channel, or in a thread of it; None if it cannot be reached.

        `mention` is the one person whom it concerns and may notify.
        """
        ...

    async def tell(
        self, person: Person, card: object, *, attachment: Attachment | None = None
    ) -> MessageRef | None:
        """Send a card to a person; None if they cannot be reached."""
        ...


class Writer(Protocol):
    """Writes text by a language model. Whatever it gives is unguarded: `core.guard` judges it."""

    @property
    def model(self) -> str:
        """Return the model's name, as the server knows it."""
        ...

    async def write(self, prompt: Prompt, *, seconds: float) -> Written:
        """Return what the model wrote to its very end, reasoning left out, within the seconds.

        Raises:
            WriterError: for every fault there is; nothing is tried twice.
        """
        ...

    async def health(self) -> str:
        """Return an empty string, or one sentence that says what is wrong."""
        ...

    async def aclose(self) -> None:
        """Let go of connections."""
        ...


Linker = Callable[[Section], str]
"""Composes the link to a section; an empty string where none would be right."""
