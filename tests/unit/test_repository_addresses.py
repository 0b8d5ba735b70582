"""Which addresses of repositories are taken: those that git fetches from, and no command."""

import pytest
from pydantic import ValidationError

from core.settings_lists import SourceSettings


@pytest.mark.parametrize(
    "address",
    [
        "https://github.com/acme/books.git",
        "git@github.com:acme/books.git",
        "git@[fd00::1]:team/docs.git",
        "ssh://git@[2001:db8::5]:2222/docs.git",
        "https://[::1]:8443/docs.git",
        "/srv/git/docs",
        "../docs",
    ],
)
def test_what_git_fetches_from_is_taken(address: str) -> None:
    assert SourceSettings(name="docs", git=address).git == address


@pytest.mark.parametrize(
    "address",
    ["ext::sh -c x", "::sh", "fd::17", "--upload-pack=x", " ", "a\nb", "ftp://example.com/x"],
)
def test_what_would_run_a_command_or_transfers_nothing_is_refused(address: str) -> None:
    with pytest.raises(ValidationError):
        SourceSettings(name="docs", git=address)
