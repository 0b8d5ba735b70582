"""The files that somebody named for what a command says. Blocks."""

from pathlib import Path
from typing import TYPE_CHECKING

from bots.output import note
from core.overwriting import check_spared
from core.targets import unwritable

if TYPE_CHECKING:
    from bots.cli import Place


def check_out(place: "Place", out: Path | None) -> None:
    """Check that a file, if one is named, is none that Nightlamp keeps or is set up by.

    Raises:
        UsageError: it is one, by whatever name.
        SettingsError: a setting is wrong.
    """
    from corpus.data_folder import DataFolder

    if out is None:
        return
    settings = place.settings()
    folder = DataFolder(place.folder(settings))
    kept = (folder.journal, folder.calibration, folder.vectors, folder.index)
    check_spared([out], [*kept, settings.config, Path(".env")])


def write_out(path: Path, text: str, within: Path | None = None) -> None:
    """Write a file, `within` a folder that is made.

    Raises:
        UsageError: it is no place for a file.
        DataFolderBroken: it cannot be written.
    """
    try:
        if within is not None:
            within.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise unwritable(path, error) from None
    note(f"Written to {path}.")
