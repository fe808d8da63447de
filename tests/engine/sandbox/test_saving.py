"""Programs save and load: PyTorch's files, pickles and safetensors, their own classes by the rules of the guards."""

from __future__ import annotations

import io
import pickle
import textwrap
from typing import Any

import pytest

from engine.sandbox import Limits, run
from tests.conftest import needed


def printed(text: str) -> str:
    """What a program prints that ends well."""
    result = run(textwrap.dedent(text))
    assert result.error is None, result.error
    return result.output


def refused(text: str) -> tuple[str, str]:
    """What a program ends in."""
    result = run(textwrap.dedent(text))
    assert result.error is not None, result.output
    return result.error.type, result.error.message


def in_python(text: str) -> str:
    """What the same program prints in Python with PyTorch."""
    needed("torch")
    out = io.StringIO()
    names: dict[str, Any] = {"__name__": "__main__", "print": lambda *things: print(*things, file=out)}
    exec(compile(textwrap.dedent(text), "program", "exec", dont_inherit=True), names)
    return out.getvalue()


@pytest.mark.thorough
def test_a_checkpoint_of_training_is_saved_and_loaded() -> None:
    assert printed(
        """
        import torch
        torch.manual_seed(0)
        net = torch.nn.Linear(2, 1)
        optimizer = torch.optim.Adam(net.parameters())
        net(torch.ones(1, 2)).sum().backward()
        optimizer.step()
        state = {"epoch": 5, "net": net.state_dict(), "optimizer": optimizer.state_dict(), "rng": torch.get_rng_state()}
        torch.save(state, "a.pt")
        kept = torch.load("a.pt", map_location=torch.device("cpu"))
        twin = torch.nn.Linear(2, 1)
        print(twin.load_state_dict(kept["net"]), torch.equal(twin.weight, net.weight), kept["epoch"])
        optimizer.load_state_dict(kept["optimizer"])
        torch.set_rng_state(kept["rng"])
        print(kept["net"]._metadata)
        """
    ) == ("<All keys matched successfully> True 5\nOrderedDict([('', {'version': 1})])\n").replace(
        "OrderedDict([('', {'version': 1})])", repr(__import__("collections").OrderedDict({"": {"version": 1}}))
    )


CLASSES = """
import collections, dataclasses, enum, pickle
class Plain:
    def __init__(self): self.items, self.me = [1, {"a": (2,)}], self
class Slots:
    __slots__ = ("x", "y")
class Both(Slots):
    pass
class Color(enum.Enum):
    RED, BLUE = 1, "b"
@dataclasses.dataclass
class Data:
    lr: float = 0.1
    names: list = dataclasses.field(default_factory=list)
@dataclasses.dataclass(frozen=True, slots=True)
class Frozen:
    a: int
    b: str = "x"
Point = collections.namedtuple("Point", "x y")
class Names(dict): pass
class Row(list): pass
class Order(collections.OrderedDict): pass
class Number(int): pass
class Text(str): pass
class Outer:
    class Inner: pass
def function(x): return x + 1
s = Slots(); s.x = 5
b = Both(); b.y, b.z = 6, 7
d = Names(a=1); d.note = "n"
o = Order(k=2); o.note = "m"
i = Outer.Inner(); i.v = 9
e = Data(0.5, [1])
n = Number(7); n.unit = "m"
equal = (Data, Frozen, Point, Names, Row, Order, Number, Text)
things = [s, b, Color.RED, Color.BLUE, e, Frozen(3), Point(1, 2), d, Row([1, 2]), o, n, Text("t"), i, function, Plain, Color]
def shown(x):
    if isinstance(x, Slots): return [getattr(x, m, None) for m in ("x", "y", "z")]
    return [repr(x) if type(x) not in (Outer.Inner,) else x.v, getattr(x, "note", getattr(x, "unit", None))]
"""


@pytest.mark.parametrize("protocol", [0, 1, 2, 3, 4, 5, None])
def test_objects_of_a_programs_classes_come_back_as_from_python(protocol: int | None) -> None:
    text = CLASSES + textwrap.dedent(
        f"""
        p = Plain()
        q = pickle.loads(pickle.dumps(p, {protocol}))
        print(q.me is q, q.items)
        for x in things:
            {"if type(x) in (Slots, Both, Frozen): continue" if protocol in (0, 1) else ""}
            y = pickle.loads(pickle.dumps(x, {protocol}))
            print("" if isinstance(y, type) else type(y).__name__, y is x, x == y if type(x) in equal else "")
            print(shown(y) if type(x) is not type and not callable(x) else "")
        """
    )
    import sys

    module = type(sys)("__main__")
    before = sys.modules["__main__"]
    sys.modules["__main__"] = module
    try:
        out = io.StringIO()
        vars(module)["print"] = lambda *things: print(*things, file=out)
        exec(compile(text, "program", "exec", dont_inherit=True), vars(module))
    finally:
        sys.modules["__main__"] = before
    assert printed(text) == out.getvalue()


