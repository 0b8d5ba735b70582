"""A port of loopback that nobody else is given, whether or not somebody listens there."""

import socket


class KeptPort:
    """A port that refuses connections until something listens on it, with `SO_REUSEADDR`."""

    def __init__(self) -> None:
        self._bound = socket.socket()
        self._bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._bound.bind(("127.0.0.1", 0))
        self.number: int = self._bound.getsockname()[1]

    def let_go(self) -> None:
        """Leave the port to whoever asks for one."""
        self._bound.close()
