"""What the wheel has besides what `pyproject.toml` says of it."""

from __future__ import annotations

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Package(BuildHookInterface[Any]):
    """Makes the module `gradtape.py` the package that holds everything else.

    Only in the wheel: where a checkout is installed as it stands, such a package would hide the checkout's own module.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the file, to which the prefix of all others is added as well."""
        if version == "standard":
            build_data["force_include"]["gradtape.py"] = "__init__.py"
