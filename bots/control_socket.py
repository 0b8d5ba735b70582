"""Where the socket of a running bot is, and who may use it: its owner alone.

It lies in the data folder. Where the folder's path is too long for a socket's address, or its file
system knows no sockets, the socket lies in a folder of the owner's own for what runs, and a
symbolic link in the data folder leads there.
"""

import hashlib
import os
import socket
import stat
import struct
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, Protocol

from core.errors import DataFolderBroken

LONGEST_PATH: Final = 103 if sys.platform == "darwin" else 107
"""Bytes of a socket's path: `sun_path` in unix(7) has 108 with the zero at its end, macOS 104."""
_BACKLOG = 16


class Peer(Protocol):
    """A connected socket, as far as it tells of its other end."""

    def getsockopt(self, level: int, option: int, size: int, /) -> bytes:
        """Return what the system knows."""
        ...


def bound(path: Path) -> socket.socket:
    """Return a listening socket that commands find at this path of the data folder.

    What a process that died left there is replaced: whoever calls this holds the folder's lock.

    Raises:
        DataFolderBroken: something else is there, or no place takes a socket.
    """
    _cleared(path)
    if len(os.fsencode(path.absolute())) <= LONGEST_PATH:
        with suppress(OSError):  # a network's or a container's file system may know no sockets
            return _listening(path.absolute())
    try:
        elsewhere = _runtime_folder() / f"{_key(path)}.sock"
        _cleared(elsewhere)
        listening = _listening(elsewhere)
        path.symlink_to(elsewhere)
    except OSError as error:
        raise DataFolderBroken(
            f"No socket for commands can be made ({error.strerror or type(error).__name__}): "
            "set XDG_RUNTIME_DIR to a folder of your own."
        ) from error
    return listening


def unbind(path: Path) -> None:
    """Take a socket that was closed away from where commands find it."""
    with suppress(OSError):
        target = os.readlink(path) if path.is_symlink() else path
        for left in {str(path), str(target)}:
            Path(left).unlink(missing_ok=True)


def connected(path: Path) -> socket.socket | None:
    """Return a connection to the bot that listens; None where none does, or a dead one did.

    Raises:
        DataFolderBroken: the socket is another user's, or others may use it.
    """
    try:
        target = Path(os.readlink(path)) if path.is_symlink() else path.absolute()
        about = os.lstat(target)
    except OSError:
        return None
    if not stat.S_ISSOCK(about.st_mode) or len(os.fsencode(target)) > LONGEST_PATH:
        return None
    elsewhere = target != path.absolute()
    if not _ours(about) or (elsewhere and not _ours(os.lstat(target.parent))):
        raise DataFolderBroken(
            f"The socket {target} is another user's, or others may write there: remove it."
        )
    client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        client.connect(str(target))
    except OSError:
        client.close()
        return None
    if not same_user(client):
        client.close()
        raise DataFolderBroken(f"The socket {target} is served by another user: remove it.")
    return client


def same_user(connection: Peer) -> bool:
    """Return whether the other end is this user's process; True where the system cannot tell.

    There the permissions of the file and its folder are what keeps others out.
    """
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return True
    size = struct.calcsize("3i")  # struct ucred: pid, uid, gid
    _, user, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, option, size))
    return bool(user == os.getuid())


def _listening(path: Path) -> socket.socket:
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with _owner_only():
            listening.bind(str(path))
        os.chmod(path, 0o600)
        listening.listen(_BACKLOG)
    except OSError:
        listening.close()
        raise
    listening.setblocking(False)
    return listening


@contextmanager
def _owner_only() -> Iterator[None]:
    """Let what is made meanwhile be its owner's alone: a socket has its mode from `bind` on."""
    before = os.umask(0o177)
    try:
        yield
    finally:
        os.umask(before)


def _cleared(path: Path) -> None:
    """Remove a socket, or a link to one, that a process left behind.

    Raises:
        DataFolderBroken: it is something else.
    """
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return
    if not (stat.S_ISSOCK(mode) or stat.S_ISLNK(mode)):
        raise DataFolderBroken(f"{path} is in the way of the socket for commands: remove it.")
    with suppress(OSError):
        os.unlink(path)


def _runtime_folder() -> Path:
    """Return a folder that only this user may write to or read, made where it is missing.

    Raises:
        DataFolderBroken: another user's is there.
        OSError: none can be made.
    """
    given = os.environ.get("XDG_RUNTIME_DIR")
    if given and Path(given).is_dir():
        folder = Path(given) / "nightlamp"
    else:
        folder = Path(tempfile.gettempdir()) / f"nightlamp-{os.getuid()}"
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    if not _ours(os.lstat(folder)):
        raise DataFolderBroken(f"The folder {folder} is another user's, or open to others.")
    return folder


def _ours(about: os.stat_result) -> bool:
    """Return whether a file or folder, and no link, is this user's and closed to others."""
    link = stat.S_ISLNK(about.st_mode)
    return not link and about.st_uid == os.getuid() and not about.st_mode & 0o077


def _key(path: Path) -> str:
    """Return a short name for a data folder, the same by whatever way it is reached."""
    return hashlib.sha256(os.fsencode(path.parent.resolve())).hexdigest()[:16]
