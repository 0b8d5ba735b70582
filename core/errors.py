"""The error tree. What one package alone raises and catches stands beside it there.

NightlampError
├── SettingsError            a setting is wrong: exit 2
├── UsageError               a command was used wrongly: exit 2
├── DataFolderBusy           another process holds the data folder
├── DataFolderBroken         the data folder cannot be read or written (full disk, permissions)
├── SourceError              a whole source cannot be read
├── DocumentError            one file cannot become a document: reported, never fatal
├── EmbedderError
│   ├── EmbedderMissing      the model is not installed or is not the one expected
│   └── EmbedderUnavailable  the model is there and failed
├── RerankerError            the reranker cannot be used: the order of the search stands
├── VectorIndexError
│   ├── IndexUnavailable     the index cannot be reached
│   ├── IndexMisconfigured   the index was asked something that it cannot hold
│   ├── BuildRefused         a build was not admitted, or would remove too much
│   └── BuildFailed          a build is not whole: its process ended, or points are missing
├── WriterError              the language model gave no answer that can be used
├── JournalUnavailable       nothing was saved
├── AnnouncementUnsure       nobody knows whether an announcement was sent
├── NotFound                 an exchange, section or other thing named by id does not exist: exit 2
└── NotAllowed               it exists, and this person or place may not have it
"""


class NightlampError(Exception):
    """Any failure that Nightlamp knows. `str()` is one sentence that says what to do."""

    exit_code = 3


class SettingsError(NightlampError):
    """A setting is wrong; the sentence names it."""

    exit_code = 2


class UsageError(NightlampError):
    """A command was used wrongly."""

    exit_code = 2


class DataFolderBusy(NightlampError):
    """Another process holds the data folder."""


class DataFolderBroken(NightlampError):
    """The data folder cannot be read or written."""


class SourceError(NightlampError):
    """A whole source cannot be read."""


class DocumentError(NightlampError):
    """One file cannot become a document. Reported with its path, stops nothing."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


class EmbedderError(NightlampError):
    """The embedding model cannot be used."""


class EmbedderMissing(EmbedderError):
    """The model is not installed, or is not the one expected."""


class EmbedderUnavailable(EmbedderError):
    """The model is there and failed on this call."""


class RerankerError(NightlampError):
    """The reranking model is missing or failed; what was found keeps the order of the search."""


class VectorIndexError(NightlampError):
    """The index cannot serve."""


class IndexUnavailable(VectorIndexError):
    """The index cannot be reached or read."""


class IndexMisconfigured(VectorIndexError):
    """The index was given something that it cannot hold, such as a vector of another length."""


class BuildRefused(VectorIndexError):
    """A build was not activated: not admitted, or it would remove too much."""


class BuildFailed(VectorIndexError):
    """A build is not whole: its process ended, or points are missing; what was live goes on."""


class WriterError(NightlampError):
    """The language model gave no answer that can be used; `reason` is a word for the journal."""

    def __init__(self, reason: str, sentence: str = "") -> None:
        super().__init__(sentence or f"The language model gave no answer: {reason}.")
        self.reason = reason


class JournalUnavailable(NightlampError):
    """The journal could not save or read; nothing was recorded."""


class AnnouncementUnsure(NightlampError):
    """A platform failed in the midst of an announcement: it may have been sent or not."""


class NotFound(NightlampError):
    """What was named by its id does not exist."""

    exit_code = 2


class NotAllowed(NightlampError):
    """It exists, and this person or place may not have it."""
