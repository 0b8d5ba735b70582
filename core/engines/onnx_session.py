"""A model that was exported to ONNX, run by onnxruntime. No torch.

An export is a folder with the model, the tokenizer that torch's model had, and the vectors that
torch gave for a few texts. It is compared with these whenever it is opened, so that a file that
broke on the disk, or another release of onnxruntime, never gives vectors of its own.
"""

import json
import os
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from core.errors import EmbedderMissing
from core.models import Vector

MODEL_FILE: Final = "model.onnx"
TOKENIZER_FILE: Final = "tokenizer.json"
VECTORS_FILE: Final = "vectors.json"
OUTPUT: Final = "vectors"
TOLERANCE: Final = 1e-5
"""How far a number of a vector may be from torch's."""
PROBES: Final = (
    "pod stuck in CrashLoopBackOff",
    "",
    "Rückgängig: `kubectl rollout undo deployment/web --to-revision=3` 日本語 🔥",
    "The consumer lag of payments grows by 1,500 messages a minute. " * 60,
)
"""Short, empty, of other letters, and beyond any usual window."""
_QUICK = PROBES[:3]
_PADDING = ("direction", "pad_id", "pad_type_id", "pad_token")

_SPIN_MICROSECONDS: Final = 1_000
"""How long the threads of one call wait awake for the next layer: asleep, they take as long to wake
as a layer takes. On idle cores two of them take little more than half the time of one."""
_TOKENS = 192
"""Tokens run at once, unless one text has more: what they need between layers stays in the
processor's cache. On passages of 110 tokens as fast as 256 or 384, and 1.05 times as fast as one
text at a time; sixteen texts at once take twice as long."""
_SLOW_FUSION = "SkipLayerNormFusion"
"""Its one step adds and normalises number by number, in three times the time of the two that it
stands for: with it a batch takes 1.14 times as long."""

Matrix = NDArray[np.float32]


class OnnxSession:
    """A model in memory. May be called from several threads at once; `threads` are for each call.

    Raises:
        EmbedderMissing: the export cannot be read, or gives other vectors than torch.
    """

    def __init__(self, folder: Path, threads: int) -> None:
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        try:
            self._tokenizer = Tokenizer.from_file(str(folder / TOKENIZER_FILE))
            self._padding = _padding_of(self._tokenizer)
            self._tokenizer.no_padding()
            self._session = _opened(folder / MODEL_FILE, threads)
            self._inputs = [one.name for one in self._session.get_inputs()]
            expected = json.loads((folder / VECTORS_FILE).read_text(encoding="utf-8"))
            self._expected = np.array(expected, dtype=np.float32)
            off = self.deviation(_QUICK)
        except Exception as error:
            # onnxruntime and tokenizers raise all kinds; whatever it was, there is no such model.
            raise EmbedderMissing(f"The export in {folder} cannot be read.") from error
        if not off <= TOLERANCE:
            raise EmbedderMissing(f"The export in {folder} is {off:.1e} off torch's vectors.")

    def deviation(self, probes: Sequence[str] = PROBES) -> float:
        """Return the largest difference from torch's vectors, NaN where that is no number. Blocks.

        The texts are the first of the probes, embedded in one batch and so padded.
        """
        vectors = self._run(self._tokenizer.encode_batch(list(probes)))
        return float(np.abs(vectors - self._expected[: len(probes)]).max())

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Embed texts in their order. Blocks.

        Raises:
            Exception: of any kind, as the vendors have it.
        """
        rows = self._tokenizer.encode_batch(list(texts))
        vectors: dict[int, Vector] = {}
        for together in grouped([len(row.ids) for row in rows], _TOKENS):
            made = self._run([rows[at] for at in together])
            for at, row in zip(together, made, strict=True):
                vectors[at] = array("f", row.tobytes())
        return [vectors[at] for at in range(len(texts))]

    def _run(self, rows: Sequence[Encoding]) -> Matrix:
        longest = max(len(row.ids) for row in rows)
        for row in rows:
            row.pad(longest, **self._padding)
        known = {
            "input_ids": [row.ids for row in rows],
            "attention_mask": [row.attention_mask for row in rows],
            "token_type_ids": [row.type_ids for row in rows],
        }
        feed = {name: np.array(known[name], dtype=np.int64) for name in self._inputs}
        [vectors] = self._session.run([OUTPUT], feed)
        return np.ascontiguousarray(vectors, dtype=np.float32)


def grouped(lengths: Sequence[int], most: int) -> Iterator[list[int]]:
    """Yield the numbers of the texts that are run together, the longest first.

    `lengths` are in tokens. Padded to the longest, a group has `most` tokens at most, or one text.
    """
    group: list[int] = []
    for at in sorted(range(len(lengths)), key=lambda at: -lengths[at]):
        if group and (len(group) + 1) * lengths[group[0]] > most:
            yield group
            group = []
        group.append(at)
    if group:
        yield group


def _padding_of(tokenizer: Tokenizer) -> dict[str, Any]:
    """Return how a model's texts are made as long as the longest of them."""
    padding = tokenizer.padding or {}
    return {name: padding[name] for name in _PADDING if name in padding}


def _opened(file: Path, threads: int) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False  # it never gives back what the longest batch took
    options.log_severity_level = 3
    together = "1" if threads > 1 else "0"
    options.add_session_config_entry("session.intra_op.allow_spinning", together)
    options.add_session_config_entry("session.intra_op.spin_duration_us", str(_SPIN_MICROSECONDS))
    return onnxruntime.InferenceSession(
        str(file),
        options,
        providers=["CPUExecutionProvider"],
        disabled_optimizers=[_SLOW_FUSION],
    )
