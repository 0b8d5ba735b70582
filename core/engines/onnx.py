"""Embeddings of sentence-transformers models by onnxruntime, and by torch where that cannot be.

The same vectors as torch's to 1e-5, in a fraction of the memory and of the time to start. The model
is called for a question on a thread that no batch waits on. An indexing run opens it once more, for
as many calls at once as there are cores, each on one thread.
"""

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from core.engines.absent import AbsentEmbedder
from core.engines.model_folder import ModelFolder
from core.engines.onnx_folder import OnnxFolder
from core.engines.tokenizer import TokenCounter
from core.errors import EmbedderMissing, EmbedderUnavailable
from core.models import Vector
from core.ports import Embedder

if TYPE_CHECKING:
    from core.engines.onnx_session import OnnxSession

BULK: Final = 256
"""Texts from which on embedding takes all cores, and the memory of a second session (95 MB). Fewer
are what changed while answers are given."""
_BY_TORCH = "The model %s is run by torch, more slowly than by onnxruntime: %s"
_log = logging.getLogger(__name__)


class OnnxEmbedder:
    """A model by onnxruntime, exported when something is first embedded; L2-normalised vectors.

    `otherwise` embeds from then on where the model cannot be exported or opened, and the log says
    why; without it that is an error. `threads` is what a question may use, `bulk_threads` what an
    indexing run may.
    """

    trusted = True

    def __init__(
        self,
        model: ModelFolder,
        export: OnnxFolder,
        *,
        otherwise: Embedder | None = None,
        threads: int = 1,
        bulk_threads: int | None = None,
        batch_size: int = 16,
    ) -> None:
        self._model = model
        self._export = export
        self._otherwise = otherwise
        self._threads = threads
        self._at_once = bulk_threads or 1
        self._batch_size = batch_size
        self._tokens = TokenCounter(model.tokenizer)
        self._question = ThreadPoolExecutor(1, thread_name_prefix="question")
        self._bulk = ThreadPoolExecutor(self._at_once, thread_name_prefix="embedder")
        self._session: OnnxSession | None = None
        self._for_bulk: OnnxSession | None = None
        self._opening = asyncio.Lock()
        self._preparing: asyncio.Task[None] | None = None
        self._closed = False
        obstacle = export.obstacle() if otherwise else ""
        self._instead: Embedder | None = otherwise if obstacle else None
        if obstacle:
            _log.info(_BY_TORCH, model.name, obstacle)

    @property
    def fingerprint(self) -> str:
        """Return model, backend, precision, weights, window and prefixes."""
        if self._instead and self._otherwise:
            return self._otherwise.fingerprint
        return self._model.fingerprint("onnx:fp32")

    @property
    def dimension(self) -> int:
        """Return the length of a vector."""
        return self._model.dimension

    @property
    def window(self) -> int:
        """Return how many tokens one text may have."""
        return self._model.window

    def count_tokens(self, text: str) -> int:
        """Return the tokens of a passage with its prefix, special tokens included.

        Raises:
            EmbedderMissing: the tokenizer is not there.
        """
        return self._tokens.count(self._model.passage_prompt + text)

    async def embed_question(self, text: str) -> Vector:
        """Embed one question.

        Raises:
            EmbedderMissing: the model cannot be used.
            EmbedderUnavailable: the model failed.
        """
        await self._prepared()
        if self._instead:
            return await self._instead.embed_question(text)
        prompted = [self._model.query_prompt + text]
        [vector] = await self._embed(self._session, self._question, prompted)
        return vector

    async def embed_passages(
        self, texts: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> list[Vector]:
        """Embed texts in their order; a batch has texts of like length, and each core has its own.

        Raises:
            EmbedderMissing: the model cannot be used.
            EmbedderUnavailable: the model failed.
        """
        if not texts:
            return []
        await self._prepared()
        if self._instead:
            return await self._instead.embed_passages(texts, progress)
        batches = self._batches(texts)
        session, at_once = await self._session_for(len(texts))
        vectors: dict[int, Vector] = {}

        async def embed_batches() -> None:
            for batch in batches:
                prefixed = [self._model.passage_prompt + texts[at] for at in batch]
                rows = await self._embed(session, self._bulk, prefixed)
                vectors.update(zip(batch, rows, strict=True))
                if progress:
                    progress(len(vectors))

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(at_once):
                    group.create_task(embed_batches())
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from errors
        return [vectors[at] for at in range(len(texts))]

    async def aclose(self) -> None:
        """End an export that is being made, let the threads end, and forget the model."""
        self._closed = True
        if self._preparing:
            self._preparing.cancel()
            with suppress(asyncio.CancelledError):
                await self._preparing
        for worker in (self._question, self._bulk):
            worker.shutdown(wait=False, cancel_futures=True)
        self._session = self._for_bulk = None
        if self._otherwise:
            await self._otherwise.aclose()

    def _batches(self, texts: Sequence[str]) -> Iterator[list[int]]:
        """Yield the numbers of the texts that are embedded together, the longest first."""
        by_length = iter(sorted(range(len(texts)), key=lambda i: -len(texts[i])))
        while batch := list(islice(by_length, self._batch_size)):
            yield batch

    async def _session_for(self, count: int) -> "tuple[OnnxSession | None, int]":
        """Return the session for so many texts, and how many batches may be in it at once."""
        if count < BULK or self._at_once == 1:
            return self._session, 1
        if self._threads == 1:
            return self._session, self._at_once
        async with self._opening:
            if self._for_bulk is None and not self._closed:
                opened = await self._open(self._bulk, 1)
                self._for_bulk = None if self._closed else opened
            return self._for_bulk, self._at_once

    async def _embed(
        self, session: "OnnxSession | None", worker: ThreadPoolExecutor, texts: Sequence[str]
    ) -> list[Vector]:
        if self._closed or session is None:
            raise self._was_closed()
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(worker, session.embed, texts)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is None or task.cancelling() or not self._closed:
                raise
            raise self._was_closed() from None  # what was waiting for its turn went with the model
        except Exception as error:
            # onnxruntime and tokenizers raise all kinds; whatever it was, no text was embedded.
            raise EmbedderUnavailable(
                f"The model {self._model.name} failed on a text: see the log."
            ) from error

    def _was_closed(self) -> EmbedderUnavailable:
        return EmbedderUnavailable(f"The model {self._model.name} was closed.")

    async def _prepared(self) -> None:
        """See to it that something can embed: the exported model, or what is there instead.

        Who comes while the model is exported waits; who leaves does not end it for the others.
        """
        if self._closed:
            raise self._was_closed()
        if self._session is None and self._instead is None:
            self._preparing = self._preparing or asyncio.create_task(self._prepare())
            await asyncio.wait([self._preparing])
            if not self._preparing.cancelled():
                self._preparing.result()

    async def _prepare(self) -> None:
        try:
            self._session = await self._opened()
        except EmbedderMissing as error:
            await asyncio.to_thread(self._export.refuse, str(error))
            if self._otherwise:
                _log.warning(_BY_TORCH, self._model.name, error)
            self._instead = self._otherwise or AbsentEmbedder(
                EmbedderMissing(
                    f"The model {self._model.name} cannot be run by onnxruntime: see to it, or set "
                    f"NIGHTLAMP_EMBEDDING_BACKEND to auto or torch. {error}"
                )
            )

    async def _opened(self) -> "OnnxSession":
        """Return the exported model, exported first where it was not, or cannot be used."""
        if self._export.there:
            try:
                return await self._open(self._question, self._threads)
            except EmbedderMissing as error:
                _log.info("The export is made anew: %s", error)
        else:
            _log.info("The model %s is exported for onnxruntime, once.", self._model.name)
        await self._export.make()
        return await self._open(self._question, self._threads)

    async def _open(self, worker: ThreadPoolExecutor, threads: int) -> "OnnxSession":
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(worker, _open_session, self._export.path, threads)


def _open_session(folder: Path, threads: int) -> "OnnxSession":
    try:
        from core.engines.onnx_session import OnnxSession  # takes its time, and may not be there
    except ImportError as error:
        raise EmbedderMissing(
            "onnxruntime is not installed: run pip install onnxruntime."
        ) from error
    return OnnxSession(folder, threads)
