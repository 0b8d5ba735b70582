"""A file that somebody named to be written, and why it cannot be."""

import os
from pathlib import Path

from core.errors import DataFolderBroken, NightlampError, UsageError


def unwritable(target: Path, error: OSError) -> NightlampError:
    """Return the error of a file that was not written: wrong use where it is no place for one.

    Blocks.
    """
    reason = error.strerror or type(error).__name__
    sentence = (
        f"{target} cannot be written ({reason}): name a file in a folder that is there, can be "
        "written and has room."
    )
    # Unlike Path's own, these never fail: not of a name that is too long, nor of a closed folder.
    nowhere = not os.path.isdir(target.parent) or os.path.isdir(target)
    return UsageError(sentence) if nowhere else DataFolderBroken(sentence)
