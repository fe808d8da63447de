"""Which names and attributes a program may use: the tables that the syntax check and the guards share.

Names with two underscores on both sides are Python's own; a program gets the few that are listed. Everything that leads to
frames, code or memory is left out of every list. One leading underscore marks what is private to a class: a program may use
its own, and those of PyTorch's that are known by name; see `guards.Guards.read`.
"""

from __future__ import annotations

import types
import unicodedata
from typing import Any

from numpy.random import default_rng

_OPERATORS = "add sub mul truediv floordiv mod divmod pow matmul lshift rshift and or xor"
_METHODS = """
abs and bool bytes call ceil complex contains copy deepcopy delitem enter eq exit float floor format ge getitem gt hash
index init int invert iter le len length_hint lt missing ne neg new next or pos post_init repr reversed round setitem str
trunc init_subclass class_getitem
"""

METHODS = frozenset(f"__{name}__" for name in _METHODS.split()) | frozenset(
    f"__{kind}{name}__" for name in _OPERATORS.split() for kind in ("", "r", "i")
)
"""Special methods that a class may define and a program may call by name."""

_NOT_PINNED = "call class_getitem copy deepcopy enter exit init init_subclass iter missing new next post_init"
PINNED = METHODS - {f"__{name}__" for name in _NOT_PINNED.split()}
"""The special methods that C may call with objects to which it holds no reference; see `reentry`."""

PLACED = (UnicodeDecodeError, UnicodeEncodeError, UnicodeTranslateError)
"""Errors with positions that Python trusts: programs catch them, and make them by way of a look-alike that checks these."""

DEFINED = METHODS | frozenset(
    ("__del__", "__delattr__", "__delete__", "__dir__", "__get__", "__getattr__", "__set__", "__setattr__", "__set_name__")
) | {"__array__", "__setstate__", "__torch_function__"}  # fmt: skip
"""Special methods that a class may define."""

_TOLD = "all author constants copyright credits date email license maintainer status version"
CONSTANTS = frozenset(f"__{name}__" for name in _TOLD.split()) | frozenset(
    ("__array_priority__", "__array_ufunc__", "__match_args__", "__slots__", "__torch_function__")
)
"""Names that an assignment may bind, besides those of methods: what a text tells of itself, which nothing asks for, and a few
that Python and NumPy ask for."""

LITERAL = frozenset(("__match_args__", "__slots__"))
"""The constants that list names of attributes, and so must be written out."""

READ = frozenset(("__class__", "__debug__", "__doc__", "__file__", "__name__", "__version__"))
"""Names that a program may look up, besides those of methods."""

ATTRIBUTES = (METHODS - {"__class_getitem__"}) | frozenset(
    ("__array__", "__cause__", "__context__", "__doc__", "__module__", "__name__", "__notes__", "__qualname__",
     "__suppress_context__", "__version__", "__torch_function__", "__del__")
)  # fmt: skip
"""Attributes with two underscores on both sides that a program may read as they are."""

STORED = frozenset(("__doc__", "__name__", "__qualname__"))
"""Attributes that a program may assign, on what is its own."""

REPLACED = frozenset((
    "__annotations__", "__array__", "__class__", "__deepcopy__", "__delattr__", "__dict__", "__getattr__", "__init__",
    "__members__", "__setattr__", "__setitem__", "__setstate__", "argpartition", "argsort", "base", "fields", "format",
    "format_map", "partition", "searchsorted", "set_state", "sort",
))  # fmt: skip
"""Attributes that a guard reads, and may replace by something harmless."""

