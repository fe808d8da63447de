# ruff: noqa: E501  (programs are written as they are)
"""What public programs have in them beside tensors: progress bars, a notebook's shell, versions, modules that are not there."""

from __future__ import annotations

import pytest

from engine.diagnosis import findings
from engine.sandbox import run


def printed(text: str) -> str:
    """What a program prints; it runs to its end."""
    result = run(text)
    assert result.status == "ok", result.error
    return result.output


BARS = """
from tqdm import tqdm, trange
for i in tqdm(range(5), desc='epoch'): pass
bar = tqdm(total=10)
for i in range(10):
    bar.update(1)
    bar.set_postfix(loss=0.123456, acc='x')
bar.close()
for i in trange(3, leave=False): pass
for i in tqdm([], disable=True): pass
with tqdm(range(4)) as progress:
    for i in progress:
        progress.set_description(f'epoch {i}')
for x in tqdm([1, 2, 3]):
    if x == 2: break
tqdm.write('a line')
for x in tqdm(iter([1, 2])): pass
print(len(tqdm([1, 2, 3])), bar.n, bar.total)
"""


def test_a_progress_bar_is_a_line_when_it_is_full_or_closed() -> None:
    assert printed(BARS).splitlines() == [
        "epoch: 100%|██████████| 5/5",
        "100%|██████████| 10/10 [loss=0.123, acc=x]",
        "epoch 3: 100%|██████████| 4/4",
        " 33%|███       | 1/3",
        "a line",
        "2it",
        "3 10 10",
    ]


def test_bars_without_end_are_few_lines() -> None:
    assert len(printed("from tqdm import tqdm\nfor i in range(1000):\n    for j in tqdm(range(2)): pass\n").splitlines()) == 200


@pytest.mark.parametrize("desc", ["'a' * 30", "Odd()", "None", "1"])
def test_a_bar_asks_nothing_of_its_description(desc: str) -> None:
    text = f"from tqdm import tqdm\nclass Odd(str):\n    def __format__(self, spec): return 'x' * 10**6\nfor i in tqdm([1], desc={desc}): pass"
    assert len(printed(text)) < 100


def test_commands_of_a_notebook_that_were_written_out_are_taken() -> None:
    text = "get_ipython().run_line_magic('matplotlib', 'inline')\nfrom IPython import get_ipython as shell\nprint(shell().system('ls'), shell())"
    assert printed(text) == "None <ipykernel.zmqshell.ZMQInteractiveShell object>\n"


def test_stand_ins_have_versions() -> None:
    text = (
        "from importlib.metadata import version, PackageNotFoundError\n"
        "print(version('matplotlib'), version('scikit-learn'), version('Pillow'), version('torchvision'))\n"
    )
    assert printed(text) == "3.10.0 1.7.2 12.0.0 0.28.0\n"
    refused = run(text + "version('tiktoken')")
    assert refused.error is not None
    assert (refused.error.type, "leave out" in refused.error.help) == ("PackageNotFoundError", True)


def test_a_missing_file_says_how_to_open_it() -> None:
    result = run("open('names.txt')")
    assert result.error is not None
    assert result.error.message == "[Errno 2] No such file or directory: 'names.txt'"
    assert result.error.help.startswith("Open the file together with the program")


def test_an_iterator_of_python_2() -> None:
    result = run("import torch\nfrom torch.utils.data import DataLoader\nit = iter(DataLoader([1]))\nit.next()")
    assert result.error is not None
    assert result.error.message == "'_SingleProcessDataLoaderIter' object has no attribute 'next'"
    assert "next(x)" in result.error.help


def test_a_custom_function_that_saves_is_recorded_in_a_loop() -> None:
    text = (
        "import torch\nclass Square(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        ctx.save_for_backward(x)\n"
        "        return x * x\n    @staticmethod\n    def backward(ctx, g):\n        x, = ctx.saved_tensors\n        return 2 * x * g\n"
        "w = torch.ones(3, requires_grad=True)\nfor i in range(12):\n    Square.apply(w * 2).sum().backward()\nprint(w.grad)\n"
    )
    assert printed(text) == "tensor([96., 96., 96.])\n"


