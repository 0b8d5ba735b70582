"""A clock that stands still, and an embedder that knows a table of concepts."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from core.errors import EmbedderUnavailable
from core.evidence import Calibration
from core.models import Vector
from core.outcomes import Cutoffs


class FrozenClock:
    """A clock that stands still until it is told to go on."""

    def __init__(self, now: datetime = datetime(2030, 1, 7, 9, 0, tzinfo=UTC)) -> None:
        self._now = now

    def now(self) -> datetime:
        return self._now

    def advance(self, by: timedelta) -> None:
        self._now += by


OPERATIONS: Mapping[str, Sequence[str]] = {
    "crash": ("crash", "crashes", "crashing", "crashloopbackoff", "restarts", "restarting"),
    "disk": ("disk", "volume", "storage", "full", "space", "inode"),
    "memory": ("memory", "oom", "oomkilled", "heap", "leak"),
    "network": ("network", "dns", "timeout", "timeouts", "connection", "unreachable"),
    "certificate": ("certificate", "certificates", "tls", "expired", "renew"),
    "queue": ("queue", "lag", "backlog", "consumer", "kafka"),
    "database": ("database", "postgres", "replica", "replication", "failover"),
    "payment": ("payment", "payments", "charge", "charges", "refund", "card"),
    "deploy": ("deploy", "deployment", "release", "rollback", "rollout"),
    "login": ("login", "password", "token", "tokens", "credentials", "sso"),
}
"""What the scripted embedder knows of operations: a concept and the words that mean it."""


class ScriptedEmbedder:
    """A trusted embedder that knows a table of concepts: one direction each, one for all the rest.

    A text's vector is the normalised sum of the concepts whose words it has. Tokens are words, and
    one for the end. `failing` makes every call raise; `asked` counts the texts embedded so far.
    """

    def __init__(
        self,
        concepts: Mapping[str, Sequence[str]] = OPERATIONS,
        *,
        window: int = 256,
        name: str = "scripted",
        failing: bool = False,
    ) -> None:
        self._words = [frozenset(words) for words in concepts.values()]
        self.window = window
        self.fingerprint = f"{name}:{len(concepts)}"
        self.dimension = len(concepts) + 1
        self.trusted = True
        self.failing = failing
        self.asked = 0

    def count_tokens(self, text: str) -> int:
        return len(text.split()) + 1

    async def embed_question(self, text: str) -> Vector:
        return self._embed(text)

    async def embed_passages(
        self, texts: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> list[Vector]:
        vectors = []
        for done, text in enumerate(texts, start=1):
            vectors.append(self._embed(text))
            if progress:
                progress(done)
        return vectors

    async def aclose(self) -> None:
        self.failing = True

    def _embed(self, text: str) -> Vector:
        if self.failing:
            raise EmbedderUnavailable("The scripted model was told to fail.")
        self.asked += 1
        words = set(re.findall(r"\w+", text.lower()))
        known = [float(not words.isdisjoint(concept)) for concept in self._words]
        vector = [*known, float(not any(known))]
        length = math.sqrt(sum(vector))
        return [number / length for number in vector]


SCRIPTED_CALIBRATION = Calibration(
    weights={"cos": 3.0, "dcover": 6.0, "agree": 1.0},
    intercept=-6.0,
    cutoffs=Cutoffs(weak=0.4, answer=0.75),
    source="made by hand for the scripted embedder and the pages of tests/e2e",
)
"""Made for a model that finds all texts alike of which it knows no word: words weigh more."""
