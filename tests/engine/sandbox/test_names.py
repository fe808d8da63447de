"""The names that a recording has for what is in modules: every path to a tensor, from when it is there until it is gone."""

from __future__ import annotations

from engine.recording.events import NOTHING
from engine.recording.index import Index, index_of
from engine.sandbox import run

IMPORTS = "import torch\nfrom torch import nn\n"


def names_of(text: str) -> tuple[Index, int]:
    recording = run(IMPORTS + text).recording
    assert recording is not None
    return index_of(recording), len(recording.events)


def now(text: str) -> dict[str, int]:
    index, count = names_of(text)
    found = {name: track.at(count, NOTHING) for (function, name), track in index.names.items() if not function}
    return {name: tensor for name, tensor in found.items() if tensor != NOTHING}


def test_a_layer_has_its_own_name_and_that_in_the_container() -> None:
    names = now("first = nn.Linear(2, 2)\nnet = nn.Sequential(first, nn.ReLU())\nmodel = net\n")
    assert names["first.weight"] == names["net.0.weight"] == names["model.0.weight"]


def test_shared_weights_have_both_paths() -> None:
    names = now("net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))\nnet[1].weight = net[0].weight\n")
    assert names["net.0.weight"] == names["net.1.weight"]
    assert names["net.0.bias"] != names["net.1.bias"]


def test_a_replaced_layer_gives_its_name_to_the_new_one_and_one_that_is_gone_gives_it_up() -> None:
    before = "net = nn.Sequential()\nnet.fc = nn.Linear(4, 3)\n"
    first, second = now(before)["net.fc.weight"], now(before + "net.fc = nn.Linear(4, 2)\n")["net.fc.weight"]
    assert first < second
    assert "net.fc.weight" not in now(before + "net.fc = nn.Identity()\n")
    index, _ = names_of(before + "net.fc = nn.Linear(4, 2)\n")
    assert [ended < 1_000 for *_, ended in index.bindings(first)] == [True]
    assert [name for _, name, *_ in index.bindings(second)] == ["net.fc.weight"]


def test_what_methods_add_is_named() -> None:
    names = now("net = nn.Sequential()\nnet.add_module('a', nn.Linear(1, 1))\nnet.append(nn.Linear(1, 1))\n")
    assert {"net.a.weight", "net.1.weight"} <= names.keys()
    assert "params[1]" in now("params = [torch.ones(1), torch.ones(1)]\nparams[1] = torch.zeros(1)\n")


def test_arguments_and_loops_give_no_further_names() -> None:
    text = "def use(m):\n    return m.weight\nnet = nn.Sequential(nn.Linear(1, 1))\nfor layer in net:\n    use(layer)\n"
    index, _ = names_of(text)
    assert not {name for _, name in index.names} & {"layer.weight", "m.weight"}


def test_a_module_that_holds_its_owner_ends() -> None:
    text = "a, b = nn.Linear(1, 1), nn.Linear(1, 1)\na.other = b\nb.other = a\nc = a\n"
    assert {"a.weight", "a.other.weight", "c.other.weight"} <= now(text).keys()


def test_no_code_of_the_program_runs_for_a_name() -> None:
    text = (
        "class Odd(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.w = nn.Parameter(torch.ones(1))\n"
        "    def named_parameters(self, *a, **k):\n        print('asked')\n        return iter(())\n"
        "odd = Odd()\nodd.x = 1\n"
    )
    recording = run(IMPORTS + text)
    assert recording.output == ""
    assert "odd.w" in now(text)


PAIR = """
class Pair:
    def __init__(self):
        self.net, self.target = nn.Linear(2, 2), None
        self.copy = nn.Linear(2, 2)

    def follow(self):
        self.target = self.copy
        self.copy = self.net

    def again(self):
        self.net = nn.Identity()

pair = Pair()
"""


def test_a_module_that_a_method_gives_to_its_object_has_the_name_there_from_then_on() -> None:
    before, after = now(PAIR), now(PAIR + "pair.follow()\n")
    assert "pair.target.weight" not in before
    assert after["pair.target.weight"] == before["pair.copy.weight"]
    assert after["pair.copy.weight"] == after["pair.net.weight"] == before["pair.net.weight"]
    gone = now(PAIR + "pair.again()\n")
    assert "pair.net.weight" not in gone
    assert "pair.copy.weight" in gone


def test_a_module_of_a_module_that_a_method_replaces_is_named_anew() -> None:
    text = (
        "class Net(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.head = nn.Linear(2, 2)\n"
        "    def other(self):\n"
        "        self.head = nn.Linear(2, 3)\n"
        "net = Net()\n"
    )
    index, count = names_of(text + "net.other()\n")
    track = index.names["", "net.head.weight"]
    assert track.at(count, NOTHING) > track.values[0]


def test_an_object_that_holds_one_module_under_two_names_has_both() -> None:
    names = now("class A:\n    def __init__(self):\n        self.q = nn.Linear(2, 2)\n        self.target = self.q\na = A()\n")
    assert names["a.q.weight"] == names["a.target.weight"]


def test_what_a_method_of_something_without_a_name_does_is_not_named() -> None:
    names = now("class A:\n    def set(self):\n        self.q = nn.Linear(2, 2)\n        return 1\nn = A().set()\n")
    assert not [name for name in names if "q." in name]
