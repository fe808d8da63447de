"""`packaging`, as the package itself compares versions, and `mnist1d`, whose classes can be learnt."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from engine.libraries import mnist1d
from engine.libraries.packaging.version import InvalidVersion, Version, parse
from engine.sandbox import run

ORDERED = ("1.0.dev1", "1.0a1", "1.0b2", "1.0rc1", "1.0", "1.0.post1", "1.9", "1.10", "2.0.1+cpu", "10")
PARTS = {
    "v2.0rc1": ("2.0rc1", (2, 0), 2, 0, 0, None, "2.0rc1", "2.0", True),
    "1.2.3+cpu": ("1.2.3+cpu", (1, 2, 3), 1, 2, 3, "cpu", "1.2.3", "1.2.3", False),
    "1.10": ("1.10", (1, 10), 1, 10, 0, None, "1.10", "1.10", False),
}


def parts(version: object) -> tuple[object, ...]:
    names = ("release", "major", "minor", "micro", "local", "public", "base_version", "is_prerelease")
    return (str(version), *(getattr(version, name) for name in names))


@pytest.mark.parametrize("text", PARTS)
def test_the_parts_of_a_version(text: str) -> None:
    assert parts(parse(text)) == PARTS[text]
    real = pytest.importorskip("packaging.version")
    assert parts(real.parse(text)) == PARTS[text]
    assert repr(real.parse(text)) == repr(parse(text))


def test_versions_are_ordered() -> None:
    real = pytest.importorskip("packaging.version")
    for make in (Version, real.Version):
        assert all(make(one) < make(two) and make(two) >= make(one) for one, two in pairwise(ORDERED))
        assert make("1.2") == make("1.2.0")
        assert hash(make("1.2")) == hash(make("1.2.0"))
        assert make("1.2") != "1.2"
    for make, error in ((parse, InvalidVersion), (real.parse, real.InvalidVersion)):
        with pytest.raises(error, match="Invalid version: 'abc'"):
            make("abc")


def test_a_program_compares_versions() -> None:
    text = "import torch\nfrom packaging import version\nprint(version.parse(torch.__version__) >= version.parse('2.0'))"
    assert run(text).output == "True\n"


def test_a_set_of_curves_has_the_shapes_of_the_package_s_and_is_always_the_same() -> None:
    args = mnist1d.get_dataset_args()
    data = mnist1d.get_dataset(args, path="./a.pkl", download=False)
    shapes = {"x": (4000, 40), "x_test": (1000, 40), "y": (4000,), "y_test": (1000,), "t": (40,)}
    assert {name: data[name].shape for name in shapes} == shapes
    assert data["y"].dtype.kind == "i"
    assert np.bincount(data["y"]).min() > 350
    assert np.array_equal(data["x"], mnist1d.make_dataset(args)["x"])


def test_its_classes_can_be_learnt_and_not_by_a_line() -> None:
    """A nearest neighbour is far better than chance, and a linear classifier far from perfect."""
    data = mnist1d.make_dataset()
    x, y, probe, truth = data["x"], data["y"], data["x_test"][:200], data["y_test"][:200]
    nearest = y[((probe[:, None] - x[None]) ** 2).sum(2).argmin(1)]
    assert (nearest == truth).mean() > 0.4
    weights = np.linalg.lstsq(np.c_[x, np.ones(len(x))], np.eye(10)[y], rcond=None)[0]
    linear = (np.c_[probe, np.ones(len(probe))] @ weights).argmax(1)
    assert 0.15 < (linear == truth).mean() < 0.6


def test_programs_have_it_by_both_names() -> None:
    result = run("import mnist1d\nargs = mnist1d.data.get_dataset_args()\nargs.num_samples = 50\n"
                 "print(mnist1d.data.get_dataset(args)['x'].shape)\nfrom mnist1d.data import get_dataset")  # fmt: skip
    assert result.status == "ok", result.error
    assert result.output.endswith("(40, 40)\n")


GRAPH = r"""digraph {
	graph [rankdir=LR]
	1 [label="{ a \"x\" | data 2.0 }" color=blue shape=record]
	"1+" [label="+"]
	1 -> "1+"
	node [color=red]
	subgraph cluster_0 {
		a -> b
	}
}
"""
"""As the package itself writes it."""


def test_a_graph_is_text_that_is_drawn_nowhere() -> None:
    result = run(
        "from graphviz import Digraph\ndot = Digraph(format='svg', graph_attr={'rankdir': 'LR'})\n"
        "dot.node(name='1', label='{ a \"x\" | data 2.0 }', shape='record', color='blue')\n"
        "dot.node('1+', label='+')\ndot.edge('1', '1+')\n"
        "dot.attr('node', color='red')\nwith dot.subgraph(name='cluster_0') as c: c.edge('a', 'b')\nprint(dot.source, end='')\n"
        "assert dot.render('net') == 'net.svg'"
    )
    assert result.status == "ok", result.error
    assert result.output.startswith(GRAPH)
    assert "drawn nowhere" in result.output


TYRO = """
from dataclasses import dataclass, field
from typing import Literal, Optional, Tuple
from enum import Enum
import tyro
class Kind(Enum):
    A = 1
    B = 2
