"""NumPy for programs: arrays, mathematics and random numbers; nothing that reads files or memory."""

from __future__ import annotations

import inspect
import re
import sys
from typing import Any

import numpy as np

from ..policy import arrays, dtypes, protocols
from ..policy.errors import MissingAttribute, PolicyError
from ..policy.guards import Guards, plain_state
from ..policy.inert import refusal
from ..policy.names import named
from ..policy.objects import private
from .facade import Facade, picked
from .files import arrays as files

NAMES = """
__version__ abs absolute acos acosh add all allclose amax amin angle any append apply_along_axis apply_over_axes arange arccos
arccosh arcsin arcsinh arctan arctan2 arctanh argmax argmin argpartition argsort argwhere around array array2string array_equal
array_equiv array_repr array_split array_str asanyarray asarray asarray_chkfinite ascontiguousarray asin asinh astype atan atan2
atanh atleast_1d atleast_2d atleast_3d average bartlett base_repr binary_repr bincount bitwise_and bitwise_count bitwise_not
bitwise_or bitwise_xor blackman block bool bool_ broadcast_arrays broadcast_shapes broadcast_to can_cast cbrt cdouble ceil
choose clip column_stack common_type complex128 complex64 complexfloating compress concat concatenate conj conjugate convolve
copy copysign copyto corrcoef correlate cos cosh count_nonzero cov cross csingle cumprod cumsum cumulative_prod cumulative_sum
deg2rad degrees delete diag diag_indices diag_indices_from diagflat diagonal diff digitize divide divmod dot double dsplit
dstack e ediff1d einsum einsum_path empty empty_like equal errstate euler_gamma exp exp2 expand_dims expm1 extract eye fabs
fill_diagonal finfo flatnonzero flexible flip fliplr flipud float16 float32 float64 float_power floating floor floor_divide fmax
fmin fmod format_float_positional format_float_scientific frexp fromfunction fromiter fromstring full full_like gcd
generic geomspace geterr gradient greater greater_equal half hamming hanning heaviside histogram histogram2d
histogram_bin_edges histogramdd hsplit hstack hypot i0 identity iinfo imag in1d index_exp indices inexact inf inner insert int16
int32 int64 int8 int_ integer interp intersect1d intp invert isclose iscomplex iscomplexobj isdtype isfinite isin isinf isnan
isneginf isposinf isreal isrealobj isscalar issubdtype iterable ix_ kaiser kron lcm ldexp left_shift less less_equal lexsort
linspace little_endian log log10 log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or logical_xor logspace long
longlong mask_indices matmul matrix_transpose matvec max maximum may_share_memory mean median meshgrid mgrid min min_scalar_type
minimum mod modf moveaxis multiply nan nan_to_num nanargmax nanargmin nancumprod nancumsum nanmax nanmean nanmedian nanmin
nanpercentile nanprod nanquantile nanstd nansum nanvar ndenumerate ndim ndindex negative newaxis nextafter nonzero not_equal
number object_ ogrid ones ones_like outer packbits pad partition percentile permute_dims pi piecewise place poly poly1d polyadd
polyder polydiv polyfit polyint polymul polysub polyval positive pow power printoptions prod promote_types ptp put
put_along_axis putmask quantile rad2deg radians ravel ravel_multi_index real real_if_close reciprocal remainder repeat reshape
resize result_type right_shift rint roll rollaxis roots rot90 round row_stack searchsorted select set_printoptions setdiff1d
seterr setxor1d shape shares_memory short sign signbit signedinteger sin sinc single sinh size sort sort_complex spacing split
sqrt square squeeze stack std str_ subtract sum swapaxes take take_along_axis tan tanh tensordot tile trace transpose trapezoid
trapz tri tril tril_indices tril_indices_from trim_zeros triu triu_indices triu_indices_from true_divide trunc ubyte uint uint16
uint32 uint64 uint8 union1d unique unique_counts unique_inverse unique_values unpackbits unravel_index unsignedinteger unstack
unwrap vander var vdot vecdot vecmat vectorize vsplit vstack where zeros zeros_like
"""
LINALG = """
LinAlgError cholesky cond cross det diagonal eig eigh eigvals eigvalsh inv lstsq matmul matrix_norm matrix_power matrix_rank
matrix_transpose multi_dot norm outer pinv qr slogdet solve svd svdvals tensordot tensorinv tensorsolve trace vecdot vector_norm
"""
FFT = "fft fft2 fftfreq fftn fftshift hfft ifft ifft2 ifftn ifftshift ihfft irfft irfft2 irfftn rfft rfft2 rfftfreq rfftn"
TESTING = """
assert_ assert_allclose assert_almost_equal assert_approx_equal assert_array_almost_equal assert_array_equal assert_array_less
assert_equal
"""
RANDOM = """
beta binomial bytes chisquare choice default_rng dirichlet exponential f gamma geometric get_state gumbel hypergeometric laplace
logistic lognormal logseries multinomial multivariate_normal negative_binomial noncentral_chisquare noncentral_f normal pareto
permutation poisson power rand randint randn random random_integers random_sample ranf rayleigh sample seed shuffle
standard_cauchy standard_exponential standard_gamma standard_normal standard_t triangular uniform vonmises wald weibull zipf
"""
FILES = "DataSource fromregex"
"""What stays away: it would map files, or fetch them."""


