"""The real model on the command line: asking loads no torch, and either backend reads one index."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PAGE = "# Disk full\n\nRemove old logs from the volume.\n"
HEAVY = ("torch", "transformers", "sentence_transformers", "onnx")
SCRIPT = f"""
import sys
from bots.cli import main
try:
    main()
finally:
    print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr)
"""


def run(folder: Path, *arguments: str, backend: str = "auto") -> tuple[str, str]:
    (folder / "pages").mkdir(exist_ok=True)
    (folder / "pages" / "disk.md").write_text(PAGE)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("NIGHTLAMP_")}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, "--corpus", "pages", *arguments],
        env={**kept, "PYTHONPATH": str(ROOT), "NIGHTLAMP_EMBEDDING_BACKEND": backend},
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout, done.stderr


def test_asking_an_index_of_torch_embeds_nothing_anew_and_loads_no_torch(tmp_path: Path) -> None:
    run(tmp_path, "index", backend="torch")
    out, err = run(tmp_path, "ask", "the volume is full", "--json")
    answer = json.loads(out)
    assert (answer["results"][0]["path"], answer["gate"]["dense"]) == ("disk.md", True)
    assert err == "[]\n"


def test_torch_answers_from_an_index_of_onnxruntime(tmp_path: Path) -> None:
    _, built = run(tmp_path, "index")
    out, err = run(tmp_path, "ask", "the volume is full", "--json", backend="torch")
    assert json.loads(out)["gate"]["dense"] is True
    assert (built.splitlines()[-1], err.splitlines()[-1]) == (
        "[]",
        "['torch', 'transformers', 'sentence_transformers']",
    )
    assert "Embedding" not in err
