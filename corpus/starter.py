"""The starter corpus: the runbooks and postmortems that come with the program, as one source."""

import os
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Final

from core.models import Document
from core.settings_lists import DEFAULT_TENANT, SourceSettings
from corpus.git_source import SECONDS
from corpus.loader import load
from corpus.sources import DirectorySource, Listing, Source, open_source

STARTER: Final = "starter"
_FOLDERS = ("postmortems", "runbooks")
_NOT_PAGES = frozenset({"README.md", "TEMPLATE.md"})


class StarterSource:
    """The pages below this package: no code, no notes for those who write pages."""

    def __init__(self, tenant: str = DEFAULT_TENANT) -> None:
        home = Path(__file__).parent
        self._all = DirectorySource(
            SourceSettings(name=STARTER, path=home, watch=False, tenant=tenant)
        )
        self.settings = self._all.settings
        self.root = self._all.root
        self.commit = ""

    async def refresh(self) -> str:
        """Do nothing: the pages come with the program."""
        return ""

    def listing(self) -> Listing:
        """List the pages, in the order of their paths.

        Raises:
            SourceError: the package's folder cannot be read.
        """
        found = self._all.listing()
        return Listing(tuple(path for path in found.files if _is_page(path)))

    def read(self, path: str) -> bytes:
        """Return one page's bytes.

        Raises:
            DocumentError: it cannot be read.
        """
        return self._all.read(path)


def sources_of(
    configured: Sequence[SourceSettings],
    folders: Sequence[Path] | None,
    file_bytes: int,
    *,
    clones: Path | None = None,
    git_seconds: float = SECONDS,
    tenant: str = DEFAULT_TENANT,
) -> tuple[Source, ...]:
    """Return the sources to index: these folders if any are named, else those configured.

    A folder's source is named by its resolved path. Without either it is the starter corpus.
    `clones` is the folder that repositories are fetched into, each within `git_seconds`; `tenant`
    is whose the folders and the starter corpus are.

    Raises:
        SourceError: one is a repository, and there is no folder to fetch it into.
    """
    if folders is not None:
        names = dict.fromkeys(Path(os.path.expanduser(one)).resolve() for one in folders)
        settings = [
            SourceSettings.model_construct(name=str(path), path=path, tenant=tenant)
            for path in names
        ]
    else:
        settings = list(configured)
    if not settings:
        return (StarterSource(tenant),)
    return tuple(
        open_source(one, file_bytes=file_bytes, clones=clones, git_seconds=git_seconds)
        for one in settings
    )


def starter_documents() -> tuple[Document, ...]:
    """Read every page of the starter corpus, in the order of their paths. Blocks.

    Raises:
        SourceError: the package's folder cannot be read.
        DocumentError: a page cannot be read.
    """
    source = StarterSource()
    paths = source.listing().files
    return tuple(load(source.read(path), path, source.settings).document for path in paths)


def _is_page(path: str) -> bool:
    place = PurePosixPath(path)
    return place.parts[0] in _FOLDERS and place.name not in _NOT_PAGES
