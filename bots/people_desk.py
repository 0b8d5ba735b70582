"""What people ask about themselves: what is kept of them, to be forgotten, to be left alone."""

from bots.app import App
from bots.card import Card, Listing, Row, Tone
from bots.gap_desk import NamedFile, Said
from core.exchanges import Person
from feedback.personal import People

FILE = "my-nightlamp-data.json"


class PeopleDesk:
    """Calls the verbs about people and words what comes of them. Knows no platform."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._people = People(app.journal)

    async def my_data(self, person: Person) -> Said:
        """Return all that is kept of a person, as a file for that person alone.

        Raises:
            JournalUnavailable: it could not be read.
        """
        data = await self._people.collect(person, self._app.clock.now())
        card = Card(
            Tone.INFO,
            title="What I keep of you",
            lead="Your questions, votes and reasons, and where you stand in a gap or a thread. "
            "To have it erased, say forget-me.",
        )
        return Said(card, NamedFile(FILE, data))

    async def forget(self, person: Person, *, sure: bool) -> Card:
        """Erase a person's data, once they are sure.

        Raises:
            JournalUnavailable: nothing was erased.
        """
        if not sure:
            return Card(
                Tone.INFO,
                title="This cannot be undone",
                lead="Your questions, votes, reasons and gaps are erased or made nameless. What I "
                "posted stays where it stands: delete it there. Say it again with sure.",
            )
        forgotten = await self._people.forget(person, self._app.clock.now())
        rows = tuple(
            Row(name.replace("_", " "), str(count)) for name, count in forgotten.rows.items()
        )
        if not rows:
            return Card(Tone.INFO, title="I knew nothing of you")
        return Card(
            Tone.INFO,
            title="You are forgotten",
            lead="Backups that were made before still know you, until they are thrown away.",
            listings=(Listing("Erased or made nameless", rows),),
        )

    async def notices(self, person: Person, *, wanted: bool) -> Card:
        """Tell a person, or no longer, when what they asked is answered.

        Raises:
            JournalUnavailable: it was not saved.
        """
        await self._app.journal.set_notices(person, wanted=wanted, at=self._app.clock.now())
        if wanted:
            return Card(Tone.INFO, "I tell you when something that you asked is answered.")
        return Card(Tone.INFO, "I tell you nothing any more of what you asked before.")
