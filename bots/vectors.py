"""Where the vectors are, and whether that can be reached."""

from collections.abc import Iterator
from ipaddress import ip_address
from urllib.parse import urlsplit

from core.errors import VectorIndexError
from core.settings_groups import QdrantSettings

EMBEDDED = "in the data folder"
SECONDS = 2.0
"""How long a status waits for a server."""


async def vectors_at(settings: QdrantSettings) -> str:
    """Return where the vectors are, for a status that a chat may show: no address in it."""
    if settings.url is None:
        return EMBEDDED
    try:
        hasty = settings.model_copy(update={"timeout": min(settings.timeout, SECONDS)})
        return f"on a Qdrant server, version {await _version(hasty)}"
    except VectorIndexError:
        return "on a Qdrant server that cannot be used now: nightlamp doctor says why"


async def server_checks(settings: QdrantSettings) -> tuple[str, str]:
    """Return what is wrong with the server, or nothing, and what is there to be said of it."""
    try:
        version = await _version(settings)
    except VectorIndexError as error:
        return str(error), ""
    told = f"version {version} at {settings.url}, collection {settings.collection}"
    return "", ", ".join([told, *remarks(settings)])


def remarks(settings: QdrantSettings) -> Iterator[str]:
    """Yield what is worth knowing of these settings: how it is spread, and who can read the key."""
    if settings.shards > 1 or settings.replicas > 1:
        yield f"{settings.shards} shards of {settings.replicas} replicas"
    if settings.api_key and not _private(settings.url or ""):
        yield "its key goes unencrypted over the network: give it an https:// address"


def _private(url: str) -> bool:
    """Return whether nobody else can read what goes there: by TLS, or within this machine."""
    parts = urlsplit(url)
    try:
        local = ip_address(parts.hostname or "").is_loopback
    except ValueError:
        local = parts.hostname == "localhost"
    return parts.scheme == "https" or local


async def _version(settings: QdrantSettings) -> str:
    from core.engines.server_index import server_version  # takes its time to load

    return await server_version(settings)
