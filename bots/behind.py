"""What is said of an update that failed, and of a source that could not be read anew. Pure."""

from datetime import datetime

from corpus.lagging import LaggingSource, Unfinished


def update_says(failed: Unfinished) -> str:
    """Say whether updates are refused or fail, since when and why."""
    what = "refused" if failed.refused else "failing"
    return f"{what} {since_words(failed.since)}: {failed.sentence}"


def source_says(lagging: LaggingSource) -> str:
    """Say since when a source could not be read, and why."""
    return f"{since_words(lagging.since)}: {lagging.sentence}"


def since_words(time: datetime) -> str:
    """Say since when something is so, to the minute."""
    return f"since {time:%Y-%m-%d %H:%M} UTC"
