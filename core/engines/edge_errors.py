"""What Qdrant Edge raises, which is a plain Exception for everything, as our errors. No vendor."""

from collections.abc import Iterator
from contextlib import contextmanager

from core.engines.build_folder import REBUILD
from core.errors import (
    DataFolderBroken,
    DataFolderBusy,
    IndexMisconfigured,
    IndexUnavailable,
    NightlampError,
)


@contextmanager
def mapped() -> Iterator[None]:
    """Turn what the engine raises inside into our errors."""
    try:
        yield
    except NightlampError:
        raise
    except BaseException as error:
        # A panic of the engine is no Exception, and a file that was cut short is enough for one.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise _translated(str(error)) from error


def _translated(said: str) -> NightlampError:
    if "WouldBlock" in said:
        return DataFolderBusy(
            "Another process has the index open: stop it, or name another --data."
        )
    if "No space left" in said or "os error 28" in said:
        return DataFolderBroken("The disk that holds the index is full: free some space.")
    if "Permission denied" in said or "Read-only file system" in said:
        return DataFolderBroken("The index cannot be written: make the data folder writable.")
    if "dimension" in said:
        return IndexMisconfigured("The index was asked with a vector of another length.")
    return IndexUnavailable(f"The index cannot be read: {REBUILD}.")
