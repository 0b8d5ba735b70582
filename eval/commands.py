"""The commands that compare: `chunking`, `bench`, `report`."""

from pathlib import Path
from typing import Annotated, Final

import typer

from core.errors import NightlampError, UsageError
from core.settings import Settings, read_settings
from corpus.library import HASHING
from eval.bench import Bench, run_bench, sizes_from
from eval.bench_tables import print_bench
from eval.chunking import Comparison, compare
from eval.comparison_tables import print_comparison
from eval.inputs import check_out
from eval.place import Place
from eval.plans import plan_for
from eval.report import differing, write_report
from eval.results import RESULTS, check_writable, write_result
from eval.run import without_model
from eval.running import finished, place_of, printed

_KEPT: Final = "What was embedded is kept: the next run goes on."


def chunking(
    context: typer.Context,
    questions: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE", help="A file of questions; repeatable.  [default: the shipped ones]"
        ),
    ] = None,
    models: Annotated[
        str,
        typer.Option(
            metavar="A,B", help="Embedding models to compare, with commas; the first leads."
        ),
    ] = "",
    rerankers: Annotated[
        str,
        typer.Option(
            metavar="A,B", help="Rerankers to compare, as the setting names them, with commas."
        ),
    ] = "",
    fake: Annotated[
        bool, typer.Option("--fake", help="Run the wiring with the hashing embedder.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the result as JSON.  [default: eval/results/]"),
    ] = None,
) -> None:
    """Compare splitters, breadcrumbs, searches, models and rerankers."""
    if fake and _names(models):
        raise UsageError("--fake asks no model: leave it out, or --models.")
    settings, place = read_settings(), place_of(context)
    path = _result_path(out, "chunking", settings, place, fake=fake)
    plan = plan_for(settings, place, place.questions(questions, settings))
    check_out((path,), plan)
    comparison = Comparison(
        plan=plan,
        models=(HASHING,) if fake else _names(models) or (settings.embedding.model,),
        rerankers=_names(rerankers) or (settings.retrieval.reranker,),
    )
    result = finished(lambda told: compare(comparison, told), _KEPT)
    printed(lambda console: print_comparison(console, result), lambda: write_result(path, result))
    conclude(path, sum(row["failed"] for row in result["rows"]))


def bench(
    context: typer.Context,
    questions: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE", help="A file of questions; repeatable.  [default: the shipped ones]"
        ),
    ] = None,
    sizes: Annotated[
        str,
        typer.Option(
            metavar="N,N",
            help="Passages to index, such as 1k,10k; none: only what plain tools find is compared.",
        ),
    ] = "",
    baseline: Annotated[
        bool, typer.Option("--baseline", help="Measure plain tools in the same run.")
    ] = False,
    fake: Annotated[
        bool, typer.Option("--fake", help="Run the wiring with the hashing embedder.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the result as JSON.  [default: eval/results/]"),
    ] = None,
) -> None:
    """Measure speed and memory.

    Vectors are made from those of the real passages.
    """
    counts = sizes_from(sizes)
    if not counts and not baseline:
        raise UsageError("--sizes none wants --baseline: else nothing is measured.")
    settings, place = read_settings(), place_of(context)
    name = "bench" if counts else "bench-baseline"
    path = _result_path(out, name, settings, place, fake=fake)
    measured_with = without_model(settings) if fake else settings
    plan = plan_for(measured_with, place, place.questions(questions, settings))
    check_out((path,), plan)
    measured = Bench(plan, counts, baseline)
    result = finished(lambda told: run_bench(measured, told), _KEPT)
    printed(lambda console: print_bench(console, result), lambda: write_result(path, result))
    conclude(path, result["quality"]["failed"] if result["quality"] else 0)


def report(
    check: Annotated[
        bool, typer.Option("--check", help="Change nothing; exit with 3 if a file differs.")
    ] = False,
) -> None:
    """Write the report and README's tables from eval/results.

    The report is docs/report.md and docs/report.html.
    """
    root = Path()
    if not check:
        for path in write_report(root):
            typer.echo(f"Written: {path}", err=True)
        return
    if others := differing(root):
        names = ", ".join(map(str, others))
        typer.echo(f"Other than eval/results says: {names}. Run python -m eval report.", err=True)
        raise typer.Exit(NightlampError.exit_code)


def conclude(path: Path, failed: int) -> None:
    """Say where a result is, and leave with 3 if a question got no outcome: its figures tell less.

    Raises:
        typer.Exit: some failed, as often as `failed` says.
    """
    typer.echo(f"Written to {path}.", err=True)
    if failed:
        times = "once" if failed == 1 else f"{failed} times"
        typer.echo(f"A question got no outcome {times}; it counts as failed.", err=True)
        raise typer.Exit(NightlampError.exit_code)


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    app.command("chunking")(chunking)
    app.command("bench")(bench)
    app.command("report")(report)


def _result_path(
    out: Path | None, name: str, settings: Settings, place: Place, *, fake: bool
) -> Path:
    """Return where a result goes; that of a fake run never where the committed ones stand."""
    data = place.folder(settings)
    path = out or (data.eval / f"{name}-fake.json" if fake else RESULTS / f"{name}.json")
    check_writable(path)
    return path


def _names(typed: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name.strip() for name in typed.split(",") if name.strip()))
