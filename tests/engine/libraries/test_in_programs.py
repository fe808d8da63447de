# ruff: noqa: E501  (programs are written as they are)
"""Libraries as programs import them: loaded when they are named, and with nothing that leads out of the sandbox."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import module_from_spec
from pkgutil import walk_packages
from types import ModuleType
from typing import Any

import pytest

import engine.libraries
from engine.sandbox import run
from engine.sandbox.facades import World
from engine.sandbox.facades.libraries import MODULES
from engine.sandbox.parse import world
from engine.sandbox.processes.kept_code import KeptCode

DOTTED = [f"{library}.{below}".rstrip(".") for library, parts in MODULES.items() for below in parts]


@pytest.mark.parametrize("name", DOTTED)
def test_a_module_can_be_imported_in_every_way(name: str) -> None:
    above, _, last = name.rpartition(".")
    texts = [f"import {name}", f"import {name} as m", f"from {name} import *", f"from {above} import {last}" if above else "1"]
    result = run("\n".join((*texts, f"print(len(dir({name})) > 0)")))
    assert (result.status, result.output) == ("ok", "True\n")


def test_no_module_stands_anywhere_that_a_program_cannot_import() -> None:
    """A package between them may be left out, as a part that is only a file of its library."""
    listed = {f"engine.libraries.{name}" for name in DOTTED}
    exporting = {
        found.name
        for found in walk_packages(engine.libraries.__path__, "engine.libraries.")
        if getattr(__import__(found.name, fromlist=["x"]), "__all__", None)
    }
    assert exporting == {name for name in listed if name in exporting}


def test_what_is_exported_is_there_and_is_no_module() -> None:
    for library in MODULES:
        world().load(library)
    for name in DOTTED:
        facade: Any = world().modules[name]
        held = vars(facade)
        assert held, name
        assert not [n for n, v in held.items() if isinstance(v, ModuleType)], name


@pytest.mark.thorough
def test_nothing_is_loaded_before_it_is_named() -> None:
    text = (
        "import sys\nfrom engine.sandbox.processes import child\nchild.preload()\n"
        "print(sorted(m for m in sys.modules if m.startswith('engine.libraries.')))"
    )
    shown = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert shown.stdout == "[]\n"


def test_kept_code_makes_the_module_that_a_file_makes() -> None:
    finder = KeptCode(engine.libraries)
    assert finder.find_spec("engine.libraries") is None
    assert finder.find_spec("einops") is None
    spec = finder.find_spec("engine.libraries.einops.parsing")
    assert spec is not None
    made = module_from_spec(spec)
    finder.exec_module(made)
    assert made.Expression("a (b c)").composition == [["a"], ["b", "c"]]
    assert made.__package__ == "engine.libraries.einops"
    package = finder.find_spec("engine.libraries.einops")
    assert package is not None
    assert package.submodule_search_locations == []


def test_a_library_is_loaded_once() -> None:
    fresh = World()
    assert "einops" not in fresh.modules
    fresh.load("einops")
    first = fresh.modules["einops"]
    fresh.load("einops")
    assert fresh.modules["einops"] is first


def test_what_a_library_does_not_have_says_what_it_has() -> None:
    result = run("import einops\neinops.nothing")
    assert result.error is not None
    assert "einops" in result.error.message
    assert "rearrange" in result.error.help
    result = run("import einops.nothing")
    assert result.error is not None
    assert "There are: einops.layers, " in result.error.help


def test_an_error_of_a_library_has_its_name() -> None:
    result = run(
        "import torch, einops\ntry:\n    einops.rearrange(torch.ones(2), 'a b -> a')\nexcept einops.EinopsError as e:\n    print(isinstance(e, RuntimeError))\neinops.rearrange(torch.ones(2), 'a b -> a')"
    )
    assert result.output == "True\n"
    assert result.error is not None
    assert result.error.type == "EinopsError"


ATTACKS = {
    "a library's module": "import einops\nprint(einops.__dict__['engine'])",
    "its globals": "import einops\neinops.rearrange.__globals__",
    "its code": "import einops\neinops.rearrange.__code__",
    "a name that is no parameter": "import torch\nfrom einops.layers.torch import Rearrange\nr = Rearrange('a -> a')\nr._recipes.__class__.__base__",
    "its loader": "import einops\neinops.__loader__",
    "its file": "import einops\neinops.__spec__",
    "changing it": "import einops\neinops.rearrange = 1",
    "a class of its own in an error": "import einops\nclass E(einops.EinopsError, metaclass=type(einops.EinopsError)): pass\nE.__mro__",
}


@pytest.mark.parametrize("text", ATTACKS.values(), ids=ATTACKS)
def test_a_library_leads_nowhere(text: str) -> None:
    result = run(text)
    assert result.status in ("policy", "error"), result.output
    assert result.error is not None
    assert result.error.type in ("PolicyError", "AttributeError", "KeyError"), result.error


def test_a_picture_is_resized_shown_and_need_not_be_imported() -> None:
    """`resize` is refused of arrays, and nobody has imported PIL."""
    result = run(
        "import matplotlib.pyplot as plt\nimport torch\nfrom torchvision import transforms\n"
        "image = transforms.ToPILImage()(torch.rand(3, 8, 8))\nplt.imshow(image)\nplt.show()\n"
        "print(image.resize((10, 6)).size)"
    )
    assert (result.status, result.output.splitlines()[-1]) == ("ok", "(10, 6)"), result.error


def test_picture_files_are_missing_in_words() -> None:
    result = run("from torchvision.io import read_image\nread_image('a.png')")
    assert result.error is not None
    assert result.error.message == "[Errno 2] No such file or directory: 'a.png'"
    assert "picture files cannot be read here" in result.output
