"""Writes `components/player/frontend/src/protocol.d.ts` from `components/player/protocol.py`: `python -m tests.declarations`.

The player's JavaScript names its types in comments (`@typedef {import('./protocol').Message}`), so that an editor checks them.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import inspect as types

from components.player import protocol

PAGE = Path(__file__).resolve().parents[1] / "components" / "player" / "frontend" / "src" / "protocol.d.ts"
ENTRIES = (protocol.Message, protocol.Reports)
"""What is sent, and what is told; whatever these have in them is declared, too."""
_PLAIN = {
    types.StrType: "string", types.IntType: "number", types.FloatType: "number", types.BoolType: "boolean",
    types.NoneType: "null", types.AnyType: "any",
}  # fmt: skip


def declarations() -> str:
    """The declarations of today's protocol."""
    found: dict[str, type[msgspec.Struct]] = {}
    for entry in ENTRIES:
        _collect(types.type_info(entry), found)
    head = "/** What the player is sent and tells. Generated from ../../protocol.py by `python -m tests.declarations`. */"
    return "\n\n".join([head, *(_declaration(struct) for struct in found.values())]) + "\n"


def _collect(info: types.Type, found: dict[str, type[msgspec.Struct]]) -> None:
    """Every struct in a type, each after those in it."""
    if isinstance(info, types.StructType):
        if info.cls.__name__ in found:
            assert found[info.cls.__name__] is info.cls, f"two structs are called {info.cls.__name__}"
            return
        for field in info.fields:
            _collect(field.type, found)
        found[info.cls.__name__] = info.cls
    for part in _parts(info):
        _collect(part, found)


def _parts(info: types.Type) -> Iterator[types.Type]:
    match info:
        case types.UnionType():
            yield from info.types
        case types.ListType() | types.VarTupleType():
            yield info.item_type
        case types.TupleType():
            yield from info.item_types
        case types.DictType():
            yield from (info.key_type, info.value_type)


def _declaration(struct: type[msgspec.Struct]) -> str:
    info = types.type_info(struct)
    assert isinstance(info, types.StructType)
    lines = [f"/** {_flat(struct.__doc__)} */", f"export interface {struct.__name__} {{"]
    said = _docs(struct)
    for field in info.fields:
        left_out = not field.required and struct.__struct_config__.omit_defaults
        optional = left_out or field.default is msgspec.UNSET
        if field.name in said:
            lines.append(f"  /** {said[field.name]} */")
        lines.append(f"  {field.encode_name}{'?' if optional else ''}: {_type(field.type)};")
    return "\n".join([*lines, "}"])


def _type(info: types.Type) -> str:
    match info:
        case types.StructType():
            return info.cls.__name__
        case types.UnionType():
            return " | ".join(map(_type, info.types))
        case types.ListType() | types.VarTupleType():
            inner = _type(info.item_type)
            return f"({inner})[]" if " | " in inner else f"{inner}[]"
        case types.TupleType():
            return f"[{', '.join(map(_type, info.item_types))}]"
        case types.DictType():
            return f"Record<{_type(info.key_type)}, {_type(info.value_type)}>"
        case types.LiteralType():
            return " | ".join(f"'{value}'" for value in info.values)
    return _PLAIN[type(info)]


def _docs(struct: type[msgspec.Struct]) -> dict[str, str]:
    """Field → the string that stands below it in the source."""
    found, name = {}, ""
    for node in _body(struct):
        match node:
            case ("field", named):
                name = named
            case ("text", text) if name:
                found[name] = _flat(text)
                name = ""
    return found


def _body(struct: type[msgspec.Struct]) -> Iterator[tuple[str, str]]:
    (made,) = ast.parse(textwrap.dedent(inspect.getsource(struct))).body
    assert isinstance(made, ast.ClassDef)
    for node in made.body[1:]:
        match node:
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield "field", name
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield "text", text


def _flat(text: str | None) -> str:
    return " ".join((text or "").split())


def main() -> None:
    """Write them."""
    PAGE.write_text(declarations(), encoding="utf-8")


if __name__ == "__main__":
    main()
