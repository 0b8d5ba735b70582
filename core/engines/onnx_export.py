"""Exports a sentence-transformers model to ONNX: a program of its own, run in a child process.

    python -P -m core.engines.onnx_export MODEL WINDOW FOLDER

It writes the export to the folder, opens it and compares it with torch. What goes wrong is the last
line on standard error.

The older exporter of torch is used: the newer one takes nine times as long for the same graph, and
that is time in which somebody waits for a first answer.
"""

import json
import sys
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Final

import torch
from sentence_transformers import SentenceTransformer

from core.engines.onnx_fusing import compare, fuse
from core.engines.onnx_session import MODEL_FILE, OUTPUT, PROBES, TOKENIZER_FILE, VECTORS_FILE

_OPSET = 17
_ATTENTION: Final = {"attn_implementation": "eager"}
"""Attention written out, which is what the fusing tool knows."""
_KNOWN = ("input_ids", "attention_mask", "token_type_ids")


class _Pipeline(torch.nn.Module):
    """All modules of a model (transformer, pooling, what else it has), and L2 normalisation."""

    def __init__(self, model: SentenceTransformer, inputs: list[str]) -> None:
        super().__init__()
        self._model = model
        self._inputs = inputs

    def forward(self, *tensors: torch.Tensor) -> torch.Tensor:
        features = dict(zip(self._inputs, tensors, strict=True))
        vectors = self._model(features)["sentence_embedding"]
        return torch.nn.functional.normalize(vectors, dim=1)


def export(model: Path, window: int, folder: Path) -> None:
    """Write the model, its tokenizer and the vectors of the probes, and compare.

    Raises:
        Exception: of any kind: the model cannot be loaded or exported, or is not the same.
    """
    loaded = SentenceTransformer(
        str(model), device="cpu", local_files_only=True, model_kwargs=dict(_ATTENTION)
    )
    loaded = loaded.float().eval()
    features = loaded.preprocess(list(PROBES[:2]))
    inputs = [name for name in _KNOWN if name in features]
    with torch.no_grad():
        torch.onnx.export(
            _Pipeline(loaded, inputs),
            tuple(features[name] for name in inputs),
            str(folder / MODEL_FILE),
            input_names=inputs,
            output_names=[OUTPUT],
            dynamic_axes={name: {0: "texts", 1: "tokens"} for name in inputs},
            opset_version=_OPSET,
            dynamo=False,
        )
    _save_tokenizer(loaded, window, folder / TOKENIZER_FILE)
    vectors = loaded.encode(list(PROBES), prompt="", normalize_embeddings=True)
    (folder / VECTORS_FILE).write_text(json.dumps(vectors.tolist()), encoding="utf-8")
    compare(folder)
    config = getattr(getattr(loaded[0], "auto_model", None), "config", None)
    heads, width = (getattr(config, n, 0) for n in ("num_attention_heads", "hidden_size"))
    with suppress(ValueError):
        fuse(folder, heads=heads, width=width)


def _save_tokenizer(model: SentenceTransformer, window: int, file: Path) -> None:
    """Write the tokenizer as torch's model uses it, with how it cuts and pads."""
    theirs = model.tokenizer
    ours = theirs.backend_tokenizer
    ours.enable_truncation(window, direction=theirs.truncation_side)
    ours.enable_padding(
        direction=theirs.padding_side,
        pad_id=theirs.pad_token_id,
        pad_type_id=theirs.pad_token_type_id,
        pad_token=theirs.pad_token,
    )
    ours.save(str(file))


def _main() -> None:
    warnings.simplefilter("ignore")
    model, window, folder = sys.argv[1:]
    export(Path(model), int(window), Path(folder))


if __name__ == "__main__":
    _main()
