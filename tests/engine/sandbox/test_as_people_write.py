# ruff: noqa: E501  (programs are written as they are)
"""What public programs have in them beside tensors: progress bars, a notebook's shell, versions, modules that are not there."""

from __future__ import annotations

import pytest

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
