"""A cross-encoder of a few words, made in milliseconds: its numbers are random but fixed."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transformers import BertConfig

WINDOW = 48
_WORDS = (
    *("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"),
    *("disk", "full", "log", "logs", "delete", "old", "first", "pod", "deploy", "undo", "the"),
    *("restart", "kafka", "consumer", "lag", "group", "which", "march", "meaning", "roll", "back"),
)


def tiny_cross_encoder(path: Path, *, seed: int = 0, labels: int = 1) -> Path:
    """Write a cross-encoder into a folder: one layer of eight numbers, far enough apart."""
    from transformers import BertForSequenceClassification  # takes its time to load

    _tokenized(path)
    BertForSequenceClassification(_config(seed, labels)).save_pretrained(path)
    return path


def tiny_roberta(path: Path) -> Path:
    """Write one whose positions begin beyond its padding, and whose tokenizer knows no limit."""
    from transformers import RobertaConfig, RobertaForSequenceClassification

    _tokenized(path)
    config = RobertaConfig(
        vocab_size=len(_WORDS),
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=WINDOW,
        num_labels=1,
        pad_token_id=0,
        type_vocab_size=2,
    )
    RobertaForSequenceClassification(config).save_pretrained(path)
    return path


def tiny_encoder(path: Path) -> Path:
    """Write a model that gives no scores: what sentence-transformers would add is random."""
    from transformers import BertModel

    _tokenized(path)
    BertModel(_config(0, 1)).save_pretrained(path)
    return path


def scores(path: Path, question: str, texts: list[str]) -> list[float]:
    """Return what the model says of the pairs when it is asked for all of them at once."""
    import torch
    from sentence_transformers import CrossEncoder

    model = CrossEncoder(str(path), device="cpu", local_files_only=True)
    pairs = [(question, text) for text in texts]
    found = model.predict(pairs, activation_fn=torch.nn.Identity(), show_progress_bar=False)
    return [float(score) for score in found]


def _tokenized(path: Path) -> None:
    from transformers import BertTokenizerFast
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()  # type: ignore[no-untyped-call]
    path.mkdir(parents=True, exist_ok=True)
    words = path / "vocab.txt"
    words.write_text("\n".join(_WORDS), encoding="utf-8")
    BertTokenizerFast(str(words)).save_pretrained(path)


def _config(seed: int, labels: int) -> "BertConfig":
    import torch
    from transformers import BertConfig

    torch.manual_seed(seed)
    return BertConfig(
        vocab_size=len(_WORDS),
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=WINDOW,
        num_labels=labels,
        initializer_range=1.0,
    )
