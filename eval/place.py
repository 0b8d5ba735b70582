"""What was said before the command: which documents, and where builds go."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from core.errors import UsageError
from core.settings import Settings
from corpus.data_folder import DataFolder

SHIPPED: Final = Path(__file__).parent / "questions.jsonl"
"""The questions over the starter corpus."""


@dataclass(frozen=True, slots=True)
class Place:
    """Other sources than the configured ones, and the data folder; empty and None: the settings'.

    The shipped questions are about the starter corpus, and asked where no other sources are named.
    """

    corpus: tuple[Path, ...]
    data: Path | None

    @property
    def folders(self) -> tuple[Path, ...] | None:
        """Return the folders of runbooks, None where the sources of the settings are read."""
        return self.corpus or None

    def folder(self, settings: Settings) -> DataFolder:
        """Return the data folder."""
        return DataFolder(self.data or settings.data)

    def questions(self, said: Sequence[Path] | None, settings: Settings) -> tuple[Path, ...]:
        """Return the files of questions: those named, or the shipped one.

        Raises:
            UsageError: none is named, and the documents are not the starter corpus.
        """
        if said:
            return tuple(said)
        if self.corpus or settings.sources:
            raise UsageError(
                "The shipped questions are about the starter corpus: name yours with --questions."
            )
        return (SHIPPED,)
