# ruff: noqa: E501  (programs are written as they are)
"""What a program imports: the names that are meant for it, as they are elsewhere, and a word of help for the others."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from types import ModuleType
from typing import Any

import pytest

from engine.nn import repeated
from engine.sandbox import run
from engine.sandbox.facades import absent, outside, plain, torch
from engine.sandbox.facades.facade import Facade, renew
from engine.sandbox.parse import world
from engine.sandbox.policy import PolicyError
from tests.engine.sandbox.test_policy import attempt


def test_no_facade_holds_a_module() -> None:
    for name, facade in world().modules.items():
        held = [n for n, v in vars(facade).items() if isinstance(v, ModuleType)]
        assert not held, name


@pytest.mark.parametrize("name", plain.NAMES)
def test_a_name_is_the_one_that_the_module_has(name: str) -> None:
    real, names = importlib.import_module(name), vars(world().modules[name])
    assert names
    assert all(getattr(real, n) is v for n, v in names.items())


def test_every_module_can_be_imported_in_every_way() -> None:
    for name in (n for n in world().modules if n != "__future__"):
        last = name.rpartition(".")[2]
        top, _, below = name.rpartition(".")
        for text in (
            f"import {name}",
            f"import {name} as m",
            f"from {name} import *",
            f"from {top} import {last}" if below and top else "1",
        ):
            if name.startswith("tqdm.") and text.startswith(("import tqdm.", "from tqdm import")):
                continue
            _, error = attempt(text)
            assert error is None, (text, error)


def test_torch_has_what_the_engine_lists() -> None:
    import engine

    here = vars(world().modules["torch"])
    assert not {n for n in engine.__all__ if n not in here}
    assert here["Tensor"] is engine.Tensor
    assert all(f"torch.{n}" in world().modules for n in torch.SUBMODULES)


@pytest.mark.parametrize(
    "change",
    ["m._x = 1", "m.pi = 3", "del m.pi", "setattr(m, 'pi', 3)", "vars(m)['pi'] = 3", "m.__dict__['pi'] = 3", "m.pi += 1"],
)
def test_a_facade_cannot_be_changed(change: str) -> None:
    names, error = attempt(f"import math as m\n{change}\n")
    assert error is not None
    import math

    assert names["m"].pi == math.pi


def test_a_program_may_add_names_to_a_module_for_itself() -> None:
    text = """
import math, torch.nn as nn, numpy as np
print(hasattr(nn, 'Mine'), hasattr(np, 'int_'), hasattr(math, 'tau2'))
class Mine(nn.Linear): pass
nn.Mine, math.tau2, np.float = Mine, 3, float
nn.Mine = nn.Mine
print(nn.Mine(1, 2), math.tau2, np.zeros(1, np.float).dtype)
setattr(math, 'tau2', 4)
del math.tau2
print(hasattr(math, 'tau2'))
for name in ('Linear', '_C', '__class__', '__dict__', '__getattr__'):
    try: setattr(nn, name, 3)
    except Exception as error: print(name, error)
for change in (lambda: vars(nn).update(other=1), lambda: nn.__setattr__('other', 1), lambda: nn.__dict__.update(other=1)):
    try: change()
    except Exception as error: print(type(error).__name__)
