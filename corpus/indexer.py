"""Bringing the index up to date: what changed is embedded anew, what is gone is dropped."""

import asyncio
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, replace
from datetime import datetime

from core.errors import BuildFailed, BuildRefused, IndexUnavailable, NightlampError
from core.models import Document
from core.points import BuildInfo, IndexedDocument, alike
from core.ports import (
    Admission,
    Build,
    Calibrator,
    Clock,
    Embedder,
    VectorIndex,
    VectorMemory,
)
from core.reports import IndexOptions, IndexProgress, IndexReport, RankMove
from core.settings_groups import SplitterSettings
from corpus.build import fingerprint
from corpus.building import Children, Work, complete
from corpus.changes import Changes, check_removals, compare
from corpus.freed_memory import give_back
from corpus.known_files import Before, KnownFiles
from corpus.lagging import Lagging
from corpus.reading import Corpus, Fetching, named, read_sources
from corpus.sources import Source

log = logging.getLogger(__name__)

Progress = Callable[[IndexProgress], None]


@dataclass(frozen=True, slots=True)
class _Plan:
    """What a run would do: nothing, an update of a copy, or a build from nothing.

    `indexed` is how many documents the index holds now; `commits` and `uncommitted` are those of
    `BuildInfo`. `refused` is why a dry run's real one would not be let through.
    """

    corpus: Corpus
    commits: Mapping[str, str]
    uncommitted: Mapping[str, tuple[str, ...]]
    indexed: int
    changes: Changes
    rebuild: bool
    idle: bool
    refused: str


