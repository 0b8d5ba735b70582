"""The command `answers`: how good written answers are."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from core.composing import rules_of
from core.errors import SettingsError
from core.settings import Settings, read_settings
from corpus.starter import starter_documents
from eval.adversarial import GENERATIONS, HELD_OUT, INSTRUCTIONS
from eval.answers import measure_answers, measure_scripted
from eval.answers_report import figure_rows, label_rows
from eval.inputs import check_out
from eval.place import Place
from eval.plans import plan_for
from eval.results import RESULTS, check_writable, write_result
from eval.run import Plan, Told
from eval.running import finished, place_of, printed

_SCRIPTED = (GENERATIONS, HELD_OUT, INSTRUCTIONS)


def answers(
    context: typer.Context,
    questions: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE", help="A file of questions; repeatable.  [default: the shipped ones]"
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the result as JSON.  [default: eval/results/]"),
    ] = None,
    scripted: Annotated[
        bool, typer.Option("--scripted", help="Judge the labelled texts; no model is asked.")
    ] = False,
) -> None:
    """Measure written answers.

    What they cite, what they make up, and when they refuse.
    """
    settings, place = read_settings(), place_of(context)
    name = "scripted" if scripted else _file_name(settings.llm.model or "")
    path = out or RESULTS / f"answers-{name}.json"
    check_writable(path)
    if scripted:
        check_out((path,), plan_for(settings, Place((), place.data), ()), _SCRIPTED)
        result = measure_scripted(starter_documents())
    else:
        result = _live(settings, place, questions, path)
    printed(lambda console: _print(console, result), lambda: write_result(path, result))
    typer.echo(f"Written to {path}.", err=True)


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("answers")(answers)


def _live(
    settings: Settings, place: Place, questions: list[Path] | None, out: Path
) -> dict[str, Any]:
    if not settings.llm.enabled:
        raise SettingsError(
            "No language model is configured: set NIGHTLAMP_LLM_BASE_URL and NIGHTLAMP_LLM_MODEL, "
            "or add --scripted."
        )
    plan = plan_for(settings, place, place.questions(questions, settings))
    check_out((out,), plan)
    return finished(lambda told: _measured(plan, settings, told), "Nothing was written.")


async def _measured(plan: Plan, settings: Settings, told: Told) -> dict[str, Any]:
    from core.engines.writing import OpenAIWriter  # takes half a second and 50 MB to load

    writer = OpenAIWriter(settings.llm)
    try:
        return await measure_answers(plan, writer, rules_of(settings.llm), told)
    finally:
        await writer.aclose()


def _print(console: Console, result: dict[str, Any]) -> None:
    console.print(f"model: {result['model']}", highlight=False)
    if labels := result.get("labels"):
        _print_table(console, ("label", "shown", "of"), label_rows(labels))
    _print_table(console, ("what", "figure", "of"), figure_rows(result))


def _print_table(console: Console, head: tuple[str, ...], rows: Any) -> None:
    table = Table(*head, box=None, pad_edge=False)
    for row in rows:
        table.add_row(*row)
    console.print(table)


def _file_name(model: str) -> str:
    return "".join(one if one.isalnum() or one in "-." else "-" for one in model) or "none"
