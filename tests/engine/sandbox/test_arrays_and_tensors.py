"""What NumPy's functions give for a tensor is a tensor, in the sandbox too; what calls the program back gives nothing."""

from __future__ import annotations

import numpy as np
import pytest

import engine
from engine.sandbox import run

CALLS = [
    "np.sqrt(t.tensor([1.0, 4.0]))", "np.add(t.ones(2), np.ones(2))", "np.multiply(np.ones(2), t.ones(2))",
    "np.isnan(t.ones(2))", "np.sin(t.arange(3))", "np.sqrt(t.tensor(4.0))", "np.cumsum(t.ones(2))", "np.argmax(t.ones(2))",
    "np.maximum(t.ones(2), 2)", "np.matmul(t.eye(2), t.eye(2))", "np.modf(t.ones(2))", "np.clip(t.ones(2), 0, 2)",
    "np.transpose(t.eye(2))", "np.repeat(t.ones(2), 2)", "np.exp(t.ones(2, requires_grad=True))", "t.ones(2) + np.ones(2)",
    "np.ones(2) + t.ones(2)", "np.ones(2) / t.full((2,), 4.0)", "t.ones(2) / np.ones(2)", "t.ones(2) @ np.ones(2)",
    "np.ones(2) @ t.ones(2)", "t.ones(2) == np.ones(2)", "np.ones(2) == t.ones(2)", "np.ones(3) == t.ones(2)",
    "np.ones(2) < t.ones(2)", "t.ones(2) @ 3", "np.float64(3) * t.tensor(2)", "np.linalg.norm(t.ones(2))",
]  # fmt: skip


@pytest.mark.parametrize("text", CALLS)
@pytest.mark.filterwarnings("ignore:__array_wrap__ must:DeprecationWarning", "ignore:__array__ impl:DeprecationWarning")
def test_it_is_what_pytorch_gives(text: str) -> None:
    torch = pytest.importorskip("torch")
    found = []
    for t in (engine, torch):
        try:
            result = eval(text, {"np": np, "t": t})
            found.append((type(result).__name__, str(result)))
        except Exception as error:
            found.append((type(error).__name__, str(error)))
    assert found[0] == found[1]


def test_in_a_program() -> None:
    result = run(
        "import numpy as np, torch\nx = torch.tensor([1.0, 4.0])\nprint(np.sqrt(x), x * np.ones(2), x == np.ones(2))\n"
        "class A:\n    def __del__(self): pass\n    def __add__(self, o): return 1\nprint(np.sqrt(x), x + np.ones(2))\n"
    )
    assert result.output == (
        "tensor([1., 2.]) tensor([1., 4.], dtype=torch.float64) tensor([ True, False])\n"
        "tensor([1., 2.]) tensor([2., 5.], dtype=torch.float64)\n"
    ), result.error


@pytest.mark.parametrize(
    "thing", ["datasets.MNIST('.', transform=lambda p: a.clear())", "Subset(A(), range(3))"], ids=["a dataset", "a subset"]
)
def test_what_calls_the_program_back_is_not_taken_apart(thing: str) -> None:
    result = run(
        "import numpy as np\nfrom torch.utils.data import Subset\nfrom torchvision import datasets\na = [1, 2]\n"
        "class A:\n    def __getitem__(self, k): return a.clear()\n    def __len__(self): return 3\n"
        f"    def __add__(self, o): return 1\nnp.sqrt({thing})\n"
    )
    assert result.status in ("policy", "error")
    assert result.error is not None
    assert result.error.type in ("PolicyError", "TypeError", "ValueError")


@pytest.mark.parametrize(
    "text",
    [
        "np.dtype('m8[s/0]')", "np.dtype('f8,M8[D/0]')", "np.zeros(1).astype([('a', 'm8[s/0]')])", "np.zeros(1, b'm8[s/0]')",
        "np.zeros(1).view('m8[s/0]')", "np.can_cast('m8[s/0]', 'f8')", "np.issubdtype('m8[s/0]', float)",
        "np.zeros(2, 'm8[s]').astype('m8[0s]')", "np.zeros(1, {'names': ['a'], 'formats': ['m8[s/0]']})",
        "np.load(io.BytesIO(b'\\x93NUMPY\\x01\\x00\\x76\\x00' + "
        "str({'descr': 'm8[s/0]', 'fortran_order': False, 'shape': (1,)}).encode().ljust(117) + b'\\n' + bytes(8)))",
    ],
)  # fmt: skip
def test_numpy_divides_no_unit_of_time_by_zero(text: str) -> None:
    assert run(f"import io\nimport numpy as np\n{text}").status in ("policy", "error")


def test_units_of_time_are_there() -> None:
    result = run(
        "import numpy as np\nprint(np.zeros(1, 'm8[25s]'), np.dtype('M8[D]'), np.array(['2020-01-01'], 'M8'), np.dtype('m8'))\n"
        "print(np.dtype([('a/b', 'f8'), ('t', 'm8[ns]')]))\n"
    )
    assert result.output == ("[0] datetime64[D] ['2020-01-01'] timedelta64\n[('a/b', '<f8'), ('t', '<m8[ns]')]\n"), result.error
