"""Whatever is wrong with a setting is one sentence in plain words, with its name as written."""

import json
import os
import re
from pathlib import Path

import pytest
from pydantic import SecretStr

from core.errors import SettingsError
from core.settings import Settings, read_settings, with_values

FOLDER = "[[sources]]\nname = 'a'\npath = 'x'\n"
CLONE = "[[sources]]\nname = 'a'\ngit = 'https://h/x.git'\n"
TENANT = "[[tenants]]\nname = 't'\n"
CHANNEL = "[[channels]]\nplatform = 'slack'\nid = 'C1'\n"
HUSH = "hunter2"

OF_A_PROGRAM = re.compile(
    r"\^|\\|\[\^|\.\*|\btuple|\bdict|\binstance|\bliteral|\bint\b|\bstr\b|\bfloat\b|\bbool|None"
    r"|Settings|SecretStr|match pattern|\b[Ii]nput\b|parse|\bNoneType|validat|\bfield required"
)
GROUPS = {
    name: field.annotation.model_fields
    for name, field in Settings.model_fields.items()
    if isinstance(field.annotation, type) and hasattr(field.annotation, "model_fields")
}
KEYS = [(group, key) for group, fields in GROUPS.items() for key in fields]
SECRETS = [(g, k) for g, k in KEYS if GROUPS[g][k].annotation == SecretStr | None]


