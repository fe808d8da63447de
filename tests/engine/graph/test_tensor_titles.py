"""The one best name of each tensor."""

from __future__ import annotations

from engine.graph.structure.tensor_titles import best_name, best_names, common_title
from tests.engine.graph import training_programs as programs
from tests.recorded import recorded


def names(program: str) -> set[str]:
    return set(best_names(recorded(program)).values())


def test_a_parameter_goes_by_its_path_in_the_module_that_the_program_bound() -> None:
    found = names(programs.GPT)
    assert "model.transformer.h.0.attn.c_attn.weight" in found
    assert not found & {"p", "m.c_fc.weight", "module.weight"}


def test_a_loop_variable_that_passes_over_a_tensor_is_no_name() -> None:
    program = """
import torch
a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
for p in (a, b):
    p.sum().backward()
"""
    assert {"a", "b"} <= names(program)
    assert "p" not in names(program)


def test_what_stands_in_a_list_goes_by_its_place_there() -> None:
    assert {f"Ws[{k}]" for k in range(12)} <= names(programs.CHAIN_OF_WEIGHTS)


def test_a_loop_variable_is_no_name_either_where_only_the_first_items_of_a_long_list_have_one() -> None:
    program = "import torch\nWs = [torch.ones(1) for _ in range(200)]\ntotal = 0\nfor W in Ws:\n    total = total + W\n"
    recording = recorded(program)
    titles = best_names(recording)
    assert [titles[k] for k in range(64)] == [f"Ws[{k}]" for k in range(64)]


def test_a_name_of_its_own_is_better_than_a_place_in_a_list() -> None:
    assert names("import torch\nws = [torch.ones(1), torch.ones(2)]\nfirst = ws[0]") == {"first", "ws[1]"}


def test_the_first_name_counts_where_there_are_several_as_good() -> None:
    recording = recorded("import torch\nx = torch.ones(2)\ny = x")
    assert best_name(recording, 0) == "x"


def test_an_argument_is_no_name_for_what_has_one() -> None:
    program = """
import torch
def f(t):
    return t * 2
first, second = torch.ones(1), torch.ones(1)
f(first), f(second)
"""
    assert names(program) >= {"first", "second"}
    assert "t" not in names(program)


def test_titles_that_differ_have_what_they_share() -> None:
    assert common_title({"select dim=0 index=3", "select dim=0 index=4"}) == "select dim=0"
    assert common_title({"fast[0]", "fast[1]"}) == "fast[…]"
    assert common_title({"loss"}) == "loss"
