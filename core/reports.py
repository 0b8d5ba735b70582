"""What an indexing run is asked and what it says afterwards. Plain values."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class IndexOptions:
    """How to index: `rebuild` from nothing, `prune` what is gone, `force` past the safety stops."""

    rebuild: bool = False
    prune: bool = True
    dry_run: bool = False
    force: bool = False


@dataclass(frozen=True, slots=True)
class IndexProgress:
    """How far a run is: `phase` is fetching, reading, cutting or embedding.

    Fetching is told of each source by its name, which is in `what`: nothing of 1 done, then 1.
    """

    phase: str
    done: int
    total: int
    what: str = ""


@dataclass(frozen=True, slots=True)
class FailedFile:
    """A file that could not be indexed; `line` is 1-based in the original, if known."""

    path: str
    reason: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class RedactedFile:
    """A file in which secrets were replaced, by line and kind."""

    path: str
    line: int
    kind: str


@dataclass(frozen=True, slots=True)
class RankMove:
    """A known question whose answer moved: its rank before and now, None where it is not found.

    `expected` is where the answer stands, as `source/path`.
    """

    question: str
    expected: str
    before: int | None
    now: int | None


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What changed. Lists hold `source/path` in order; `skipped` counts other kinds of file.

    `moved` are the known questions whose answers rose or slipped, the worst first. `lagging` says
    why a source could not be read anew, by its name: `failed` has it too where nothing was left of
    it to read, and `warned` where it was read as it was. `refused` says why the run that a dry run
    foretells would be refused; empty where it would not.
    """

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    failed: tuple[FailedFile, ...] = ()
    redacted: tuple[RedactedFile, ...] = ()
    skipped: Mapping[str, int] = field(default_factory=dict)
    sections: int = 0
    passages: int = 0
    build: str = ""
    dry_run: bool = False
    seconds: float = 0.0
    warned: tuple[FailedFile, ...] = ()
    moved: tuple[RankMove, ...] = ()
    lagging: Mapping[str, str] = field(default_factory=dict)
    refused: str = ""

    @property
    def failed_files(self) -> tuple[FailedFile, ...]:
        """Return what failed apart from whole sources."""
        return tuple(one for one in self.failed if not self._of_source(one))

    @property
    def warned_files(self) -> tuple[FailedFile, ...]:
        """Return what was remarked apart from sources that were read as they were."""
        return tuple(one for one in self.warned if not self._of_source(one))

    @property
    def complete(self) -> bool:
        """Return whether every source was read anew, and every file of it."""
        return not (self.failed or self.lagging)

    def _of_source(self, one: FailedFile) -> bool:
        return self.lagging.get(one.path) == one.reason


def of_sources(report: IndexReport, names: Collection[str]) -> IndexReport:
    """Return what a report says of these sources alone: a tenant is told nothing of another."""

    def ours(path: str) -> bool:
        return path.partition("/")[0] in names

    return replace(
        report,
        added=tuple(filter(ours, report.added)),
        changed=tuple(filter(ours, report.changed)),
        removed=tuple(filter(ours, report.removed)),
        unchanged=tuple(filter(ours, report.unchanged)),
        failed=tuple(one for one in report.failed if ours(one.path)),
        redacted=tuple(one for one in report.redacted if ours(one.path)),
        warned=tuple(one for one in report.warned if ours(one.path)),
        moved=tuple(one for one in report.moved if ours(one.expected)),
        lagging={name: why for name, why in report.lagging.items() if name in names},
        skipped={},
        refused="",
    )


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a build may answer, one sentence why not, and the known questions that moved."""

    admitted: bool
    reason: str = ""
    moved: tuple[RankMove, ...] = ()
