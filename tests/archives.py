"""Data folders to back up, and archives: made, read, and made up."""

import hashlib
import io
import tarfile
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from core.engines.build_folder import BuildFolders
from feedback.archive import MANIFEST, Kept, Manifest, manifest_json
from feedback.restore import PLACES

WHEN = datetime(2026, 1, 5, 12, tzinfo=UTC)


def fill_index(root: Path, text: str = "vectors") -> str:
    """Make a build of a few files live, and return its id."""
    folders = BuildFolders(root / "index")
    folder = folders.new()
    files = {"build.json": "{}", "ranks.jsonl": "", "vectors/segments/a-b.1/page_0.dat": text}
    for name, data in files.items():
        (folder.path / name).parent.mkdir(parents=True, exist_ok=True)
        (folder.path / name).write_text(data)
    folders.point_to(folder)
    return folder.id


def state(root: Path) -> dict[str, bytes]:
    """Return the bytes of what a restore replaces, by name."""
    files = [path for name in PLACES for path in (root / name, *(root / name).rglob("*"))]
    return {
        path.relative_to(root).as_posix(): path.read_bytes() for path in files if path.is_file()
    }


def contents(path: Path) -> bytes:
    return path.read_bytes()


def replace_with(path: Path, data: bytes) -> None:
    path.write_bytes(data)


def packing(folder: Path) -> bool:
    return any(folder.glob(".nightlamp-*/backup"))


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def shown(root: Path) -> set[str]:
    return {path.name for path in root.iterdir()}


def members(archive: Path) -> dict[str, bytes]:
    with tarfile.open(archive) as packed:
        found = {}
        for member in packed:
            data = packed.extractfile(member)
            assert data
            found[member.name] = data.read()
        return found


def pack(archive: Path, files: Mapping[str, bytes], kind: bytes = tarfile.REGTYPE) -> None:
    with tarfile.open(archive, "w:gz") as packed:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size, info.type = len(data), kind if name != MANIFEST else tarfile.REGTYPE
            info.linkname = "/etc/passwd" if kind != tarfile.REGTYPE else ""
            packed.addfile(info, io.BytesIO(data))


def with_manifest(files: Mapping[str, bytes], **changed: Kept) -> dict[str, bytes]:
    kept = {name: Kept(len(data), hashlib.sha256(data).hexdigest()) for name, data in files.items()}
    return {**files, MANIFEST: manifest_json(Manifest("2026", "", {**kept, **changed}))}
