"""What a process that is started here is given of this one's environment."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

OURS: Final = "NIGHTLAMP_"
"""How the names of our settings begin, tokens among them; in upper or lower case."""
_ROOT = Path(__file__).parents[1]


def without_ours(variables: Mapping[str, str]) -> dict[str, str]:
    """Return an environment without our settings: no child is to see a token."""
    return {
        name: value
        for name, value in variables.items()
        if not name.lower().startswith(OURS.lower())
    }


def importing_us(variables: Mapping[str, str]) -> dict[str, str]:
    """Return an environment in which a Python finds these packages, wherever it is started."""
    before = variables.get("PYTHONPATH")
    path = os.pathsep.join([str(_ROOT), *([before] if before else [])])
    return {**variables, "PYTHONPATH": path}
