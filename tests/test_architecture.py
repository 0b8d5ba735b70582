"""Who may import whom, and who owns which vendor, checked against every import statement."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MAY_IMPORT = {
    "core": {"core"},
    "corpus": {"core", "corpus"},
    "feedback": {"core", "feedback"},
    "eval": {"core", "corpus", "eval"},
    "bots": {"core", "corpus", "feedback", "eval", "bots"},
}
OWNERS = {
    "qdrant_edge": ("core/engines/edge",),
    "qdrant_client": ("core/engines/server", "eval/local_mode.py"),
    "bm25s": ("eval/plain.py",),
    "sentence_transformers": (
        "core/engines/sentence.py",
        "core/engines/cross_encoder.py",
        "core/engines/onnx_export.py",
    ),
    "torch": (
        "core/engines/sentence.py",
        "core/engines/cross_encoder.py",
        "core/engines/onnx_export.py",
    ),
    "tokenizers": ("core/engines/tokenizer.py", "core/engines/onnx_session.py"),
    "onnxruntime": ("core/engines/onnx_session.py", "core/engines/onnx_fusing.py"),
    "openai": ("core/engines/openai", "core/engines/writing"),
    "httpx2": ("core/engines/",),
    "sqlite3": ("core/engines/vector_rows.py", "feedback/"),
    "snowballstemmer": ("core/keywords.py",),
    "pydantic": ("core/settings",),
    "pydantic_settings": ("core/settings",),
    "markdown_it": ("corpus/markdown",),
    "yaml": ("corpus/frontmatter_block.py",),
    "filelock": ("corpus/data_folder.py", "core/engines/onnx_folder.py"),
    "watchfiles": ("corpus/watched_folder.py",),
    "sqlite_utils": ("feedback/",),
    "apscheduler": ("bots/schedule.py",),
    "discord": ("bots/discord_bot/",),
    "slack_bolt": ("bots/slack_bot/",),
    "slack_sdk": ("bots/slack_bot/",),
    "typer": ("bots/", "eval/"),
    "rich": ("bots/", "eval/"),
    "matplotlib": ("bots/chart.py",),
    "aiohttp": ("bots/discord_bot/", "bots/slack_bot/"),
    "dotenv": ("core/settings.py",),
    "huggingface_hub": ("core/engines/hub.py",),
    "numpy": ("core/engines/onnx_session.py", "feedback/linkage.py", "eval/"),
    "Stemmer": ("eval/plain.py",),
    "transformers": ("core/engines/sentence.py", "core/engines/cross_encoder.py"),
}
FILES = sorted(
    (path for package in MAY_IMPORT for path in (ROOT / package).rglob("*.py")),
    key=lambda path: path.relative_to(ROOT).as_posix(),
)


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module is not None, f"{path} imports by dots: name the package"
            assert not node.level, f"{path} imports by dots: name the package"
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return names


def where(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", FILES, ids=where)
def test_imports_only_what_its_layer_may(path: Path) -> None:
    package = where(path).partition("/")[0]
    ours = {name.partition(".")[0] for name in imported(path)} & MAY_IMPORT.keys()
    assert ours <= MAY_IMPORT[package]


@pytest.mark.parametrize("path", FILES, ids=where)
def test_every_vendor_has_an_owner(path: Path) -> None:
    names = {name.partition(".")[0] for name in imported(path)}
    assert names - MAY_IMPORT.keys() - OWNERS.keys() - sys.stdlib_module_names == set()


@pytest.mark.parametrize("path", FILES, ids=where)
def test_a_vendor_is_imported_by_its_owner_alone(path: Path) -> None:
    vendors = {name.partition(".")[0] for name in imported(path)} & OWNERS.keys()
    assert {name for name in vendors if not where(path).startswith(OWNERS[name])} == set()


@pytest.mark.parametrize(
    "path", [path for path in FILES if where(path).startswith("core/")], ids=where
)
def test_nothing_of_core_imports_its_engines(path: Path) -> None:
    if not where(path).startswith("core/engines/"):
        assert not any(name.startswith("core.engines") for name in imported(path))


@pytest.mark.parametrize("folder", ["discord_bot", "slack_bot"])
def test_neither_platform_imports_the_other(folder: str) -> None:
    other = {"discord_bot": "bots.slack_bot", "slack_bot": "bots.discord_bot"}[folder]
    files = sorted((ROOT / "bots" / folder).rglob("*.py"))
    assert not any(name.startswith(other) for path in files for name in imported(path))


def test_nothing_but_bots_and_tests_imports_bots() -> None:
    others = [path for path in FILES if not where(path).startswith("bots/")]
    assert [where(p) for p in others if any(n.startswith("bots") for n in imported(p))] == []


def test_every_file_is_short_enough_to_be_read_at_once() -> None:
    lengths = {where(p): len(p.read_text(encoding="utf-8").splitlines()) for p in FILES}
    assert {name: lines for name, lines in lengths.items() if lines > 320} == {}
