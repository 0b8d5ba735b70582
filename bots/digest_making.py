"""Reports worded with links: the digest with its chart, and the list of gaps."""

import asyncio
from collections.abc import Iterable, Iterator

from bots.card import Card, Tone
from bots.digest_cards import SectionLink, digest_card, digest_message, gap_line, gaps_card
from core.ports import Attachment, Linker, SearchableIndex
from feedback.digest import digest_of
from feedback.models import Gap, GapReport, SectionRef


class Wording:
    """Words reports, with links to the sections that the index has now."""

    def __init__(self, index: SearchableIndex, link: Linker) -> None:
        self._index = index
        self._link = link

    async def digest(self, report: GapReport) -> tuple[Card, Attachment | None]:
        """Word a report as a digest with its chart, drawn in a thread.

        Raises:
            IndexUnavailable: the index cannot be reached.
        """
        link = await self._links(report)
        return await asyncio.to_thread(digest_message, report, link=link)

    async def card(self, report: GapReport) -> Card:
        """Word a report as a digest, without drawing.

        Raises:
            IndexUnavailable: the index cannot be reached.
        """
        return digest_card(digest_of(report), link=await self._links(report))

    async def gaps(
        self, report: GapReport, most: int | None = None, *, narrowed: bool = False
    ) -> Card:
        """Word a report as a list of gaps, `most` of them; of a `narrowed` one these alone.

        Raises:
            IndexUnavailable: the index cannot be reached.
        """
        return gaps_card(report, link=await self._links(report), most=most, narrowed=narrowed)

    async def gap(self, gap: Gap, visibility: tuple[str, ...]) -> Card:
        """Word one gap with its buttons, for readers who see these labels.

        Raises:
            IndexUnavailable: the index cannot be reached.
        """
        link = await self._linked(_of_gap(gap), gap.record.tenant, visibility)
        return Card(Tone.INFO, title="Decide on this gap", gaps=(gap_line(gap, link=link),))

    async def _links(self, report: GapReport) -> SectionLink:
        return await self._linked(_named(report), report.tenant, report.visibility)

    async def _linked(
        self, named: Iterable[SectionRef], tenant: str, visibility: tuple[str, ...]
    ) -> SectionLink:
        """Return what links these sections, those of them that readers still see."""
        ids = list(dict.fromkeys(one.section_id for one in named))
        links = {
            id_: self._link(section)
            for id_, section in (await self._index.sections(ids)).items()
            if section.tenant == tenant and set(section.metadata.visibility) & set(visibility)
        }
        return lambda section: links.get(section.section_id, "")


def _named(report: GapReport) -> Iterator[SectionRef]:
    for gap in (*report.gaps, *report.closed):
        yield from _of_gap(gap)
    for use in (*report.useful, *report.voted_down):
        yield use.section


def _of_gap(gap: Gap) -> Iterator[SectionRef]:
    yield from (one for one in (gap.nearest, gap.record.section) if one)
