"""The tables of limits and of settings in the documents, from their declarations: `python -m engine.tables` writes them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

from . import limits
from .compat.version import DEFAULT, RELEASES
from .sandbox import settings


def limits_table() -> str:
    """All limits, in Markdown."""
    lines = ["| limit | hosted | why |", "|---|---|---|"]
    for title, rows in limits.GROUPS.items():
        lines.append(f"| **{title}** | | |")
        for row in rows:
            hosted = "" if row.hosted is None else row.shown(row.hosted)
            lines.append(f"| {row.past()} | {hosted} | {row.why} |")
    return "\n".join(lines)


def settings_table() -> str:
    """What operators can set, in Markdown."""
    (declared,) = (
        node
        for node in ast.parse(Path(settings.__file__).read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef) and node.name == settings.Settings.__name__
    )
    values = {name: row.both() for name, row in vars(limits).items() if isinstance(row, limits.Row)}
    values |= {"RELEASES": " or ".join(RELEASES), "DEFAULT": DEFAULT}
    lines = ["| variable | default | what it sets |", "|---|---|---|"]
    for field, said in zip(declared.body, declared.body[1:]):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(said, ast.Expr):
            default = getattr(settings.Settings(), field.target.id)
            shown = {"": "", False: "0"}.get(default, str(default))
            what = str(ast.literal_eval(said.value)).format(**values)
            lines.append(f"| `{settings.PREFIX}{field.target.id.upper()}` | {shown} | {what} |")
    return "\n".join(lines)


def written(text: str, name: str, table: str) -> str:
    """A document with a table between the comments that mark it."""
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->"
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(end)
    return f"{before}{begin}{table}\n{end}{after}"


ROOT = Path(__file__).resolve().parents[1]
PAGES: dict[Path, tuple[str, Callable[[], str]]] = {
    ROOT / "SECURITY.md": ("limits", limits_table),
    ROOT / "assets" / "deploy" / "README.md": ("settings", settings_table),
}
"""Documents with a table: its name in the comments, and what makes it."""

if __name__ == "__main__":
    for page, (name, make) in PAGES.items():
        page.write_text(written(page.read_text(encoding="utf-8"), name, make()), encoding="utf-8")
        print(f"wrote {page.relative_to(ROOT)}")