"""
    result = run(text)
    assert result.output == (
        "False True False\nMine(in_features=1, out_features=2, bias=True) 3 float64\nFalse\n"
        "Linear 'Linear' of <module 'torch.nn'> cannot be set in programs here\n"
        "_C '_C' of <module 'torch.nn'> cannot be set in programs here\n"
        "__class__ the attribute '__class__' cannot be set in programs here\n"
        "__dict__ the attribute '__dict__' cannot be set in programs here\n"
        "__getattr__ the attribute '__getattr__' cannot be set in programs here\nPolicyError\nPolicyError\nPolicyError\n"
    ), result.error
    assert run("import torch.nn as nn\nprint(hasattr(nn, 'Mine'))\n").output == "False\n"


def test_a_program_that_runs_anew_finds_modules_as_they_were() -> None:
    facade: Any = world().modules["math"]
    facade.tau2 = 3
    renew()
    assert not hasattr(facade, "tau2")


def test_what_is_not_there_says_so() -> None:
    help = {
        "import numpy as np\nnp.fromregex('x')": "the run's own files",
        "import numpy as np\nnp.memmap('x')": "np.save it",
        "import numpy as np\nnp.ctypeslib": "Arrays",
        "import os\nos.system('ls')": "no processes",
        "import pandas as pd\npd.read_excel('a.xlsx')": "There are: DataFrame",
        "import torchvision.nothing": "There are: torchvision.datasets",
        "import torch.ao.quantization": "float32",
        "import torch.export": "torch.supported()",
        "import torch.fx\ntorch.fx.symbolic_trace(None)": "the graph of what ran",
        "import torch\ntorch.onnx.export(None)": "load it where PyTorch is",
        "import torch.multiprocessing as mp\nmp.set_start_method('spawn')\nmp.Process()": "one process",
        "from transformers import AutoModel\nAutoModel.from_pretrained('x')": "Pretrained models",
        "from labml import tracker\ntracker.save(1)": "print the values",
        "from dgl import data\ndata.citation": "adjacency matrix",
        "import subprocess\nsubprocess.run(['ls'])": "cannot start others",
        "import ssl\nssl.create_default_context()": "no network",
        "import utils.helpers\nutils.helpers.load()": "its folder, together with the program",
        "from lightning import LightningModule\nclass Net(LightningModule): pass\nNet()": "torch.optim",
        "import scipy.sparse as sp\nsp.csr_matrix([1])": "sparse_coo_tensor",
        "from scipy.optimize import linear_sum_assignment as best\nbest([1])": "torch.optim",
        "import scipy\nscipy.stats.norm()": "There are: integrate, signal, special",
        "import wget\nwget.download('a')": "Open the file together",
        "import pdb\npdb.set_trace()": "The timeline",
        "import nothing_of_the_kind as n\nn.there": "module of your own",
        "input()": "write the value",
        "eval('1')": "dict of functions",
    }
    for text, part in help.items():
        result = run(text)
        assert result.status == "policy", text
        assert result.error is not None
        assert part in result.error.help, (text, result.error.help)
        assert result.error.line == len(text.splitlines())


ABSENT = """
import apex, fire, subprocess
import xgboost.sklearn as kinds
from apex import amp
from lightning import LightningModule
from utils import load as loaded

class Net(LightningModule):
    pass

def shaped(x: loaded["batch 3"], y: LightningModule | None = None) -> "loaded":
    return x if loaded else y

print(isinstance(1, Net), issubclass(Net, LightningModule), callable(loaded))
try:
    import horovod.torch
except ImportError:
    print("without horovod")
try:
    from deepspeed import ops
except ImportError:
    print("without deepspeed")
