"""What a run asks over which documents, from what was typed."""

from pathlib import Path

from core.settings import Settings
from eval.beir import HOMES, home_names, is_beir, written_out
from eval.place import Place
from eval.run import Plan, embedded


def plan_for(settings: Settings, place: Place, questions: tuple[Path, ...]) -> Plan:
    """Return the plan; a BEIR set brings its documents where no folder was named. Blocks.

    Raises:
        DatasetError: a set's corpus cannot be read.
        DataFolderBroken: its pages cannot be written.
    """
    folder = place.folder(settings)
    corpus = place.corpus
    if not corpus and questions and all(map(is_beir, questions)):
        homes = [folder.eval / HOMES / name for name in home_names(questions)]
        corpus = tuple(map(written_out, questions, homes))
    return Plan(embedded(settings), folder.root, corpus, questions)
