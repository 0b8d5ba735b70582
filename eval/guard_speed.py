"""How long the guard takes for 4 KB of answer: `python -m eval.guard_speed`.

The answer is put together from the labelled ones, over all of their sections. Times are the
process's own, so that a busy machine disturbs them less.
"""

import re
import statistics
import time
from collections.abc import Callable, Sequence

import typer

from core.guard import Source, guarded, read_ahead
from core.guard.code import apart
from core.guard.ground import ground_of
from core.guard.objects import row_of
from core.guard.pieces import sentences
from corpus.starter import starter_documents
from eval.adversarial import GENERATIONS, INSTRUCTIONS, Generation, load_generations

ANSWER_CHARS = 4096
ROUNDS = 50
_CITATION = re.compile(r"\[(\d)\]")


def long_answer(generations: Sequence[Generation]) -> tuple[str, tuple[Source, ...]]:
    """Return 4 KB of answers one after the other, and their sections under new numbers."""
    sources: list[Source] = []
    text = ""
    for one in generations:
        first = len(sources)
        sources += [Source(s.number + first, s.text, s.breadcrumb) for s in one.sources]
        text += "\n\n" + _CITATION.sub(_moved(first), one.text)
        if len(text) > ANSWER_CHARS:
            break
    return text[:ANSWER_CHARS], tuple(sources)


def milliseconds(run: Callable[[], object], before: Callable[[], object]) -> float:
    """Return the median time that a run takes; `before` is done before each and not counted."""
    times: list[float] = []
    for _ in range(ROUNDS):
        before()
        start = time.process_time()
        run()
        times.append((time.process_time() - start) * 1000)
    return statistics.median(times)


def main() -> None:
    """Print the times with the sections read ahead, as in the program, and without."""
    text, sources = long_answer(load_generations(GENERATIONS, starter_documents()))
    instructions = INSTRUCTIONS.read_text(encoding="utf-8")

    def forget() -> None:
        for cached in (ground_of, row_of, sentences, apart):
            cached.cache_clear()

    def read() -> None:
        forget()
        read_ahead(sources)

    def run() -> None:
        guarded(text, sources, instructions=instructions)

    size = sum(len(one.text) for one in sources)
    typer.echo(f"answer {len(text)} characters, {len(sources)} sections {size} characters")
    typer.echo(f"sections read ahead: {milliseconds(run, read):.1f} ms")
    typer.echo(f"sections read as well: {milliseconds(run, forget):.1f} ms")


def _moved(by: int) -> Callable[[re.Match[str]], str]:
    return lambda found: f"[{int(found[1]) + by}]"


if __name__ == "__main__":
    main()
