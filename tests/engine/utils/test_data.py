"""Datasets, samplers and loaders give what PyTorch's give, the same random order included."""

from __future__ import annotations

import importlib
import subprocess
import sys
import warnings
from collections import namedtuple
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import engine
from engine.context import _warned
from engine.sandbox import run as run_shut_in
from engine.utils.data.dataloader import IN_ONE_PROCESS

Pair = namedtuple("Pair", ["x", "y"])

PROGRAMS = {
    # order of random draws
    "shuffled epochs": "out = [[b[0].tolist() for b in D.DataLoader(ds, 3, shuffle=True)] for _ in range(3)], t.rand(2)",
    "own generator": "g = t.Generator().manual_seed(5)\n"
    "out = [[b[0].tolist() for b in D.DataLoader(ds, 4, shuffle=True, generator=g)] for _ in range(2)], t.rand(2)",
    "drop last": "dl = D.DataLoader(ds, 4, drop_last=True, shuffle=True)\nout = [b[1].shape for b in dl], len(dl), t.rand(1)",
    "a sequential loader draws a seed": "out = [b[0].tolist() for b in D.DataLoader(ds, 4)], t.rand(2)",
    "half an epoch": "it = iter(D.DataLoader(ds, 4, shuffle=True))\nout = next(it), t.rand(1), next(it), len(it)",
    "single samples": "out = [b for b in D.DataLoader(ds, batch_size=None, shuffle=True)][:2]",
    "sampler": "out = [b[0].tolist() for b in D.DataLoader(ds, 2, sampler=D.SubsetRandomSampler([3, 1, 4]))]",
    "batch sampler": "s = D.BatchSampler(D.RandomSampler(ds), 4, True)\n"
    "dl = D.DataLoader(ds, batch_sampler=s)\nout = [b[0].tolist() for b in dl], len(dl), dl.batch_size",
    "list as batch sampler": "out = [b[0].tolist() for b in D.DataLoader(ds, batch_sampler=[[0, 1], [5]])]",
    "with replacement": "out = list(D.RandomSampler(ds, replacement=True, num_samples=70)), t.rand(1)",
    "more samples than there are": "out = list(D.RandomSampler(ds, num_samples=25)), len(D.RandomSampler(ds, num_samples=25))",
    "weighted": "out = list(D.WeightedRandomSampler([1, 5, 3.0], 10)), list(D.WeightedRandomSampler([1, 5, 3.0], 2, False))",
    "split": "out = [s.indices for s in D.random_split(ds, [3, 7])], t.rand(1)",
    "split by fractions": "out = [s.indices for s in D.random_split(ds, [0.33, 0.33, 0.34])]",
    "split generator": "out = [s.indices for s in D.random_split(range(5), [2, 3], generator=t.Generator().manual_seed(1))]",
    "split loads": "out = [b[0].tolist() for b in D.DataLoader(D.random_split(ds, [6, 4])[0], 4, shuffle=True)]",
    # datasets
    "tensor dataset": "out = ds[2], len(ds), ds[1:3]",
    "concatenated": "c = ds + ds\nout = len(c), c[12], c[-1], c.cumulative_sizes",
    "stacked": "s = D.StackDataset(ds, range(10))\nout = s[3], s.__getitems__([1, 2]), len(s)",
    "stacked by name": "s = D.StackDataset(a=range(3), b=range(3))\nout = s[1], list(D.DataLoader(s, 2))",
    "subset of a subset": "s = D.Subset(D.Subset(range(10), [5, 6, 7]), [2, 0])\nout = s[0], s[1], len(s), s.__getitems__([0])",
    "iterable": "out = list(D.DataLoader(Count(7), 3)), list(D.DataLoader(Count(7), 3, drop_last=True)), t.rand(1)",
    "iterable singles": "out = list(D.DataLoader(Count(3), batch_size=None))",
    "chained": "c = Count(2) + Count(3)\nout = list(c), len(c), list(D.DataLoader(c, 4)), len(D.DataLoader(c, 4))",
    # collating
    "numbers": "out = D.default_collate([1, 2]), D.default_collate([1.5, 2]), D.default_collate([True, False])",
    "numpy": "out = D.default_collate([np.ones(2), np.zeros(2)]), D.default_collate([np.float32(1), np.float32(2)])",
    "numpy scalars": "out = D.default_collate([np.float64(1), np.float64(2)]), D.default_collate([np.int32(1)])",
    "nested": "out = D.default_collate([{'a': (1, [2.0, 'x'])}, {'a': (3, [4.0, 'y'])}])",
    "named tuple": "out = D.default_collate([Pair(1, t.ones(2)), Pair(2, t.zeros(2))])",
    "bytes": "out = D.default_collate([b'a', b'b'])",
    "own collate": "out = list(D.DataLoader(range(5), 2, collate_fn=lambda b: sum(b)))",
    "convert": "out = D.default_convert([np.ones(2), (1, 'x'), {'k': np.float32(2)}])",
    "gradient through a batch": "x = t.ones(4, 2, requires_grad=True)\n"
    "b, = next(iter(D.DataLoader(D.TensorDataset(x), 3)))\n(b * b).sum().backward()\nout = x.grad",
    # errors
    "unequal tensors": "D.TensorDataset(t.ones(2), t.ones(3))",
    "unequal lists": "D.default_collate([[1], [1, 2]])",
    "unequal shapes": "D.default_collate([t.ones(2), t.ones(3)])",
    "not collatable": "D.default_collate([None])",
    "strings array": "D.default_collate([np.array(['a'])])",
    "sampler and shuffle": "D.DataLoader(ds, sampler=range(3), shuffle=True)",
    "batch sampler and more": "D.DataLoader(ds, batch_sampler=[[0]], batch_size=2)",
    "batch size none and drop last": "D.DataLoader(ds, batch_size=None, drop_last=True)",
    "iterable and shuffle": "D.DataLoader(Count(3), shuffle=True)",
    "iterable and sampler": "D.DataLoader(Count(3), sampler=[0])",
    "negative workers": "D.DataLoader(ds, num_workers=-1)",
    "negative timeout": "D.DataLoader(ds, timeout=-1)",
    "prefetch": "D.DataLoader(ds, prefetch_factor=2)",
    "persistent": "D.DataLoader(ds, persistent_workers=True)",
    "context": "D.DataLoader(ds, multiprocessing_context='fork')",
    "batch size zero": "D.DataLoader(ds, 0)",
    "set later": "D.DataLoader(ds).batch_size = 3",
    "empty shuffled": "D.DataLoader([], shuffle=True)",
    "replacement no bool": "D.RandomSampler(ds, replacement=3)",
    "weights not flat": "D.WeightedRandomSampler([[1.0]], 1)",
    "weighted none": "D.WeightedRandomSampler([1.0], 0)",
    "bad drop last": "D.BatchSampler(range(3), 2, 'yes')",
    "lengths do not add up": "D.random_split(ds, [3, 3])",
    "fraction": "D.random_split(ds, [1.5, -0.5])",
    "nothing to stack": "D.StackDataset()",
    "both ways to stack": "D.StackDataset([1], a=[1])",
    "unequal to stack": "D.StackDataset([1], [1, 2])",
    "nothing to concatenate": "D.ConcatDataset([])",
    "iterable to concatenate": "D.ConcatDataset([Count(2)])",
    "index too small": "(ds + ds)[-21]",
    "no items": "D.Dataset()[0]",
    "no length": "len(D.DataLoader(D.Dataset()))",
    "chain of lists": "list(D.ChainDataset([[1]]))",
    "half a subset": "class S(D.Subset):\n    def __getitem__(self, i): return 1\nS(ds, [0])",
}


