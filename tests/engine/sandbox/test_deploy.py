"""What the files for operators name exists: settings, commands, paths."""

from __future__ import annotations

import ast
import os
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from distributed.cli.dask_scheduler import main as scheduler
from distributed.cli.dask_worker import main as worker

from engine.sandbox import settings as settings_module
from engine.sandbox.settings import PREFIX, Settings, read

ROOT = Path(__file__).resolve().parents[3]
GUIDE = ROOT / "assets" / "deploy" / "README.md"
UNIT = ROOT / "assets" / "deploy" / "gradtape.service"
DOCKERFILE = ROOT / "Dockerfile"
COMPOSE = ROOT / "compose.yaml"
FILES = (GUIDE, UNIT, DOCKERFILE, COMPOSE)


def table() -> str:
    """The settings as a table, from their declarations."""
    (declared,) = (
        node
        for node in ast.parse(Path(settings_module.__file__).read_text()).body
        if isinstance(node, ast.ClassDef) and node.name == "Settings"
    )
    rows = ["| variable | default | what it sets |", "|---|---|---|"]
    for field, said in zip(declared.body, declared.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(said, ast.Expr):
            default = getattr(Settings(), field.target.id)
            shown = {"": "", False: "0"}.get(default, str(default))
            rows.append(f"| `{PREFIX}{field.target.id.upper()}` | {shown} | {ast.literal_eval(said.value)} |")
    return "\n".join(rows)


def services() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(COMPOSE.read_text())["services"]
    return found


def test_the_guide_lists_the_settings_as_they_are_declared() -> None:
    text = GUIDE.read_text()
    begin, end = "<!-- settings: begin -->\n", "<!-- settings: end -->"
    written = text[text.index(begin) + len(begin) : text.index(end)].strip()
    if os.environ.get("WRITE"):
        GUIDE.write_text(text.replace(written, table()) if written else text.replace(begin, f"{begin}{table()}\n"))
    assert written == table(), "run this test with WRITE=1"


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
    assert any(line.startswith("HEALTHCHECK") for line in lines)
    assert "/_stcore/health" in DOCKERFILE.read_text()


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
    assert "[cluster]" in DOCKERFILE.read_text()
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
    assert [name for name, service in found.items() if "ports" in service] == ["page"], "nothing else is reachable"


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


def test_requirements_install_this_project() -> None:
    assert (ROOT / "requirements.txt").read_text().split() == ["-e", "."]
    assert (ROOT / ".streamlit" / "config.toml").exists()
