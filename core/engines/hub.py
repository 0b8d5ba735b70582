"""Models of the Hugging Face hub: from the local cache, fetched only where they are not there."""

import logging
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
_log = logging.getLogger(__name__)


def hub_folder(name: str) -> Path | None:
    """Return the folder that a model of the hub is in; None where it cannot be had.

    It may wait for the network: call it in a thread.
    """
    from huggingface_hub import snapshot_download

    for offline in (True, False):
        try:
            return Path(snapshot_download(name, allow_patterns=[*_FILES], local_files_only=offline))
        except Exception as error:  # noqa: BLE001 - names, networks and disks all fail their own way
            _log.debug("The model %s was not found (offline %s): %s.", name, offline, error)
    return None
