import os
from pathlib import Path

import pytest

from core.errors import SettingsError
from core.settings import Settings, meaningless_variables, read_settings, with_values

TOML = """
[retrieval]
rrf_k = 10

[[sources]]
name = "runbooks"
path = "runbooks"
link = "https://example.com/acme/blob/{commit}/{path}#{anchor}"
tenant = "acme"

[[tenants]]
name = "acme"
discord_guilds = ["123"]
admins = { discord_roles = ["789"], slack_users = ["U1"] }
oncall = { discord_role = "790", slack_usergroup = "S1" }
digests = [{ cron = "0 9 * * mon", timezone = "Europe/Berlin", channels = ["discord:456"] }]

[[channels]]
platform = "discord"
id = "456"
scope = { service = ["payments"], visibility = ["everyone", "payments-team"] }
mode = "mention"
answers = "thread"
"""


def read(tmp_path: Path, toml: str = "", dotenv: str = "") -> Settings:
    (tmp_path / "nightlamp.toml").write_text(toml)
    (tmp_path / ".env").write_text(dotenv)
    return read_settings(config=tmp_path / "nightlamp.toml", dotenv=tmp_path / ".env")


def test_nothing_needs_to_be_set(tmp_path: Path) -> None:
    settings = read(tmp_path)
    assert (settings.data, settings.discord.token, settings.sources) == (Path("data"), None, ())


def test_the_file_holds_sources_tenants_and_channels(tmp_path: Path) -> None:
    settings = read(tmp_path, TOML)
    assert settings.sources[0].visibility == ("everyone",)
    assert settings.tenants[0].digests[0].timezone == "Europe/Berlin"
    assert settings.channels[0].scope.visibility == ("everyone", "payments-team")
    assert settings.retrieval.rrf_k == 10


def test_the_environment_wins_over_dotenv_and_dotenv_over_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NIGHTLAMP_QDRANT_API_KEY", "from-environment")
    toml = "[qdrant]\napi_key = 'from-file'\n[retrieval]\nrrf_k = 10\n"
    dotenv = "NIGHTLAMP_QDRANT_API_KEY=from-dotenv\nNIGHTLAMP_RETRIEVAL_RRF_K=20\n"
    settings = read(tmp_path, toml, dotenv)
    assert settings.qdrant.api_key is not None
    assert settings.qdrant.api_key.get_secret_value() == "from-environment"
    assert settings.retrieval.rrf_k == 20


def test_dotenv_may_hold_what_is_of_other_programs(tmp_path: Path) -> None:
    dotenv = "COMPOSE_PROJECT_NAME=ours\nNIGHTLAMP_LOG=debug\n"
    assert read(tmp_path, dotenv=dotenv).log == "debug"


def test_a_name_in_dotenv_that_is_no_setting_is_refused_as_it_is_written(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no setting named NIGHTLAMP_EMBEDING_MODEL"):
        read(tmp_path, dotenv="NIGHTLAMP_EMBEDING_MODEL=hashing\n")


def test_a_secret_is_never_printed(tmp_path: Path) -> None:
    assert "hush" not in repr(read(tmp_path, dotenv="NIGHTLAMP_DISCORD_TOKEN=hush\n"))


@pytest.mark.parametrize(
    ("toml", "named"),
    [
        ("[retrieval]\nfusion = 'best'\n", "retrieval.fusion"),
        ("[retreival]\nfusion = 'mix'\n", "retreival"),
        ("[qdrant]\nurl = 'localhost'\n", "NIGHTLAMP_QDRANT_URL"),
        ("[[sources]]\nname = 'a'\n", "needs either path or git"),
        ("[[sources]]\nname = 'a'\npath = 'x'\nevery = '5m'\n", "are of a git repository"),
        ("[[sources]]\nname = 'a'\ngit = 'ext::sh -c x'\n", "git of [[sources]] number 1"),
        (
            "[[sources]]\nname = 'a'\npath = 'x'\nanchors = 'bitbucket'\n",
            "anchors of [[sources]] number 1",
        ),
        (
            "[[sources]]\nname = 'a'\npath = 'x'\ninclude = ['../x']\n",
            "include number 1 of [[sources]] number 1",
        ),
        (
            "[[sources]]\nname = 'a'\npath = 'x'\n[[sources]]\nname = 'a'\npath = 'y'\n",
            "number 2 has the name a, as number 1 has",
        ),
        (
            "[[sources]]\nname = 'a'\npath = 'x'\nvisibility = []\n",
            "visibility of [[sources]] number 1",
        ),
        (
            "[[tenants]]\nname = 'a'\n[[sources]]\nname = 'b'\npath = 'x'\ntenant = 'c'\n",
            "unknown tenant c",
        ),
        ("[[tenants]]\nname = 'a'\ndigests = [{ timezone = 'Berlin' }]\n", "Berlin"),
        ("[[tenants]]\nname = 'a'\ndigests = [{ cron = 'monday' }]\n", "five fields"),
        ("a = = b", "not valid TOML"),
    ],
)
def test_a_wrong_setting_is_one_sentence_that_names_it(
    tmp_path: Path, toml: str, named: str
) -> None:
    with pytest.raises(SettingsError) as error:
        read(tmp_path, toml)
    assert named in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("link", "field"),
    [
        ("https://e.example/{branch}/{path}", "{branch}"),
        ("https://e.example/{Path}", "{Path}"),
        ("https://e.example/{}/{path}", "{}"),
        ("https://e.example/{path}#{anchor", "{"),
        ("https://e.example/{{path}}", "{"),
    ],
)
def test_a_field_that_no_link_has_is_named_with_those_that_there_are(
    tmp_path: Path, link: str, field: str
) -> None:
    with pytest.raises(SettingsError) as error:
        read(tmp_path, f"[[sources]]\nname = 'a'\npath = 'x'\nlink = '{link}'\n")
    assert str(error.value) == (
        f"The setting link of [[sources]] number 1 is wrong: it has the unknown field {field}; "
        "there are {commit}, {path}, {page}, {anchor}, {line_start}, {line_end}."
    )


