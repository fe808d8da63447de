"""The operations, a file a family, and how they become functions, methods and operators."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from types import ModuleType
from typing import Any

import numpy as np

from ..autograd.primitives import give
from ..compat.names import SURFACE, TENSOR_METHODS, keep_to_release
from ..discovery import modules
from ..op import codegen
from ..op.code_cache import codes
from ..op.declare import FUNCTIONS, TABLE
from ..op.slow_path import NUMBERS
from ..overriding import OF_OPERATORS
from ..tensor import Absent, Tensor
from .calling import callable_as
from .convolution import convolve, grids, interpolation, max_pooling, mean_pooling, padding, shuffles, unfold
from .creation import conversions, copies, factories, generator, random, tensor_types, window_functions
from .indexing import gather, getitem, index_select, masking, scatter, scatter_reduce, slicing, take
from .linalg import (
    determinants,
    einsums,
    factorizations,
    householder,
    least_squares,
    matmul,
    matrix_functions,
    matrix_norms,
    products,
    solving,
    spectral,
)
from .loss import aten_losses, classification, ctc, elementwise, likelihood, margins, ranking
from .memory import inplace, introspection, storage, strides, view_replay
from .nn import (
    activation,
    attention,
    cells,
    distances,
    dropout,
    embedding,
    gates,
    native_norms,
    normalization,
    rectifiers,
    similarity,
    softmax,
)
from .pointwise import arithmetic, binary, comparison, complex_numbers, polynomials, special, unary
from .reduction import covariance, histograms, minmax, norms, prod, quantiles, scan, searching, sorting, sums, variance
from .shape import broadcasting, combining, diagonals, dimensions, flip_roll, joining, permute, repeat, reshaping, split
from .sparse import coordinates

FAMILIES: tuple[ModuleType, ...] = (
    factories, conversions, generator, random, arithmetic, binary, unary, special, comparison, activation, rectifiers, gates,
    softmax, sums, variance, prod, minmax, norms, scan, sorting, quantiles, searching, dimensions, reshaping, broadcasting,
    permute, copies, joining, flip_roll, repeat, diagonals, covariance, strides, combining, split, slicing, getitem, gather,
    index_select, scatter, scatter_reduce, take, masking, matmul, products, einsums, distances, determinants, solving,
    factorizations, spectral, least_squares, matrix_functions, matrix_norms, normalization, padding, convolve, max_pooling,
    mean_pooling, unfold, shuffles, interpolation, grids, dropout, attention, similarity, embedding, elementwise, likelihood,
    classification, margins, ranking, ctc, aten_losses, inplace, introspection, polynomials, window_functions, householder,
    native_norms, cells, histograms, storage,
)  # fmt: skip
"""The modules, in the order the documentation lists them."""
FAMILIES += tuple(module for module in modules(__name__, __path__) if module not in FAMILIES)  # a new file need not be listed

PREFIX = {
    "torch.linalg": "linalg_",
    "torch.fft": "fft_",
    "torch.special": "special_",
    "torch.nn.functional": "functional_",
    "torch.Tensor": "method_",
    "torch": "torch_",
}
"""`linalg_norm` is `norm` in `torch.linalg`, where it differs from the `norm` of the other namespaces."""


@cache
def declared() -> dict[str, Callable[..., Any]]:
    """Every function by the name it is declared under: operations, functions made of them, and their other names."""
    names: dict[str, Callable[..., Any]] = {}
    made = {id(f) for f in FUNCTIONS.values()}
    for module in FAMILIES:
        for name, value in vars(module).items():
            if name.startswith("_") or not callable(value):
                continue
            o = getattr(value, "_op", None)
            if id(value) in made or (o is not None and TABLE.get(value.__name__) is o):
                names[name] = value
    return names


OWN = {module.__name__ for module in FAMILIES if getattr(module, "NOT_IN_PYTORCH", False)}
"""The modules that say of themselves that PyTorch has no such operations; theirs stand in `torch`."""


def namespace(owner: str) -> dict[str, Callable[..., Any]]:
    """What stands in one of PyTorch's namespaces: each declared function whose name PyTorch has there, and our own."""
    functions = declared() | inplace.INPLACE
    found = {}
    for name in SURFACE[owner]:
        f = functions.get(PREFIX[owner] + name) or functions.get(name)
        if f is not None:
            found[name] = callable_as(f, owner, name)
    if owner == "torch":
        found |= {name: f for name, f in functions.items() if f.__module__ in OWN}
    return found


def attach() -> None:
    """Give Tensor its methods and operators, every function the name it is called by, and autograd what it is made of."""
    inplace.derive(declared())
    for name, f in declared().items():
        if f.__name__ == name:  # `linalg_norm` is called that in PyTorch, too; `functional_relu` is called relu
            f.__name__ = f.__qualname__ = name.removeprefix("functional_").removeprefix("method_").removeprefix("torch_")
    for name, f in namespace("torch.Tensor").items():
        if name not in Tensor.__dict__:
            setattr(Tensor, name, f)
    for name, f in (inplace.INPLACE | factories.METHODS).items():
        setattr(Tensor, name, callable_as(f, "torch.Tensor", name))
    others: dict[str, Any] = {
        "where": lambda self, condition, other: comparison.where(condition, self, other),
        "T": property(permute.transposed),
        "mT": property(permute.matrix_transposed),
        "mH": property(permute.adjoint_of),
        "H": property(permute.matrix_of("H")),
        "real": property(complex_numbers.real, complex_numbers.set_real),
        "imag": property(complex_numbers.imag, complex_numbers.set_imag),
        "__getitem__": getitem.getitem,
        "__setitem__": getitem.setitem,
    }
    for name, f in others.items():
        setattr(Tensor, name, f)
        if name[:2] == "__":
            f.__name__ = name
    for name, f in coordinates.PARTS.items():
        setattr(Tensor, name, f)
    _operators()
    give(
        alias=reshaping.alias,
        as_array=factories.as_array,
        conj=complex_numbers.conj,
        copy_=inplace.INPLACE["copy_"],
        empty=factories.empty,
        empty_like=factories.empty_like,
        legacy_array=tensor_types.legacy_array,
        put_view=view_replay.put_view,
        stack=joining.stack,
        take_view=view_replay.take_view,
    )


