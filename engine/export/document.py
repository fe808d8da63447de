"""Recordings as JSON that any language reads: the same facts as in a `.gradtape` file, each with the names of its fields.

    {"format": "gradtape", "version": 1, "engine": "numpy", "seed": 1234, "source": ["import torch …"],
     "sites":  [{"cell": 0, "line": 3, "column": 5, "end_line": 3, "end_column": 42}, …],
     "scopes": [{"function": "", "call": 0, "loops": [[6, 0]], "module": ""}, …],
     "ops":    [{"name": "mul", "symbol": "×", …}, …],
     "arrays": [{"dtype": "float32", "shape": [2], "data": [1.0, 2.0]}, …],
     "events": [{"kind": "op", "op": "tensor", "outputs": [{"id": 0, "array": 0, …}], "site": 0}, …]}

What events and their fields mean is written at the classes of `engine.recording.events`; a field that has its default is
left out, and -1 stands for "none". An array is nested lists in `data`; one too large to be kept has a `summary` instead.
NaN and infinities, which JSON has no word for, are the texts "NaN", "Infinity" and "-Infinity"; complex numbers are pairs.
`schema()` is the JSON Schema of all that.
"""

from __future__ import annotations

import json
import math
from functools import cache
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
import numpy as np

from ..limits import ENTRIES, FILE
from ..progress import Tell, part, told, untold
from ..recording.events import AnyEvent, Scope, Site
from ..recording.recording import OpInfo, Recording
from ..recording.store import DTYPES, RecordingError, StoredArray, Summary

FORMAT, VERSION = "gradtape", 1
_ABOUT: dict[str, Any] = {"seed": None, "names": (), "rank": 0, "world_size": 1}
"""What else is said of a whole recording, with what it is where nothing is said; fields of `Recording`."""
_WORDS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_Word = Literal["NaN", "Infinity", "-Infinity"]


def to_json(recording: Recording, tell: Tell = untold) -> bytes:
    """The recording as JSON text in UTF-8."""
    document = {
        "format": FORMAT,
        "version": VERSION,
        "engine": recording.engine,
        **{name: getattr(recording, name) for name, default in _ABOUT.items() if getattr(recording, name) != default},
        "source": list(recording.source),
        "sites": [_plain(site) for site in recording.sites],
        "scopes": [_plain(scope) for scope in recording.scopes],
        "ops": [_plain(op) for op in recording.ops.values()],
        "arrays": [_array(array) for array in told(recording.arrays, part(tell, 0, 0.3))],
        "events": [_plain(event) for event in told(recording.events, part(tell, 0.3, 0.8))],
    }
    return json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def from_json(data: bytes) -> Recording:
    """The recording that `to_json` wrote; RecordingError for anything else, and for one that contradicts itself."""
    if len(data) > FILE.value():
        raise RecordingError(FILE.past())
    try:
        document: Any = msgspec.json.Decoder(_document()).decode(data)
        if (document.format, document.version) != (FORMAT, VERSION):
            raise RecordingError("not a recording of this version")
        tables = {name: getattr(document, name) for name in ("sites", "scopes", "ops", "arrays", "events")}
        if any(len(table) > ENTRIES.value() for table in tables.values()):
            raise RecordingError(ENTRIES.past())
        ops = [_struct(OpInfo, op) for op in tables["ops"]]
        recording = Recording(
            source=document.source,
            events=[_struct(_kinds()[type(event).__name__], event) for event in tables["events"]],
            sites=[_struct(Site, site) for site in tables["sites"]],
            scopes=[_struct(Scope, scope) for scope in tables["scopes"]],
            arrays=[_stored(array) for array in tables["arrays"]],
            ops={op.name: op for op in ops},
            engine=document.engine,
            **{name: getattr(document, name) for name in _ABOUT},
        )
    except (msgspec.DecodeError, RecursionError, UnicodeError, OverflowError) as error:
        raise RecordingError(f"recording cannot be decoded: {str(error)[:200]}") from None
    recording.check()
    return recording


def schema() -> dict[str, Any]:
    """The JSON Schema of the format."""
    return msgspec.json.schema(_document())


# --- structs with named fields ----------------------------------------------------------------------------------------------


@cache
def _kinds() -> dict[str, type[msgspec.Struct]]:
    return {kind.__name__: kind for kind in get_args(AnyEvent)}


@cache
def _document() -> type[msgspec.Struct]:
    """The whole document as a type whose structs are objects; in `.gradtape` files they are arrays."""
    event: Any = Union[tuple(_twin(kind) for kind in get_args(AnyEvent))]  # noqa: UP007  (made from a list)
    array = msgspec.defstruct(
        "StoredArray",
        [("dtype", str), ("shape", tuple[int, ...]), ("data", Any, None), ("summary", _twin(Summary) | None, None)],
        forbid_unknown_fields=True,
    )
    fields: list[Any] = [
        ("format", str), ("version", int), ("engine", str), ("source", tuple[str, ...]), ("sites", list[_twin(Site)]),  # type: ignore[misc]
        ("scopes", list[_twin(Scope)]), ("ops", list[_twin(OpInfo)]), ("arrays", list[array]), ("events", list[event]),  # type: ignore[misc, valid-type]
        ("seed", int | None, None), ("names", tuple[str, ...], ()), ("rank", int, 0), ("world_size", int, 1),
    ]  # fmt: skip
    return msgspec.defstruct("Recording", fields, forbid_unknown_fields=True)


