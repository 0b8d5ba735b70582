"""The measurements of a benchmark's run, one after the other, each in a new process and folder."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import harmonic_mean
from typing import Any, Final

from core.errors import EmbedderError
from core.models import Document
from core.settings import Settings
from corpus.data_folder import DataFolder
from corpus.library import HASHING
from eval.ask_command import measure_ask
from eval.living import data_of, settings_for, settle_in
from eval.measuring import Job, apart, scratch
from eval.run import Plan, Told

_PHASE: Final = "measuring"
_ONNX, _TORCH = "onnxruntime", "torch"
_BACKENDS: Final = {_ONNX: "onnx", _TORCH: "torch"}
_OF_DOCUMENTS: Final = ("index", "serving", "ask", "embedding anew", "building")


class Measures:
    """Makes the measurements of a run, one after the other, each in a new process."""

    def __init__(
        self,
        plan: Plan,
        sizes: Sequence[int],
        baselines: Sequence[str],
        documents: tuple[Document, ...],
        questions: tuple[str, ...],
        told: Told,
        *,
        command: Sequence[str],
    ) -> None:
        self._questions = questions
        self._plan = plan
        self._documents = documents
        self._data = DataFolder(plan.data).eval
        self._told = told
        self._command = command
        self._baselines = tuple(baselines)
        self._backends = _backends_of(plan.settings)
        self._done = 0
        of_size = len(sizes) * (2 + len(self._baselines))
        self._total = max(1, 2 * len(self._backends)) + 1 + of_size + len(_OF_DOCUMENTS)
        told(_PHASE, 0, self._total)

    async def embedding(self) -> tuple[dict[str, Any], dict[str, Any] | None]:
        """Return passages a second as the settings have it, and by each backend.

        The backends are measured in turns, so that a machine that slows down favours neither.

        Raises:
            EmbedderError: the model of the settings cannot be used.
        """
        if not self._backends:
            return await self.alone("embedding"), None
        rounds: dict[str, list[dict[str, Any]]] = {name: [] for name in self._backends}
        failed: dict[str, EmbedderError] = {}
        for name in (*self._backends, *reversed(self._backends)):
            try:
                settings = self._backends[name]
                rounds[name].append(await self.alone("embedding", settings=settings))
            except EmbedderError as error:
                failed[name] = error
        ours = _used(self._plan.settings.embedding.backend, failed)
        if ours in failed:
            raise failed[ours]
        if failed:
            return _together(rounds[ours]), None
        found = {name: _together(some) for name, some in rounds.items()}
        fast, slow = (found[name]["per_second"] for name in (_ONNX, _TORCH))
        return found[ours], {**found, "ratio": fast / slow}

    async def of_size(self, size: int) -> dict[str, Any]:
        """Return what an index of about `size` passages takes, and plain tools beside it."""
        with scratch(self._data) as folder:
            made = await self._measured("nightlamp", folder, size)
            asked = await self._measured("asking", folder, size, documents=())
        found = {"size": size, "nightlamp": asked | made}
        return found | {name: await self.alone(name, size) for name in self._baselines}

    async def of_documents(self) -> dict[str, Any]:
        """Return what a home of the plan's own documents takes to answer."""
        settings = settings_for(self._plan.settings)
        with scratch(self._data) as home:
            corpus = await settle_in(home, self._plan, DataFolder(self._data))
            ours: dict[str, Any] = {"settings": settings, "documents": (), "corpus": corpus}
            indexed = await self._measured("index", home, **ours)
            serving = await self._measured("serving", home, **ours)
            ask = await measure_ask(settings, data_of(home), corpus, self._questions)
            self._step()
            anew = await self._measured("embedding anew", home, **ours)
            building = await self._measured("building", home, **ours)
        return {"serving": indexed | serving, "ask": ask, "stall": anew | building}

    async def alone(self, method: str, size: int = 0, **changes: Any) -> dict[str, Any]:
        """Return what a method finds in a folder that no other has."""
        with scratch(self._data) as folder:
            return await self._measured(method, folder, size, **changes)

    async def _measured(
        self, method: str, folder: Path, size: int = 0, **changes: Any
    ) -> dict[str, Any]:
        job = Job(
            method,
            size,
            self._plan.settings,
            self._data,
            folder,
            self._documents,
            self._questions,
        )
        found = await apart(replace(job, **changes), command=self._command)
        self._step()
        return found

    def _step(self) -> None:
        self._done += 1
        self._told(_PHASE, self._done, self._total)


def _used(backend: str, failed: Collection[str]) -> str:
    """Return which backend embeds where the settings name one, or leave it to what works."""
    if backend == "torch" or (backend == "auto" and _ONNX in failed):
        return _TORCH
    return _ONNX


def _together(rounds: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what several rounds over the same passages come to."""
    return {
        "passages": rounds[0]["passages"],
        "per_second": harmonic_mean([one["per_second"] for one in rounds]),
        "peak_mb": max(one["peak_mb"] for one in rounds),
    }


def _backends_of(settings: Settings) -> dict[str, Settings]:
    """Return the settings of each backend by its name; none where a model has no backend."""
    embedding = settings.embedding
    if embedding.model == HASHING or embedding.base_url is not None:
        return {}
    return {
        name: settings.model_copy(
            update={"embedding": embedding.model_copy(update={"backend": backend})}
        )
        for name, backend in _BACKENDS.items()
    }
