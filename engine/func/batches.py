"""`vmap`: a function of single samples becomes a function of batches."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NoReturn

from ..ops.creation.generator import default_generator
from ..ops.shape.joining import stack
from ..tensor import Tensor
from .trees import drawn, filled, leaves, same_structure, spread

RANDOM = (
    "vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' randomness "
    "flags on vmap or perform the randomness operation out of vmap"
)


def vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """The function that applies `func` to each sample of a batch and stacks the results.

    The samples are taken one by one, so it saves a loop in the program, not time.

    Args:
        func: from samples (tensors, or trees of them) to tensors.
        in_dims: which dimension of each input counts the samples: one number, or a tree of them; None for an input that is the
            same for all.
        out_dims: where in the results that dimension goes; None for a result that is the same for all.
        randomness: what random functions do: "error", "same" numbers for all samples, or "different" ones.
        chunk_size: accepted.

    Raises:
        ValueError: for inputs of different batch sizes, and `in_dims` or `out_dims` that do not fit.
        RuntimeError: for random functions, unless `randomness` allows them.
    """
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @functools.wraps(func)
    def batched(*args: Any, **kwargs: Any) -> Any:
        _check_out_dims(func, out_dims)
        dims = _dims(func, in_dims, args)
        flat = leaves(args)
        size = _batch_size(dims, flat)
        before = default_generator.get_state()._array
        results = []
        for i in range(size):
            if randomness == "same" and i:
                default_generator._stream.restore(before)
            sample = [x if d is None else x.select(d, i) for x, d in zip(flat, dims, strict=True)]
            results.append(func(*filled(args, sample), **kwargs))
        if randomness == "error" and (default_generator.get_state()._array.tobytes() != before.tobytes()):
            raise RuntimeError(RANDOM)
        return _together(func, out_dims, results)

    return batched


def _dims(func: Callable[..., Any], in_dims: Any, args: tuple[Any, ...]) -> list[Any]:
    """Per leaf of the inputs the dimension that counts the samples, or None."""
    call = f"vmap({_name(func)}, in_dims={in_dims}, ...)(<inputs>): "
    if not isinstance(in_dims, int | tuple):
        raise ValueError(
            f"{call}expected `in_dims` to be int or a (potentially nested) tuple matching the structure of inputs, got: "
            f"{type(in_dims)}."
        )
    if not args:
        raise ValueError(
            f"vmap({_name(func)})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to vmap over a "
            "function with no inputs. The latter is unsupported."
        )
    dims = spread(in_dims, args)
    if dims is None:
        raise ValueError(
            f"{call}in_dims is not compatible with the structure of `inputs`. in_dims has structure {drawn(in_dims)} but "
            f"inputs has structure {drawn(args)}."
        )
    for x, d in zip(leaves(args), dims, strict=True):
        if d is None:
            continue
        if not isinstance(d, int):
            raise ValueError(f"{call}Got in_dim={d} for an input but in_dim must be either an integer dimension or None.")
        if not isinstance(x, Tensor):
            raise ValueError(
                f"{call}Got in_dim={d} for an input but the input is of type {type(x)}. We cannot vmap over non-Tensor "
                "arguments, please use None as the respective in_dim"
            )
        if not -x.ndim <= d < x.ndim:
            raise ValueError(
                f"{call}Got in_dim={d} for some input, but that input is a Tensor of dimensionality {x.ndim} so expected "
                f"in_dim to satisfy -{x.ndim} <= in_dim < {x.ndim}."
            )
    return dims


def _batch_size(dims: list[Any], flat: list[Any]) -> int:
    sizes = [x.shape[d] for x, d in zip(flat, dims, strict=True) if d is not None]
    if not sizes:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    if any(size != sizes[0] for size in sizes):
        raise ValueError(
            f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sizes} for the mapped "
            "dimension"
        )
    if sizes[0] == 0:
        raise RuntimeError(
            "vmap over a batch of size 0 is not supported by Gradtape: there is no sample to run the function on"
        )
    return int(sizes[0])


def _check_out_dims(func: Callable[..., Any], out_dims: Any) -> None:
    if any(not isinstance(d, int) and d is not None for d in leaves(out_dims)):
        raise ValueError(
            f"vmap({_name(func)}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python collection of ints "
            "representing where in the outputs the vmapped dimension should appear."
        )


def _together(func: Callable[..., Any], out_dims: Any, results: list[Any]) -> Any:
    """The samples' results stacked, leaf by leaf."""
    first = results[0]

    def misfit() -> NoReturn:
        raise ValueError(
            f"vmap({_name(func)}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the structure of "
            f"`outputs`. out_dims has structure {drawn(out_dims)} but outputs has structure {drawn(first)}."
        )

    if isinstance(first, Tensor) and isinstance(out_dims, tuple) and len(out_dims) == 1:
        dims: list[Any] | None = list(out_dims)
    else:
        dims = spread(out_dims, first)
    if dims is None:
        misfit()
    if not all(same_structure(first, result) for result in results):
        raise RuntimeError("vmap: the function's results have different structures for different samples of the batch")
    name = _name(func)
    columns = zip(*[leaves(result) for result in results], strict=True)
    stacked = []
    for d, column in zip(dims, columns, strict=True):
        if d is not None and not isinstance(column[0], Tensor):
            raise ValueError(
                f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(column[0])}. Did you mean to set "
                "out_dims= to None for output?"
            )
        stacked.append(column[0] if d is None else stack(list(column), d))
    return filled(first, stacked)


def _name(func: Callable[..., Any]) -> str:
    if hasattr(func, "__name__"):
        return str(func.__name__)
    if isinstance(func, functools.partial):
        return f"functools.partial({_name(func.func)}, ...)"
    return repr(func)
