"""What a command reads, so that its result replaces none of it. Blocks."""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from core.overwriting import check_spared, there_already
from corpus.data_folder import DataFolder
from corpus.starter import sources_of
from eval.run import Plan


def check_out(written: Sequence[Path], plan: Plan, more: Iterable[Path] = ()) -> None:
    """Check that a command with this plan reads none of the files that it is to write.

    It reads questions, documents, settings and, of the data folder, what is there to be kept.

    Raises:
        UsageError: it does.
        SourceError: the documents cannot be listed.
    """
    real = (Path(os.path.realpath(one)) for one in written)
    places = (*real, *written)  # both: what is beside a link's real place is replaced there
    if there_already(places):
        check_spared(places, (*plan.questions, *_settled(plan), *more, *_documents(plan)))


def _settled(plan: Plan) -> tuple[Path, ...]:
    settings, home = plan.settings, DataFolder(plan.data)
    return (
        settings.config,
        Path(".env"),
        *settings.retrieval.vocabulary,
        home.calibration,
        home.journal,
        home.vectors,
        home.index,
    )


def _documents(plan: Plan) -> Iterator[Path]:
    """Yield the files that are documents: of folders alone, since clones are the data folder's."""
    settings = plan.settings
    configured = tuple(one for one in settings.sources if one.path is not None)
    if plan.folders is None and settings.sources and not configured:
        return
    for source in sources_of(configured, plan.folders, settings.limits.file_bytes):
        if source.root is not None:
            yield from (source.root / path for path in source.listing().files)
