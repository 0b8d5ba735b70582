"""Where the settings' file is named: in the environment or `.env`, read as all settings are."""

import os
from pathlib import Path

import pytest

from core.errors import SettingsError
from core.settings import read_settings

DOTENV = [
    "NIGHTLAMP_CONFIG={}",
    "export NIGHTLAMP_CONFIG={}",
    "nightlamp_config={}",
    "NIGHTLAMP_CONFIG = '{}'",
    "NIGHTLAMP_CONFIG={} # prod",
    'HERE="{}"\nNIGHTLAMP_CONFIG=${{HERE}}',
    "NIGHTLAMP_CONFIG=elsewhere.toml\nNIGHTLAMP_CONFIG={}",
]


def toml(folder: Path, log: str) -> Path:
    file = folder / f"{log}.toml"
    file.write_text(f'log = "{log}"\n[[sources]]\nname = "{log}"\npath = "runbooks"\n')
    return file


@pytest.fixture(autouse=True)
def _nothing_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.lower().startswith("nightlamp_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("written", DOTENV)
def test_the_file_that_dotenv_names_is_the_one_that_is_read(tmp_path: Path, written: str) -> None:
    file = toml(tmp_path, "debug")
    (tmp_path / ".env").write_text(written.format(file))
    settings = read_settings()
    assert (settings.config, settings.log) == (file, "debug")
    assert [source.name for source in settings.sources] == ["debug"]


@pytest.mark.parametrize("name", ["NIGHTLAMP_CONFIG", "nightlamp_config", "Nightlamp_Config"])
def test_the_file_that_the_environment_names_wins_over_that_of_dotenv(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    file = toml(tmp_path, "error")
    (tmp_path / ".env").write_text(f"NIGHTLAMP_CONFIG={toml(tmp_path, 'debug')}\n")
    monkeypatch.setenv(name, str(file))
    settings = read_settings()
    assert (settings.config, settings.log) == (file, "error")


def test_an_empty_name_in_the_environment_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".env").write_text(f"NIGHTLAMP_CONFIG={toml(tmp_path, 'debug')}\n")
    monkeypatch.setenv("NIGHTLAMP_CONFIG", "")
    assert read_settings().log == "debug"


def test_a_dotenv_that_is_not_utf_8_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"NIGHTLAMP_LOG=info\n# caf\xe9\n")
    with pytest.raises(SettingsError, match=r"^\.env cannot be read: save it as UTF-8 text\.$"):
        read_settings()


def test_a_name_that_no_file_can_have_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"NIGHTLAMP_CONFIG=a\x00b\n")
    with pytest.raises(SettingsError, match=r"^A setting cannot be read: embedded null byte"):
        read_settings()
