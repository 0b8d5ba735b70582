"""What judges the builds of a data folder: known questions before, a calibration after."""

from datetime import UTC, datetime

from core.evidence import Calibration
from core.ports import SearchableIndex
from core.settings import Settings
from corpus.calibrating import Search
from corpus.data_folder import DataFolder
from corpus.library import Judges, MakeJudges
from eval.headings import fit_without_labels
from eval.ranks import KnownRanks


def judges_for(settings: Settings) -> MakeJudges:
    """Return what makes the judges of a data folder's builds."""

    def make(search: Search, folder: DataFolder) -> Judges:
        async def fit(index: SearchableIndex) -> Calibration | None:
            return await fit_without_labels(index, search, datetime.now(UTC).date())

        return Judges(KnownRanks(search, folder, settings.limits), fit)

    return make
