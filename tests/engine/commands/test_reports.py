"""`gradtape explain` for builds: formats, what is ignored, and exit codes; `gradtape rules`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import gradtape
from engine.commands.reports import FORMATS
from engine.commands.sarif import literal
from engine.commands.terminal import harmless, on_a_line
from engine.diagnosis.findings.catalogue import entry, every_kind, kinds
from engine.program import Program

HEAD = "import torch\nx = torch.ones(2, requires_grad=True)\n"
PROGRAMS = {
    "sound.py": HEAD + "x.sum().backward()\n",
    "error.py": HEAD + "y = x * 2\ny.backward()\n",
    "hint.py": HEAD + "y = x * 2\ntorch.relu(y)\ny.sum().backward()\n",
    "warning.py": entry("softmax_twice").broken,
    "policy.py": "import subprocess; subprocess.run(['ls'])\n",
    "syntax.py": "x = = 1\n",
    "forever.py": HEAD + "while True:\n    x = x * 1\n",
    "shown.py": HEAD + 'd = "äöü"; y = x * 2; y.backward()\n',
    "hostile.py": HEAD
    + 'raise ValueError("\\x1b[31mred\\x1b[0m \\u202e [click](http://evil) {0}\\n::error file=x::forged <img src=x>")\n',
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in PROGRAMS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    cells = (HEAD, "y = x * 2", "y.backward()")
    (tmp_path / "book.ipynb").write_text(Program(cells, notebook=True).to_notebook(), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def explained(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = gradtape.main(["explain", *arguments])
    return code, capsys.readouterr().out


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["sound.py"], 0), (["hint.py"], 0), (["warning.py"], 1), (["error.py"], 1), (["syntax.py"], 1), (["book.ipynb"], 1),
        (["policy.py"], 2), (["none.py"], 2), (["forever.py", "--seconds", "0.3"], 2),
        (["error.py", "--ignore", "backward_on_vector"], 0),
        (["error.py", "--ignore", "nan, inf", "--ignore", "backward_on_vector"], 0), (["error.py", "--ignore", "nan"], 1),
    ],
)  # fmt: skip
def test_the_exit_code_says_what_a_build_has_to_know(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, format: str
) -> None:
    assert explained(capsys, *arguments, "--format", format)[0] == code


def test_a_rule_that_is_not_there_is_refused_with_the_nearest(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert gradtape.main(["explain", "error.py", "--ignore", "nan,backward_on_vectors"]) == 2
    assert "no rule is called backward_on_vectors; did you mean backward_on_vector?" in capsys.readouterr().err
    assert gradtape.main(["explain", "error.py", "--ignore", "qqqqqq"]) == 2
    assert "no rule is called qqqqqq; `gradtape rules` lists them" in capsys.readouterr().err


def test_what_is_ignored_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, shown = explained(capsys, "hint.py", "--ignore", "unused_result")
    assert shown.startswith("Nothing else looks wrong (")
    assert "1 finding is ignored: unused_result at line 4.\n" in shown
    _, shown = explained(capsys, "error.py", "--ignore", "backward_on_vector")
    assert shown.startswith("The program ended with RuntimeError, which is ignored.\n")


def test_an_error_is_quoted_once_and_whole(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, shown = explained(capsys, "error.py")
    assert shown.startswith("error: y has [2] elements")
    assert shown.count("grad can be implicitly created only for scalar outputs") == 1


# --- SARIF ------------------------------------------------------------------------------------------------------------

TEXT = {"type": "object", "properties": {"text": {"type": "string", "minLength": 1}}, "required": ["text"]}
CLOSED = TEXT | {"additionalProperties": False}
REGION = {
    "type": "object",
    "properties": {k: {"type": "integer", "minimum": 1} for k in ("startLine", "startColumn", "endLine", "endColumn")},
    "required": ["startLine", "startColumn", "endLine", "endColumn"],
    "additionalProperties": False,
}
ARTIFACT = {
    "type": "object",
    "properties": {"uri": {"type": "string", "format": "uri-reference", "pattern": r"^[!-~]+$"}, "index": {"const": 0}},
    "required": ["uri"],
    "additionalProperties": False,
}
LOCATION = {
    "type": "object",
    "properties": {
        "id": {"type": "integer", "minimum": 0},
        "message": CLOSED,
        "physicalLocation": {
            "type": "object",
            "properties": {"artifactLocation": ARTIFACT, "region": REGION},
            "required": ["artifactLocation"],
            "additionalProperties": False,
        },
    },
    "required": ["physicalLocation"],
    "additionalProperties": False,
}
LEVEL = {"enum": ["none", "note", "warning", "error"]}
RULE = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "shortDescription": CLOSED,
        "fullDescription": CLOSED,
        "help": {
            **TEXT,
            "properties": {"text": {"type": "string"}, "markdown": {"type": "string"}},
            "additionalProperties": False,
        },
        "defaultConfiguration": {"type": "object", "properties": {"level": LEVEL}, "additionalProperties": False},
        "properties": {"type": "object"},
    },
    "required": ["id"],
    "additionalProperties": False,
}
RESULT = {
    "type": "object",
    "properties": {
        "ruleId": {"type": "string"},
        "ruleIndex": {"type": "integer", "minimum": 0},
        "level": LEVEL,
        "message": CLOSED,
        "locations": {"type": "array", "items": LOCATION},
        "relatedLocations": {"type": "array", "items": LOCATION, "uniqueItems": True},
        "suppressions": {
            "type": "array",
            "items": {"type": "object", "properties": {"kind": {"enum": ["inSource", "external"]}}},
        },
    },
    "required": ["message"],
    "additionalProperties": False,
}
RUN = {
    "type": "object",
    "properties": {
        "tool": {
            "type": "object",
            "properties": {
                "driver": {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string"},
                        "semanticVersion": {"type": "string"},
                        "rules": {"type": "array", "items": RULE, "uniqueItems": True},
                    },
                    "required": ["name"],
                    "additionalProperties": False,
                }
            },
            "required": ["driver"],
        },
        "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
        "artifacts": {"type": "array", "items": {"type": "object", "properties": {"location": ARTIFACT}}},
        "invocations": {"type": "array", "items": {"type": "object", "required": ["executionSuccessful"]}},
        "results": {"type": "array", "items": RESULT},
    },
    "required": ["tool"],
    "additionalProperties": False,
}
SCHEMA = {
    "type": "object",
    "properties": {"$schema": {"type": "string"}, "version": {"const": "2.1.0"}, "runs": {"type": "array", "items": RUN}},
    "required": ["version", "runs"],
    "additionalProperties": False,
}
"""What of SARIF 2.1.0 is used here, closed: what is not in the standard's schema is not in this one."""