@cache
def _twin(struct: type[msgspec.Struct]) -> Any:
    """A struct of the log as an object with named fields."""
    hints = get_type_hints(struct)
    config = struct.__struct_config__
    fields: list[Any] = []
    for field in msgspec.structs.fields(struct):
        kind = _named(hints[field.name])
        fields.append((field.name, kind) if field.required else (field.name, kind, field.default))
    tag: dict[str, Any] = {"tag_field": config.tag_field, "tag": config.tag} if config.tag is not None else {}
    return msgspec.defstruct(struct.__name__, fields, kw_only=True, omit_defaults=True, forbid_unknown_fields=True, **tag)


def _named(kind: Any) -> Any:
    """A field's type with twins for its structs, and words for the numbers that JSON does not have."""
    origin, inside = get_origin(kind), get_args(kind)
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return _twin(kind)
    if kind is float:
        return float | _Word
    if origin is tuple:
        return tuple[tuple(one if one is Ellipsis else _named(one) for one in inside)]  # type: ignore[misc]
    if origin in (Union, UnionType):
        return Union[tuple(map(_named, inside))]  # noqa: UP007
    return kind


def _plain(value: Any) -> Any:
    """A struct as a dict without the fields that have their defaults, its tag among them; other values as JSON has them."""
    if isinstance(value, msgspec.Struct):
        config = value.__struct_config__
        found: dict[str, Any] = {} if config.tag is None else {str(config.tag_field): config.tag}
        for name, default in _fields(type(value)):
            one = getattr(value, name)
            if one != default:
                found[name] = _plain(one)
        return found
    if isinstance(value, tuple | list):
        return [_plain(one) for one in value]
    return _word(value) if isinstance(value, float) else value


@cache
def _fields(kind: type[msgspec.Struct]) -> list[tuple[str, Any]]:
    """A struct's fields, each with what it is when it is left out: to ask for them takes longer than to write them."""
    return [(field.name, field.default) for field in msgspec.structs.fields(kind)]


_hints = cache(get_type_hints)


def _struct(kind: type[msgspec.Struct], value: Any) -> Any:
    """A struct of the log from its twin."""
    hints = _hints(kind)
    return kind(**{name: _given(hints[name], getattr(value, name)) for name in kind.__struct_fields__})


def _given(kind: Any, value: Any) -> Any:
    origin, inside = get_origin(kind), get_args(kind)
    if value is None:
        return None
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return _struct(kind, value)
    if kind is float:
        return float(_WORDS.get(value, value))
    if origin is tuple:
        kinds = [inside[0]] * len(value) if inside[-1] is Ellipsis else inside
        return tuple(_given(one, item) for one, item in zip(kinds, value, strict=True))
    if origin in (Union, UnionType):
        return _given(next(one for one in inside if one is not type(None)), value)
    return value


# --- arrays -----------------------------------------------------------------------------------------------------------------


def _array(stored: StoredArray) -> dict[str, Any]:
    found: dict[str, Any] = {"dtype": stored.dtype, "shape": list(stored.shape)}
    array = stored.to_numpy()
    if array is None:
        return found | {"summary": _plain(stored.summary)}
    if array.dtype.kind == "c":
        array = np.stack([array.real, array.imag], axis=-1)
    values = array.tolist()
    finite = array.dtype.kind not in "f" or bool(np.isfinite(array).all())
    return found | {"data": values if finite else _words(values)}


def _words(values: Any) -> Any:
    return [_words(one) for one in values] if isinstance(values, list) else _word(values)


def _word(value: float) -> float | str:
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _stored(twin: Any) -> StoredArray:
    summary = None if twin.summary is None else _struct(Summary, twin.summary)
    if twin.data is None:
        return StoredArray(twin.dtype, twin.shape, None, summary)
    dtype = DTYPES.get(twin.dtype)
    if dtype is None:
        raise RecordingError(f"array of unknown dtype {twin.dtype[:40]!r}")
    pair = dtype.kind == "c"
    shape = (*twin.shape, 2) if pair else twin.shape
    flat: list[Any] = []
    _flatten(twin.data, shape, bool if dtype.kind == "b" else int if dtype.kind in "iu" else float, flat)
    with np.errstate(over="ignore"):
        numbers = np.array(flat, dtype=(np.float32 if dtype.itemsize == 8 else np.float64) if pair else dtype)
    return StoredArray(twin.dtype, twin.shape, numbers.tobytes(), summary)


def _flatten(values: Any, shape: tuple[int, ...], kind: type, flat: list[Any]) -> None:
    """Append the elements of nested lists, which must have this shape and kind."""
    if not shape:
        number = _WORDS.get(values, values) if isinstance(values, str) and kind is float else values
        if isinstance(number, bool) is not (kind is bool) or not isinstance(number, kind if kind is not float else int | float):
            raise RecordingError("array with an element that does not fit its dtype")
        flat.append(number)
        return
    if not isinstance(values, list) or len(values) != shape[0]:
        raise RecordingError("array whose lists do not fit its shape")
    for one in values:
        _flatten(one, shape[1:], kind, flat)
