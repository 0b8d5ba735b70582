"""Counting tokens as a model does, without torch."""

from pathlib import Path

from tokenizers import Tokenizer

from core.errors import EmbedderMissing


class TokenCounter:
    """Counts with a model's `tokenizer.json`, which is read when the first text is counted."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._tokenizer: Tokenizer | None = None

    def count(self, text: str) -> int:
        """Return the tokens of a text, special tokens included.

        Raises:
            EmbedderMissing: the file is not there or is no tokenizer.
        """
        if self._tokenizer is None:
            self._tokenizer = self._read()
        return len(self._tokenizer.encode(text).ids)

    def _read(self) -> Tokenizer:
        try:
            tokenizer = Tokenizer.from_file(str(self._path))
        except Exception as error:
            # The library raises a plain Exception for a file that is missing as for a broken one.
            raise EmbedderMissing(
                f"The tokenizer {self._path} cannot be read: install the model again."
            ) from error
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer
