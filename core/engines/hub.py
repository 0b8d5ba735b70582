"""Models of the Hugging Face hub: from the local cache, fetched only where they are not there."""

import json
import logging
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

ENVIRONMENT: Final = {
    "HF_HUB_OFFLINE": "1",
    "TOKENIZERS_PARALLELISM": "false",
    # Threads that spin while they wait take twice the CPU where other work wants the cores.
    "OMP_WAIT_POLICY": "PASSIVE",
}
"""What torch and its libraries are told, unless the environment says otherwise, before they load.

Whatever has to be fetched is fetched before: to load a model asks nobody.
"""
_FILES = ("*.json", "*.txt", "*.model", "*.safetensors", "*/config.json")
_WEIGHTS = ("*.safetensors", "pytorch_model*.bin")
_TOKENIZERS = ("tokenizer.json", "vocab.txt", "vocab.json", "*.model")
_log = logging.getLogger(__name__)

Snapshot = Callable[[str, bool], Path]
"""Returns the folder of a model of the hub, asking the cache alone or the network, too."""


def local_folder(name: str) -> Path | None:
    """Return the folder of this name, `~` being somebody's home; None where there is none.

    Unlike Path's own, these never fail: of a user who is not there, nor of a closed folder.
    """
    path = os.path.expanduser(name)
    return Path(path) if os.path.isdir(path) else None


def _snapshot(name: str, offline: bool) -> Path:
    from huggingface_hub import snapshot_download

    return Path(snapshot_download(name, allow_patterns=[*_FILES], local_files_only=offline))


def hub_folder(name: str, *needed: str, snapshot: Snapshot = _snapshot) -> Path | None:
    """Return the folder that a model of the hub is in; None where it cannot be had.

    A model in the cache that lacks a file, of those named as `needed` too, is fetched to its end.
    It may wait for the network: call it in a thread.
    """
    for offline in (True, False):
        try:
            found = snapshot(name, offline)
        except Exception as error:  # noqa: BLE001 - names, networks and disks all fail their own way
            _log.debug("The model %s was not found (offline %s): %s.", name, offline, error)
            continue
        # What the hub has no more of may still be a model, of a make that is not known here.
        if not offline or _is_whole(found, needed):
            return found
    return None


def _is_whole(folder: Path, needed: tuple[str, ...]) -> bool:
    """Return whether all is there that a model is loaded from: a download may have been cut off."""
    kinds = (*((name,) for name in ("config.json", *needed)), _WEIGHTS, _TOKENIZERS)
    try:
        return all(_holds(folder, names) for names in kinds) and all(
            path.is_file() for path in _parts(folder)
        )
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return False


def _holds(folder: Path, names: tuple[str, ...]) -> bool:
    return any(path.is_file() for name in names for path in folder.rglob(name))


def _parts(folder: Path) -> Iterator[Path]:
    """Yield the files that others say are there: parts of the weights, and modules' settings."""
    for index in folder.rglob("*.safetensors.index.json"):
        parts = json.loads(index.read_text(encoding="utf-8"))["weight_map"]
        yield from (index.parent / part for part in sorted(set(parts.values())))
    modules = folder / "modules.json"
    for module in json.loads(modules.read_text(encoding="utf-8")) if modules.exists() else ():
        if not module["type"].endswith("Normalize"):  # it has none
            yield folder / module["path"] / "config.json"