_NOT_CALLED = (
    "class_getitem copy deepcopy dir format getitem init_subclass iter len length_hint next repr reversed set_name str"
)
_OURS = {"__setstate__", "__torch_function__"}
CALLED = DEFINED - {f"__{name}__" for name in (*_NOT_PINNED.split(), *_NOT_CALLED.split())} - _OURS
"""Special methods by which NumPy's loops over objects, or the end of an object, come back to the program."""
ASKED = DEFINED - {f"__{name}__" for name in (*_NOT_PINNED.split(), "dir", "repr", "set_name")} - _OURS | {
    "__iter__", "__next__"
}  # fmt: skip
"""Special methods by which any function of NumPy's may come back to the program while it is at work with an array."""
COMPARISONS = frozenset(("__eq__", "__ge__", "__gt__", "__le__", "__lt__", "__ne__"))
SEQUENCE = frozenset(("__getitem__", "__len__"))
"""The methods of what NumPy takes apart."""

ARRAYS = frozenset(("__array__", "numpy"))
"""Attributes by which a program gets arrays without importing NumPy; they may be read of anything."""

_OBJECTS = """
apply_arrays apply_tensors bit_generator cffi dump dumps evaluate mro obj register resize setflags
"""
CHECKED = ARRAYS | frozenset(_OBJECTS.split())
"""Attributes that are refused of some objects."""

_INNER = (
    types.FrameType, types.CodeType, types.TracebackType, types.GeneratorType, types.CoroutineType, types.AsyncGeneratorType,
)  # fmt: skip
_PLAIN = frozenset(("aclose", "asend", "athrow", "clear", "close", "replace", "send", "throw"))

# NumPy's functions written in Cython show their insides under names of their own.
NEVER = frozenset(n for kind in (*_INNER, type(default_rng)) for n in dir(kind) if n[:2] != "__" and n not in _PLAIN) | {
    "ctypes", "f_generator", "func_closure", "func_code", "func_globals", "readinto", "readinto1", "tofile",
}  # fmt: skip
"""Attributes that no program may read: the insides of frames, code and generators, raw memory, files."""

PRIVATE = frozenset((
    "_C", "_apply", "_asdict", "_autograd", "_backward_hooks", "_backward_pre_hooks", "_base", "_batch_shape", "_buffers",
    "_current_autograd_node", "_current_graph_task_id", "_dynamo", "_event_shape", "_execution_engine", "_extended_shape",
    "_field_defaults", "_fields", "_forward_hooks", "_forward_pre_hooks", "_functions", "_get_checked_instance",
    "_get_closed_form_lr", "_get_name", "_grad", "_grad_fn", "_indices", "_input_metadata", "_is_view", "_last_lr",
    "_load_from_state_dict", "_load_state_dict_post_hooks", "_load_state_dict_pre_hooks", "_make", "_make_subclass",
    "_metadata", "_missing_", "_modules", "_name_", "_named_members", "_nnz", "_non_persistent_buffers_set", "_orig_mod",
    "_parameters", "_pytree", "_register_hook_dict", "_register_load_state_dict_pre_hook",
    "_register_state_dict_hook", "_replace", "_save_to_state_dict", "_sequence_nr",
    "_set_sequence_nr", "_state_dict_hooks", "_state_dict_pre_hooks", "_step_count", "_validate_args", "_validate_sample",
    "_value_", "_values", "_version", "_will_engine_execute_node",
))  # fmt: skip
"""Names with one underscore that PyTorch's and Python's users know; they lead nowhere in particular."""

OVERRIDDEN = frozenset((
    "_call", "_check_input_dim", "_conv_forward", "_cut_probs", "_ff_block", "_get_full_log_prob",
    "_get_lr_called_within_step", "_index_sampler", "_infer_parameters", "_init_is_better", "_initial_step", "_inv_call",
    "_inverse", "_is_better", "_is_initial", "_lazy_load_hook", "_log_normalizer", "_mean_carrier_measure", "_natural_params",
    "_output_padding", "_outside_unstable_region", "_param", "_reduce_lr", "_reset",
    "_reset_parameters", "_sa_block", "_update_lr",
))  # fmt: skip
"""Private names of PyTorch's classes that classes which inherit from them define anew; they are given tensors and numbers."""

