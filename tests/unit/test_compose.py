"""The container files: pinned, on loopback, with volumes of their own and without secrets."""

import asyncio
import json
import re
import tomllib
from asyncio.subprocess import DEVNULL
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from core.settings import Settings
from tests.fault_proxy import FaultProxy, Says

ROOT = Path(__file__).parent.parent.parent
SCHEMA = json.loads((ROOT / "tests/schemas/compose-spec.json").read_text(encoding="utf-8"))
TEXT = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load(TEXT)
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
QDRANT = [name for name in SERVICES if name.startswith("qdrant")]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")


def test_the_compose_file_is_one_by_the_specification() -> None:
    errors = [error.message for error in Draft202012Validator(SCHEMA).iter_errors(COMPOSE)]
    assert errors == []


@pytest.mark.parametrize("name", SERVICES)
def test_every_image_is_pinned_to_a_version(name: str) -> None:
    assert re.search(r":v?\d+\.\d+\.\d+", SERVICES[name]["image"])


def test_every_qdrant_node_is_the_same_version_and_one_that_the_client_speaks_to() -> None:
    images = {SERVICES[name]["image"] for name in QDRANT}
    assert len(images) == 1
    minor = int(re.search(r":v1\.(\d+)\.", images.pop())[1])  # type: ignore[index]
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    client = int(re.search(r"^qdrant-client==1\.(\d+)\.", lock, re.MULTILINE)[1])  # type: ignore[index]
    assert abs(client - minor) <= 1  # qdrant_client.common.version_check.is_compatible


@pytest.mark.parametrize("name", SERVICES)
def test_ports_are_published_on_loopback_alone(name: str) -> None:
    ports = SERVICES[name].get("ports", [])
    assert [port for port in ports if not port.startswith("127.0.0.1:")] == []


@pytest.mark.parametrize("name", SERVICES)
def test_what_is_kept_is_in_a_named_volume_of_its_own(name: str) -> None:
    mounts = [mount.partition(":")[0] for mount in SERVICES[name]["volumes"]]
    assert set(mounts) <= COMPOSE["volumes"].keys()
    others = [m for other in SERVICES if other != name for m in SERVICES[other]["volumes"]]
    assert not {mount.partition(":")[0] for mount in others} & set(mounts)


@pytest.mark.parametrize("name", SERVICES)
def test_every_service_is_restarted_and_may_gain_no_rights(name: str) -> None:
    service = SERVICES[name]
    assert (service["restart"], service["cap_drop"]) == ("unless-stopped", ["ALL"])
    assert "no-new-privileges:true" in service["security_opt"]


@pytest.mark.parametrize("name", QDRANT)
def test_every_qdrant_node_has_a_health_check_that_bash_can_read(name: str) -> None:
    kind, shell, flag, script = SERVICES[name]["healthcheck"]["test"]
    assert (kind, shell, flag) == ("CMD", "bash", "-c")
    assert "/readyz" in script


@pytest.mark.parametrize(("answer", "code"), [(Says(200), 0), (Says(503), 1), (None, 1)])
async def test_the_health_check_of_qdrant_reads_its_answer(answer: Says | None, code: int) -> None:
    script = SERVICES["qdrant"]["healthcheck"]["test"][-1].replace("$$", "$")
    async with FaultProxy(0) as server:
        server.fault = answer
        if answer is None:
            await server.refuse()
        asked = script.replace("/6333", f"/{server.port}")
        checking = await asyncio.create_subprocess_exec("bash", "-c", asked, stderr=DEVNULL)
        assert await checking.wait() == code


def test_no_secret_stands_in_the_file() -> None:
    keys = [
        service["environment"].get("QDRANT__SERVICE__API_KEY", "${}")
        for service in SERVICES.values()
    ]
    assert [key for key in keys if not key.startswith("${")] == []
    assert not re.search(
        r"xox[abp]-|(token|key|secret|password)\s*[:=]\s*['\"]?\w{12,}", TEXT, re.I
    )


