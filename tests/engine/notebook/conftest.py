"""Cells are run by IPython's own shell, where IPython is installed."""

from __future__ import annotations

import atexit
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.recording import Recording
from tests.conftest import needed


class Notebook:
    """A shell with the extension loaded, and what was to be shown of its cells."""

    def __init__(self, shell: Any) -> None:
        self.shell = shell
        self.shown: list[tuple[Recording, Any, dict[str, bool]]] = []
        self.said: list[str] = []

    def run(self, cell: str) -> Any:
        """Run a cell as notebooks do; gives what IPython says of it, with what was written and displayed as `captured`."""
        from IPython.utils.capture import capture_output

        with capture_output() as captured:
            result = self.shell.run_cell(cell, store_history=True)
        result.captured = captured
        return result

    def recorded(self, cell: str) -> Recording:
        """What was recorded of a cell, which ends well."""
        result = self.run(cell)
        result.raise_error()
        return self.shown[-1][0]

    @property
    def names(self) -> dict[str, Any]:
        """The user's names."""
        found: dict[str, Any] = self.shell.user_ns
        return found


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """IPython's shell, which leaves nothing behind."""
    needed("IPython")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.chdir(tmp_path)
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "nocolor"
    InteractiveShell.clear_instance()
    made = InteractiveShell.instance(config=config)
    yield made
    made.restore_sys_module_state()
    atexit.unregister(made.atexit_operations)
    made.atexit_operations()
    InteractiveShell.clear_instance()


@pytest.fixture
def notebook(shell: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Notebook]:
    """The same with the extension, of which nothing is really shown."""
    from engine import notebook as room
    from engine.notebook import extension

    made = Notebook(shell)
    monkeypatch.setattr(
        extension, "show", lambda recording, wanted, **more: made.shown.append((recording, wanted, more))
    )  # fmt: skip
    monkeypatch.setattr(extension, "failed", made.said.append)
    room.load(shell)
    yield made
    room.unload(shell)
