"""A language model that says what it was told to, in order."""

import asyncio
from collections.abc import Callable

from core.errors import WriterError
from core.written import Prompt, Written

Said = str | WriterError | Callable[[Prompt], str]


class FakeWriter:
    """A Writer that gives its texts one after the other, the last one again and again.

    `prompts` has what it was asked, `seconds` how long it was given each time; while `hold` is set
    it waits for that.
    """

    model = "scripted"

    def __init__(self, *says: Said) -> None:
        self.says = list(says)
        self.prompts: list[Prompt] = []
        self.seconds: list[float] = []
        self.hold: asyncio.Event | None = None

    async def write(self, prompt: Prompt, *, seconds: float) -> Written:
        self.prompts.append(prompt)
        self.seconds.append(seconds)
        if self.hold is not None:
            await self.hold.wait()
        said = self.says.pop(0) if len(self.says) > 1 else self.says[0]
        if isinstance(said, WriterError):
            raise said
        text = said if isinstance(said, str) else said(prompt)
        return Written(text, 5.0, 100, 20)

    async def health(self) -> str:
        return ""

    async def aclose(self) -> None:
        return None