def test_a_module_of_the_programs_is_refused_as_data_and_read_as_anything() -> None:
    text = """
        import pickle, torch
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.layer, self.act = torch.nn.Linear(2, 1), torch.nn.functional.relu
                self.history = [1.5]
            def forward(self, x): return self.act(self.layer(x))
        net = Net()
        torch.save(net, "net.pt")
        try: torch.load("net.pt")
        except pickle.UnpicklingError as error: print("GLOBAL __main__.Net was not an allowed global by default" in str(error))
        found = torch.load("net.pt", weights_only=False)
        print(found, found.history, torch.equal(found(torch.ones(1, 2)), net(torch.ones(1, 2))), found.layer is not net.layer)
        with torch.serialization.safe_globals([Net, torch.nn.Linear, torch.nn.functional.relu, set]):
            print(type(torch.load("net.pt")).__name__)
        try: torch.load("net.pt")
        except pickle.UnpicklingError: print("again")
        torch.serialization.add_safe_globals([Net, torch.nn.Linear, torch.nn.functional.relu])
        print(len(torch.serialization.get_safe_globals()), torch.load("net.pt").history)
        torch.serialization.clear_safe_globals()
        print(torch.serialization.get_safe_globals())
        """
    assert printed(text) == (
        "True\nNet(\n  (layer): Linear(in_features=2, out_features=1, bias=True)\n) [1.5] True True\nNet\nagain\n3 [1.5]\n[]\n"
    )


def test_no_method_of_a_program_is_asked() -> None:
    assert printed(
        """
        import pickle
        class Loud:
            def __init__(self, *a): print("init", a)
            def __new__(cls, *a): print("new"); return object.__new__(cls)
            def __setattr__(self, name, value): print("set", name); object.__setattr__(self, name, value)
            def __getattr__(self, name): print("get", name); raise AttributeError(name)
            def __delattr__(self, name): print("delete")
            def __eq__(self, other): print("eq"); return True
            def __bool__(self): print("bool"); return True
            def __len__(self): print("len"); return 1
            def __iter__(self): print("iter"); return iter(())
            def __deepcopy__(self, memo): print("deepcopy"); return self
            __hash__ = None
        x = Loud()
        x.a = [1]
        print("saved")
        data = pickle.dumps([x, x])
        y = pickle.loads(data)
        print("loaded", y[0] is y[1])
        """
    ).endswith("saved\nloaded True\n")


def test_several_pickles_stand_in_one_file() -> None:
    text = """
        import io, pickle, torch
        file = io.BytesIO()
        for k in range(3): pickle.dump({"k": k, "x": torch.full((k,), 1.5)}, file)
        file.seek(0)
        while True:
            try: print(pickle.load(file))
            except EOFError as error: print(error); break
        file = io.BytesIO()
        torch.save(torch.ones(1), file)
        try: torch.load(file)
        except EOFError as error: print("end", error)
        file.seek(0)
        print(torch.load(file))
        """
    assert printed(text) == in_python(text)


def test_what_cannot_be_pickled_is_said_in_pythons_words() -> None:
    text = """
        import pickle, torch
        def local():
            class Inner: pass
            def function(): pass
            return Inner, function, Inner()
        for thing in [(k for k in [1]), torch, *local()]:
            try: pickle.dumps(thing)
            except Exception as error: print(type(error).__name__, error)
        for data in (b"", "text", b"hello"):
            try: pickle.loads(data)
            except Exception as error: print(type(error).__name__, error)
        print(pickle.loads(pickle.dumps([None, 1.5, "é", b"x", {1}, (1, 2), True, 2**70, ...][:8])))
        """
    assert printed(text) == in_python(text)


def test_a_pickle_of_tensors_is_pythons() -> None:
    torch = pytest.importorskip("torch")
    text = """
        import pickle, torch
        x = torch.arange(4.0).view(2, 2).t()
        p = torch.nn.Parameter(torch.ones(2), requires_grad=False)
        print(list(pickle.dumps([x, p, {"a": torch.tensor([True])}], 2)))
        """
    found = pickle.loads(bytes(eval(printed(text))))
    assert found[0].tolist() == [[0.0, 2.0], [1.0, 3.0]]
    assert found[0].stride() == (1, 2)
    assert type(found[1]) is torch.nn.Parameter
    assert not found[1].requires_grad
    data = list(pickle.dumps([torch.arange(3), torch.nn.Parameter(torch.ones(1))]))
    assert printed(f"import pickle, torch\nprint(pickle.loads(bytes({data})))") == (
        "[tensor([0, 1, 2]), Parameter containing:\ntensor([1.], requires_grad=True)]\n"
    )


