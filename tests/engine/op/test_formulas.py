"""Every rule can be read as LaTeX, and what the LaTeX says is what the rule computes."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import engine.ops.nn.recurrent  # noqa: F401 its operations are declared when it is imported
from engine.op.declare import TABLE, Op, on_arrays, parameters_of
from engine.op.latex import Text, balanced, fill, number, variable
from engine.op.symbolic import RuleText, rule_texts
from tests.engine.latex_numbers import Unknown, evaluate

DIFFERENTIABLE = [name for name, op in TABLE.items() if op.differentiable]
BY_NAME_ONLY = 60
"""Rules that stand as a bare vector-Jacobian product; the reader may get better, not worse."""


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_every_differentiable_input_has_a_sound_text(name: str) -> None:
    op = TABLE[name]
    texts = rule_texts(op)
    assert list(dict.fromkeys(t.input for t in texts)) == list(op.differentiable)
    for text in texts:
        assert text.template.strip()
        assert not re.search(r"<\w+ |object at|lambda|None|\x02|\x03|np\.", text.template)
        assert "{grad" in text.template or text.template == "0"
        assert balanced(fill(text.template, lambda _: Text("x")))


def test_few_rules_are_known_by_name_only() -> None:
    def missing(rule: Any) -> bool:
        """Whether it is no rule: PyTorch says that there is none."""
        return rule is not None and "refused" in rule.__code__.co_names

    bare = [
        name
        for name in DIFFERENTIABLE
        for t in rule_texts(TABLE[name])
        if "vjp" in t.template and not missing(TABLE[name].rules.get(t.input))
    ]
    assert len(bare) <= BY_NAME_ONLY


def test_the_rules_that_everybody_knows_read_as_in_a_book() -> None:
    def read(name: str, place: int = 0) -> str:
        return rule_texts(TABLE[name])[place].template

    assert read("mul") == r"{grad} \cdot {other}"
    assert read("tanh") == "{grad} (1 - {result}^2)"
    assert read("mm", 0) == "{grad} {mat2}^T"
    assert read("mm", 1) == "{self}^T {grad}"
    assert read("log") == r"\frac{{{grad}}}{{{self}}}"
    assert read("_pow_scalar", 3) == r"{grad} \cdot {exponent} \cdot {self}^{{{exponent} - 1}}"
    assert read("relu") == r"{grad} \cdot [{result} > 0]"


def _samples(op: Op, names: list[str]) -> dict[str, Any]:
    rng = np.random.default_rng(len(op.name))
    values: dict[str, Any] = {}
    for name in ("grad", *names):
        values[name] = rng.uniform(0.1, 0.9, 3)
    for p in op.parameters:
        if p.name in values and p.name not in op.rules:
            values[p.name] = p.default if isinstance(p.default, int | float) and p.default is not p.empty else 0.3
    return values


ELEMENTWISE = [
    pytest.param(op, text, id=f"{name}-{text.input}-{k}")
    for name, op in TABLE.items()
    for k, text in enumerate(rule_texts(op))
    if text.elementwise and not text.when
]


@pytest.mark.parametrize(("op", "text"), ELEMENTWISE)
def test_an_elementwise_text_has_the_value_of_its_rule(op: Op, text: RuleText) -> None:
    rule: Any = op.rules[text.input]
    names = parameters_of(rule)
    if any(n.endswith(("_sym_sizes", "_sym_numel")) or n in ("index", "indices", "dim", "dims") for n in names):
        pytest.skip("depends on shapes")
    values = _samples(op, names)
    try:
        computed = on_arrays(rule)(values["grad"], *[values[n] for n in names])
    except (TypeError, AttributeError, RuntimeError, ValueError, IndexError):
        pytest.skip("takes other values")
    places = {n: f"v{k}" for k, n in enumerate(values)}
    latex = fill(text.template, lambda n: Text(places[n]) if n in places else None)
    try:
        read = evaluate(latex, {places[n]: v for n, v in values.items()})
    except Unknown as why:
        pytest.skip(f"not understood: {why}")
    np.testing.assert_allclose(np.broadcast_to(read, (3,)), np.broadcast_to(computed, (3,)), rtol=1e-5)


def test_most_elementwise_texts_are_understood() -> None:
    understood = 0
    for parameter in ELEMENTWISE:
        text = parameter.values[1]
        assert isinstance(text, RuleText)
        try:
            evaluate(fill(text.template, lambda _: Text("0.5")))
        except Unknown:
            continue
        understood += 1
    assert understood > 0.8 * len(ELEMENTWISE)


def test_values_get_parentheses_where_their_neighbours_would_tear_them_apart() -> None:
    def filled(template: str, value: float) -> str:
        return fill(template, lambda _: number(value))

    assert filled("{x}^2", -2.0) == r"\left(-2\right)^2"
    assert filled("3 - {x}", -2.0) == r"3 - \left(-2\right)"
    assert filled("{x} + 3", -2.0) == "-2 + 3"
    assert filled(r"\frac{{{x}}}{{2}}", -2.0) == r"\frac{-2}{2}"
    assert filled("{x}^2", 1e-9) == r"\left(1 \cdot 10^{-9}\right)^2"
    assert filled("{x} {x}", 2.0) == r"2 \left(2\right)"
    assert filled(r"\sin {x}", 0.5) == r"\sin 0.5"


def test_names_of_programs_are_no_commands() -> None:
    assert variable("x") == "x"
    assert variable("x_1") == r"\mathit{x\_1}"
    hostile = variable(r"p['\href{javascript:1}{x}^_$']")
    assert balanced(hostile)
    assert "\\href" not in hostile


def test_katex_understands_every_text(tmp_path: Path) -> None:
    """The page draws formulas with the KaTeX that comes with Streamlit."""
    import streamlit

    scripts = sorted((Path(streamlit.__file__).parent / "static/static/js").glob("katex.*.js"))
    if not scripts or shutil.which("node") is None:
        pytest.skip("needs node and Streamlit's KaTeX")
    shutil.copy(scripts[0], tmp_path / "katex.mjs")
    texts = sorted({fill(t.template, lambda n: Text(variable(n))) for op in TABLE.values() for t in rule_texts(op)})
    (tmp_path / "check.mjs").write_text(
        "import katex from './katex.mjs'; import fs from 'fs';"
        "for (const line of fs.readFileSync('texts', 'utf8').split('\\n'))"
        " katex.renderToString(line, {throwOnError: true, strict: 'error'});"
    )
    (tmp_path / "texts").write_text("\n".join(texts))
    done = subprocess.run(["node", "check.mjs"], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
