"""Reranking by a cross-encoder: it reads the question and a section together and gives a score.

One long-lived thread loads the model and asks it, a few texts at a time, so that a question whose
time is up leaves the thread to the next one.
"""

import asyncio
import json
import logging
import math
import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeVar

from core.engines.hub import ENVIRONMENT, hub_folder, local_folder
from core.errors import RerankerError
from core.outcomes import Hit

if TYPE_CHECKING:
    import torch

BATCH: Final = 4
"""Texts that are scored before the thread looks whether anybody still waits for them."""
_CHARS_A_TOKEN = 8
"""No text of any length is tokenized whole: what is beyond this many characters is not read."""
_WINDOW = 512
"""Tokens that are read where neither a model nor its tokenizer says how many."""
_KIND = "ForSequenceClassification"
_log = logging.getLogger(__name__)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class CrossEncoderFolder:
    """Where a cross-encoder lies, and what it is called in the settings."""

    name: str
    path: Path


@dataclass(frozen=True, slots=True)
class Scorer:
    """A model that is loaded: scores pairs of question and text; reads `window` tokens of each."""

    scores: Callable[[list[tuple[str, str]]], list[float]]
    window: int


Fetch = Callable[[str], Path | None]
"""Returns the folder of a model that is named as on a hub; None where it cannot be had."""

Load = Callable[[CrossEncoderFolder, int], Scorer]
"""Loads a model for this many threads."""


class CrossEncoderReranker:
    """A sentence-transformers cross-encoder on the CPU, in single precision.

    A model that could not be loaded is not tried again: each try would take seconds of every core.
    """

    def __init__(
        self, folder: CrossEncoderFolder, *, threads: int = 1, load: Load | None = None
    ) -> None:
        self._folder = folder
        self._threads = threads
        self._load = load or _load
        self._scorer: Scorer | None = None
        self._broken = ""
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="reranker")

    async def load(self) -> None:
        """Load the model.

        Raises:
            RerankerError: its library is not installed, or it cannot be loaded or used.
        """
        await self._run(self._loaded)

    async def rerank(self, question: str, hits: Sequence[Hit]) -> list[Hit]:
        """Return the hits by the model's scores, best first; equal ones stay as they are.

        Raises:
            RerankerError: the model is missing or failed.
        """
        texts = [f"{hit.section.breadcrumb}\n{hit.section.text}" for hit in hits]
        given_up = Event()
        try:
            scores = await self._run(self._scores, question, texts, given_up)
        finally:
            given_up.set()
        order = sorted(range(len(hits)), key=lambda at: -scores[at])
        return [hits[at] for at in order]

    async def aclose(self) -> None:
        """Let the thread end after its current texts, and forget the model."""
        self._worker.shutdown(wait=False, cancel_futures=True)
        self._scorer = None

    async def _run(self, work: Callable[..., T], *arguments: object) -> T:
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._worker, work, *arguments)
        except RuntimeError as error:
            raise RerankerError(f"The reranker {self._folder.name} was closed.") from error

    def _scores(self, question: str, texts: Sequence[str], given_up: Event) -> list[float]:
        """Score the texts, those of like length together; of no use once they were given up."""
        scorer = self._loaded()
        longest = _CHARS_A_TOKEN * scorer.window
        pairs = [(question[:longest], text[:longest]) for text in texts]
        by_length = sorted(range(len(pairs)), key=lambda at: len(pairs[at][1]))
        scores = [0.0] * len(pairs)
        for start in range(0, len(pairs), BATCH):
            if given_up.is_set():
                break
            batch = by_length[start : start + BATCH]
            told = self._scored(scorer, [pairs[at] for at in batch])
            for at, score in zip(batch, told, strict=True):
                scores[at] = score
        return scores

    def _scored(self, scorer: Scorer, pairs: list[tuple[str, str]]) -> list[float]:
        try:
            scores = scorer.scores(pairs)
        except Exception as error:
            # torch and tokenizers raise all kinds; whatever it was, there is no order.
            raise RerankerError(
                f"The reranker {self._folder.name} failed on a text: see the log."
            ) from error
        if len(scores) != len(pairs) or not all(map(math.isfinite, scores)):
            raise RerankerError(f"The reranker {self._folder.name} gave no number for a text.")
        return scores

    def _loaded(self) -> Scorer:
        if self._broken:
            raise RerankerError(self._broken)
        if self._scorer is None:
            try:
                self._scorer = self._load(self._folder, self._threads)
            except RerankerError as error:
                self._broken = str(error)
                raise
            _log.info("The reranker %s is loaded.", self._folder.name)
        return self._scorer


