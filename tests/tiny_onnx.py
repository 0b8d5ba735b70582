"""An ONNX export of three words and three numbers, made in milliseconds and without torch.

A text's vector is the normalised sum of its words' rows; nothing but unknown words gives the first.
"""

import json
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

from core.engines.model_folder import ModelFolder
from core.engines.onnx_session import MODEL_FILE, OUTPUT, PROBES, TOKENIZER_FILE, VECTORS_FILE

PADDING, UNKNOWN = "[PAD]", "[UNK]"
WORDS = {PADDING: 0, "[CLS]": 1, "disk": 2, "login": 3, UNKNOWN: 4}
ROWS = np.array(
    [[9, 9, 9], [1, 0, 0], [0, 3, 0], [0, 0, 4], [0, 0, 0]],
    dtype=np.float32,
)
"""Padding has a row too: it must not count."""


def tiny_model(path: Path, *, query: str = "", passage: str = "") -> ModelFolder:
    path.mkdir(exist_ok=True)
    tokenizer().save(str(path / "tokenizer.json"))
    return ModelFolder("team/tiny", path, "ab" * 32, False, 3, 64, query, passage)


def write_export(folder: Path, *, rows: NDArray[np.float32] = ROWS) -> None:
    """Write an export whose model has these rows, with the vectors of the right ones."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer().save(str(folder / TOKENIZER_FILE))
    onnx.save(graph(rows), str(folder / MODEL_FILE))
    (folder / VECTORS_FILE).write_text(json.dumps([vector(text) for text in PROBES]))


def vector(text: str) -> list[float]:
    row = tokenizer().encode(text)
    total = sum(ROWS[number] for number in row.ids)
    return list(map(float, total / np.linalg.norm(total)))


def tokenizer() -> Tokenizer:
    made = Tokenizer(WordLevel(WORDS, unk_token=UNKNOWN))
    made.pre_tokenizer = Whitespace()
    made.post_processor = TemplateProcessing(single="[CLS] $A", special_tokens=[("[CLS]", 1)])
    made.enable_truncation(64)
    made.enable_padding(pad_id=0, pad_token=PADDING)
    return made


def graph(rows: NDArray[np.float32]) -> onnx.ModelProto:
    integers = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "tokens"])
        for name in ("input_ids", "attention_mask")
    ]
    nodes = [
        helper.make_node("Gather", ["rows", "input_ids"], ["words"]),
        helper.make_node("Cast", ["attention_mask"], ["counts"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["counts", "last"], ["mask"]),
        helper.make_node("Mul", ["words", "mask"], ["kept"]),
        helper.make_node("ReduceSum", ["kept", "tokens_axis"], ["sum"], keepdims=0),
        helper.make_node("LpNormalization", ["sum"], [OUTPUT], axis=1, p=2),
    ]
    body = helper.make_graph(
        nodes,
        "tiny",
        integers,
        [helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, ["texts", 3])],
        [
            numpy_helper.from_array(rows, "rows"),
            numpy_helper.from_array(np.array([2], dtype=np.int64), "last"),
            numpy_helper.from_array(np.array([1], dtype=np.int64), "tokens_axis"),
        ],
    )
    return helper.make_model(body, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
