"""An index on a Qdrant server or cluster: the data folder says which build is live.

**Updates in place, and still all at once.** A server has no cheap copy of a collection, so an
update is the next *generation* of the live one: new and changed points are written beside the old
under ids of their own, the old are marked as ending, document by document. Every search carries
its generation in its filter, so questions see the old state whole until the pointer file in the
data folder names the new one, and the new state whole from then on. A candidate is searched and
judged before that; thrown away, its points are deleted and the marks taken back. A new fingerprint
or `--rebuild` is the first generation of a new collection, and then the alias moves to it in one
atomic call.

**What is guaranteed.** The pointer, `build.json`, the document frequencies and the spot
(`server.json`) of a build are files of this data folder, written and synced before the pointer; the
server is never asked what is live. So a process that dies, or a server that goes away, at any
moment leaves what was live live, and what was begun hidden: it is removed when the index is opened
or before the next build begins, whichever first finds the server. Old text cannot be found from the
activation on; it is deleted as soon as the searches that began before have ended.

**What is not.** A collection that others write to, or that a backup of the server takes back, is
noticed by its number of points and by the hashes of its documents, not by the hour; the next run of
`nightlamp index` repairs both. The alias (`NIGHTLAMP_QDRANT_COLLECTION`) is for people and other
tools; it moves after the pointer and is put right with the next opening or build. Two data folders
need two aliases. How many replicas hold a write, and are asked in a read, is Qdrant's affair, as
set.
"""

import asyncio
import logging
from contextlib import suppress
from pathlib import Path

from qdrant_client import AsyncQdrantClient, models

from core.engines.build_folder import REBUILD, BuildFolder, BuildFolders
from core.engines.durable import disk_errors
from core.engines.served import Served, ServesBuild
from core.engines.server import CollectionMissing, ServerCalls
from core.engines.server_build import ServerBuild
from core.engines.server_collection import Collection
from core.engines.server_folder import Spot, read_spot, write_spot
from core.engines.server_reader import At, ServerReader
from core.engines.uninterrupted import uninterrupted
from core.errors import IndexMisconfigured, IndexUnavailable, NightlampError, VectorIndexError
from core.points import Frequencies
from core.settings_groups import QdrantSettings

log = logging.getLogger(__name__)