@pytest.fixture(autouse=True)
def _nothing_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.lower().startswith("nightlamp_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


def sentence(toml: str = "", dotenv: str = "") -> str:
    Path("nightlamp.toml").write_text(toml)
    Path(".env").write_text(dotenv)
    with pytest.raises(SettingsError) as raised:
        read_settings()
    said = str(raised.value)
    assert not OF_A_PROGRAM.search(said)
    assert said.endswith((".", "?"))
    assert "\n" not in said
    return said


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        (CLONE + "every = '15'", "every of [[sources]] number 1 is wrong: write 15m, 2h or 1d."),
        (CLONE + "every = ''", "every of [[sources]] number 1 is wrong: write 15m, 2h or 1d."),
        (
            FOLDER + "visibility = 'x'",
            'visibility of [[sources]] number 1 is wrong: it must be a list, such as ["x"].',
        ),
        (
            FOLDER + "include = 'docs/**'",
            'include of [[sources]] number 1 is wrong: it must be a list, such as ["docs/**"].',
        ),
        (
            FOLDER + "include = ['docs', '../x']",
            "include number 2 of [[sources]] number 1 is wrong: "
            "a pattern is of paths below the source, such as docs/**/*.md.",
        ),
        (
            FOLDER + "visibility = []",
            "visibility of [[sources]] number 1 is wrong: it must not be empty.",
        ),
        (
            FOLDER + "link = 'example.com/{path}'",
            "link of [[sources]] number 1 is wrong: "
            "it must begin with https:// or http:// and have no blanks.",
        ),
        (
            FOLDER + "anchors = 'bitbucket'",
            "anchors of [[sources]] number 1 is wrong: "
            "it must be github, gitlab, mkdocs, docusaurus or hugo.",
        ),
        (
            FOLDER + "watch = 'x'",
            "watch of [[sources]] number 1 is wrong: it must be true or false.",
        ),
        (
            FOLDER + "tenant = 5",
            "tenant of [[sources]] number 1 is wrong: it must be text in quotes.",
        ),
        (
            TENANT + "digests = { cron = 'x' }",
            "digests of [[tenants]] number 1 is wrong: it must be a list, such as [{ cron = … }].",
        ),
        (
            TENANT + "digests = [{}, { channels = ['456'] }]",
            "channels number 1 of digests number 2 of [[tenants]] number 1 is wrong: "
            "write discord: or slack: and the channel's id, such as discord:456.",
        ),
        (
            TENANT + "admins = 5",
            "admins of [[tenants]] number 1 is wrong: it must be written as { discord_roles = … }.",
        ),
        (
            CHANNEL + "scope = { visibility = 'x' }",
            'scope.visibility of [[channels]] number 1 is wrong: it must be a list, such as ["x"].',
        ),
        (
            CHANNEL.replace("'C1'", "5"),
            "id of [[channels]] number 1 is wrong: it must be text in quotes.",
        ),
        ("[[channels]]\nplatform = 'slack'", "id of [[channels]] number 1 is missing."),
        ("[sources]\nname = 'a'", "sources is wrong: write each one below a line [[sources]]."),
        (f"sources = 'x'\n{TENANT}", "sources is wrong: write each one below a line [[sources]]."),
        ("log = 'loud'", "log (NIGHTLAMP_LOG) is wrong: it must be debug, info, warning or error."),
        ("data = 5", "data (NIGHTLAMP_DATA) is wrong: it must be a path in quotes."),
        (
            "retrieval.vocabulary = ['a', 5]",
            "retrieval.vocabulary number 2 (NIGHTLAMP_RETRIEVAL_VOCABULARY) is wrong: "
            "it must be a path in quotes.",
        ),
        (
            "llm.temperature = 3",
            "llm.temperature (NIGHTLAMP_LLM_TEMPERATURE) is wrong: it must be at most 2.",
        ),
        (
            "limits.git_seconds = nan",
            "limits.git_seconds (NIGHTLAMP_LIMITS_GIT_SECONDS) is wrong: it must be at most 3600.",
        ),
    ],
)
def test_a_wrong_value_is_told_with_what_it_may_be(toml: str, said: str) -> None:
    assert sentence(toml) == f"The setting {said}"


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        (
            FOLDER + "every = '5m'",
            "is wrong: ref and every are of a git repository, and this is a folder.",
        ),
        (CLONE + "path = 'x'", "is wrong: it needs either path or git."),
        (
            CLONE + "watch = false",
            "is wrong: watch is of a folder; a git repository without every "
            "is fetched by index alone.",
        ),
        ("sources = ['x']", "is wrong: write each one below a line [[sources]]."),
        (
            f"{FOLDER}tenant = 'v'\n{TENANT}[[tenants]]\nname = 'u'",
            "names the unknown tenant v: name one of [[tenants]].",
        ),
    ],
)
def test_what_is_wrong_with_a_source_as_a_whole_names_it_by_its_number(
    toml: str, said: str
) -> None:
    assert sentence(toml) == f"[[sources]] number 1 {said}"


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        (FOLDER + CLONE, "[[sources]] number 2 has the name a, as number 1 has."),
        (TENANT + TENANT, "[[tenants]] number 2 has the name t, as number 1 has."),
        (
            TENANT + "slack_teams = ['T1', 'T1']",
            "[[tenants]] number 1 has the Slack team T1 twice.",
        ),
        (CHANNEL + CHANNEL, "[[channels]] number 2 has the channel slack:C1, as number 1 has."),
    ],
)
def test_what_must_be_one_rows_alone_names_the_rows_that_have_it(toml: str, said: str) -> None:
    assert sentence(toml) == said


@pytest.mark.parametrize("name", ["a/b", "", ".a", "ä", "a b"])
def test_a_name_that_no_folder_and_no_label_could_have_is_told_what_it_may_have(name: str) -> None:
    assert sentence(f"[[sources]]\nname = '{name}'\npath = 'x'") == (
        "The setting name of [[sources]] number 1 is wrong: it may have letters (a to z), digits, "
        "dots, hyphens and underscores, and begins with a letter or digit."
    )


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        (FOLDER + "evry = '1m'", "evry of [[sources]] number 1: did you mean every?"),
        (FOLDER + "Link = 'x'", "Link of [[sources]] number 1: did you mean link?"),
        (
            TENANT + "admins = { slack_user = [] }",
            "admins.slack_user of [[tenants]] number 1: did you mean slack_users?",
        ),
        ("retrieval.rrfk = 1", "retrieval.rrfk (NIGHTLAMP_RETRIEVAL_RRFK): did you mean rrf_k?"),
        ("[retreival]\nrrf_k = 1", "retreival: did you mean retrieval?"),
        ("[[source]]\nname = 'a'", "source: did you mean sources?"),
        ("colour = 'blue'", "colour: correct or remove it."),
    ],
)
def test_a_name_that_there_is_not_is_told_with_the_nearest(toml: str, said: str) -> None:
    assert sentence(toml) == f"There is no setting named {said}"