@pytest.mark.parametrize("folder", ["", ".", "/content", "../content", "a/../../b", r"a\b"])
def test_a_sites_folder_is_one_below_the_source(tmp_path: Path, folder: str) -> None:
    link = "link = 'https://e.example/{page}'"
    with pytest.raises(SettingsError, match=r"site_root .*: it is a folder below the source, such"):
        read(tmp_path, f"[[sources]]\nname = 'a'\npath = 'x'\n{link}\nsite_root = '{folder}'\n")


def test_a_sites_folder_is_named_in_one_way(tmp_path: Path) -> None:
    link = "link = 'https://e.example/{page}'"
    given = f"[[sources]]\nname = 'a'\npath = 'x'\n{link}\nsite_root = './content//en/'\n"
    assert read(tmp_path, given).sources[0].site_root == "content/en"


def test_a_sites_folder_is_for_a_link_to_its_pages(tmp_path: Path) -> None:
    link = "link = 'https://e.example/{path}'"
    with pytest.raises(SettingsError, match=r"site_root is for a link with \{page\}"):
        read(tmp_path, f"[[sources]]\nname = 'a'\npath = 'x'\n{link}\nsite_root = 'content'\n")


def test_what_names_no_tenant_is_the_only_tenants(tmp_path: Path) -> None:
    a = "[[sources]]\nname = 'a'\npath = 'a'\n"
    b = "[[sources]]\nname = 'b'\npath = 'b'\ntenant = 'default'\n"
    settings = read(tmp_path, f"{a}{b}[[tenants]]\nname = 'acme'\n")
    assert [source.tenant for source in settings.sources] == ["acme", "default"]
    assert settings.only_tenant == "acme"


def test_of_several_tenants_none_is_guessed(tmp_path: Path) -> None:
    tenants = "[[tenants]]\nname = 'acme'\n[[tenants]]\nname = 'globex'\n"
    settings = read(tmp_path, f"[[sources]]\nname = 'a'\npath = 'a'\n{tenants}")
    assert (settings.sources[0].tenant, settings.only_tenant) == ("default", "default")


def test_a_list_in_the_environment_that_is_no_json_says_how_to_write_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NIGHTLAMP_RETRIEVAL_VOCABULARY", "words.txt")
    with pytest.raises(
        SettingsError, match=r'NIGHTLAMP_RETRIEVAL_VOCABULARY .*JSON, such as \["one"'
    ):
        read(tmp_path)


