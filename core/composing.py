"""A question and what was found for it, to a text that the guard let pass: no journal, no chat."""

import asyncio
import secrets
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from core.errors import WriterError
from core.given import Given, given
from core.guard import Guarded, Source, guarded, read_ahead
from core.outcomes import Answer, Outcome, WeakAnswer
from core.ports import Writer
from core.prompting import answer_prompt, judge_prompt, unforgeable, verdict
from core.settings_groups import LlmSettings
from core.written import Prompt

_TOO_LONG = "too_long"


@dataclass(frozen=True, slots=True)
class Rules:
    """How answers are written: `deadline` in seconds over all calls, `room` in characters."""

    deadline: float = 20.0
    room: int = 8000
    max_tokens: int = 400
    judge_weak: bool = False


def rules_of(settings: LlmSettings) -> Rules:
    """Return the rules that the settings give."""
    return Rules(
        settings.deadline, settings.context_chars, settings.max_tokens, settings.judge_weak
    )


@dataclass(slots=True)
class Taken:
    """What the calls of one writing took so far; filled while they run, so a failure keeps it."""

    prompts: list[str] = field(default_factory=list)
    tokens_in: int = 0
    tokens_out: int = 0
    ms: float = 0.0


@dataclass(frozen=True, slots=True)
class Composed:
    """What was written and what is left of it; `guarded` is None where the judge said no."""

    given: tuple[Given, ...]
    raw: str = ""
    guarded: Guarded | None = None

    @property
    def says_no(self) -> bool:
        """Return whether the model found no answer in the sections."""
        return self.guarded is None or self.guarded.says_no

    @property
    def rules(self) -> str:
        """Return which rules dropped how many sentences, as the journal records it."""
        dropped = self.guarded.dropped if self.guarded else ()
        counts = Counter(one.rule.value for one in dropped)
        return ", ".join(f"{rule} {count}" for rule, count in sorted(counts.items()))


class Composer:
    """Asks the model about an outcome's sections, and lets the guard judge what it says."""

    def __init__(
        self,
        writer: Writer,
        rules: Rules,
        *,
        mark: Callable[[], str] = lambda: secrets.token_hex(8),
    ) -> None:
        self._writer = writer
        self._rules = rules
        self._mark = mark

    @property
    def model(self) -> str:
        """Return the model's name."""
        return self._writer.model

    async def compose(self, question: str, outcome: Outcome, taken: Taken) -> Composed:
        """Write over the sections of an answer or weak answer, within one deadline over all calls.

        A model that cannot take so much text is asked once more, with half of it.

        Raises:
            WriterError: nothing was found to write over, or the model gave nothing to use.
        """
        ends = asyncio.get_running_loop().time() + self._rules.deadline
        room = self._rules.room
        try:
            return await self._within(question, outcome, room, ends, taken)
        except WriterError as error:
            if error.reason != _TOO_LONG:
                raise
        return await self._within(question, outcome, room // 2, ends, taken)

    async def _within(
        self, question: str, outcome: Outcome, room: int, ends: float, taken: Taken
    ) -> Composed:
        if not isinstance(outcome, Answer | WeakAnswer):
            raise WriterError("no_room", "Nothing was found that could be written over.")
        sections = given(outcome.results, room)
        if not sections:
            raise WriterError("no_room")
        sources = [one.source for one in sections]
        if self._rules.judge_weak and isinstance(outcome, WeakAnswer):
            prompt = judge_prompt(question, sources, self._unforgeable(question, sources))
            if verdict(await self._ask(prompt, ends, taken)) is False:
                return Composed(sections)
        mark = self._unforgeable(question, sources)
        prompt = answer_prompt(question, sources, mark, self._rules.max_tokens)
        ahead = asyncio.to_thread(read_ahead, sources)  # the guard's reading, while it is written
        raw, _ = await asyncio.gather(self._ask(prompt, ends, taken), ahead)
        checked = await asyncio.to_thread(guarded, raw, sources, instructions=prompt.instructions)
        return Composed(sections, raw, checked)

    async def _ask(self, prompt: Prompt, ends: float, taken: Taken) -> str:
        loop = asyncio.get_running_loop()
        taken.prompts = [*(name for name in taken.prompts if name != prompt.name), prompt.name]
        began = loop.time()
        try:
            written = await self._writer.write(prompt, seconds=max(ends - began, 0.0))
        finally:
            taken.ms += (loop.time() - began) * 1000
        taken.tokens_in += written.tokens_in or 0
        taken.tokens_out += written.tokens_out or 0
        return written.text

    def _unforgeable(self, question: str, sources: Sequence[Source]) -> str:
        """Return a mark that no text holds; a random one is that at the first try."""
        while not unforgeable(mark := self._mark(), question, sources):
            pass
        return mark


def as_cited(composed: Composed) -> tuple[Given, ...]:
    """Return the sections that the text cites, in the order of their numbers."""
    cited = set(composed.guarded.citations if composed.guarded else ())
    return tuple(one for one in composed.given if one.source.number in cited)
