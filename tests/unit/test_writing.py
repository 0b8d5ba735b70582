"""The verb of written answers: once an exchange, within budgets, never in anybody's way."""

import asyncio
from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest

from core.composing import Composer, Rules
from core.errors import JournalUnavailable, WriterError
from core.guard import NO_ANSWER
from core.outcomes import Answer, Refusal, WeakAnswer
from core.service import Reply
from core.writing import Budgets, Scribe
from core.written import FoundNothing, Prompt, Writing, WritingOutcome, WrittenAnswer
from tests.asking import BEN, CHANNEL, Desk, desk
from tests.fake_writer import FakeWriter, Said
from tests.indexed import page

STEPS = page(
    "api.md",
    "# Pod crash\n\n## Roll back\n\nUndo the last deploy of the pod:\n\n"
    "```sh\nkubectl rollout undo deploy/api\n```\n\nThen tell the team in the channel.\n",
)
OTHER = page("disk.md", "# Disk full\n\nDelete old logs of the disk.\n")
GOOD = "Undo the last deploy of the pod with `kubectl rollout undo deploy/api` [1]."
INVENTED = "Delete the namespace with `kubectl delete ns prod` [1]."
QUESTION = "pod crash: how to undo the last deploy"


@dataclass
class Room:
    """A desk with a scribe at it."""

    desk: Desk
    writer: FakeWriter
    rules: Rules = field(default_factory=Rules)
    budgets: Budgets = field(default_factory=Budgets)

    def __post_init__(self) -> None:
        composer = Composer(self.writer, self.rules, mark=lambda: "f00d")
        self.scribe = Scribe(composer, self.desk.journal, self.desk.clock, self.budgets)

    async def asked(self, text: str = QUESTION, *, user: str = "U1") -> Reply:
        question = replace(self.desk.question(text, where=CHANNEL), asked_by=user)
        return await self.desk.ask(question)

    async def written(self, *, user: str = "U1") -> object:
        return await self.scribe.write(await self.asked(user=user))

    def kept(self, reply: Reply) -> Writing:
        return self.desk.journal.writings[reply.exchange_id]


async def room(*says: Said, rules: Rules | None = None, budgets: Budgets | None = None) -> Room:
    return Room(
        await desk(documents=(STEPS, OTHER)),
        FakeWriter(*says),
        rules or Rules(),
        budgets or Budgets(),
    )


def outcomes(at: Room) -> list[WritingOutcome]:
    return [one.outcome for one in at.desk.journal.writings.values()]


async def test_what_the_sections_say_is_shown_with_what_it_cites() -> None:
    at = await room(GOOD)
    reply = await at.asked()
    written = await at.scribe.write(reply)
    assert isinstance(written, WrittenAnswer)
    assert written.text == GOOD
    assert [(one.number, one.section.heading) for one in written.citations] == [(1, "Roll back")]
    assert (written.model, written.prompt, written.tokens) == ("scripted", "answer.v1", 120)
    kept = at.kept(reply)
    assert (kept.outcome, kept.prompt, kept.model) == (
        WritingOutcome.SHOWN,
        "answer.v1",
        "scripted",
    )
    assert (kept.tokens_in, kept.tokens_out, kept.kept, kept.dropped) == (100, 20, 1, 0)


async def test_an_invented_command_is_never_shown_and_the_journal_says_why() -> None:
    at = await room(INVENTED)
    reply = await at.asked()
    assert await at.scribe.write(reply) is None
    kept = at.kept(reply)
    assert (kept.outcome, kept.kept, kept.dropped) == (WritingOutcome.DROPPED, 0, 1)
    assert kept.reason.endswith(" 1")


async def test_of_a_mixed_text_only_what_holds_is_shown() -> None:
    at = await room(f"{GOOD} {INVENTED}")
    written = await at.written()
    assert isinstance(written, WrittenAnswer)
    assert "delete ns" not in written.text
    assert GOOD in written.text


