"""Progress on standard error: one bar a phase; where that is no terminal, one line a phase."""

from rich.console import Console
from rich.progress import Progress, TaskID


class Bars:
    """Shows how far each phase has come. `bars` is entered while they are to be seen."""

    def __init__(self) -> None:
        self._console = Console(stderr=True)
        self.bars = Progress(
            console=self._console, transient=True, disable=not self._console.is_terminal
        )
        self._tasks: dict[str, TaskID] = {}

    def __call__(self, phase: str, done: int, total: int) -> None:
        """Show that `done` of `total` of a phase are finished."""
        if phase not in self._tasks:
            self._tasks[phase] = self.bars.add_task(phase, total=total)
            if self.bars.disable:
                self._console.print(f"{phase} {total} …", highlight=False)
        self.bars.update(self._tasks[phase], completed=done, total=total)
        if done == total:
            self.bars.update(self._tasks[phase], visible=False)
