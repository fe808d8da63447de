"""The types of elements that NumPy is given: all of them pass here, since it believes what it has been told of their memory.

It adds up the size of a structured type in a C int, which wraps around, so that fields lie behind the element; and where it
unites two types, it adds once more. So their sizes are bounded such that no sum comes near. Text is made of code points that
Python's own C code takes for such, so memory that has been numbers becomes text only after a look at each of them. Units
of time it divides by whatever number is said, and by zero it ends the process.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from . import fields
from .arrays import specified
from .errors import PolicyError

LARGEST = 2**27
"""Bytes that one element may take."""
RECORD = 2**21
"""The number of fields of an element, times the bytes of the largest. Where NumPy unites two types, each field becomes as large
as the larger of both, or more where their kinds differ: a byte becomes 512 at most, as the text of a complex number."""
LAST = 0x10FFFF
"""The last code point that there is."""

_Array: Any = np.ndarray
_view = _Array.view
"""NumPy's own, whatever the methods of arrays are by now."""
_TIMES = (np.datetime64, np.timedelta64)
_PLAIN = frozenset(
    type(np.dtype(kind)) for kind in np.sctypeDict.values() if not issubclass(kind, np.flexible) and kind not in _TIMES
)
"""Types of types of numbers and objects."""
_DIVIDED = re.compile(r"(?:[mM]8|64)\[[^\]]*/")
"""A unit of time as a part of another one, in the text of a type."""
_NAMED = frozenset((bool, bytes, complex, float, int, object, str)) | frozenset(np.sctypeDict.values())


def settled(given: Any) -> Any:
    """A type of elements as NumPy is to be given it: what it makes of this, or the same, if that says all.

    Raises:
        PolicyError: if it is too large.
    """
    kind = type(given)
    if given is None or (kind in _PLAIN and given.fields is None) or (kind is type and given in _NAMED):
        return given
    make: Any = np.dtype
    return checked(make(undivided(specified(given))))


def undivided(wanted: Any) -> Any:
    """What a type is to be made from.

    Raises:
        PolicyError: if one of its texts divides a unit of time.
    """
    pending = [wanted]
    seen: dict[int, Any] = {}
    while pending:
        each = pending.pop()
        if id(each) in seen:  # a list that is in itself, or in many places
            continue
        seen[id(each)] = each
        if isinstance(each, bytes):
            each = bytes.decode(each, "latin-1")
        if isinstance(each, str):
            if _DIVIDED.search(str.__str__(each)):
                raise PolicyError("a unit of time cannot be a part of another one here", "Name the unit itself: m8[ms].")
        elif type(each) in (list, tuple):
            pending += each
        elif type(each) is dict:
            pending += dict.values(each)
    return wanted


def checked(dtype: Any) -> Any:
    """A type, if its fields lie within an element, text on no other, and no sum of sizes comes near the bounds of NumPy's.

    Raises:
        PolicyError: if not.
    """
    if type(dtype) in _PLAIN and dtype.fields is None:
        return dtype
    if not 0 <= dtype.itemsize <= LARGEST:
        raise PolicyError("an element of an array cannot be as large as that here", "Use an array of more dimensions.")
    if not _is_sound(dtype):
        raise PolicyError(
            "a field lies beyond its element, or text on other fields, or has no plain name or unit",
            "Use an array for each field.",
        )
    count, largest = _parts(dtype)
    if count > 1 and count * largest > RECORD:
        raise PolicyError("an element with fields cannot be as large as that here", "Use an array for each field.")
    if count > 1 and (dtype.hasobject or has_text(dtype)):
        fields.watch()
    return dtype


def _is_sound(dtype: Any) -> bool:
    """Whether all fields lie within an element, and text within no other field; and times are counted in some unit."""
    if dtype.subdtype is not None:
        return _is_sound(dtype.subdtype[0])
    if dtype.fields is None:
        return dtype.kind not in "mM" or np.datetime_data(dtype)[1] > 0
    if any(type(name) is not str for name in dtype.names):  # of a class of the program's, it may be found as another
        return False
    places = sorted((field[1], field[1] + field[0].itemsize, has_text(field[0])) for field in _fields(dtype))
    end, text = 0, False
    for first, behind, of_text in places:
        if first < end and (text or of_text):
            return False
        end, text = max(end, behind), text or of_text
    if text and dtype.kind != "V":  # a number that has fields is written as a whole, too
        return False
    within = all(first >= 0 and first <= behind <= dtype.itemsize for first, behind, _ in places)
    return within and all(_is_sound(field[0]) for field in _fields(dtype))


def _parts(dtype: Any) -> tuple[int, int]:
    """How many fields there are in all, and the bytes of the largest."""
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        count, largest = _parts(base)
        for n in shape:
            largest *= n
        return count, largest
    if dtype.fields is None:
        return 1, int(dtype.itemsize)
    parts = [_parts(field[0]) for field in _fields(dtype)]
    return sum(count for count, _ in parts) or 1, max([largest for _, largest in parts], default=0)


def _fields(dtype: Any) -> Iterator[Any]:
    """Type and offset of each field."""
    for name in dtype.names:
        yield dtype.fields[name]


# --- text -------------------------------------------------------------------------------------------------------------------


def has_text(dtype: Any) -> bool:
    """Whether there is text of code points in an element."""
    if dtype.subdtype is not None:
        return has_text(dtype.subdtype[0])
    return dtype.kind == "U" or (dtype.fields is not None and any(has_text(field[0]) for field in _fields(dtype)))


def is_text_as_before(before: Any, after: Any) -> bool:
    """Whether memory of the one type has its text where memory of the other has it."""
    return bool(before == after) or (before.kind == after.kind == "U" and before.isnative == after.isnative)


def check_text(array: Any) -> None:
    """Look at all text of an array.

    Raises:
        ValueError: if something in it is no character.
    """
    dtype = array.dtype
    if dtype.fields is not None:
        for name in dtype.names:
            check_text(array[name])
    elif dtype.kind == "U" and array.size and dtype.itemsize:
        codes = _view(array.copy().reshape(-1), np.dtype(np.uint32).newbyteorder(dtype.byteorder))
        if int(codes.max()) > LAST:
            raise ValueError(f"{int(codes.max()):#x} is no code point, so it cannot be looked at as text")


def seen(before: Any, found: Any, *, aside: bool = False) -> Any:
    """Memory that is looked at as another type: as text in a copy that was looked through, and no number is written to text.

    Args:
        before: what type it has been.
        found: the array that looks at it.
        aside: whether its elements begin elsewhere.
    """
    text = has_text(found.dtype)
    if not text and not has_text(before):
        return found
    if not aside and is_text_as_before(before, found.dtype):
        return found
    if text:
        found = found.copy()
        check_text(found)
    else:
        found.flags.writeable = False
    return found
