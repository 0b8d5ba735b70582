"""Taking turns at one answer: what edits its messages must not cross what replaces them."""

import asyncio
from weakref import WeakValueDictionary


class Turns:
    """Hands out one lock an exchange, kept for as long as somebody holds or awaits it."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def of(self, exchange_id: str) -> asyncio.Lock:
        """Return the lock of an exchange."""
        return self._locks.setdefault(exchange_id, asyncio.Lock())