def _operators() -> None:
    def forward(f: Any) -> Any:
        return codegen.write(f._op, operator=True)

    def number_only(f: Any) -> Any:
        def operator(self: Any, other: Any) -> Any:
            return f(self, other) if isinstance(other, (Tensor, *NUMBERS)) else NotImplemented

        return operator

    def reflected(f: Any) -> Any:
        def operator(self: Any, other: Any) -> Any:
            return f(other, self) if isinstance(other, (Tensor, *NUMBERS)) else NotImplemented

        return operator

    def power(self: Any, exponent: Any) -> Any:
        if not isinstance(exponent, (Tensor, *NUMBERS)):
            return NotImplemented
        return arithmetic.pow(self, exponent)

    def matrix(self: Any, other: Any) -> Any:
        return matmul.matmul(self, other) if isinstance(other, Tensor) else NotImplemented

    def matrix_from_left(self: Any, other: Any) -> Any:
        return matmul.matmul(other, self) if isinstance(other, Tensor) else NotImplemented

    def divided(self: Any, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return a.reciprocal(self) * other
        return a.rdiv(self, other) if isinstance(other, (Tensor, *NUMBERS)) else NotImplemented

    def equal(self: Any, other: Any) -> Any:
        found = eq(self, other)
        return (
            found
            if found is not NotImplemented or not isinstance(other, np.ndarray)
            else c.eq(self, factories.from_numpy(other))
        )

    def shifted(f: Any) -> Any:
        def operator(self: Any, other: Any) -> Any:
            return f(a.beside(self, other), self) if isinstance(other, NUMBERS) else NotImplemented

        return operator

    def modulo_of(self: Any, other: Any) -> Any:
        return a.remainder(a.beside(self, other), self) if isinstance(other, (Tensor, *NUMBERS)) else NotImplemented

    def floor_divided(self: Any, other: Any) -> Any:
        return a.floor_divide(a.beside(self, other), self) if isinstance(other, (Tensor, *NUMBERS)) else NotImplemented

    def modulo(self: Any, other: Any) -> Any:
        return a.remainder(self, other) if isinstance(other, (Tensor, *NUMBERS)) else NotImplemented

    def in_place(name: str) -> Any:
        write = inplace.INPLACE[name]

        def operator(self: Any, other: Any) -> Any:
            return write(self, other) if isinstance(other, (Tensor, *NUMBERS)) else NotImplemented

        return operator

    a, c = arithmetic, comparison
    add, mul, eq = forward(a.add), forward(a.mul), forward(c.eq)
    table: dict[str, Any] = {
        "__add__": add, "__radd__": add, "__mul__": mul, "__rmul__": mul,
        "__sub__": forward(a.sub), "__rsub__": number_only(a.rsub),
        "__truediv__": forward(a.true_divide), "__rtruediv__": divided,
        "__floordiv__": forward(a.floor_divide), "__mod__": modulo,
        "__pow__": power, "__rpow__": number_only(a.rpow), "__neg__": a.neg, "__pos__": a.positive, "__abs__": unary.abs,
        "__matmul__": matrix, "__rmatmul__": matrix_from_left, "__rmod__": modulo_of, "__rfloordiv__": floor_divided,
        "__rdiv__": number_only(a.rdiv), "__invert__": c.inverted,
        "__and__": forward(c.bitwise_and), "__or__": forward(c.bitwise_or), "__xor__": forward(c.bitwise_xor),
        "__rand__": forward(c.bitwise_and), "__ror__": forward(c.bitwise_or), "__rxor__": forward(c.bitwise_xor),
        "__lt__": forward(c.lt), "__le__": forward(c.le), "__gt__": forward(c.gt), "__ge__": forward(c.ge),
        "__eq__": equal, "__ne__": forward(c.ne),
        "__lshift__": forward(c.bitwise_left_shift), "__rshift__": forward(c.bitwise_right_shift),
        "__rlshift__": shifted(c.bitwise_left_shift), "__rrshift__": shifted(c.bitwise_right_shift),
        "__iadd__": in_place("add_"), "__isub__": in_place("sub_"), "__imul__": in_place("mul_"),
        "__itruediv__": in_place("div_"), "__ipow__": in_place("pow_"),
        "__ifloordiv__": in_place("floor_divide_"), "__imod__": in_place("remainder_"),
        "__array_wrap__": factories.wrapped_array,
        "__iand__": in_place("bitwise_and_"), "__ior__": in_place("bitwise_or_"), "__ixor__": in_place("bitwise_xor_"),
    }  # fmt: skip
    for name, f in table.items():
        setattr(Tensor, name, f)
        if name not in OF_OPERATORS:
            f.__name__ = name


attach()
for _name in TENSOR_METHODS - set(dir(Tensor)):
    setattr(Tensor, _name, Absent(_name))
keep_to_release("torch.Tensor", lambda: vars(Tensor), partial(setattr, Tensor), partial(delattr, Tensor))
codes.save()

__all__ = ["FAMILIES", "declared", "namespace", "view_replay"]