def test_one_process_has_no_group() -> None:
    text = (
        "import torch, torch.distributed as dist\nfrom torch.nn.parallel import DistributedDataParallel as DDP\n"
        "print(dist.is_available(), dist.is_initialized(), dist.ReduceOp.MAX, hasattr(dist, 'nothing'), hasattr(torch.jit, 'interface'))\n"
        "for f in (dist.get_rank, dist.barrier, lambda: DDP(torch.nn.Linear(1, 1)), dist.init_process_group):\n"
        "    try: f()\n    except Exception as e: print(type(e).__name__, str(e).split('. ')[0])\n"
    )
    assert printed(text).splitlines() == [
        "True False ReduceOp.MAX False False",
        *["ValueError Default process group has not been initialized, please make sure to call init_process_group."] * 3,
        "Unsupported init_process_group() is not supported by Gradtape: a program is one process on one machine",
    ]


def test_what_is_scripted_is_itself() -> None:
    text = "import torch\n@torch.jit.script\ndef f(x): return x * 2\nm = torch.nn.Linear(1, 1)\nprint(torch.jit.trace(m, torch.ones(1, 1)) is m, f(torch.ones(1)), torch.jit.is_scripting())"
    assert printed(text).endswith("True tensor([2.]) False\n")


FIELDS = """
import argparse, dataclasses, functools, struct, types
from abc import ABC
@dataclasses.dataclass
class Settings:
    format: str = "png"
    base: int = 2
    fields: tuple = ()
    op: str = "+"
    _hidden: int = 3
    obj: object = None
print(dataclasses.replace(Settings(), base=3), dataclasses.asdict(Settings())["format"], dataclasses.astuple(Settings())[4])
@dataclasses.dataclass(frozen=True, order=True, slots=True)
class Point:
    x: int
    y: int = 0
print(dataclasses.replace(Point(1), y=2) > Point(1))
@dataclasses.dataclass
class Node(ABC):
    left: int
    right: int
match Node(1, 2):
    case Node(left, right): print(left, right)
class Binary:
    def __init__(self, op, x): self.op, self.x = op, x
class Unary(Binary): pass
match Unary("-", 1):
    case Binary(op="-", x=x): print(x)
class Registry:
    def __init_subclass__(cls, **options): kinds.append(cls.__name__)
kinds = []
class Mine(Registry):
    def __len__(self): return 1
print(kinds)
class Lazy:
    @functools.cached_property
    def _table(self): return [1]
print(Lazy()._table)
print(types.SimpleNamespace(a=1, _b=2), argparse.Namespace(a=1, _b=2))
parser = argparse.ArgumentParser()
commands = parser.add_subparsers(dest="command")
commands.add_parser("fit").add_argument("--rate", type=float)
print(parser.parse_args(["fit", "--rate", "0.5"]), struct.unpack("<HB", struct.pack("<HB", 1, 2)))
"""


def test_names_that_others_have_may_be_those_of_fields() -> None:
    assert printed(FIELDS).splitlines() == [
        "Settings(format='png', base=3, fields=(), op='+', _hidden=3, obj=None) png 3",
        "True",
        "1 2",
        "1",
        "['Mine']",
        "[1]",
        "namespace(a=1, _b=2) Namespace(a=1, _b=2)",
        "Namespace(command='fit', rate=0.5) (1, 2)",
    ]


MADE_BY_TYPE = """
import torch
Config = type("Config", (), {"hidden_size": 64, "double": lambda self: self.hidden_size * 2})
print(Config.__name__, Config().hidden_size, Config().double(), isinstance(Config(), Config), type(Config()) is Config)
print(type("Wide", (Config,), dict(hidden_size=128))().double(), type("Layer", (torch.nn.Module,), {"width": 3})().width)
"""


def test_type_makes_classes() -> None:
    assert printed(MADE_BY_TYPE) == "Config 64 128 True True\n256 3\n"


OPTIMIZERS = """
import numpy as np, torch
from collections import OrderedDict
for kind, options in ((torch.optim.SGD, {"momentum": 0.9}), (torch.optim.Adam, {"amsgrad": True}), (torch.optim.RMSprop, {"momentum": 0.9})):
    class Own(kind):
        def __init__(self, params, note, **options):
            super().__init__(params, **options)
            for group in self.param_groups: group["note"] = note
        def step(self, closure=None):
            return super().step(closure)
    p = torch.nn.Parameter(torch.ones(3))
    o = Own([{"params": [p], "name": "head", "scale": lambda epoch: 1.0}], note=object(), lr=np.float32(0.5), **options)
    (p * 2).sum().backward()
    o.step()
    state = o.state[p]
    o.step()
    print(kind.__name__, o.state[p] is state, p.shape, sorted(k for k in state))
    o.state[p] = OrderedDict(state)
    o.step()
"""