@pytest.mark.parametrize(
    ("variable", "said"),
    [
        ("NIGHTLAMP_EMBEDING_MODEL", "did you mean NIGHTLAMP_EMBEDDING_MODEL?"),
        ("NIGHTLAMP_FOO", "correct or remove it."),
    ],
)
def test_a_variable_of_dotenv_that_there_is_not_is_told_with_the_nearest(
    variable: str, said: str
) -> None:
    named = f"There is no setting named {variable}: {said}"
    assert sentence(dotenv=f"{variable}={HUSH}\n") == named


@pytest.mark.parametrize(
    ("variable", "said"),
    [
        (
            "NIGHTLAMP_RETRIEVAL_VOCABULARY",
            "NIGHTLAMP_RETRIEVAL_VOCABULARY cannot be read, or NIGHTLAMP_RETRIEVAL, which is no "
            "setting: "
            'write it as JSON, such as ["one", "two"].',
        ),
        (
            "NIGHTLAMP_QDRANT",
            "NIGHTLAMP_QDRANT is no setting: set one of its own, such as NIGHTLAMP_QDRANT_URL.",
        ),
        (
            "NIGHTLAMP_SOURCES",
            "NIGHTLAMP_SOURCES cannot be read: write [[sources]] in nightlamp.toml instead.",
        ),
        (
            "NIGHTLAMP_TENANTS_NAME",
            "The setting tenants is wrong: write each one below a line [[tenants]].",
        ),
    ],
)
@pytest.mark.parametrize("place", ["environment", ".env"])
def test_a_variable_that_should_be_something_else_is_named(
    variable: str, said: str, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if place == "environment":
        monkeypatch.setenv(variable, HUSH)
    assert sentence(dotenv="" if place == "environment" else f"{variable}={HUSH}\n") == said


@pytest.mark.parametrize(("group", "key"), KEYS)
@pytest.mark.parametrize("value", [[{}], {"x": 1}, [[HUSH]]], ids=["rows", "table", "lists"])
def test_a_value_of_another_kind_names_every_setting_by_both_its_names(
    group: str, key: str, value: object
) -> None:
    written = json.dumps(value).replace(":", " =")
    named = f"{group}.{key}( number 1)? \\(NIGHTLAMP_{group.upper()}_{key.upper()}\\)"
    said = sentence(f"[{group}]\n{key} = {written}\n")
    assert re.match(f"The setting {named} is wrong: (it must|set it)", said)
    assert HUSH not in said


@pytest.mark.parametrize(("group", "key"), SECRETS)
@pytest.mark.parametrize("value", [f"['{HUSH}']", f"{{ {HUSH} = 1 }}"])
def test_what_is_written_in_a_secrets_place_is_not_said(group: str, key: str, value: str) -> None:
    said = sentence(f"[{group}]\n{key} = {value}\n")
    assert said.endswith(" is wrong: it must be text in quotes.")
    assert HUSH not in said


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("toml", ["{} = 'x'", "{} = 5", "[[{}]]"])
def test_a_group_that_is_a_value_is_told_how_it_is_written(group: str, toml: str) -> None:
    assert sentence(toml.format(group)) == (
        f"[{group}] is wrong: write its settings below a line [{group}]."
    )


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("place", ["environment", ".env"])
def test_an_unknown_variable_of_a_group_is_named_and_its_value_is_not(
    group: str, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    variable = f"NIGHTLAMP_{group.upper()}_API_KEEY"
    if place == "environment":
        monkeypatch.setenv(variable, HUSH)
    said = sentence(dotenv="" if place == "environment" else f"{variable}={HUSH}\n")
    assert said.startswith(f"There is no setting named {group}.api_keey ({variable}): ")
    assert HUSH not in said


def test_what_is_typed_is_told_the_same() -> None:
    with pytest.raises(SettingsError) as raised:
        with_values(Settings(), {"retrieval.rrf_k": "x"})
    assert str(raised.value) == (
        "The setting retrieval.rrf_k (NIGHTLAMP_RETRIEVAL_RRF_K) is wrong: "
        "it must be a whole number."
    )