def log(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    _, shown = explained(capsys, *arguments, "--format", "sarif")
    made = json.loads(shown)
    import jsonschema  # for seconds: beside Jupyter it reads grammars of web addresses

    jsonschema.validate(made, SCHEMA)
    (run,) = made["runs"]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == list(every_kind())
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    found: dict[str, Any] = run
    return found


def test_sarif_has_the_rules_and_what_they_found(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = log(capsys, "warning.py")
    (result,) = run["results"]
    assert (result["ruleId"], result["level"]) == ("softmax_twice", "warning")
    rule = run["tool"]["driver"]["rules"][result["ruleIndex"]]
    assert rule["shortDescription"]["text"] == kinds()["softmax_twice"].meaning
    assert entry("softmax_twice").mended in rule["help"]["text"]
    assert log(capsys, "sound.py")["results"] == []
    assert log(capsys, "hint.py")["results"][0]["level"] == "note"


def test_columns_of_sarif_count_characters_from_one(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = log(capsys, "shown.py")
    assert run["columnKind"] == "unicodeCodePoints"
    region = run["results"][0]["locations"][0]["physicalLocation"]["region"]
    line = PROGRAMS["shown.py"].splitlines()[region["startLine"] - 1]
    assert line[region["startColumn"] - 1 : region["endColumn"] - 1] == "y.backward()"


def test_sarif_names_files_relative_absolute_and_of_notebooks(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "a b").mkdir()
    (folder / "a b" / "fehler ü.py").write_text(PROGRAMS["error.py"], encoding="utf-8")
    assert log(capsys, "a b/fehler ü.py")["artifacts"][0]["location"]["uri"] == "a%20b/fehler%20%C3%BC.py"
    path = folder / "error.py"
    assert log(capsys, str(path))["artifacts"][0]["location"]["uri"] == path.as_uri()
    (result,) = log(capsys, "book.ipynb")["results"]
    assert "region" not in result["locations"][0]["physicalLocation"]
    assert result["locations"][0]["message"]["text"] == "In [3], line 1"


def test_sarif_keeps_what_is_ignored_as_suppressed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (result,) = log(capsys, "error.py", "--ignore", "backward_on_vector")["results"]
    assert result["suppressions"] == [{"kind": "external"}]
    (folder / "said.py").write_text(PROGRAMS["error.py"].rstrip() + "  # gradtape: ignore[backward_on_vector]\n")
    (result,) = log(capsys, "said.py")["results"]
    assert result["suppressions"] == [{"kind": "inSource"}]


def test_sarif_says_where_a_program_could_not_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert log(capsys, "policy.py")["invocations"] == [{"executionSuccessful": False}]
    assert log(capsys, "error.py")["invocations"] == [{"executionSuccessful": True}]


# --- texts of programs ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("format", FORMATS)
def test_no_report_carries_escapes_or_forged_lines(folder: Path, capsys: pytest.CaptureFixture[str], format: str) -> None:
    code, shown = explained(capsys, "hostile.py", "--format", format)
    assert code == 1
    assert "red" in shown
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert not any(line.startswith("::error file=x") for line in shown.splitlines())
    if format == "sarif":
        texts = [result["message"]["text"] for result in json.loads(shown)["runs"][0]["results"]]
        assert "](" not in texts[0]
        assert "{0}" not in texts[0].replace("{{0}}", "")


def test_texts_lose_nothing_but_escapes() -> None:
    plain = "ü → [1, 2] {x}\n\tnext"
    assert harmless(plain) == plain
    assert harmless("a\x1b[1mb\u202ec\r") == "a\N{REPLACEMENT CHARACTER}[1mb\N{REPLACEMENT CHARACTER}c\N{REPLACEMENT CHARACTER}"
    assert on_a_line("a\n b\tc") == "a b c"
    assert literal("x[0](1) {12} {a}") == "x[0] (1) {{12}} {a}"


# --- the rules --------------------------------------------------------------------------------------------------------


def test_rules_are_listed_and_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert gradtape.main(["rules"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(every_kind())
    assert list(every_kind())[: len(kinds())] == list(kinds()), "those about several ranks come after the others"
    assert gradtape.main(["rules", "no_zero_grad"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("no_zero_grad (error): ")
    assert "    optimizer.zero_grad()\n" not in shown.partition("Mended:")[0]
    assert "    optimizer.zero_grad()\n" in shown.partition("Mended:")[2]
    assert gradtape.main(["rules", "no_zero_grads"]) == 2
    assert "did you mean no_zero_grad?" in capsys.readouterr().err