def test_groups_and_states_of_optimizers_hold_what_a_program_puts_there() -> None:
    assert printed(OPTIMIZERS).splitlines() == [
        "SGD True torch.Size([3]) ['momentum_buffer']",
        "Adam True torch.Size([3]) ['exp_avg', 'exp_avg_sq', 'max_exp_avg_sq', 'step']",
        "RMSprop True torch.Size([3]) ['momentum_buffer', 'square_avg', 'step']",
    ]


def test_a_folder_that_is_not_there_is_to_be_made_and_a_file_to_be_opened() -> None:
    errors = [run(text).error for text in ("import os\nos.mkdir('a/b')", "open('a/b', 'w')", "open('a/b')", "open('b')")]
    assert [error.help.split()[:3] for error in errors if error is not None] == [
        ["Make", "the", "folder"], ["Make", "the", "folder"], ["Open", "the", "file"], ["Open", "the", "file"]
    ]  # fmt: skip
    recording = run("open('a/b', 'w')").recording
    assert recording is not None
    assert [found.fix for found in findings(recording)] == [
        "Make the folder first: os.makedirs makes those that it is in, too."
    ]


def test_an_error_about_arguments_names_the_function_as_python_does() -> None:
    error = run("import collections\ncollections.namedtuple('A', 'b', verbose=True)").error
    assert error is not None
    assert error.message == "namedtuple() got an unexpected keyword argument 'verbose'"


def test_modules_in_which_gym_keeps_its_spaces() -> None:
    text = "import gym.spaces.box\nfrom gymnasium.spaces.discrete import Discrete\nprint(gym.spaces.box.Box is gym.spaces.Box, Discrete(3).n)"
    assert printed(text) == "True 3\n"


def test_a_module_that_is_not_here_is_refused_alike_however_it_is_imported() -> None:
    told = [run(text).error for text in ("from torch.distributed import rpc", "import torch.distributed.rpc as rpc")]
    assert told[0] is not None
    assert told[1] is not None
    assert told[0].type == told[1].type == "PolicyError"
    assert told[0].help == told[1].help
    assert told[0].help.startswith("A program is one process")
    wrong = run("from torch.nn import Linea").error
    assert wrong is not None
    assert wrong.type == "ImportError"
    assert wrong.message.endswith("Did you mean 'torch.nn.Linear'?")


def test_seaborns_colours_are_taken() -> None:
    assert printed("import seaborn as sns\nsns.set_color_codes()\nsns.reset_defaults()\nprint(1)") == "1\n"


def test_a_file_of_numbers_is_mapped_as_the_array_that_is_in_it() -> None:
    text = """
import numpy as np, torch
open('train.bin', 'wb').write(np.arange(6, dtype=np.uint16).tobytes())
data = np.memmap('train.bin', dtype=np.uint16, mode='r')
print(len(data), data[2:4], np.memmap('train.bin', np.uint16, 'c', 2, (2, 2)).tolist())
print(torch.from_numpy(data[1:3].astype(np.int64)))
for change in (lambda: data.__setitem__(0, 1), lambda: np.memmap('new.bin', np.float32, 'w+', shape=3), lambda: np.memmap('no.bin', mode='r')):
    try: change()
    except Exception as error: print(error)
"""
    assert printed(text) == (
        "6 [2 3] [[1, 2], [3, 4]]\ntensor([1, 2])\nassignment destination is read-only\n"
        "np.memmap with mode='w+' is not available to programs here\n[Errno 2] No such file or directory: 'no.bin'\n"
    )


ATTRIBUTES = """
import torch
from torch import nn
class Counted(nn.Parameter):
    def __setattr__(self, name, value):
        told.append(name)
        super().__setattr__(name, value)
class Lazy(nn.Module):
    def __setattr__(self, name, value):
        told.append(name)
        super().__setattr__(name, value)
    def __getattr__(self, name):
        return 5 if name == 'five' else super().__getattr__(name)
told = []
p = Counted(torch.ones(2))
p.note, p._mine = 1, 2
m = Lazy()
m.layer, m._own = nn.Linear(2, 1), 3
print(told, m.five, m._own, m.layer.weight.shape, p._mine)
torch.optim.Adam([p]).step()
(p * m.layer.weight).sum().backward()
print(p.grad.shape, '_parameters' in vars(m), '_own' in vars(m), sorted(vars(p)))
"""