async def test_a_model_that_finds_no_answer_says_so() -> None:
    at = await room(NO_ANSWER)
    reply = await at.asked()
    assert await at.scribe.write(reply) == FoundNothing("scripted", "answer.v1")
    assert at.kept(reply).outcome is WritingOutcome.NO_ANSWER


async def test_an_exchange_is_written_for_once() -> None:
    at = await room(GOOD)
    reply = await at.asked()
    written = await asyncio.gather(*(at.scribe.write(reply) for _ in range(3)))
    assert sum(one is not None for one in written) == 1
    assert len(at.writer.prompts) == 1


async def test_nothing_is_written_over_a_refusal_or_help() -> None:
    at = await room(GOOD)
    for text in ("how do I bake bread", "hello"):
        reply = await at.asked(text)
        assert not isinstance(reply.outcome, Answer | WeakAnswer)
        assert await at.scribe.write(reply) is None
    assert at.writer.prompts == []
    assert at.desk.journal.writings == {}


async def test_a_failure_is_nothing_to_be_seen_and_is_recorded() -> None:
    at = await room(WriterError("deadline"))
    reply = await at.asked()
    assert await at.scribe.write(reply) is None
    kept = at.kept(reply)
    assert (kept.outcome, kept.reason, kept.prompt) == (
        WritingOutcome.FAILED,
        "deadline",
        "answer.v1",
    )


async def test_after_three_failures_the_model_is_left_alone_for_a_while() -> None:
    at = await room(*[WriterError("server")] * 3, GOOD)
    for _ in range(5):
        assert await at.written() is None
    assert outcomes(at)[3:] == [WritingOutcome.BREAKER] * 2
    at.desk.clock.advance(timedelta(minutes=1))
    assert isinstance(await at.written(), WrittenAnswer)
    assert len(at.writer.prompts) == 4


async def test_a_person_has_so_many_answers_a_day() -> None:
    at = await room(GOOD, budgets=Budgets(a_day=10, a_person=2))
    for user, gets in [("U1", True), ("U1", True), ("U1", False), (BEN.user_id, True)]:
        assert isinstance(await at.written(user=user), WrittenAnswer) is gets
    at.desk.clock.advance(timedelta(days=1))
    assert isinstance(await at.written(), WrittenAnswer)
    assert outcomes(at).count(WritingOutcome.BUDGET) == 1


async def test_a_day_has_so_many_answers_even_when_all_ask_at_once() -> None:
    at = await room(GOOD, budgets=Budgets(a_day=3, a_person=9))
    replies = [await at.asked(user=f"U{n}") for n in range(6)]
    written = await asyncio.gather(*(at.scribe.write(reply) for reply in replies))
    assert sum(isinstance(one, WrittenAnswer) for one in written) == 3
    assert len(at.writer.prompts) == 3


async def test_a_budget_outlives_a_restart() -> None:
    at = await room(GOOD, budgets=Budgets(a_day=1))
    await at.written()
    again = Room(at.desk, FakeWriter(GOOD), budgets=Budgets(a_day=1))
    assert await again.written() is None


async def test_a_prompt_that_is_too_long_is_tried_once_with_half_of_the_sections() -> None:
    at = await room(WriterError("too_long"), GOOD, rules=Rules(room=1200))
    assert isinstance(await at.written(), WrittenAnswer)
    whole, half = (len(prompt.content) for prompt in at.writer.prompts)
    assert half <= whole
    at = await room(WriterError("too_long"), WriterError("too_long"))
    assert await at.written() is None
    assert len(at.writer.prompts) == 2


async def test_all_calls_share_one_deadline() -> None:
    def slow(_: Prompt) -> str:
        raise WriterError("too_long")

    at = await room(slow, GOOD, rules=Rules(deadline=60.0))
    await at.written()
    first, second = at.writer.seconds
    assert second < first <= 60.0