def test_a_qdrant_without_a_key_does_not_start() -> None:
    keys = {SERVICES[name]["environment"]["QDRANT__SERVICE__API_KEY"] for name in QDRANT}
    assert [key[:28] for key in keys] == ["${NIGHTLAMP_QDRANT_API_KEY:?"]


def test_the_cluster_is_three_nodes_of_which_two_join_the_first() -> None:
    joining = [name for name in QDRANT if SERVICES[name].get("profiles") == ["cluster"]]
    assert (len(QDRANT), len(joining)) == (3, 2)
    for name in joining:
        command = SERVICES[name]["command"]
        assert command[1:] == ["--uri", f"http://{name}:6335", "--bootstrap", "http://qdrant:6335"]
        assert SERVICES[name]["depends_on"] == {"qdrant": {"condition": "service_healthy"}}


def test_the_bot_has_a_read_only_root_its_volume_and_its_settings() -> None:
    bot = SERVICES["nightlamp"]
    assert (bot["read_only"], bot["init"], bot["build"]) == (True, True, ".")
    assert "data:/data" in bot["volumes"]
    assert bot["tmpfs"][0].startswith("/tmp")  # noqa: S108
    assert bot["env_file"] == [{"path": ".env", "required": False}]
    assert bot["environment"]["NIGHTLAMP_QDRANT_URL"] == "http://qdrant:6333"


def test_the_bot_waits_for_no_server() -> None:
    depends = SERVICES["nightlamp"]["depends_on"]
    assert depends == {"qdrant": {"condition": "service_started"}}


def test_every_docker_command_of_the_readme_names_what_is_there() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = re.findall(r"^docker compose (.+)$", readme, re.MULTILINE)
    assert len(commands) >= 4
    for command in commands:
        words = command.split()
        if words[0] == "exec":
            assert words[1] in SERVICES
            assert words[2] == "nightlamp"
        else:
            assert re.fullmatch(r"(--profile cluster )?up -d( --build)?", command)


def test_every_setting_that_is_named_exists() -> None:
    known = {f"NIGHTLAMP_{name.upper()}" for name in ("data", "config")}
    known |= {f"NIGHTLAMP_QDRANT_{name.upper()}" for name in Settings().qdrant.model_dump()}
    known |= {"NIGHTLAMP_SLACK_HOST"}
    assert set(re.findall(r"NIGHTLAMP_[A-Z_]+[A-Z]", TEXT + DOCKERFILE)) <= known


def test_the_image_installs_what_the_lock_pins() -> None:
    installs = re.findall(r"pip install((?:.|\\\n)+?)\n(?!    )", DOCKERFILE)
    assert len(installs) == 2
    assert "--constraint requirements.lock" in installs[0]
    assert "--no-deps ." in installs[1]


def test_the_lock_pins_everything_that_the_image_asks_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    pinned = {normal(name) for name in re.findall(r"^([\w.-]+)==", lock, re.MULTILINE)}
    wanted = {normal(re.split(r"[\[<>=~ ]", line)[0]) for line in project["dependencies"]}
    assert wanted - pinned == set()


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_the_image_runs_as_nobody_in_particular_with_a_volume_and_a_health_check() -> None:
    final = DOCKERFILE.rpartition("\nFROM ")[2]
    for line in ("USER nightlamp", "VOLUME /data", 'CMD ["python", "-P", "-m", "bots.healthy"]'):
        assert line in final
    assert final.index("USER nightlamp") < final.index('CMD ["nightlamp", "serve"]')
    assert "--uid 10001" in final


def test_the_image_gets_every_package_of_the_program_and_no_secret() -> None:
    for package in ("bots", "core", "corpus", "eval", "feedback"):
        assert f"COPY {package} {package}\n" in DOCKERFILE
    assert "COPY . " not in DOCKERFILE
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert {".env", ".git", "data"} <= set(ignored)