class AbsentReranker:
    """A reranker that is not there: raises the same sentence whenever it is asked."""

    def __init__(self, missing: RerankerError) -> None:
        self._sentence = str(missing)

    async def load(self) -> None:
        """Load nothing.

        Raises:
            RerankerError: always.
        """
        self._refuse()

    async def rerank(self, question: str, hits: Sequence[Hit]) -> list[Hit]:
        """Order nothing.

        Raises:
            RerankerError: always.
        """
        self._refuse()

    async def aclose(self) -> None:
        """Let go of nothing."""

    def _refuse(self) -> NoReturn:
        raise RerankerError(self._sentence)


def find_cross_encoder(name: str, fetch: Fetch = hub_folder) -> CrossEncoderFolder:
    """Return the folder of a cross-encoder: a local one, or that of a name on Hugging Face.

    A name is looked for in the local cache first, and fetched only where it is not there. This
    reads files and may wait for the network: call it in a thread, before any model is loaded.

    Raises:
        RerankerError: it is not there, cannot be fetched, or is no cross-encoder.
    """
    path = local_folder(name) or fetch(name)
    if path is None:
        raise RerankerError(
            f"The reranker {name} is neither a folder nor in the Hugging Face cache, and cannot be "
            "fetched: correct NIGHTLAMP_RETRIEVAL_RERANKER, or leave it out."
        )
    if not _is_cross_encoder(path):
        raise RerankerError(
            f"{path} does not hold a cross-encoder: correct NIGHTLAMP_RETRIEVAL_RERANKER, or leave "
            "it out."
        )
    return CrossEncoderFolder(name, path)


def _is_cross_encoder(path: Path) -> bool:
    """Return whether the files say so: others load too, with a last layer of random numbers."""
    told = _json(path / "config_sentence_transformers.json").get("model_type")
    kinds = _json(path / "config.json").get("architectures")
    is_one = isinstance(kinds, list) and any(str(kind).endswith(_KIND) for kind in kinds)
    return told == "CrossEncoder" or is_one


def _json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _load(folder: CrossEncoderFolder, threads: int) -> Scorer:
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    try:
        return _opened(folder, threads)
    except RerankerError:
        raise
    except ImportError as error:
        raise RerankerError(
            "sentence-transformers is not installed: run make venv, or pip install nightlamp."
        ) from error
    except Exception as error:
        # Loading reads many files by many libraries; each fails in its own way.
        raise RerankerError(
            f"The reranker in {folder.path} cannot be loaded: install it again, or correct "
            "NIGHTLAMP_RETRIEVAL_RERANKER."
        ) from error


def _opened(folder: CrossEncoderFolder, threads: int) -> Scorer:
    import torch
    from sentence_transformers import CrossEncoder
    from transformers.utils.logging import disable_progress_bar

    if torch.get_num_threads() != threads:
        torch.set_num_threads(threads)
    disable_progress_bar()  # type: ignore[no-untyped-call]
    model = CrossEncoder(str(folder.path), device="cpu", local_files_only=True).float()
    if model.num_labels != 1:
        raise RerankerError(
            f"The model {folder.name} gives {model.num_labels} numbers for a text where a reranker "
            "gives one: correct NIGHTLAMP_RETRIEVAL_RERANKER."
        )
    # A sigmoid gives the same order, and ties where it has come to its end.
    raw = torch.nn.Identity()

    def scores(pairs: list[tuple[str, str]]) -> list[float]:
        found = model.predict(
            pairs, batch_size=len(pairs), activation_fn=raw, show_progress_bar=False
        )
        return [float(score) for score in found]

    window = int(model.max_seq_length or _WINDOW)
    if (positions := _positions(model)) < window:
        model.max_seq_length = window = positions
    return Scorer(scores, window)


def _positions(model: "torch.nn.Module") -> int:
    """Return how many tokens a model has positions for: those of RoBERTa's kind follow padding's.

    A tokenizer that knows no limit of its own is given all of them, and long texts fail.
    """
    found = [
        module.num_embeddings - (0 if module.padding_idx is None else module.padding_idx + 1)
        for name, module in model.named_modules()
        if name.endswith("position_embeddings") and hasattr(module, "num_embeddings")
    ]
    return min(found, default=sys.maxsize)