async def sure(at: Room) -> Reply:
    """Ask, and take the evidence for strong."""
    reply = await at.asked()
    assert isinstance(reply.outcome, Answer | WeakAnswer)
    return replace(reply, outcome=Answer(reply.outcome.results, reply.outcome.evidence))


async def weak(at: Room) -> Reply:
    """Ask, and take the evidence for weak."""
    reply = await sure(at)
    assert isinstance(reply.outcome, Answer)
    return replace(reply, outcome=WeakAnswer(reply.outcome.results, reply.outcome.evidence))


@pytest.mark.parametrize(
    ("said", "expected", "asked"),
    [("NO", FoundNothing, 1), ("YES", WrittenAnswer, 2), ("Well …", WrittenAnswer, 2)],
)
async def test_a_weak_answer_is_judged_first_where_that_is_on(
    said: str, expected: type, asked: int
) -> None:
    at = await room(said, GOOD, rules=Rules(judge_weak=True))
    reply = await weak(at)
    assert isinstance(await at.scribe.write(reply), expected)
    assert len(at.writer.prompts) == asked
    names = ["judge.v1", "answer.v1"][:asked]
    assert at.kept(reply).prompt == "+".join(names)
    assert at.kept(reply).tokens_in == 100 * asked


async def test_a_weak_answer_is_not_judged_where_that_is_off() -> None:
    at = await room(GOOD)
    await at.scribe.write(await weak(at))
    assert [prompt.name for prompt in at.writer.prompts] == ["answer.v1"]


async def test_a_strong_answer_is_never_judged() -> None:
    at = await room(GOOD, rules=Rules(judge_weak=True))
    await at.scribe.write(await sure(at))
    assert [prompt.name for prompt in at.writer.prompts] == ["answer.v1"]


async def test_one_that_is_stopped_is_recorded_and_not_held_against_the_model() -> None:
    at = await room(GOOD)
    at.writer.hold = asyncio.Event()
    reply = await at.asked()
    task = asyncio.create_task(at.scribe.write(reply))
    while not at.writer.prompts:  # noqa: ASYNC110 - it is asked within a few turns of the loop
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (at.kept(reply).outcome, at.kept(reply).reason) == (WritingOutcome.FAILED, "stopped")


def breaks(prompt: Prompt) -> str:
    raise ZeroDivisionError(prompt.name)


async def test_a_fault_that_nobody_thought_of_is_recorded_too() -> None:
    at = await room(breaks)
    reply = await at.asked()
    with pytest.raises(ZeroDivisionError):
        await at.scribe.write(reply)
    kept = at.kept(reply)
    assert (kept.outcome, kept.reason, kept.prompt) == (
        WritingOutcome.FAILED,
        "fault",
        "answer.v1",
    )


async def test_one_that_is_stopped_while_it_is_recorded_is_recorded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at = await room(GOOD)
    reply = await at.asked()
    recording, free, recorded = asyncio.Event(), asyncio.Event(), asyncio.Event()
    record = at.desk.journal.record_writing

    async def record_slowly(writing: Writing) -> None:
        recording.set()
        await free.wait()
        await record(writing)
        recorded.set()

    monkeypatch.setattr(at.desk.journal, "record_writing", record_slowly)
    task = asyncio.create_task(at.scribe.write(reply))
    await recording.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    free.set()
    async with asyncio.timeout(10):
        await recorded.wait()
    assert at.kept(reply).outcome is WritingOutcome.SHOWN


async def test_without_a_journal_nothing_is_asked() -> None:
    at = await room(GOOD)
    reply = await at.asked()
    at.desk.journal.unavailable = True
    with pytest.raises(JournalUnavailable):
        await at.scribe.write(reply)
    assert at.writer.prompts == []


async def test_a_refusal_has_no_sections_to_write_over() -> None:
    at = await room(GOOD)
    reply = await at.asked("how do I bake bread")
    assert isinstance(reply.outcome, Refusal)