@dataclass
class Optimizer:
    lr: float = 1e-3
    betas: Tuple[float, float] = (0.9, 0.999)
@dataclass
class Args:
    exp_name: str = "ppo"
    '''the name of this experiment'''
    seed: int = 1
    cuda: bool = True
    track: bool = False
    target_kl: Optional[float] = None
    sizes: list[int] = field(default_factory=lambda: [1, 2])
    mode: Literal["a", "b"] = "a"
    kind: Kind = Kind.A
    optimizer: Optimizer = field(default_factory=Optimizer)
print(tyro.cli(Args, args=[]))
given = "--exp-name x --seed 3 --no-cuda --track --target_kl 0.5 --sizes 4 5 --mode b --kind B"
print(tyro.cli(Args, args=f"{given} --optimizer.lr 0.1 --optimizer.betas 0.5 0.6".split()))
def main(n: int, name="a", flag: bool = False):
    return n, name, flag
print(tyro.cli(main, args=["--n", "3"]), tyro.cli(Args, default=Args(seed=9), args=[]).seed)
"""


def test_tyro_reads_what_a_class_or_a_function_takes() -> None:
    result = run(TYRO)
    assert result.status == "ok", result.error
    first = "exp_name='ppo', seed=1, cuda=True, track=False, target_kl=None, sizes=[1, 2], mode='a', kind=<Kind.A: 1>"
    second = "exp_name='x', seed=3, cuda=False, track=True, target_kl=0.5, sizes=[4, 5], mode='b', kind=<Kind.B: 2>"
    assert result.output == (
        f"Args({first}, optimizer=Optimizer(lr=0.001, betas=(0.9, 0.999)))\n"
        f"Args({second}, optimizer=Optimizer(lr=0.1, betas=(0.5, 0.6)))\n"
        "(3, 'a', False) 9\n"
    )


def test_distutils_reads_truth_and_versions() -> None:
    text = (
        "import torch\nfrom distutils.util import strtobool\nfrom distutils.version import LooseVersion, StrictVersion\n"
        "print(strtobool('Yes'), strtobool('off'), LooseVersion(torch.__version__) >= LooseVersion('1.10'), "
        "LooseVersion('1.2') < '1.10')\n"
        "print(repr(LooseVersion('1.2b')), LooseVersion('1.2b').version, StrictVersion('1.2.0') == '1.2')\nstrtobool('perhaps')"
    )
    result = run(text)
    assert result.output == "1 0 True True\nLooseVersion ('1.2b') [1, 2, 'b'] True\n"
    assert result.error is not None
    assert "invalid truth value 'perhaps'" in result.error.message
