"""`read_csv` and `to_csv`: tables in files."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...slots import slots
from .index import Index, _made
from .values import Array, cast, inferred, is_list, kind_of, label, missing, plain, texts

GAPS = frozenset(
    ("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA", "NULL",
     "NaN", "None", "n/a", "nan", "null")
)  # fmt: skip
"""Texts that stand for a value that is not there."""
IGNORED = frozenset(
    ("cache_dates", "dialect", "dtype_backend", "engine", "float_precision", "infer_datetime_format", "low_memory",
     "memory_map", "on_bad_lines", "skip_blank_lines", "storage_options", "verbose")
)  # fmt: skip
"""Arguments that say how a file is read, not what is in it."""
NETWORK = ("http://", "https://", "ftp://", "s3://")


def read_csv(
    filepath_or_buffer: Any, sep: Any = ",", delimiter: Any = None, header: Any = "infer", names: Any = None,
    index_col: Any = None, usecols: Any = None, dtype: Any = None, skiprows: Any = None, nrows: Any = None,
    na_values: Any = (), keep_default_na: bool = True, thousands: Any = None, decimal: str = ".", comment: Any = None,
    encoding: Any = None, quotechar: str = '"', skipinitialspace: bool = False, skipfooter: int = 0,
    delim_whitespace: bool = False, **options: Any,
) -> Any:  # fmt: skip
    """A table of a file of comma-separated values.

    Args:
        filepath_or_buffer: the path of a file that was opened with the program, or an open one.
        sep: what stands between values; a text of more than one sign is a pattern.
        header: the line with the names of the columns, None if there is none.

    Raises:
        FileNotFoundError: for a file that is not there.
        NotImplementedError: for an address, and for arguments that are not here.
        ValueError: for rows that are longer than the header.
    """
    unknown = sorted(name for name, value in options.items() if name not in IGNORED and value not in (None, False))
    if unknown:
        raise NotImplementedError(f"read_csv does not take {unknown[0]}= here")
    sep = r"\s+" if delim_whitespace else sep if delimiter is None else delimiter
    lines = list(_lines(filepath_or_buffer, encoding, skiprows, comment))
    rows = list(_rows(lines, plain(sep), plain(quotechar), bool(skipinitialspace)))
    rows = rows[: len(rows) - skipfooter]
    if header == "infer":
        header = None if names is not None else 0
    titles: list[Any] | None = None
    if header is not None:
        if not rows:
            raise ValueError("No columns to parse from file")
        titles, rows = _titles(rows[header]), rows[header + 1 :]
    if names is not None:
        titles = [label(name) for name in names]
    if nrows is not None:
        rows = rows[:nrows]
    widest = max(map(len, rows), default=0)
    titles = list(range(widest)) if titles is None else titles
    own = widest == len(titles) + 1 and index_col is None and all(row and row[-1] != "" for row in rows)
    for k, row in enumerate(rows):
        if len(row) > len(titles) + own and any(row[len(titles) + own :]):
            raise ValueError(f"Error tokenizing data. C error: Expected {len(titles)} fields in line {k + 2}, saw {len(row)}")
    if own:  # the first column has no name: it names the rows
        titles, index_col = [None, *titles], 0
    gaps = (GAPS if keep_default_na else frozenset()) | {str(v) for v in (na_values if is_list(na_values) else [na_values])}
    held = []
    for k, title in enumerate(titles):
        cells = [row[k] if k < len(row) else "" for row in rows]
        kind = dtype.get(title) if isinstance(dtype, dict) else dtype
        held.append(_parsed(cells, gaps, thousands, decimal, kind))
    return _table(titles, held, index_col, usecols)


def read_table(filepath_or_buffer: Any, sep: Any = "\t", **options: Any) -> Any:
    """A table of a file of values between tabulators."""
    return read_csv(filepath_or_buffer, sep, **options)


def _titles(row: list[str]) -> list[str]:
    """The names of the columns, each made another one where it comes again."""
    found: list[str] = []
    for k, title in enumerate(row):
        title = title or f"Unnamed: {k}"
        name, times = title, 0
        while name in found:
            times += 1
            name = f"{title}.{times}"
        found.append(name)
    return found


def _table(titles: list[Any], held: list[Array], index_col: Any, usecols: Any) -> Any:
    from .frame import DataFrame, _frame

    if usecols is None:
        wanted = titles
    elif callable(usecols):
        wanted = [title for title in titles if usecols(title)]
    else:
        wanted = [title for k, title in enumerate(titles) if title in usecols or k in usecols]
    pairs = [(title, array) for title, array in zip(titles, held, strict=True) if title in wanted]
    rows: Index | None = None
    if index_col is not None and index_col is not False:
        name = index_col[0] if isinstance(index_col, list) else index_col
        at = next(k for k, (title, _) in enumerate(pairs) if title == name or (title not in (name,) and k == name))
        title, array = pairs.pop(at)
        rows = _made(array, None if isinstance(title, str) and title.startswith("Unnamed: ") else title)
    length = len(held[0]) if held else 0
    if not pairs:
        return DataFrame(index=rows)
    return _frame([array for _, array in pairs], rows or Index(range(length)), Index([title for title, _ in pairs]))


def _lines(source: Any, encoding: Any, skiprows: Any, comment: Any) -> Iterator[str]:
    """The lines of a file that count."""
    if isinstance(source, str) and source.startswith(NETWORK):
        raise NotImplementedError(
            "a program has no network here; open the file together with the program, and read it by its name"
        )
    if hasattr(source, "read"):
        data = source.read()
        text = bytes.decode(data, encoding or "utf-8") if isinstance(data, bytes) else str.__str__(data)
    else:
        with slots.open(source, "r", encoding=encoding or "utf-8", newline="") as file:
            text = str.__str__(file.read())
    skipped = set(range(skiprows)) if isinstance(skiprows, int) else {*skiprows} if is_list(skiprows) else set()
    for k, line in enumerate(io.StringIO(text.removeprefix("\ufeff"), newline=None)):
        if k in skipped or (callable(skiprows) and skiprows(k)):
            continue
        if comment is not None:
            line = line.partition(comment)[0]
        yield line


def _rows(lines: list[str], sep: Any, quote: str, skips: bool) -> Iterator[list[str]]:
    """The values of each line that is not empty."""
    if sep is None or (len(sep) > 1 and sep != "\\t"):
        pattern = re.compile(r"[,;\t|]" if sep is None else sep)
        yield from (pattern.split(line.strip() if sep == r"\s+" else line.rstrip("\n")) for line in lines if line.strip())
        return
    reader = csv.reader(lines, delimiter="\t" if sep == "\\t" else sep, quotechar=quote, skipinitialspace=skips)
    yield from (row for row in reader if row and (len(row) > 1 or row[0].strip()))


def _parsed(cells: list[str], gaps: Any, thousands: Any, decimal: str, dtype: Any) -> Array:
    """A column of the narrowest kind that its texts are."""
    if dtype is not None and kind_of(dtype)[0].kind == "O":
        return texts([float("nan") if cell in gaps else cell for cell in cells])
    absent = [cell.strip() in gaps for cell in cells]
    there = [cell.strip() for cell, gap in zip(cells, absent, strict=True) if not gap]
    found = _numbers(there, thousands, decimal)
    if found is None:
        return texts([float("nan") if cell in gaps else cell for cell in cells])
    if any(absent):
        items = iter(found)
        wide = [float("nan") if gap else next(items) for gap in absent]
        array = texts(wide) if there and type(found[0]) is bool else np.array(wide, np.float64)
    else:
        array = inferred(found)
    return array if dtype is None else cast(array, dtype)


def _numbers(there: list[str], thousands: Any, decimal: str) -> list[Any] | None:
    """Texts as truth values or numbers, None where one of them is neither."""
    if there and all(text in ("True", "False", "TRUE", "FALSE", "true", "false") for text in there):
        return [text.lower() == "true" for text in there]
    if any("_" in text for text in there):
        return None
    try:
        if thousands is not None:
            there = [text.replace(thousands, "") for text in there]
        if decimal != ".":
            there = [text.replace(decimal, ".") for text in there]
        try:
            return [int(text) for text in there]
        except ValueError:
            return [float(text) for text in there]
    except ValueError:
        return None


def written_as_csv(frame: Any, to: Any, sep: str, index: bool, header: Any, mode: str, options: dict[str, Any]) -> Any:
    """A table as text, into a file where one is named."""
    gap, decimals = plain(options.get("na_rep", "")), plain(options.get("float_format"))
    out = io.StringIO()
    writer = csv.writer(out, delimiter=plain(sep), lineterminator="\n")
    titles = list(frame._columns) if not is_list(header) else [label(one) for one in header]
    if header is not False and header is not None:
        writer.writerow([*([frame._index.name if frame._index.name is not None else ""] if index else []), *titles])
    columns = []
    for array in frame._held:
        absent, items = missing(array).tolist(), array.tolist()
        if array.dtype.kind == "f" and array.dtype.itemsize < 8:
            items = [float(str(item)) for item in array]
        shown = [decimals % item if decimals and type(item) is float else item for item in items]
        columns.append([gap if lost else item for item, lost in zip(shown, absent, strict=True)])
    rows = zip(*([frame._index.tolist()] if index else []), *columns, strict=True)
    writer.writerows(rows)
    text = out.getvalue()
    if to is None:
        return text
    if hasattr(to, "write"):
        to.write(text)
    else:
        with slots.open(to, mode, encoding=options.get("encoding") or "utf-8", newline="") as file:
            file.write(text)
    return None
