"""The code of what is written at every start is kept, and looked up by its text alone."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from engine.op import code_cache
from engine.op.code_cache import CodeCache


@pytest.fixture(autouse=True)
def bytecode_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some environments keep none."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)


def value(cache: CodeCache, text: str) -> object:
    scope: dict[str, object] = {}
    exec(cache.code(text, "<a text>"), scope)
    return scope["x"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "there" / "kept.operations"


def compiles_nothing(*_: object) -> None:
    raise AssertionError("it is compiled again")


def test_a_text_is_compiled_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = CodeCache(path)
    assert value(first, "x = 1") == 1
    first.save()
    monkeypatch.setattr("builtins.compile", compiles_nothing)
    second = CodeCache(path)
    assert value(second, "x = 1") == 1
    assert second.code("x = 1", "<a text>").co_filename == "<a text>"
    with pytest.raises(AssertionError, match="again"):
        second.code("x = 2", "<a text>")


def test_processes_add_to_what_others_have_kept(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = CodeCache(path), CodeCache(path)
    value(one, "x = 1")
    value(other, "x = 2")
    one.save()
    other.save()
    monkeypatch.setattr("builtins.compile", compiles_nothing)
    kept = CodeCache(path)
    assert [value(kept, "x = 1"), value(kept, "x = 2")] == [1, 2]
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_what_nobody_asks_for_any_more_is_not_kept_for_ever(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code_cache, "MOST", 2)
    for text in ("x = 1", "x = 2", "x = 3"):
        cache = CodeCache(path)
        value(cache, text)
        cache.save()
    assert len(CodeCache(path)._kept) == 1


@pytest.mark.parametrize("data", [b"", b"\0" * 40, code_cache.MAGIC_NUMBER, code_cache.MAGIC_NUMBER + b"N", b"\xff" * 99])
def test_a_spoilt_file_is_written_anew(path: Path, data: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(data)
    cache = CodeCache(path)
    assert value(cache, "x = 1") == 1
    cache.save()
    assert len(CodeCache(path)._kept) == 1


def test_where_nothing_can_be_written_nothing_is_kept(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for place in (tmp_path / "file" / "kept.operations", None):
        cache = CodeCache(place)
        assert value(cache, "x = 1") == 1
        cache.save()
        assert value(cache, "x = 1") == 1


def test_where_python_keeps_no_bytecode_nothing_is_written(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    cache = CodeCache(path)
    value(cache, "x = 1")
    cache.save()
    assert not path.exists()
