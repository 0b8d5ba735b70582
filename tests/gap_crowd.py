"""A crowd for measuring: 100,000 questions of a window, 5,000 of them unanswered, in a process.

`python -m tests.gap_crowd [GAPS]` prints seconds and the peak of its memory, in MB.
"""

import resource
import sys
from array import array
from datetime import timedelta
from pathlib import Path
from time import perf_counter, process_time

import numpy as np

from bots.digest_cards import digest_card
from core.exchanges import Exchange, OutcomeKind, Recorded
from core.models import Platform, Question, Scope, Vector, Where
from feedback.digest import digest_of
from feedback.gaps import report
from feedback.models import Evidence
from tests.gap_world import NOTHING, SINCE, UNTIL, document, hit

ASKED, UNANSWERED, LENGTH = 100_000, 5_000, 384
NOUNS = ("vault", "gateway", "ledger", "replica", "broker", "cache", "proxy", "tunnel", "quota")
VERBS = ("fails", "stalls", "leaks", "restarts", "lags", "drops", "rejects", "expires", "loops")


def crowd(gaps: int) -> tuple[Evidence, dict[str, Vector]]:
    """Return a window and the vectors of what it left unanswered, of so many meanings."""
    rng = np.random.default_rng(1)
    middles = rng.normal(size=(gaps, LENGTH)).astype(np.float32)
    middles /= np.linalg.norm(middles, axis=1, keepdims=True)
    rooms = [Where(Platform.SLACK, f"C{number}") for number in range(40)]
    pages = [hit(f"s{number}", path=f"p{number % 80}.md") for number in range(500)]
    scope, every = Scope(), ASKED // UNANSWERED
    exchanges: list[Exchange] = []
    vectors: dict[str, Vector] = {}
    for number in range(ASKED):
        refused = number % every == 0
        meaning = int(rng.integers(gaps)) if refused else number
        words = f"{NOUNS[meaning % 9]} {VERBS[meaning // 9 % 9]} number {number}"
        at = SINCE + timedelta(seconds=6 * number)
        question = Question(words, "acme", f"U{number % 300}", at, rooms[number % 40], scope)
        kind = OutcomeKind.REFUSAL if refused else OutcomeKind.ANSWER
        results = (pages[number % 500],) * (10 if refused else 1)
        recorded = Recorded(kind, 0.5, 0.5, results, True, 80.0, model="m")
        exchanges.append(Exchange(f"x{number}", question, recorded))
        if refused:
            vector = middles[meaning] + rng.normal(size=LENGTH).astype(np.float32) * 0.03
            vectors[f"x{number}"] = array("f", (vector / np.linalg.norm(vector)).tolist())
    return Evidence(tuple(exchanges)), vectors


def peak_mb() -> int:
    """Return this program's peak in MB; `getrusage` has that of the process that started it too."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 2**20
    lines = status.read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) // 1024


def main() -> None:
    """Make one digest of a crowd and print what it took."""
    gaps = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    evidence, vectors = crowd(gaps)
    documents = {one.id: one for one in (document(f"p{number}.md") for number in range(100))}
    before = peak_mb()
    began, worked = perf_counter(), process_time()
    made = report(
        evidence,
        NOTHING,
        (),
        tenant="acme",
        since=SINCE,
        until=UNTIL,
        visibility=("everyone",),
        documents=documents,
        vectors=vectors,
    )
    digest_card(digest_of(made))
    seconds, worked = perf_counter() - began, process_time() - worked
    peak = peak_mb()
    sys.stdout.write(
        f"{len(made.gaps)} gaps, {seconds:.2f} s ({worked:.2f} s of processor), "
        f"{before} MB before, {peak} MB at most\n"
    )


if __name__ == "__main__":
    main()