class ServerIndex(ServesBuild[At], ServerReader):
    """Serves the build that the pointer names. One process at a time may have its folder open."""

    def __init__(
        self, folders: BuildFolders, dimension: int, settings: QdrantSettings, calls: ServerCalls
    ) -> None:
        super().__init__(folders)
        self._dimension = dimension
        self._settings = settings
        self._calls = calls
        self._building: ServerBuild | None = None

    @classmethod
    async def open(
        cls,
        root: Path,
        dimension: int,
        settings: QdrantSettings,
        calls: ServerCalls | None = None,
    ) -> "ServerIndex":
        """Open what is live, and tidy up after a process that died; a server may be away.

        `dimension` is the length of the vectors of a build that starts from nothing.

        Raises:
            DataFolderBroken: the folder cannot be made.
        """
        calls = calls or ServerCalls.to(settings)
        index = cls(BuildFolders(root), dimension, settings, calls)
        try:
            await asyncio.to_thread(index._load)
            await index._tidy()
        except VectorIndexError as error:
            log.warning("the vectors are not there yet: %s", error)
        except BaseException:
            await calls.aclose()
            raise
        return index

    def _load(self) -> None:
        with disk_errors(self._folders.root):
            self._folders.root.mkdir(parents=True, exist_ok=True)
        folder = self._folders.current()
        spot = read_spot(folder) if folder else None
        if folder is not None and spot is not None:
            try:
                info, frequencies = folder.read()
            except IndexUnavailable as error:
                self._wrong = str(error)
                return
            at = At(self._collection(spot.collection, info.dimension), spot.generation)
            self._served = Served(folder, at, info, frequencies)
        elif folder is not None:
            self._wrong = "The index is in the data folder, not on the server: run nightlamp index."
        elif self._folders.pointed():
            self._wrong = f"The live build is missing: {REBUILD}."

    def _collection(self, name: str, dimension: int) -> Collection:
        return Collection(self._calls, self._settings, name, dimension)

    @property
    def _at(self) -> At | None:
        return self._store

    async def begin(self, *, from_live: bool) -> ServerBuild:
        """Start a build: the next generation of the live one, or empty; one at a time.

        A build that was begun before and neither activated nor dropped is dropped.

        Raises:
            VectorIndexError: the server is away, refuses, or has another collection of our name.
            DataFolderBroken: the disk is full or not writable.
        """
        if self._building is not None:
            await self._building.drop()
        await self._tidy()
        served = self._served if from_live else None
        folder = await asyncio.to_thread(self._folders.new)
        if served is None:
            name = f"{self._settings.collection}-{folder.id.rpartition('-')[2]}"
            at = At(self._collection(name, self._dimension), 1)
            start = Frequencies()
        else:
            at = At(served.store.collection, served.store.generation + 1)
            start = served.frequencies
        build = ServerBuild(self, folder, at, start, fresh=served is None)
        try:
            await asyncio.to_thread(write_spot, folder, Spot(at.collection.name, at.generation))
            if served is None:
                await at.collection.create()
        except NightlampError:
            await build.drop()
            raise
        self._building = build
        return build

    async def serve(self, served: Served[At]) -> None:
        """Make a build the live one: the pointer, then what is searched, cancelled or not.

        Raises:
            DataFolderBroken: the pointer cannot be written; nothing has changed then.
        """
        await uninterrupted(self._folders.point_to, served.folder)
        self._served = served
        self._building = None
        self._wrong = ""

    async def retire(self) -> None:
        """Move the alias and delete what was replaced, once nobody reads it; or leave it."""
        await self._read_to_the_end()
        try:
            await self._tidy()
        except VectorIndexError as error:
            log.warning("what was replaced is left on the server for later: %s", error)

    async def _tidy(self) -> None:
        """Bring the server to what the data folder says: no other build, and the alias right.

        Raises:
            VectorIndexError: the server is away; nothing that it must still remove is forgotten.
        """
        live = self._served.folder if self._served else self._folders.current()
        for folder in await asyncio.to_thread(self._folders.others, live):
            await self._clear(folder)
        await self._point_alias()

    async def _clear(self, folder: BuildFolder) -> None:
        """Remove a build that is not live: its points from the server, then its folder."""
        spot = await asyncio.to_thread(read_spot, folder)
        at = self._at
        with suppress(CollectionMissing):
            if spot is not None and at is not None and spot.collection == at.collection.name:
                await at.collection.keep_only(at.generation)
            elif spot is not None:
                await self._collection(spot.collection, self._dimension).remove()
        await asyncio.to_thread(folder.remove)

    async def _point_alias(self) -> None:
        """Have the alias name the live collection, in one call that both takes and gives it."""
        alias, at = self._settings.collection, self._at
        there = (await self._calls.ask(lambda client: client.get_collections())).collections
        if any(one.name == alias for one in there):
            raise IndexMisconfigured(
                f"The server has a collection named {alias}, which is the alias of the index: "
                "set another NIGHTLAMP_QDRANT_COLLECTION."
            )
        if at is None or not any(one.name == at.collection.name for one in there):
            return
        aliases = (await self._calls.ask(lambda client: client.get_aliases())).aliases
        named = [one.collection_name for one in aliases if one.alias_name == alias]
        if named == [at.collection.name]:
            return
        take = models.DeleteAliasOperation(delete_alias=models.DeleteAlias(alias_name=alias))
        give = models.CreateAliasOperation(
            create_alias=models.CreateAlias(collection_name=at.collection.name, alias_name=alias)
        )

        async def switch(client: AsyncQdrantClient) -> bool:
            return await client.update_collection_aliases([take, give] if named else [give])

        await self._calls.write(switch)

    async def _fault(self, served: Served[At]) -> str:
        at = served.store
        try:
            there = await at.collection.count(at.generation)
            broken = await at.collection.broken()
        except VectorIndexError as error:
            return str(error)
        if broken and not served.miscounted(there):
            return "A shard of the index cannot be read: look at the Qdrant server's log."
        return served.miscounted(there)

    async def aclose(self) -> None:
        """Close the connections. What is asked afterwards is an error, never that none is found."""
        self._closed = True
        await self._read_to_the_end()
        self._served = None
        await self._calls.aclose()


async def server_version(settings: QdrantSettings) -> str:
    """Return the version of the server of these settings.

    Raises:
        VectorIndexError: it is away, too old, or not Qdrant.
    """
    calls = ServerCalls.to(settings)
    try:
        return await calls.version()
    finally:
        await calls.aclose()