def test_attributes_that_a_class_sets_and_answers_by_itself() -> None:
    assert printed(ATTRIBUTES).splitlines() == [
        "['note', '_mine', 'layer', '_own'] 5 3 torch.Size([1, 2]) 2",
        "torch.Size([2]) True True ['_mine', 'note']",
    ]


KEYWORDS = """
import collections, enum
class Key(str, enum.Enum):
    LR = 'lr'
class Mapping:
    def keys(self): return ['a', 'b']
    def __getitem__(self, key): return key.upper()
class Base:
    def __init_subclass__(cls, **named): print(named)
class Derived(Base, **{'depth': 3}): pass
def f(**named): return named
print(f(**{Key.LR: 0.1}), f(**Mapping(), **collections.OrderedDict(x=1)), {type(name) is str for name in f(**{Key.LR: 1})})
for bad in (5, {1: 2}):
    try: f(**bad)
    except TypeError as e: print(e)
"""


def test_keywords_from_mappings() -> None:
    assert printed(KEYWORDS).splitlines() == [
        "{'depth': 3}",
        "{'lr': 0.1} {'a': 'A', 'b': 'B', 'x': 1} {True}",
        "__main__.f() argument after ** must be a mapping, not int",
        "keywords must be strings",
    ]


def test_data_classes_have_fields_of_any_public_name() -> None:
    program = "import dataclasses\n@dataclasses.dataclass(order=True)\nclass C:\n    format: str\n    sort: bool = True\n    stream: int = 0\n"
    assert (
        printed(f"{program}print(C('a') == C('a'), C('a') < C('b'), C('a'))\n")
        == "True True C(format='a', sort=True, stream=0)\n"
    )


MADE_ANEW = """
import copy, dataclasses, enum, torch, typing
from torch import nn
class M(nn.Module):
    act = nn.functional.relu
    extra = nn.Linear.extra_repr
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(1, 1)
        self._mine = 3
    def __eq__(self, other): return True
    __hash__ = nn.Module.__hash__
    def __setstate__(self, state):
        assert state['_mine'] == 3 and '_parameters' in state
        super().__setstate__(state)
m = M()
print(M.act(torch.ones(1)), M.extra(nn.Linear(1, 1)), M.__eq__(m, 3))
print(copy.copy(m)._mine, copy.deepcopy(m).l.weight.shape, copy.deepcopy(m.l.train))
class Optimizer(torch.optim.Optimizer):
    def step(self): return 'step'
print(Optimizer([nn.Parameter(torch.ones(1))], {}).step())
class Color(enum.Enum):
    RED = 1
print({name: value for name, value in vars(Color).items() if name[0] != '_'})
class Own(list):
    def __init__(self, *items):
        list.__init__(self, *items)
own = Own([1])
own.__init__([1, 2])
print(own, typing.List[int].append, m.forward.__name__)
g = torch.Generator().manual_seed(1)
print(torch.equal(torch.rand(1, generator=copy.deepcopy(g)), torch.rand(1, generator=g)))
"""
"""What the looks at methods in a program's classes, at copies and at what is made once more do not stand in the way of."""


def test_copies_and_methods_of_classes_of_ones_own() -> None:
    assert printed(MADE_ANEW).splitlines() == [
        "tensor([1.]) in_features=1, out_features=1, bias=True True",
        "3 torch.Size([1, 1]) <bound method Module.train of Linear(in_features=1, out_features=1, bias=True)>",
        "step",
        "{'RED': <Color.RED: 1>}",
        "[1, 2] <method 'append' of 'list' objects> _forward_unimplemented",
        "True",
    ]


def test_nodes_of_the_graph_are_not_copied() -> None:
    program = "import copy, torch\ny = torch.ones(2, requires_grad=True) * 2\nfor f in (copy.copy, copy.deepcopy):\n    try: f(y.grad_fn)\n"
    assert printed(f"{program}    except TypeError as e: print(e)\n") == "cannot pickle 'MulBackward0' object\n" * 2