class Joining:
    """`np.r_` and `np.c_`, which would look up names in a text."""

    __slots__ = ("_real",)

    def __init__(self, real: Any) -> None:
        self._real = real

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            raise PolicyError("a text alone cannot be joined", "Write the arrays' names: np.r_[a, b].")
        return self._real[key]


class errstate(np.errstate):  # noqa: N801
    """As `np.errstate`; nothing else than an object of its own is entered, which would get what belongs to NumPy's context."""

    __slots__ = ()
    __module__ = "numpy"

    def __enter__(self) -> None:
        super().__enter__()

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)


class Iteration:
    """`np.nditer` over whole arrays: it cannot be closed, because what it gives lies in memory that is free from then on."""

    __slots__ = ("_real",)

    FLAGS = frozenset(("c_index", "external_loop", "f_index", "multi_index", "reduce_ok", "refs_ok", "zerosize_ok"))
    OPERANDS = frozenset(("no_broadcast", "readonly", "readwrite", "writeonly"))
    """The flags of operands that are allowed: with them nothing is copied into a buffer, which NumPy would use again."""

    def __init__(self, op: Any, flags: Any = (), op_flags: Any = None, *, order: str = "K") -> None:
        each: Any = None if op_flags is None else [f if isinstance(f, str) else _flags(f, self.OPERANDS) for f in op_flags]
        if each and isinstance(each[0], str):
            each = _flags(each, self.OPERANDS)
        make: Any = np.nditer
        self._real = make(op, _flags(flags, self.FLAGS), each, order=order)

    finished = property(lambda self: self._real.finished)
    index = property(lambda self: self._real.index)
    itersize = property(lambda self: self._real.itersize)
    multi_index = property(lambda self: self._real.multi_index)
    operands = property(lambda self: self._real.operands)
    shape = property(lambda self: self._real.shape)
    value = property(lambda self: self._real.value)

    def iternext(self) -> bool:
        """Go on; whether there is more."""
        return bool(self._real.iternext())

    def __iter__(self) -> Iteration:
        return self

    def __next__(self) -> Any:
        return next(self._real)

    def __len__(self) -> int:
        return len(self._real)

    def __getitem__(self, key: Any) -> Any:
        return self._real[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._real[key] = value

    def __enter__(self) -> Iteration:
        return self

    def __exit__(self, *_: Any) -> None:
        return None


def _flags(given: Any, known: frozenset[str]) -> list[str]:
    """Flags that were checked.

    Raises:
        PolicyError: for one that is not among those that are known.
    """
    flags = list(given)
    for flag in flags:
        if type(flag) is not str or flag not in known:
            raise PolicyError(f"np.nditer has no flag {flag!r} for programs here", "Loop over the array, or over np.ndindex.")
    return flags


def frombuffer(buffer: Any, dtype: Any = float, count: int = -1, offset: int = 0) -> Any:
    """As NumPy's, but numbers only: written over objects, they would be taken for addresses."""
    held = re.sub(":[^:]*:", "", memoryview(buffer).format)
    if "O" in held:
        raise PolicyError("np.frombuffer takes no memory with objects in it here", "Use np.array(a.tolist()).")
    found = np.frombuffer(buffer, dtypes.settled(dtype), count, offset)
    return dtypes.seen(np.dtype("U" if "w" in held else "u1"), found, aside=True)


ALIASING = frozenset(("shuffle",))
"""Functions that change a list they are given."""


def calling_back(name: str, function: Any) -> Any:
    """A function of NumPy's, given lists to which nothing else refers, as it goes through them while it calls methods."""
    if not callable(function) or isinstance(function, type | np.ufunc) or name in ALIASING:
        return function

    places = _of_dtypes(name, function)

    def called(*arguments: Any, **options: Any) -> Any:
        if options:
            options = named(options)
            if "dtype" in options:
                options["dtype"] = dtypes.settled(options["dtype"])
        if places.start < len(arguments):
            settled = map(_settled if name in MIXED else dtypes.settled, arguments[places])
            arguments = (*arguments[: places.start], *settled, *arguments[places.stop or sys.maxsize :])
        if name == "issubdtype":  # it takes kinds of types, too
            arguments = tuple(map(dtypes.undivided, arguments))
        if name in UNITING:
            return dtypes.checked(function(*arguments, **options))
        if arrays.armed():
            if name in WRITING:
                return arrays.storing(function, *arguments, **options)
            if name not in SAME:
                return arrays.calling(function, arguments, options)
        for k, value in options.items():
            options[k] = arrays.specified(value) if type(value) in _LISTS or k == "dtype" else value
        return function(*[private(a) if type(a) in _LISTS or name in COMPARING else a for a in arguments], **options)

    protocols.PRIVATE.add(called.__code__)
    called.__name__ = called.__qualname__ = name
    called.__doc__ = function.__doc__
    return called


def _of_dtypes(name: str, function: Any) -> slice:
    """Where among its arguments a function has types of elements."""
    if name in UNITING:
        return slice(0, None)
    if name not in OF_DTYPES:
        try:
            parameters = list(inspect.signature(function).parameters.values())
        except ValueError:
            parameters = []
        for k, one in enumerate(parameters):
            if one.name == "dtype" and one.kind is not one.KEYWORD_ONLY:
                return slice(k, k + 1)
    return OF_DTYPES.get(name, slice(sys.maxsize, None))


def _settled(given: Any) -> Any:
    """A type of elements, or what is something that has one."""
    return given if isinstance(given, np.ndarray | np.generic | complex | float | int) else dtypes.settled(given)


UNITING = frozenset(("promote_types", "result_type"))
"""Functions that make a type of others."""
MIXED = frozenset(("can_cast", "result_type"))
"""Functions that take types, or what has one."""
SECOND = "array asarray asanyarray ascontiguousarray empty fromiter fromstring zeros"
OF_DTYPES = {name: slice(1, 2) for name in SECOND.split()} | {"arange": slice(3, 4), "can_cast": slice(0, 2)}
"""Where functions have types that do not say so in all versions of NumPy."""
_LISTS = (list, tuple)
SAME = frozenset((
    "asanyarray", "asarray", "asarray_chkfinite", "ascontiguousarray", "array_split", "atleast_1d", "atleast_2d",
    "atleast_3d", "broadcast_arrays", "broadcast_to", "diag", "diagonal", "dsplit", "errstate", "expand_dims",
    "fill_diagonal", "flip", "fliplr", "flipud", "hsplit", "imag", "matrix_transpose", "may_share_memory", "moveaxis",
    "nditer", "permute_dims", "printoptions", "put", "put_along_axis", "ravel", "real", "reshape", "rollaxis", "rot90",
    "set_printoptions", "shares_memory", "split", "squeeze", "swapaxes", "transpose", "trim_zeros", "unstack", "vsplit",
))  # fmt: skip
"""Functions that give a view of an array, or write into it by the methods of arrays."""
WRITING = frozenset(("copyto", "place", "putmask"))
"""Functions that write into an array themselves."""
COMPARING = frozenset(("argmax", "argmin", "argpartition", "argsort", "lexsort", "partition", "searchsorted", "sort"))
"""Functions that compare objects where they are."""


def _picked(module: Any, names: str) -> dict[str, Any]:
    return {name: calling_back(name, function) for name, function in picked(module, names).items()}


def _dtype(*arguments: Any, **options: Any) -> Any:
    """As `np.dtype`."""
    make: Any = np.dtype
    given = [dtypes.undivided(arrays.specified(each)) for each in arguments]
    made = make(*given, **{name: dtypes.undivided(arrays.specified(value)) for name, value in options.items()})
    return dtypes.checked(made)


class Seed:
    """What `np.random.PCG64(seed)` gives: all that `Generator` needs of it."""

    __slots__ = ("_seed",)

    def __init__(self, seed: Any = None) -> None:
        self._seed = seed


def sliding_window_view(x: Any, window_shape: Any, axis: Any = None, *, subok: Any = False, writeable: Any = False) -> Any:
    """As NumPy's, but a copy, whose windows share no memory; nothing is written into it, as into NumPy's own."""
    if writeable:
        raise PolicyError("the windows of an array cannot be written to here", "Write into the array itself.")
    # NumPy computes with the sizes itself before it looks at memory: they are to be numbers, and none of the program's.
    sizes = np.array(window_shape, ndmin=1).tolist()
    windows = np.array(np.lib.stride_tricks.sliding_window_view(x, sizes, axis))
    windows.flags.writeable = False
    return windows


def _lib() -> dict[str, Facade]:
    """`numpy.lib`, of which programs use one module."""
    strided = refusal("np.lib.stride_tricks.as_strided()", "Use sliding_window_view, or x.unfold of a tensor.")
    names = {"as_strided": strided, "sliding_window_view": calling_back("sliding_window_view", sliding_window_view)}
    tricks = _facade("numpy.lib.stride_tricks", np.lib.stride_tricks, names)
    return {"numpy.lib": _facade("numpy.lib", np.lib, {"stride_tricks": tricks}), "numpy.lib.stride_tricks": tricks}


def facades(guards: Guards) -> dict[str, Facade]:
    """NumPy and its submodules by dotted name."""
    modules = _lib() | {
        "numpy.fft": _facade("numpy.fft", np.fft, _picked(np.fft, FFT)),
        "numpy.linalg": _facade("numpy.linalg", np.linalg, _picked(np.linalg, LINALG)),
        "numpy.random": _facade("numpy.random", np.random, _picked(np.random, RANDOM) | _generators(guards)),
        "numpy.testing": _facade("numpy.testing", np.testing, _picked(np.testing, TESTING)),
    }
    names = (
        _picked(np, NAMES)
        | {
            "c_": Joining(np.c_),
            "dtype": guards.shown(np.dtype, _dtype),
            "errstate": errstate,
            "frombuffer": frombuffer,
            "nditer": Iteration,
            "ndarray": guards.shown(np.ndarray),
            "r_": Joining(np.r_),
            "random": modules["numpy.random"],
            "fft": modules["numpy.fft"],
            "lib": modules["numpy.lib"],
            "linalg": modules["numpy.linalg"],
            "testing": modules["numpy.testing"],
            "s_": np.s_,
            "typing": _typing(guards),
            "ufunc": guards.shown(np.ufunc),
        }
        | files.names(calling_back("asanyarray", np.asanyarray))
    )
    modules["numpy"] = _facade("numpy", np, names)
    modules["numpy.typing"] = names["typing"]
    guards.know(names.values())
    guards.know([np.float64, np.linalg.LinAlgError], bases=True)
    return modules


_seeds = [np.random.SeedSequence(0)]
"""What generators begin with for which the program gives no seed."""


def seeded(seed: int | None) -> None:
    """Begin the generators for which the program gives no seed with this one; None for something new."""
    _seeds[0] = np.random.SeedSequence(seed)


def _unsaid() -> np.random.SeedSequence:
    return _seeds[0].spawn(1)[0]


def _generators(guards: Guards) -> dict[str, Any]:
    def generator(seed: Seed) -> np.random.Generator:
        if type(seed) is not Seed:
            raise PolicyError("np.random.Generator takes np.random.PCG64(seed) here", "Use np.random.default_rng(seed).")
        return np.random.Generator(np.random.PCG64(_unsaid() if seed._seed is None else seed._seed))

    def default_rng(seed: Any = None) -> np.random.Generator:
        return np.random.default_rng(_unsaid() if seed is None else seed)

    def set_state(state: Any) -> None:
        np.random.set_state(plain_state(state))

    def state(seed: Any = None) -> np.random.RandomState:
        if seed is None:
            return np.random.RandomState(_unsaid().generate_state(4))
        return np.random.RandomState(seed if isinstance(seed, int) else np.array(seed, np.uint32))

    return {
        "default_rng": default_rng,
        "Generator": guards.shown(np.random.Generator, generator),
        "PCG64": guards.shown(np.random.PCG64, Seed),
        "RandomState": guards.shown(np.random.RandomState, state),
        "set_state": set_state,
    }


def _typing(guards: Guards) -> Facade:
    array = guards.shown(np.ndarray)
    return Facade(
        "numpy.typing",
        {"ArrayLike": Any, "DTypeLike": Any, "NDArray": array},
        lambda name: _missing("numpy.typing", None, name),
    )


def _facade(dotted: str, module: Any, names: dict[str, Any]) -> Facade:
    return Facade(dotted, names, lambda name: _missing(dotted, module, name))


def _missing(dotted: str, module: Any, name: str) -> AttributeError:
    said = f"module '{dotted}' has no attribute '{name}'"
    if name in FILES.split():
        return MissingAttribute(f"{said} here", "Use np.load, np.loadtxt or np.fromfile, which read the run's own files.")
    if not hasattr(module, name):
        return AttributeError(said)
    return MissingAttribute(f"{said} for programs here", "Arrays, mathematics, linalg, fft and random are there.")
