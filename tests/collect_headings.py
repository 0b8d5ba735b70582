"""Make github_slugger_headings.jsonl again: `.venv/bin/python -m tests.collect_headings`.

Every line of the file is a document of a published package, with the rendered text of its headings
in order and the anchor that the npm package github-slugger gives to each. A run downloads the
packages that the lines name (by `npm pack` and `pip download`, running nothing of theirs), reads
the headings anew and has github-slugger, under node, number them. To add a document append its line
with `"headings": []`. It needs npm, node and the network, and is no part of the tests.
"""

import email
import json
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from corpus.markdown import parse

HEADINGS = Path(__file__).with_name("github_slugger_headings.jsonl")
SLUGGER = "2.0.0"
_NUMBERING = """
import GithubSlugger from "github-slugger"
import { readFileSync } from "node:fs"
const documents = JSON.parse(readFileSync(0, "utf8"))
const numbered = (texts, slugger) => texts.map((text) => slugger.slug(text))
console.log(JSON.stringify(documents.map((texts) => numbered(texts, new GithubSlugger()))))
"""


def main() -> None:
    """Write the file anew from the packages that it names."""
    with HEADINGS.open(encoding="utf-8") as file:
        documents = [json.loads(line) for line in file]
    with TemporaryDirectory() as place:
        folder = Path(place)
        texts = list(_texts(documents, folder))
        slugs = _numbered(texts, folder)
    with HEADINGS.open("w", encoding="utf-8") as file:
        for document, names, given in zip(documents, texts, slugs, strict=True):
            document["headings"] = [list(pair) for pair in zip(names, given, strict=True)]
            line = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
            file.write(f"{line}\n")


def _texts(documents: Sequence[dict[str, Any]], folder: Path) -> Iterator[list[str]]:
    """Yield the headings of each document, every package downloaded once."""
    archives: dict[str, Path] = {}
    for document in documents:
        package = document["package"]
        if package not in archives:
            archives[package] = _downloaded(package, folder / str(len(archives)))
        text = _read(archives[package], document["path"])
        yield [heading.text for heading in parse(re.sub(r"\r\n?", "\n", text)).headings]


def _downloaded(package: str, folder: Path) -> Path:
    """Download `npm:name@version` or `pypi:name@version` into a folder of its own."""
    registry, _, name = package.partition(":")
    folder.mkdir()
    npm = ["npm", "pack", "--ignore-scripts", "--silent", name]
    pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:"]
    command = npm if registry == "npm" else [*pip, name.replace("@", "==")]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return next(folder.iterdir())


def _read(archive: Path, path: str) -> str:
    """Return a file of an npm package, or the description in a wheel's METADATA."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            described = email.message_from_string(wheel.read(path).decode("utf-8"))
            return str(described.get_payload())
    with tarfile.open(archive) as package:
        for member in package:
            if member.name.partition("/")[2] == path and (file := package.extractfile(member)):
                return file.read().decode("utf-8-sig")
    raise FileNotFoundError(f"{archive.name} holds no {path}")


def _numbered(texts: Sequence[Sequence[str]], folder: Path) -> list[list[str]]:
    """Return what github-slugger makes of each document's headings."""
    install = ["npm", "install", "--silent", "--ignore-scripts", f"github-slugger@{SLUGGER}"]
    subprocess.run([*install, "--prefix", folder], check=True, stdout=subprocess.DEVNULL)
    script = folder / "numbering.mjs"
    script.write_text(_NUMBERING, encoding="utf-8")
    given = json.dumps(texts, ensure_ascii=False).encode()
    ran = subprocess.run(["node", script], input=given, check=True, stdout=subprocess.PIPE)
    found: list[list[str]] = json.loads(ran.stdout)
    return found


if __name__ == "__main__":
    main()
