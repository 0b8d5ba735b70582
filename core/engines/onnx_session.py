"""A model that was exported to ONNX, run by onnxruntime. No torch.

An export is a folder with the model, the tokenizer that torch's model had, and the vectors that
torch gave for a few texts. It is compared with these whenever it is opened, so that a file that
broke on the disk, or another release of onnxruntime, never gives vectors of its own.
"""

import json
import os
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Tokenizer

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

_SPIN_MICROSECONDS: Final = 1_000
"""How long the threads of one call wait awake for the next layer: asleep, they take as long to wake
as a layer takes. On idle cores two of them take little more than half the time of one."""
_FEW = 2
"""Texts run at once: what two need between layers stays in the processor's cache, and is 1.7 times
as fast as sixteen."""

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
        return float(np.abs(self._run(probes) - self._expected[: len(probes)]).max())

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Embed texts, those of like length best beside each other. Blocks.

        Raises:
            Exception: of any kind, as the vendors have it.
        """
        few = (self._run(texts[at : at + _FEW]) for at in range(0, len(texts), _FEW))
        return [array("f", row.tobytes()) for rows in few for row in rows]

    def _run(self, texts: Sequence[str]) -> Matrix:
        rows = self._tokenizer.encode_batch(list(texts))
        known = {
            "input_ids": [row.ids for row in rows],
            "attention_mask": [row.attention_mask for row in rows],
            "token_type_ids": [row.type_ids for row in rows],
        }
        feed = {name: np.array(known[name], dtype=np.int64) for name in self._inputs}
        [vectors] = self._session.run([OUTPUT], feed)
        return np.ascontiguousarray(vectors, dtype=np.float32)


def _opened(file: Path, threads: int) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False  # it never gives back what the longest batch took
    options.log_severity_level = 3
    together = "1" if threads > 1 else "0"
    options.add_session_config_entry("session.intra_op.allow_spinning", together)
    options.add_session_config_entry("session.intra_op.spin_duration_us", str(_SPIN_MICROSECONDS))
    return onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
