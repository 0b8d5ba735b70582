"""The process that builds or embeds, with an embedder that does one thing at one step.

It stays at the step until it is killed, fails there, ends there, or prints something there, or
starts another process there.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from core.engines.vector_cache import CachedEmbedder
from core.errors import EmbedderUnavailable
from core.models import Vector
from core.ports import Embedder
from core.settings_groups import EmbeddingSettings
from corpus import building_child
from corpus.data_folder import DataFolder
from tests.fakes import ScriptedEmbedder

ROOT = Path(__file__).parents[1]
STEPS = ("opening", "cutting", "embedding", "sealing", "leaving")
PID_FILE = "child.pid"
LIVED_ON = "lived on"
OUTLIVING = f"echo begun >&2; sleep 60; echo {LIVED_ON} >&2"
"""For a shell: tells on standard error whether it outlived whoever started it."""


def command(step: str = "", does: str = "stay", *, cached: bool = False) -> tuple[str, ...]:
    """Return what starts the child; `cached` has it remember what it embedded."""
    program = f"from tests.scripted_child import main; main({step!r}, {does!r}, cached={cached})"
    return (sys.executable, "-P", "-c", program)


class StoppingEmbedder(ScriptedEmbedder):
    """Embeds like the scripted embedder, and does something when it gets to a step."""

    def __init__(self, step: str, do: Callable[[], None]) -> None:
        self._step = ""
        super().__init__()
        self._step, self._do = step, do
        self._embedded = False

    @property
    def fingerprint(self) -> str:
        if self._step == "sealing" and self._embedded:
            self._do()
        return self._fingerprint

    @fingerprint.setter
    def fingerprint(self, name: str) -> None:
        self._fingerprint = name

    def count_tokens(self, text: str) -> int:
        self._at("cutting")
        return super().count_tokens(text)

    async def embed_passages(
        self, texts: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> list[Vector]:
        vectors = await super().embed_passages(texts, progress)
        self._at("embedding")
        self._embedded = True
        return vectors

    async def aclose(self) -> None:
        self._at("leaving")

    def _at(self, step: str) -> None:
        if self._step == step:
            self._do()


def main(step: str, does: str, *, cached: bool) -> None:
    async def make(settings: EmbeddingSettings, folder: DataFolder) -> Embedder:
        (folder.root / PID_FILE).write_text(str(os.getpid()))
        embedder = StoppingEmbedder(step, lambda: DEEDS[does](step))
        embedder._at("opening")
        return CachedEmbedder(embedder, folder.vectors) if cached else embedder

    sys.exit(building_child.main(make))


def stay(step: str) -> None:
    sys.stderr.write(f"at {step}\n")
    sys.stderr.flush()
    time.sleep(600)


def fail(step: str) -> None:
    raise EmbedderUnavailable("The scripted model was told to fail.")


def end(step: str) -> None:
    os._exit(9)


def chatter(step: str) -> None:
    sys.stdout.write("Loading weights: 100%\n")
    sys.stdout.flush()


def start(step: str) -> None:
    subprocess.run(("sh", "-c", OUTLIVING), check=False)


DEEDS = {"stay": stay, "fail": fail, "end": end, "chatter": chatter, "start": start}