def test_safetensors_are_written_and_read() -> None:
    assert printed(
        """
        import torch, numpy as np
        from safetensors.torch import save_file, load_file, save, load, save_model, load_model
        import safetensors.numpy as arrays
        save_file({"w": torch.ones(2, 3), "b": torch.arange(3)}, "x.safetensors", metadata={"format": "pt"})
        print(load_file("x.safetensors"), torch.load("x.safetensors")["b"])
        net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 2))
        net[1].weight = net[0].weight
        try: save(net.state_dict())
        except RuntimeError as error: print("share memory" in str(error))
        save_model(net, "net.safetensors")
        twin = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 2))
        print(load_model(twin, "net.safetensors"), torch.equal(twin[1].weight, net[0].weight))
        print(arrays.load(save({"a": torch.tensor([1.5])})), load(arrays.save({"a": np.arange(2)})))
        """
    ) == (
        "{'b': tensor([0, 1, 2]), 'w': tensor([[1., 1., 1.],\n        [1., 1., 1.]])} tensor([0, 1, 2])\nTrue\n"
        "(set(), []) True\n{'a': array([1.5], dtype=float32)} {'a': tensor([0, 1])}\n"
    )


def test_what_a_pickle_may_not_name_is_said_with_its_name() -> None:
    kind, message = refused("import pickle\npickle.loads(b\"cos\\nsystem\\n(S'true'\\ntR.\")")
    assert kind == "PolicyError"
    assert "the pickle names os.system, which is not available to programs here" in message


def test_a_type_that_a_program_may_not_have_is_a_look_alike() -> None:
    kind, message = refused("import pickle\nkind = pickle.loads(b'cnumpy\\nndarray\\n.')\nkind((4,), 'u8', b'x' * 8)")
    assert kind == "PolicyError"
    assert "'ndarray' objects cannot be made by calling their type here" in message
    assert (
        printed(
            "import pickle, collections\nd = pickle.loads(pickle.dumps(collections.deque([1], 3)))\n"
            "e = pickle.loads(pickle.dumps(collections.defaultdict(list)))\n"
            "print(type(d) is collections.deque, d, type(e) is collections.defaultdict)"
        )
        == "True deque([1], maxlen=3) True\n"
    )


@pytest.mark.thorough
def test_damaged_pickles_end_in_clean_errors_within_the_guards() -> None:
    """In a program's process: thousands of mutations of everything that it can save, its own classes among them."""
    text = CLASSES + textwrap.dedent(
        """
        import io, random, torch, numpy as np
        net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())
        optimizer = torch.optim.Adam(net.parameters())
        net(torch.ones(1, 2)).sum().backward()
        optimizer.step()
        kept = [Plain(), things, net, optimizer, np.arange(3.0), np.float32(1), collections.deque([1]), torch.Generator()]
        file = io.BytesIO()
        torch.save(net.state_dict(), file)
        sources = [(pickle.dumps(kept, p), pickle.loads) for p in (2, 4)]
        sources += [(file.getvalue(), lambda data: torch.load(io.BytesIO(data), weights_only=False))]
        rng = random.Random(0)
        clean = (AttributeError, EOFError, LookupError, RuntimeError, TypeError, ValueError, pickle.UnpicklingError)
        ends = collections.Counter()
        for data, read in sources:
            for k in range(300):
                changed = bytearray(data)
                for _ in range(rng.randint(1, 3)):
                    at = rng.randrange(len(changed))
                    way = rng.randrange(4)
                    if way == 0: changed[at] = rng.randrange(256)
                    elif way == 1: del changed[at : at + rng.randint(1, 6)]
                    elif way == 2: changed[at:at] = changed[at : at + rng.randint(1, 20)]
                    else: changed[at : at + 1] = rng.choice((b"R", b"b", b"Q", b"(", b"t", b"2", b"0", b"u", b"e", b"h\\x01"))
                try: read(bytes(changed))
                except clean: ends["clean"] += 1
                except Exception as error: ends[type(error).__name__] += 1
                else: ends["read"] += 1
        print(sorted(ends))
        """
    )
    result = run(text, Limits(seconds=60))
    assert result.error is None, result.error
    found = eval(result.output)
    assert set(found) <= {"PolicyError", "clean", "read"}
    assert "clean" in found