"""


def test_what_is_not_there_can_be_imported_unless_the_program_tries() -> None:
    result = run(ABSENT)
    assert (result.status, result.output) == ("ok", "False True True\nwithout horovod\nwithout deepspeed\n")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("Net()", "lightning.LightningModule is not available to programs here"),
        ("LightningModule.load('x')", "lightning.LightningModule is not available to programs here"),
        ("for batch in loaded: pass", "utils.load is not available to programs here"),
        ("with loaded as file: pass", "utils.load is not available to programs here"),
        ("1 - loaded / 2", "utils.load is not available to programs here"),
        ("len(loaded)", "utils.load is not available to programs here"),
        ("loaded('x')", "utils.load is not available to programs here"),
        ("amp.initialize()", "apex.amp is not available to programs here"),
        ("apex.optimizers", "apex.optimizers is not available to programs here"),
        ("subprocess.run(['ls'])", "subprocess.run is not available to programs here"),
        ("from of_mine import *", "No module named 'of_mine' for programs here"),
        ("import torch.nothing", "No module named 'torch.nothing' for programs here"),
        ("import torch.ops; torch.ops.aten", "module 'torch.ops' has no attribute 'aten' for programs here"),
        ("import os.nothing", "No module named 'os.nothing' for programs here"),
        ("import ctypes", "No module named 'ctypes' for programs here"),
    ],
)
def test_what_is_not_there_is_refused_where_it_is_used(line: str, said: str) -> None:
    refused = run(f"{ABSENT}\n{line}\n")
    assert refused.status == "policy"
    assert refused.error is not None
    assert said in refused.error.message


@pytest.mark.parametrize(
    "line",
    [
        "from torch.optim.adam import Adam; from torch.optim.sgd import SGD; import torch.optim.rmsprop",
        "from torch.nn.modules.loss import _Loss, _WeightedLoss; from torch.nn.modules.batchnorm import _BatchNorm",
        "from torch.nn.modules.conv import _ConvNd; from torch.nn.modules.utils import _pair, _single, _triple, _ntuple",
        "from torch.nn.init import _calculate_fan_in_and_fan_out; from torch.optim.lr_scheduler import _LRScheduler",
        "from torch.optim.optimizer import Optimizer, required; from torch.autograd.variable import Variable",
        "from torch.nn.utils.weight_norm import weight_norm; from torch.nn.utils.spectral_norm import spectral_norm",
        "from torch.utils.data._utils.collate import default_collate; from torch.nn.parallel.data_parallel import DataParallel",
    ],
)
def test_what_programs_import_from_pytorchs_files_is_there(torch: ModuleType, line: str) -> None:
    exec(line, {})
    result = run(line)
    assert result.status == "ok", result.error


def test_bases_of_modules_are_those_of_pytorch() -> None:
    result = run(
        "from torch import nn\nfrom torch.nn.modules.batchnorm import _BatchNorm\nfrom torch.nn.modules.loss import _Loss\n"
        "class Own(_Loss):\n    def forward(self, x):\n        return x.sum() if self.reduction == 'sum' else x.mean()\n"
        "print(isinstance(nn.BatchNorm2d(2), _BatchNorm), isinstance(nn.LayerNorm(2), _BatchNorm), Own(reduction='sum').reduction)\n"
    )
    assert result.output == "True False sum\n"


def test_sizes_are_repeated_as_pytorch_does(torch: ModuleType) -> None:
    theirs = importlib.import_module("torch.nn.modules.utils")
    for make in ("_single", "_pair", "_triple", "_quadruple"):
        for given in (3, [1, 2], (4, 5, 6)):
            assert getattr(repeated, make)(given) == getattr(theirs, make)(given)
    assert repeated._reverse_repeat_tuple((1, 2), 2) == theirs._reverse_repeat_tuple((1, 2), 2)
    for sizes in (3, [None, 2], [4, 4]):
        assert repeated._list_with_default(sizes, [7, 8, 9]) == theirs._list_with_default(sizes, [7, 8, 9])


def test_a_name_that_nobody_has_is_an_ordinary_error() -> None:
    for text, kind in {
        "import math\nmath.nothing": "AttributeError",
        "from math import nothing": "ImportError",
        "import torch\ntorch.nothing": "AttributeError",
        "import numpy as np\nnp.nothing": "AttributeError",
    }.items():
        result = run(text)
        assert (result.status, result.error and result.error.type) == ("error", kind), text


def test_hasattr_tells_what_a_facade_has() -> None:
    out = run(
        "import numpy as np, torch\nprint(hasattr(np, 'fromregex'), hasattr(np, 'zeros'), hasattr(torch, 'nothing'), hasattr(torch, 'relu'))"
    )
    assert out.output == "False True False True\n"


def test_the_environment_is_empty() -> None:
    assert run("import os\nprint(dict(os.environ), os.getenv('PATH'), os.path.join('a', 'b'))").output == "{} None a/b\n"


def test_a_program_logs_to_stderr() -> None:
    text = (
        "import logging\nlogging.basicConfig(level=logging.INFO, format='%(levelname)s %(message)s')\nlog = logging.getLogger(__name__)\n"
        "log.info('step %d', 3)\nlog.debug('left out')\nlogging.error('bad')\nlog.setLevel('ERROR')\nlog.warning('left out')\n"
    )
    assert run(text).output == "INFO step 3\nERROR bad\n"


def test_saved_things_are_kept_until_the_run_ends() -> None:
    text = (
        "import torch\nx = torch.ones(2, requires_grad=True)\ntorch.save({'x': x, 'n': [1, x * 2]}, 'a.pt')\n"
        "with torch.no_grad(): x += 1\nback = torch.load('a.pt')\nprint(back['x'], back['n'])\ntorch.load('b.pt')\n"
    )
    result = run(text)
    assert result.output == "tensor([1., 1.], requires_grad=True) [1, tensor([2., 2.], requires_grad=True)]\n"
    assert result.error is not None
    assert result.error.type == "FileNotFoundError"


def test_c_code_of_numpy_may_import_what_it_needs() -> None:
    """NumPy imports modules of its own while it prints or computes; the program is the innermost frame then."""
    for text in (
        "import numpy as np\nprint(np.zeros(2), repr(np.dtype('f4')), np.array([1, 'a']), np.float32(2).astype(int))",
        "import numpy as np\nprint(np.array([[1.0]]).sum(), np.linalg.inv(np.eye(2)), np.fft.fft([1.0, 2.0]))",
    ):
        assert run(text).status == "ok"


def test_every_help_belongs_to_what_is_refused() -> None:
    there = (
        {name.partition(".")[0] for name in world().modules}
        - {"importlib", "inspect", "os", "torch", "urllib"}
        - set(outside.NAMED)
    )
    assert not there & set(absent.INSTEAD)


def test_types_can_be_compared_and_not_called() -> None:
    names, error = attempt(
        "import numpy as np, types\ndef g(): yield\n"
        "a = isinstance(np.zeros(1), np.ndarray), isinstance(g(), types.GeneratorType), isinstance(g, types.FunctionType)\n"
        "b = type(np.zeros(1)) is np.ndarray, type(g) is types.FunctionType, type(type(1)) is type, isinstance(int, type)\n"
        "c = issubclass(np.ndarray, object), np.ndarray.__name__, type(g).__name__, type(g) == type(lambda: 1)\n"
        "d = isinstance(1, type(2)), type(None) is type(print('', end='')), np.ndarray | None, list[np.ndarray]\n"
    )
    assert error is None
    assert names["a"] == (True, True, True)
    assert names["b"] == (True, True, True, True)
    assert names["c"] == (True, "ndarray", "function", True)
    assert names["d"][:2] == (True, True)


def test_a_facade_tells_nothing_about_itself() -> None:
    facade: Any = world().modules["numpy"]
    assert isinstance(facade, Facade)
    assert repr(facade) == "<module 'numpy'>"
    with pytest.raises(AttributeError):
        facade.__name__  # noqa: B018  (the import statement would look it up among the real modules)
    with pytest.raises(PolicyError):
        facade.zeros = 1


@pytest.mark.parametrize("seed", ["1", "4", "5"])
def test_a_function_that_shares_its_name_with_a_module_is_the_function(seed: str) -> None:
    # The order of a set of names must not decide it.
    text = "from engine.sandbox.facades import World; print(callable(World().modules['torch.autograd'].gradcheck))"
    shown = subprocess.run(
        [sys.executable, "-c", text], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
    )
    assert shown.stdout == "True\n"