INSTEAD = {
    "__dict__": "Use vars(x), and vars(x).update(values) to change it.",
    "__class__": "Use type(x).",
    "__bases__": "Use isinstance() or issubclass().",
    "__base__": "Use isinstance() or issubclass().",
    "__mro__": "Use isinstance() or issubclass().",
    "mro": "Use isinstance() or issubclass().",
    "__subclasses__": "Keep a list of your own, filled by __init_subclass__.",
    "__torch_dispatch__": "Nothing below autograd calls it here; __torch_function__ is asked before every function.",
    "_make_wrapper_subclass": "Nothing below autograd calls __torch_dispatch__ here; use x.as_subclass(cls).",
    "__import__": "Write an import statement.",
    "__builtins__": "The usual built-in functions have their names: len, print, …",
    "__file__": "The path of the program's own file is the name __file__.",
    "__getattribute__": "Define __getattr__, which is asked for attributes that are not there.",
    "__reduce__": "Define __copy__ or __deepcopy__.",
    "__reduce_ex__": "Define __copy__ or __deepcopy__.",
    "__getstate__": "Define __copy__ or __deepcopy__.",
    "__setstate__": "It is there in a __setstate__ of a module or an optimizer of your own: super().__setstate__(state).",
    "__traceback__": "str(error) is the message; traceback.format_exc() gives the text.",
    "__closure__": "Return what you want to look at from the function.",
    "__code__": "Write down what you want to know about the function.",
    "__globals__": "Pass the value to the function.",
    "__wrapped__": "Keep the original function under a name of its own.",
    "__instancecheck__": "Use a base class, or typing.Protocol.",
    "__class_getitem__": "Write X[int].",
    "ctypes": "Index the array; tolist() gives Python numbers.",
    "readinto": "Use read().",
    "readinto1": "Use read().",
    "tofile": "Use np.save, or write tobytes() to a file.",
    "dump": "Use np.save.",
    "dumps": "Use np.save, or tobytes().",
    "resize": "Use reshape(), or np.resize(a, shape).",
    "setflags": "Use copy() to get an array that can be written.",
    "bit_generator": "Use np.random.default_rng(seed).",
}
"""What to do instead."""


def normal(name: str) -> str:
    """A name as Python reads it: `ﬁ` is `fi`."""
    return name if name.isascii() else unicodedata.normalize("NFKC", name)


def is_dunder(name: str) -> bool:
    """Whether a name has two underscores on both sides."""
    return name[:2] == "__" and name[-2:] == "__" and len(name) > 4


def instead(name: str) -> str:
    """What to do instead of using an attribute."""
    if name in INSTEAD:
        return INSTEAD[name]
    if is_dunder(name):
        return "Names between double underscores belong to Python itself; of these only the usual special methods are here."
    if name in NEVER:
        return "Frames, code and generators cannot be looked into; keep what you need in variables."
    if name.startswith("_"):
        return "It is private to a class that is not your own; use its public attributes."
    return "Use its other attributes."


def may_bind(name: str) -> bool:
    """Whether a program may bind a name: by assignment, `def`, `import as`, a pattern, or whatever else."""
    return not is_dunder(name) or ((name in METHODS or name in CONSTANTS) and name not in ("__getattr__",))


def may_inject(name: object) -> bool:
    """Whether a name may become an attribute by way of a string."""
    return type(name) is str and not is_dunder(normal(name))


def named(arguments: Any) -> Any:
    """Arguments by name, whose names are plain texts: one of a program's class may be found as one, and equal another.

    What is no mapping stays as it is, for Python to say so.
    """
    if type(arguments) is not dict:
        if not hasattr(type(arguments), "keys"):
            return arguments
        arguments = {**arguments}
    for name in arguments:
        if type(name) is not str:
            break
    else:
        return arguments
    return {str.__str__(name) if isinstance(name, str) else name: value for name, value in arguments.items()}
