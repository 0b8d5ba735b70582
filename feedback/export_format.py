"""How an export is written."""

from enum import StrEnum


class ExportFormat(StrEnum):
    """One object or one table row an exchange."""

    JSONL = "jsonl"
    CSV = "csv"
