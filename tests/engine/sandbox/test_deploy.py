"""What the files for operators name exists: settings, commands, paths."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from distributed.cli.dask_scheduler import main as scheduler
from distributed.cli.dask_worker import main as worker

from components.server import probe
from components.server.headers import CLOSED
from engine import limits
from engine.sandbox.settings import read
from engine.tables import PAGES, written

ROOT = Path(__file__).resolve().parents[3]
GUIDE = ROOT / "assets" / "deploy" / "README.md"
DEPLOY = ROOT / "assets" / "deploy"
UNIT = DEPLOY / "gradtape.service"
TEMPLATE = DEPLOY / "gradtape@.service"
SLICE = DEPLOY / "gradtape.slice"
PROXY = DEPLOY / "haproxy.cfg"
DOCKERFILE = ROOT / "Dockerfile"
COMPOSE = ROOT / "compose.yaml"
FILES = (GUIDE, UNIT, TEMPLATE, DOCKERFILE, COMPOSE)


def services() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(COMPOSE.read_text())["services"]
    return found


@pytest.mark.parametrize("path", PAGES, ids=lambda p: p.name)
def test_the_documents_hold_the_tables_as_they_are_declared(path: Path) -> None:
    name, make = PAGES[path]
    text = path.read_text()
    assert text.count(f"<!-- {name}: begin -->") == text.count(f"<!-- {name}: end -->") == 1
    assert text == written(text, name, make()), "run make reference"


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_every_variable_is_a_setting_with_a_value_that_it_takes(path: Path) -> None:
    given = re.findall(r"(GRADTAPE_[A-Z_]+)\s*[=:]\s*\"?([^\s\"`]*)", path.read_text())
    assert given
    for variable, value in given:
        read({variable: value})


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_no_secret_is_asked_for(path: Path) -> None:
    assert not re.search(r"(?i)(password|token|api_?key|credential)\s*[=:]", path.read_text())


def test_the_image_has_an_ordinary_user_and_tells_its_health() -> None:
    lines = DOCKERFILE.read_text().splitlines()
    user = next(k for k, line in enumerate(lines) if line.startswith("USER "))
    assert lines[user] != "USER root"
    assert next(k for k, line in enumerate(lines) if line.startswith("CMD")) > user
    (check,) = (line for line in lines if line.startswith("HEALTHCHECK"))
    served = next(line for line in lines if line.startswith("CMD"))
    asked = json.loads(check.partition("CMD ")[2])
    assert asked[:3] == ["python", "-m", probe.__name__]
    assert f"--server.port={asked[3]}" in served
    assert float(re.findall(r"--timeout=(\d+)s", check)[0]) > probe.PATIENCE, "the probe is to say why"


def test_every_check_asks_whether_a_page_could_be_drawn() -> None:
    assert f"option httpchk GET {probe.PATH}\n" in PROXY.read_text()
    for unit in (UNIT, TEMPLATE):
        assert re.search(r"^WatchdogSec=\d+$", unit.read_text(), re.MULTILINE)
        assert "Type=notify\n" in unit.read_text()
    for name, service in services().items():
        if service.get("image") == "gradtape":
            assert name in ("page", "pages") or service["healthcheck"] == {"disable": True}, name
            assert name not in ("page", "pages") or "healthcheck" not in service, f"{name} has the image's"


def test_the_units_differ_in_nothing_but_the_port_and_how_they_stop() -> None:
    one, several = (unit.read_text().replace("%i", "8501").splitlines() for unit in (UNIT, TEMPLATE))
    differ = set(one) ^ set(several)
    assert {line.partition("=")[0] for line in differ if not line.startswith("#")} == {
        "Description", "Environment", "TimeoutStopSec", "DefaultInstance",
    }  # fmt: skip
    drain = int(re.findall(r"GRADTAPE_DRAIN=(\d+)", TEMPLATE.read_text())[0])
    assert int(re.findall(r"TimeoutStopSec=(\d+)", TEMPLATE.read_text())[0]) > drain


def test_programs_and_page_have_limits_together() -> None:
    for unit in (UNIT, TEMPLATE, SLICE):
        lines = unit.read_text().splitlines()
        for limit in ("MemoryMax", "MemorySwapMax", "TasksMax", "CPUWeight"):
            assert sum(line.startswith(f"{limit}=") for line in lines) == 1, (unit.name, limit)
    assert f"Slice={SLICE.name}\n" in UNIT.read_text()
    for name, service in services().items():
        assert {"mem_limit", "pids_limit", "cpus"} <= set(service), name


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_understands_the_units(tmp_path: Path) -> None:
    for unit in (UNIT, TEMPLATE, SLICE):
        text = unit.read_text().replace("/opt/gradtape/.venv/bin/gradtape", "/bin/true")
        (tmp_path / unit.name.replace("@", "@8501")).write_text(
            text.replace("file:///opt/gradtape/assets/deploy/README.md", "https://a.example")
        )
    units = sorted(map(str, tmp_path.iterdir()))
    done = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, text=True, check=False)
    ours = [line for line in done.stderr.splitlines() if "gradtape" in line]
    assert ours == [], done.stderr


@pytest.mark.skipif(shutil.which("haproxy") is None, reason="haproxy is not installed")
@pytest.mark.parametrize("pages", ["pages.cfg", "pages-compose.cfg"])
def test_the_proxy_understands_its_configuration(pages: str) -> None:
    command = ["haproxy", "-c", "-f", str(PROXY), "-f", str(DEPLOY / pages)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "ADDRESS": "127.0.0.1:8500"})
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr


def test_the_proxy_closes_what_the_page_closes() -> None:
    (listed,) = re.findall(r"-m reg \^?(\S+)", PROXY.read_text())
    for path in ("/_stcore/metrics", "/_stcore/script-health-check", "/_stcore/agent/mcp", "/_stcore/agent"):
        assert re.match(listed, path)
        assert CLOSED.fullmatch(path)
    for path in ("/_stcore/health", "/_stcore/stream", "/_stcore/host-config"):
        assert not re.match(listed, path)
        assert not CLOSED.fullmatch(path)


def test_the_processes_behind_the_proxy_have_the_ports_of_the_units() -> None:
    ports = re.findall(r"server page\d+ 127\.0\.0\.1:(\d+)", (DEPLOY / "pages.cfg").read_text())
    assert ports == [str(8501 + k) for k in range(len(ports))]
    assert "--server.port=%i" in TEMPLATE.read_text()
    assert f"DefaultInstance={ports[0]}" in TEMPLATE.read_text()


def test_what_the_image_copies_exists_and_reaches_the_builder() -> None:
    kept = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    copied = [word for line in DOCKERFILE.read_text().splitlines() if line.startswith("COPY") for word in line.split()[1:-1]]
    assert copied
    for name in copied:
        assert (ROOT / name).exists(), name
        assert name in kept, name


def test_the_commands_exist() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert "gradtape" in project["scripts"]
    assert 'CMD ["gradtape"' in DOCKERFILE.read_text()
    assert "/bin/gradtape " in UNIT.read_text()
    assert "cluster" in project["optional-dependencies"]
    assert "[cluster,plots]" in DOCKERFILE.read_text()
    assert "$(VENV)/.app:" in (ROOT / "Makefile").read_text()


def test_the_services_fit_together() -> None:
    found = services()
    address = found["page"]["environment"]["GRADTAPE_SCHEDULER"]
    assert address in found["worker"]["command"]
    command = found["scheduler"]["command"]
    assert address == f"tcp://scheduler:{command[command.index('--port') + 1]}"
    for name, service in found.items():
        assert service["read_only"], name
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
    for profiles, reachable in (([], ["page"]), (["several"], ["proxy"])):
        shown = {name: service for name, service in found.items() if service.get("profiles", []) == profiles}
        assert [name for name, service in shown.items() if "ports" in service] == reachable, "nothing else is reachable"
    assert found["pages"]["environment"] == found["page"]["environment"] | {"GRADTAPE_DRAIN": "60"}
    mounted = found["proxy"]["volumes"][0].split(":")
    for word in found["proxy"]["command"]:
        if word.startswith(mounted[1]):
            assert (ROOT / mounted[0] / Path(word).name).exists(), word


def test_the_cluster_commands_are_dasks() -> None:
    found = services()
    for command, service in ((scheduler, "scheduler"), (worker, "worker")):
        words = found[service]["command"]
        assert words[:2] == ["dask", service]
        known = CliRunner().invoke(command, ["--help"]).output
        for option in (word for word in words if word.startswith("--")):
            assert re.search(rf"{option}\b|{option.replace('--no-', '--')} / ", known) or option in known, option


def test_the_guides_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", GUIDE.read_text()):
        assert (GUIDE.parent / target).exists(), target


def test_the_page_takes_files_as_large_as_the_table_says() -> None:
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    assert config["server"]["maxUploadSize"] * limits.MB == limits.UPLOAD.value()


def test_requirements_install_this_project() -> None:
    assert (ROOT / "requirements.txt").read_text().split() == ["-e", ".[plots]"]
    assert (ROOT / ".streamlit" / "config.toml").exists()