def test_a_variable_of_no_group_is_found_and_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in os.environ if name.startswith("NIGHTLAMP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("NIGHTLAMP_EMBEDING_MODEL", "hashing")
    monkeypatch.setenv("NIGHTLAMP_LOG", "info")
    assert read(tmp_path).log == "info"
    assert meaningless_variables() == ["NIGHTLAMP_EMBEDING_MODEL"]


def test_an_unknown_name_in_the_environment_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NIGHTLAMP_DISCORD_TOKN", "x")
    with pytest.raises(SettingsError, match=r"discord\.tokn"):
        read(tmp_path)


def test_a_config_file_that_is_named_must_exist(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NIGHTLAMP_CONFIG", str(tmp_path / "absent.toml"))
    with pytest.raises(SettingsError, match=r"absent\.toml"):
        read_settings(dotenv=None)


def test_values_are_replaced_by_their_dotted_names() -> None:
    settings = with_values(Settings(), {"retrieval.fusion": "rrf", "retrieval.rrf_k": "10"})
    assert (settings.retrieval.fusion, settings.retrieval.rrf_k) == ("rrf", 10)


def test_a_value_is_replaced_where_folders_are_sources(tmp_path: Path) -> None:
    settings = read(tmp_path, "[[sources]]\nname = 'a'\npath = 'a'\n")
    changed = with_values(settings, {"retrieval.fusion": "rrf"})
    assert (changed.retrieval.fusion, changed.sources) == ("rrf", settings.sources)


@pytest.mark.parametrize(
    ("name", "typed", "elsewhere"),
    [
        ("embedding.model", "hashing", "nope1"),
        ("retrieval.fusion", "rrf", "mix"),
        ("splitter.kind", "fixed", "document"),
        ("log", "error", "debug"),
        ("data", "here", "there"),
    ],
)
@pytest.mark.parametrize("place", ["environment", ".env"])
def test_what_is_typed_wins_over_every_other_place(
    name: str,
    typed: str,
    elsewhere: str,
    place: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    variable = f"NIGHTLAMP_{name.replace('.', '_').upper()}"
    if place == ".env":
        (tmp_path / ".env").write_text(f"{variable}={elsewhere}\n", encoding="utf-8")
        monkeypatch.chdir(tmp_path)
    else:
        monkeypatch.setenv(variable, elsewhere)
    changed = with_values(read(tmp_path), {name: typed})
    group, _, key = name.partition(".")
    value = getattr(changed, group)
    assert str(getattr(value, key) if key else value) == typed


def test_what_was_typed_first_outlives_what_is_typed_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NIGHTLAMP_EMBEDDING_MODEL", "nope1")
    hashing = with_values(read(tmp_path), {"embedding.model": "hashing"})
    assert with_values(hashing, {"retrieval.fusion": "rrf"}).embedding.model == "hashing"


def test_what_is_not_replaced_stays_as_it_was_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = read(tmp_path, "[retrieval]\nrrf_k = 7\n[slack]\nbot_token = 'xoxb-1'\n")
    monkeypatch.setenv("NIGHTLAMP_RETRIEVAL_RRF_K", "9")
    monkeypatch.setenv("NIGHTLAMP_LIMITS_QUESTION_CHARS", "no number")
    changed = with_values(settings, {"retrieval.fusion": "rrf"})
    assert changed.retrieval == settings.retrieval.model_copy(update={"fusion": "rrf"})
    assert (changed.slack, changed.limits) == (settings.slack, settings.limits)
    assert type(changed) is Settings


def test_a_list_is_typed_as_json() -> None:
    changed = with_values(Settings(), {"retrieval.vocabulary": '["ours.txt", "theirs.txt"]'})
    assert changed.retrieval.vocabulary == (Path("ours.txt"), Path("theirs.txt"))


@pytest.mark.parametrize("typed", ["ours.txt", "", '"ours.txt"', "{}", "[" * 100_000])
def test_a_list_that_is_typed_otherwise_says_how_to_write_it(typed: str) -> None:
    with pytest.raises(SettingsError, match=r'retrieval\.vocabulary .*\["one", "two"\]'):
        with_values(Settings(), {"retrieval.vocabulary": typed})


@pytest.mark.parametrize("name", ["retrieval.nothing", "nothing", "retrieval.fusion.x"])
def test_a_value_of_an_unknown_name_is_refused(name: str) -> None:
    with pytest.raises(SettingsError, match="no setting named"):
        with_values(Settings(), {name: "1"})


@pytest.mark.parametrize(
    "name", ["LLM_BASE_URL", "SLACK_API_URL", "EMBEDDING_BASE_URL", "QDRANT_URL"]
)
@pytest.mark.parametrize(
    "url", ["https://bob:hunter2@example.com/v1", "https://example.com/v1?key=hunter2"]
)
def test_no_address_holds_a_password_that_a_log_or_doctor_would_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, url: str
) -> None:
    monkeypatch.setenv(f"NIGHTLAMP_{name}", url)
    with pytest.raises(SettingsError) as raised:
        read(tmp_path)
    assert name in str(raised.value)
    assert "hunter2" not in str(raised.value)


@pytest.mark.parametrize("model", ["text-embedding-3-small", "text-embedding-3-large"])
def test_a_model_of_openais_without_an_address_says_which_to_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    monkeypatch.setenv("NIGHTLAMP_EMBEDDING_API_KEY", "sk-1")
    monkeypatch.setenv("NIGHTLAMP_EMBEDDING_MODEL", model)
    with pytest.raises(
        SettingsError, match=r"NIGHTLAMP_EMBEDDING_BASE_URL.*https://api\.openai\.com/v1"
    ):
        read(tmp_path)
    monkeypatch.setenv("NIGHTLAMP_EMBEDDING_BASE_URL", "https://api.openai.com/v1")
    assert read(tmp_path).embedding.length
