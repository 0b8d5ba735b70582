"""Embeddings by sentence-transformers, in one long-lived thread that loads the model when needed.

One thread, since torch keeps a pool of workers for every thread that calls it. Work is handed over
batch by batch, so that a question waits for one batch at most.
"""

import asyncio
import logging
import os
from array import array
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from core.engines.hub import ENVIRONMENT, hub_folder
from core.engines.model_folder import ModelFolder, find_model
from core.engines.tokenizer import TokenCounter
from core.errors import EmbedderError, EmbedderMissing, EmbedderUnavailable
from core.models import Vector

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

BULK: Final = 64
"""From so many texts on, embedding may use all cores: it is not a question that somebody awaits."""
_log = logging.getLogger(__name__)

T = TypeVar("T")


class SentenceEmbedder:
    """A sentence-transformers model on the CPU in single precision, vectors L2-normalised.

    The folder's prompts are put before the text that is embedded, and counted. `threads` is what a
    question may use, `bulk_threads` what an indexing run may.
    """

    trusted = True

    def __init__(
        self,
        folder: ModelFolder,
        *,
        threads: int = 1,
        bulk_threads: int | None = None,
        batch_size: int = 16,
    ) -> None:
        self._folder = folder
        self._threads = threads
        self._bulk_threads = max(threads, bulk_threads or threads)
        self._batch_size = batch_size
        self._tokens = TokenCounter(folder.tokenizer)
        self._model: SentenceTransformer | None = None
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="embedder")

    @property
    def fingerprint(self) -> str:
        """Return model, backend, precision, weights, window and prefixes."""
        return self._folder.fingerprint("torch:fp32")

    @property
    def dimension(self) -> int:
        """Return the length of a vector."""
        return self._folder.dimension

    @property
    def window(self) -> int:
        """Return how many tokens one text may have."""
        return self._folder.window

    def count_tokens(self, text: str) -> int:
        """Return the tokens of a passage with its prefix, special tokens included; no torch needed.

        Raises:
            EmbedderMissing: the tokenizer is not there.
        """
        return self._tokens.count(self._folder.passage_prompt + text)

    async def embed_question(self, text: str) -> Vector:
        """Embed one question.

        Raises:
            EmbedderMissing: the model or its library is not installed.
            EmbedderUnavailable: the model failed.
        """
        [vector] = await self._run(self._encode, [self._folder.query_prompt + text], self._threads)
        return vector

    async def embed_passages(
        self, texts: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> list[Vector]:
        """Embed texts in their order; batches are of like length, which saves half the work.

        Raises:
            EmbedderMissing: the model or its library is not installed.
            EmbedderUnavailable: the model failed.
        """
        threads = self._bulk_threads if len(texts) >= BULK else self._threads
        by_length = iter(sorted(range(len(texts)), key=lambda i: -len(texts[i])))
        vectors: dict[int, Vector] = {}
        while batch := list(islice(by_length, self._batch_size)):
            prefixed = [self._folder.passage_prompt + texts[i] for i in batch]
            vectors.update(
                zip(batch, await self._run(self._encode, prefixed, threads), strict=True)
            )
            if progress:
                progress(len(vectors))
        return [vectors[i] for i in range(len(texts))]

    async def aclose(self) -> None:
        """Let the thread end after its current batch, and forget the model."""
        self._worker.shutdown(wait=False, cancel_futures=True)
        self._model = None

    async def _run(self, work: Callable[..., T], *arguments: object) -> T:
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._worker, work, *arguments)
        except RuntimeError as error:
            raise EmbedderUnavailable(f"The model {self._folder.name} was closed.") from error

    def _encode(self, texts: list[str], threads: int) -> list[Vector]:
        model = self._loaded(threads)
        try:
            rows = model.encode(
                texts,
                prompt="",
                batch_size=len(texts),
                show_progress_bar=False,
                convert_to_numpy=True,
                normalize_embeddings=True,
            )
            return [array("f", row.tobytes()) for row in rows]
        except Exception as error:
            # torch and tokenizers raise all kinds; whatever it was, this text was not embedded.
            raise EmbedderUnavailable(
                f"The model {self._folder.name} failed on a text: see the log."
            ) from error

    def _loaded(self, threads: int) -> "SentenceTransformer":
        for name, value in ENVIRONMENT.items():
            os.environ.setdefault(name, value)
        try:
            import torch

            if torch.get_num_threads() != threads:
                torch.set_num_threads(threads)
            if self._model is None:
                self._folder.check()
                self._model = _load(self._folder)
        except EmbedderError:
            raise
        except ImportError as error:
            raise EmbedderMissing(
                "sentence-transformers is not installed: run make venv, or pip install nightlamp."
            ) from error
        except Exception as error:
            # Loading reads many files by many libraries; each fails in its own way.
            raise EmbedderMissing(
                f"The model in {self._folder.path} cannot be loaded: install it again, or correct "
                "NIGHTLAMP_EMBEDDING_MODEL."
            ) from error
        return self._model


def _load(folder: ModelFolder) -> "SentenceTransformer":
    from sentence_transformers import SentenceTransformer
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()  # type: ignore[no-untyped-call]
    model = SentenceTransformer(str(folder.path), device="cpu", local_files_only=True)
    if (length := model.get_embedding_dimension()) != folder.dimension:
        raise EmbedderMissing(
            f"The model {folder.name} gives {length} numbers a text, and its files say "
            f"{folder.dimension}: install it again."
        )
    _log.info("The model %s is loaded.", folder.name)
    return model.float()


def find_sentence_model(name: str) -> ModelFolder:
    """Return a model's folder: the packaged default, a local folder, or a name on Hugging Face.

    A name is looked for in the local cache first, and fetched only where it is not there. This
    reads files and may wait for the network: call it in a thread.

    Raises:
        EmbedderMissing: it is not there and cannot be fetched.
    """
    return find_model(name, _from_hub)


def _from_hub(name: str) -> Path:
    if (found := hub_folder(name, "modules.json")) is not None:
        return found
    raise EmbedderMissing(
        f"The model {name} is neither a folder nor in the Hugging Face cache, and cannot be "
        "fetched: correct NIGHTLAMP_EMBEDDING_MODEL, leave it out for the model that is shipped, "
        "or set NIGHTLAMP_EMBEDDING_BASE_URL to the server that embeds with it."
    )