def run(t: ModuleType, program: str) -> str:
    data = importlib.import_module(f"{t.__name__}.utils.data")

    class Count(data.IterableDataset):  # type: ignore[misc]
        def __init__(self, n: int) -> None:
            self.n = n

        def __iter__(self) -> Any:
            return iter(range(self.n))

        def __len__(self) -> int:
            return self.n

    t.manual_seed(11)
    ds = data.TensorDataset(t.arange(10), t.rand(10, 2))
    namespace = {"t": t, "D": data, "ds": ds, "np": np, "Count": Count, "Pair": Pair}
    try:
        exec(program, namespace)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return repr(namespace.get("out"))


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_data_is_loaded_as_in_pytorch(torch: ModuleType, program: str) -> None:
    assert run(engine, program) == run(torch, program)


class Numbered(engine.utils.data.IterableDataset):
    """Counts, each worker with its own number."""

    def __iter__(self):
        info = engine.utils.data.get_worker_info()
        return iter([(info.id, info.num_workers, k) for k in range(2 + info.id)])


def test_workers_take_turns_in_this_process_and_that_is_told_once() -> None:
    started: list[int] = []
    before = set(_warned)
    _warned.discard(IN_ONE_PROCESS)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            loader = engine.utils.data.DataLoader(Numbered(), batch_size=None, num_workers=2, worker_init_fn=started.append)
            engine.utils.data.DataLoader([1, 2], num_workers=2)
            assert list(loader) == [[0, 2, 0], [1, 2, 0], [0, 2, 1], [1, 2, 1], [1, 2, 2]]
    finally:
        _warned.update(before)
    assert started == [0, 1]
    assert [str(w.message) for w in caught] == [IN_ONE_PROCESS]
    assert caught[0].filename == __file__
    assert engine.utils.data.get_worker_info() is None


WORKERS = """
import torch
from torch.utils.data import DataLoader, Dataset
class Noisy(Dataset):
    def __len__(self): return 7
    def __getitem__(self, k): return torch.rand(1), k
if __name__ == "__main__":
    torch.manual_seed(3)
    for noise, k in DataLoader(Noisy(), batch_size=2, shuffle=True, num_workers=2):
        print(noise, k)
    print(torch.rand(1))
"""


def test_workers_draw_what_the_processes_of_pytorch_draw(torch: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "prog.py").write_text(WORKERS)
    theirs = subprocess.run([sys.executable, "-W", "ignore", tmp_path / "prog.py"], capture_output=True, text=True, check=True)
    ours = run_shut_in("import warnings\nwarnings.simplefilter('ignore')\n" + WORKERS)
    assert ours.output == theirs.stdout


def test_an_empty_part_warns(torch: ModuleType) -> None:
    said = []
    for t in (engine, torch):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            importlib.import_module(f"{t.__name__}.utils.data").random_split(range(1), [0.5, 0.5])
        said.append([str(w.message) for w in caught])
    assert said[0] == said[1] != []


def test_an_iterable_dataset_that_gives_more_than_it_promised_warns() -> None:
    class Liar(engine.utils.data.IterableDataset[int]):
        def __iter__(self) -> Any:
            return iter(range(3))

        def __len__(self) -> int:
            return 1

    loader = engine.utils.data.DataLoader(Liar())
    assert len(loader) == 1
    with pytest.warns(UserWarning, match="was reported to be 1"):
        list(loader)


def test_unknown_names_are_told_apart() -> None:
    with pytest.raises(AttributeError, match="not supported by Gradtape"):
        _ = engine.utils.data.IterDataPipe
    with pytest.raises(AttributeError, match=r"Did you mean 'torch\.utils\.data\.DataLoader'"):
        _ = engine.utils.data.DataLoaders