class SourceIndexer:
    """Reads the sources, compares with the index, builds, admits, activates. One run at a time.

    A build of more than a few documents is left to `children`, where there are any.
    """

    def __init__(
        self,
        index: VectorIndex,
        embedder: Embedder,
        sources: Sequence[Source],
        splitter: SplitterSettings,
        clock: Clock,
        admission: Admission | None = None,
        calibrator: Calibrator | None = None,
        children: Children | None = None,
        memory: VectorMemory | None = None,
        lagging: Lagging | None = None,
    ) -> None:
        self._index = index
        self._embedder = embedder
        self._sources = tuple(sources)
        self._splitter = splitter
        self._clock = clock
        self._admission = admission
        self._calibrator = calibrator
        self._children = children
        self._memory = memory
        self._lagging = lagging
        self._files = KnownFiles()
        self._running = asyncio.Lock()
        self._since: datetime | None = None

    @property
    def running_since(self) -> datetime | None:
        """Return when the run that is going on began; None while there is none."""
        return self._since if self._running.locked() else None

    async def run(self, options: IndexOptions, progress: Progress | None = None) -> IndexReport:
        """Bring the index up to date; a second call waits for the first.

        Files that have not changed are not loaded a second time and not embedded, and no build is
        made when none has. Whatever fails, the index answers as before.

        Raises:
            SourceError: no source can be read, or one cannot while all must be built anew.
            BuildRefused: a source would lose too much, or the build was not admitted.
            EmbedderError: passages could not be embedded.
            BuildFailed: the build is not whole: its process ended, or it lost points.
            DataFolderBroken: the disk is full or not writable.
        """
        async with self._running, self._noted(options):
            self._since = self._clock.now()
            started = time.perf_counter()

            def told(phase: str, done: int, total: int, what: str = "") -> None:
                if progress:
                    progress(IndexProgress(phase, done, total, what))

            def fetching(name: str, over: bool) -> None:
                told("fetching", int(over), 1, name)

            plan = await self._plan(options, told, fetching)
            info, moved = self._index.info, tuple[RankMove, ...]()
            if plan.idle and not options.dry_run:
                await self._record(plan)
            elif not options.dry_run:
                try:
                    info, moved = await self._build(plan, options, told)
                finally:
                    await asyncio.to_thread(give_back)
            report = _report(plan, info, options, time.perf_counter() - started)
            return replace(report, moved=moved)

    async def _plan(
        self, options: IndexOptions, told: Callable[[str, int, int], None], fetching: Fetching
    ) -> _Plan:
        indexed = await self._indexed(rebuild=options.rebuild)
        rebuild = options.rebuild or await self._must_rebuild()
        corpus = await read_sources(
            self._sources,
            lambda done, total: told("reading", done, total),
            None if rebuild else Before(self._files, indexed),
            fetching=fetching,
        )
        self._files = corpus.files
        if self._lagging and not options.dry_run:
            await asyncio.to_thread(self._lagging.note_sources, corpus.lagging, self._clock.now())
        _check_read(corpus, anew=rebuild and self._index.info is not None)
        changes = compare(
            corpus.documents,
            indexed,
            same=corpus.same,
            keep=corpus.unread,
            prune=options.prune or rebuild,
        )
        refused = ""
        if not options.force:
            names, dry = [source.settings.name for source in self._sources], options.dry_run
            refused = await asyncio.to_thread(check_removals, changes, indexed, names, dry_run=dry)
        idle = changes.none and not rebuild
        commits, uncommitted = self._commits(corpus)
        return _Plan(corpus, commits, uncommitted, len(indexed), changes, rebuild, idle, refused)

    def _noted(self, options: IndexOptions) -> AbstractAsyncContextManager[None]:
        """Keep how the run ends; a dry one is no update."""
        if self._lagging is None or options.dry_run:
            return nullcontext()
        return self._lagging.updating(self._clock)

    async def _indexed(self, *, rebuild: bool) -> Mapping[str, IndexedDocument]:
        """Return what the index holds; where that cannot be read, only `rebuild` goes on."""
        try:
            return await self._index.documents()
        except IndexUnavailable:
            if not rebuild:
                raise
            return {}

    async def _must_rebuild(self) -> bool:
        """Return whether there is no index, another kind of index, or one that lost points."""
        info = self._index.info
        print_ = fingerprint(self._embedder, self._splitter)
        if info is None or not alike(info.fingerprint, print_):
            return True
        return await self._index.count() != info.sections + info.passages

    async def _build(
        self, plan: _Plan, options: IndexOptions, told: Callable[[str, int, int], None]
    ) -> tuple[BuildInfo | None, tuple[RankMove, ...]]:
        """Make a build the live one; returns it, and the known questions whose answers moved."""
        build = await self._filled(plan, told)
        try:
            info = build.info
            moved = await self._admit(build, force=options.force)
            await build.activate()
        finally:
            await build.drop()
        try:
            await self._record(plan)
        except (NightlampError, OSError) as error:
            log.warning("Links by commit wait for the next run of the index: %s", error)
        if self._calibrator:
            await self._calibrator.calibrate(self._index)
        if plan.rebuild and self._memory:
            await self._memory.forget_unused()
        return info, moved

    async def _filled(self, plan: _Plan, told: Callable[[str, int, int], None]) -> Build:
        """Return a build that is filled and sealed."""
        work = self._work(plan)
        if self._children and self._children.worth(work.documents):
            return await self._checked(await self._children.make(work, told))
        build = await self._index.begin(from_live=work.from_live)
        try:
            await complete(build, work, self._embedder, self._splitter, told)
        except BaseException:
            await build.drop()
            raise
        return build

    def _work(self, plan: _Plan) -> Work:
        changes = plan.changes
        drop, documents = [one.id for one in changes.dropped], (*changes.added, *changes.changed)
        if plan.rebuild:
            drop, documents = [], tuple(plan.corpus.documents.values())
        kept = 0 if plan.rebuild else plan.indexed - len(drop)
        return Work(
            from_live=not plan.rebuild,
            drop=drop,
            documents=documents,
            total=kept + len(documents),
            sources=plan.commits,
            created_at=self._clock.now(),
        )

    async def _checked(self, build: Build) -> Build:
        """Return a child's build if its vectors are those of the questions to come.

        Raises:
            BuildFailed: the model was another one there.
        """
        print_ = fingerprint(self._embedder, self._splitter)
        if build.info is None or not alike(build.info.fingerprint, print_):
            await build.drop()
            raise BuildFailed(
                "The model was replaced while the index was built: start Nightlamp anew."
            )
        return build

    def _commits(self, corpus: Corpus) -> tuple[dict[str, str], dict[str, tuple[str, ...]]]:
        """Return the commit of every source and what it lacks; as before where it was not read."""
        info = self._index.info
        if info is None:
            return dict.fromkeys(corpus.unread, "") | corpus.commits, corpus.uncommitted
        kept = {name: info.sources.get(name, "") for name in corpus.unread}
        lacked = {one: info.uncommitted[one] for one in corpus.unread if one in info.uncommitted}
        return kept | corpus.commits, lacked | corpus.uncommitted

    async def _record(self, plan: _Plan) -> None:
        """See to it that what is live names the commits that were read, and what these lack.

        A commit may change while no page does. A build is sealed without what they lack, which only
        means that it has no links by them until it is live.
        """
        info = self._index.info
        if info and (info.sources, info.uncommitted) != (plan.commits, plan.uncommitted):
            await self._index.record(plan.commits, plan.uncommitted)

    async def _admit(self, build: Build, *, force: bool) -> tuple[RankMove, ...]:
        """Have the build judged; the first one, and a forced one, need not pass."""
        if self._admission is None:
            return ()
        verdict = await self._admission.admit(self._index, build)
        if not (verdict.admitted or force or self._index.info is None):
            raise BuildRefused(verdict.reason)
        return verdict.moved


def _check_read(corpus: Corpus, *, anew: bool) -> None:
    """Raise the first source's error where going on would lose what could not be read.

    It does where an index that answers is built anew. A first one is made of what can be read.
    """
    for error in corpus.unread.values():
        if anew or not corpus.commits:
            raise error


def _report(
    plan: _Plan, info: BuildInfo | None, options: IndexOptions, seconds: float
) -> IndexReport:
    corpus, changes = plan.corpus, plan.changes
    return IndexReport(
        added=_names(changes.added),
        changed=_names(changes.changed),
        removed=_names(changes.removed),
        unchanged=_names(changes.unchanged),
        failed=tuple(corpus.failed),
        warned=tuple(corpus.warned),
        redacted=tuple(corpus.redacted),
        skipped=dict(sorted(corpus.skipped.items())),
        lagging=dict(sorted(corpus.lagging.items())),
        refused=plan.refused,
        sections=info.sections if info else 0,
        passages=info.passages if info else 0,
        build=info.id if info else "",
        dry_run=options.dry_run,
        seconds=seconds,
    )


def _names(documents: Sequence[Document | IndexedDocument]) -> tuple[str, ...]:
    return tuple(named(one.source, one.path) for one in documents)
