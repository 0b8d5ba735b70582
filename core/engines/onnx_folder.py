"""Where a model's ONNX export lies in the data folder, and how it gets there: once, by a child.

A child process, so that torch is never in the memory of the one that answers. The export is made
aside and renamed, so that there is a whole one or none; of two processes that need it at once (the
one that answers and the one that builds) the second waits for the first. One that could not be made
is not tried again for a day: every start would wait for it.
"""

import asyncio
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from core.child_environment import importing_us, without_ours
from core.engines.model_folder import ModelFolder
from core.errors import EmbedderMissing

VERSION: Final = 3
"""Changes whenever an export is made in another way."""
_RUNS = ("onnxruntime",)
_EXPORTS = ("onnx", "sentence_transformers", "torch")
_MAKING = ".making-"
_LOCK = ".lock"
_DEADLINE = 900.0
_DAY = 86_400.0
_POLL_SECONDS = 0.1
_LONGEST = 200


class OnnxFolder:
    """The export of one model, there or not."""

    def __init__(self, models: Path, model: ModelFolder) -> None:
        name = re.sub(r"[^\w.-]+", "-", Path(model.name).name)
        key = f"{name}-onnx-fp32-{model.digest[:16]}-{model.window}-v{VERSION}"
        self._models = models
        self._model = model
        self.path = models / key
        self._refused = models / f"{key}.refused"

    @property
    def there(self) -> bool:
        """Return whether an export was made; that it can be used is seen when it is opened."""
        return self.path.is_dir()

    def obstacle(self) -> str:
        """Return why there will be no model by onnxruntime, without trying; empty if nothing is."""
        wanted = _RUNS if self.there else (*_RUNS, *_EXPORTS)
        if missing := [name for name in wanted if find_spec(name) is None]:
            return f"{', '.join(missing)} is not installed."
        with suppress(OSError):
            if not self.there and time.time() - self._refused.stat().st_mtime < _DAY:
                return self._refused.read_text(encoding="utf-8", errors="replace")
        return ""

    def refuse(self, reason: str) -> None:
        """Remember for a day that there can be no export, and why. Blocks; a full disk forgets."""
        shutil.rmtree(self.path, ignore_errors=True)
        with suppress(OSError):
            self._refused.write_text(reason, encoding="utf-8")

    async def make(self) -> None:
        """Export the model in a child process, which also compares it with torch.

        An export that is there is replaced, unless another process did so just now.

        Raises:
            EmbedderMissing: it failed; the sentence says why.
        """
        before = self._made()
        try:
            async with self._alone():
                if self._made() not in (None, before):
                    return
                aside = await asyncio.to_thread(self._begun)
                try:
                    await self._run(aside)
                    await asyncio.to_thread(self._put, aside)
                finally:
                    await asyncio.to_thread(shutil.rmtree, aside, ignore_errors=True)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise EmbedderMissing(f"{self._models} cannot be written ({reason}).") from error

    def _made(self) -> tuple[int, int] | None:
        """Return what tells the export that is there from another one; None if none is."""
        try:
            found = self.path.stat()
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns

    @asynccontextmanager
    async def _alone(self) -> AsyncIterator[None]:
        """Wait until no other process exports: the system ends its lock when it ends."""
        self._models.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = FileLock(self._models / _LOCK, timeout=0, thread_local=False)
        while True:
            try:
                lock.acquire()
                break
            except Timeout:
                await asyncio.sleep(_POLL_SECONDS)
        try:
            yield
        finally:
            lock.release()

    def _begun(self) -> Path:
        """Return a new folder; what a killed process left is removed, and what is out of date."""
        made_otherwise = self._models.glob(f"{self.path.name.rpartition('-v')[0]}-v*")
        for left in (*self._models.glob(f"{_MAKING}*"), *made_otherwise):
            if left != self.path:
                shutil.rmtree(left, ignore_errors=True)
        return Path(tempfile.mkdtemp(prefix=_MAKING, dir=self._models))

    def _put(self, aside: Path) -> None:
        if self.there:
            shutil.rmtree(self.path)
        aside.rename(self.path)
        self._refused.unlink(missing_ok=True)

    async def _run(self, aside: Path) -> None:
        try:
            child = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-m", "core.engines.onnx_export"),
                *(self._model.path, str(self._model.window), aside),
                env=_environment(),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.PIPE,
            )  # in this process's session: who ends that one ends the export too
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise EmbedderMissing(f"The export cannot be started ({reason}).") from error
        try:
            async with asyncio.timeout(_DEADLINE):
                _, errors = await child.communicate()
        except TimeoutError as error:
            raise EmbedderMissing(f"The export took over {_DEADLINE:.0f} seconds.") from error
        finally:
            if child.returncode is None:
                child.kill()
                await child.wait()
        if child.returncode:
            told = errors.decode("utf-8", "replace").strip().splitlines()
            reason = told[-1][:_LONGEST] if told else f"it ended with {child.returncode}"
            raise EmbedderMissing(f"The export failed: {reason}")


def _environment() -> dict[str, str]:
    """Return a child's environment: these packages importable, no tokens, nothing fetched."""
    return {
        **importing_us(without_ours(os.environ)),
        "HF_HUB_OFFLINE": "1",
        "TOKENIZERS_PARALLELISM": "false",
    }
