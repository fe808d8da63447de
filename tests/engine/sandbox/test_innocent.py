"""No innocent program loses its recording: at every limit it is whole, and past it it is cut there, with a sentence."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import limits
from engine.program import Program
from engine.recording import Recording
from engine.recording.events import BackwardBegan, Named, OpRan, Thinned
from engine.sandbox import Limits, RunResult, run
from tests.thorough import examples

PLENTY = Limits(seconds=120, memory_mb=1024)


def ran(program: str | Program, allowed: Limits = PLENTY) -> RunResult:
    """What became of a program; whatever it does, its recording is there, sound, and can be saved and opened."""
    result = run(program, allowed)
    assert result.error is None or "nothing that makes sense" not in result.error.message
    assert result.status != "crashed", result.error
    assert result.recording is not None
    opened = Recording.load(result.recording.to_bytes())
    assert len(opened.events) == len(result.recording.events)
    return result


def past(result: RunResult, row: limits.Row, limit: float | None = None) -> RunResult:
    """A run that has come to a limit, which its message names."""
    assert result.status == "too_large", result.error
    assert result.error is not None
    assert result.error.message == row.past(limit)
    return result


def count(result: RunResult, kind: type) -> int:
    assert result.recording is not None
    return sum(isinstance(event, kind) for event in result.recording.events)


# --- what the research lost ---------------------------------------------------------------------------------------------------

ENDLESS_HOOK = """
import torch
x = torch.ones(2, requires_grad=True)
def hook(gradient):
    with torch.enable_grad():
        y = (x * 2).sum()
        y.register_hook(hook)
        y.backward()
    return gradient
print('before')
y = (x * 2).sum()
y.register_hook(hook)
y.backward()
"""

NAME = "n" * 100_000
ODD = {
    "exits with a long message": ("import sys\nsys.exit('x' * 25_000)", "error"),
    "exits with a very long message": ("import sys\nsys.exit('x' * 2_000_000)", "error"),
    "exits with half a character": ("raise SystemExit('\\ud800')", "error"),
    "exits with something that cannot be shown": (
        "class E:\n    def __repr__(self): raise ValueError\n    __str__ = __repr__\nraise SystemExit(E())",
        "error",
    ),
    "exits with no": ("import sys\nsys.exit(False)", "ok"),
    "has an error with a very long name": (f"class {'E' * 30_000}(Exception): pass\nraise {'E' * 30_000}('a')", "error"),
    "has an error whose message raises": ("class E(Exception):\n    def __str__(self): raise ValueError\nraise E", "error"),
    "has an error whose message exits": ("class E(Exception):\n    def __str__(self): raise SystemExit\nraise E", "error"),
    "has an error whose message is none": ("class E(Exception):\n    def __str__(self): return 5\nraise E", "error"),
    "has an error whose message is a string of its own": (
        "class S(str):\n    def __len__(self): return 3\n    def __str__(self): return self\n"
        "class E(Exception):\n    def __str__(self): return S('x' * 50_000)\nraise E",
        "error",
    ),
    "has an error with a huge message": ("raise ValueError('x' * 10 ** 7)", "error"),
    "has an error about a key of half a character": ("{}['\\ud800']", "error"),
    "has an error about a huge key": ("{}['x' * 10 ** 6]", "error"),
    "has an error of syntax at an impossible place": ("raise SyntaxError('m', ('<program>', 10 ** 30, -5, 't'))", "error"),
    "has an error of syntax at no place": ("raise SyntaxError('m', ('<program>', 'a', 5, 't'))", "error"),
    "has a chain of errors": (
        "error = None\nfor k in range(3000):\n    try: raise ValueError(k) from error\n"
        "    except ValueError as e: error = e\nraise error",
        "error",
    ),
    "recurses without end": ("def f(x): return f(x + 1)\nf(0)", "error"),
    "uses a huge name": (f"import torch\n{NAME} = torch.ones(2, requires_grad=True)\n({NAME} * 2).sum().backward()", "ok"),
    "has a function with a huge name": (f"import torch\ndef {NAME}(): return torch.ones(2) + 1\nx = {NAME}()", "ok"),
    "has a module with huge names": (
        f"import torch\nclass {NAME}(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        f"        self.{NAME} = torch.nn.Linear(2, 2)\n    def forward(self, x): return self.{NAME}(x)\n"
        f"m = {NAME}()\nm(torch.ones(1, 2)).sum().backward()",
        "ok",
    ),
    "has a Function with a huge name": (
        f"import torch\nclass {NAME}(torch.autograd.Function):\n"
        f"    @staticmethod\n    def forward(ctx, {NAME}): return {NAME} * 2\n"
        f"    @staticmethod\n    def backward(ctx, g): return g * 2\n"
        f"x = torch.ones(2, requires_grad=True)\n{NAME}.apply(x).sum().backward()",
        "ok",
    ),
    "has an optimizer with a huge name": (
        f"import torch\nclass {NAME}(torch.optim.SGD): pass\nw = torch.ones(1, requires_grad=True)\nw.grad = torch.ones(1)\n"
        f"{NAME}([w], lr=0.1).step()",
        "ok",
    ),
    "has names of half a character": (
        "import torch\nm = torch.nn.Module()\nm.add_module('\\ud800', torch.nn.Linear(1, 1))\n"
        "m.register_parameter('\\ud801', torch.nn.Parameter(torch.ones(1)))\nd = {'\\ud802': torch.ones(1)}",
        "ok",
    ),
    "warns with half a character": ("import warnings\nwarnings.warn('\\ud800' * 5)", "ok"),
    "warns with a huge text": ("import warnings\nwarnings.warn('x' * 10 ** 6)", "ok"),
    "fails in a hook with half a character": (
        "import torch\nx = torch.ones(1, requires_grad=True)\ndef hook(g): raise ValueError('\\ud800' * 30_000)\n"
        "x.register_hook(hook)\n(x * 2).backward()",
        "error",
    ),
    "says yes with a number": (
        "import torch\nx = torch.ones(2, requires_grad=True)\nx.sum().backward(retain_graph=1)\n"
        "torch.nn.Parameter(torch.ones(1), requires_grad=1)",
        "ok",
    ),
    "has an empty tensor of a huge shape": (
        "import torch\nx = torch.empty(0, 2 ** 40)\ny = torch.zeros(0, 2 ** 62, dtype=torch.uint8)\nprint(x.shape)",
        "ok",
    ),
    "expands a number": (
        "import torch\nx = torch.ones(1, requires_grad=True).expand(2 ** 40)\ny = x[:3].detach().sum()",
        "ok",
    ),
    "prints a huge number": ("print(10 ** 4_000)", "ok"),
    "has loops within loops": (
        "import torch\nx = torch.ones(1)\ndef deep(n):\n    for k in range(1):\n"
        "        if n: deep(n - 1)\n        y = x + n\ndeep(300)",
        "ok",
    ),
    "has many places": ("import torch\nx = torch.ones(1)\n" + "x = x + 1\n" * 20_000, "ok"),
    "prints crumbs": ("import sys\nfor k in range(20_000): sys.stdout.write('x')", "ok"),
    "prints lines": ("for k in range(20_000): print()", "ok"),
    "makes many large tensors at once": ("import torch\nkept = [torch.zeros(70_000).sum() for k in range(2_500)]", "ok"),
    "uses an old tensor's gradient": (
        "import torch\nw = torch.ones(3, requires_grad=True)\nfor k in range(30):\n    (w * w).sum().backward()\n"
        "    g = w.grad\n"
        "    w.grad = None",
        "ok",
    ),
}


@pytest.mark.thorough
@pytest.mark.parametrize(("program", "status"), ODD.values(), ids=ODD.keys())
def test_an_odd_program_that(program: str, status: str) -> None:
    result = ran(f"print('before')\n{program}")
    assert result.status == status, result.error
    if result.error is not None:
        assert max(map(len, (result.error.message, result.error.traceback))) <= limits.TEXT.value()
        assert len(result.error.type) <= limits.NAME.value()
    assert result.output.startswith("before\n")


def test_an_error_whose_message_is_slow_keeps_what_was_recorded() -> None:
    program = "import torch\nx = torch.ones(3)\nclass E(Exception):\n    def __str__(self):\n        while True: pass\nraise E"
    result = ran(program, Limits(seconds=1))
    assert result.status == "timeout"
    assert result.error is not None
    assert result.error.line == 5
    assert count(result, OpRan) == 1


def test_warnings_without_end_end_at_the_events() -> None:
    allowed = Limits(seconds=120, events=300)
    result = past(
        ran("import warnings\nwarnings.simplefilter('always')\nwhile True: warnings.warn('a')", allowed), limits.EVENTS, 300
    )
    assert result.recording is not None
    assert len(result.recording.events) == 301


def test_backward_within_hooks_without_end_is_cut() -> None:
    result = past(ran(ENDLESS_HOOK), limits.NESTED)
    assert result.output == "before\n"
    assert count(result, BackwardBegan) == limits.NESTED.value()


# --- every limit of a recording, at its edge and past it ----------------------------------------------------------------------


@dataclass(frozen=True)
class Edge:
    """A program that goes to a limit and one that goes past it."""

    row: limits.Row
    limit: int
    at: str
    """Goes to the limit."""
    beyond: str
    """Goes past it."""
    allowed: Limits


def scaled(row: limits.Row, limit: int, program: str, **allowed: int) -> Edge:
    """A program in which N is how far it goes."""
    limits_ = Limits(seconds=120, memory_mb=1024, **allowed)  # type: ignore[arg-type]
    return Edge(row, limit, program.replace("N", str(limit)), program.replace("N", f"({limit} + 1)"), limits_)


def test_tensors_have_as_many_dimensions_as_numpys() -> None:
    for dims in range(33, 65):
        result = ran(
            f"import torch\nx = torch.ones([1] * {dims}, requires_grad=True)\n(x * 2).sum().backward()\nprint(x.grad.dim())"
        )
        assert (result.status, result.output) == ("ok", f"{dims}\n")


@pytest.mark.parametrize(
    "program",
    ["torch.ones([1] * 65)", "torch.ones([1] * 64).unsqueeze(0)", "torch.ones(1).reshape([1] * 65)", "torch.randn([1] * 65)"],
)
def test_more_dimensions_are_refused_in_pytorchs_words(program: str) -> None:
    result = ran(f"import torch\nx = torch.ones(2)\n{program}")
    assert result.error is not None
    assert (result.error.type, result.error.message) == ("RuntimeError", "only tensors with up to 64 dims are supported")
    assert count(result, OpRan) >= 1


@pytest.mark.parametrize("statements", [True, False], ids=["in statements", "in one statement"])
def test_events(statements: bool) -> None:
    # Each turn makes three events: the sum, its name, what is printed.
    turn = (
        "for k in range(N):\n    x = torch.ones(1)\n    print(k)"
        if statements
        else "[print(torch.ones(1).item()) for k in range(N)]"
    )
    edge = scaled(limits.EVENTS, 100, f"import torch\n{turn}", events=640)
    whole = ran(edge.at, edge.allowed)
    assert whole.status == "ok"
    assert whole.recording is not None
    assert count(whole, Thinned) == 0
    assert len(whole.recording.events) == 300
    # Past it the program runs on, and of what does not fit the recording holds what was printed.
    beyond = ran(edge.beyond.replace("100", "1000"), edge.allowed)
    assert beyond.status == "ok"
    assert beyond.recording is not None
    assert len(beyond.recording.events) <= 640
    assert count(beyond, Thinned) > 0
    assert len(beyond.output.splitlines()) == 1001
    assert beyond.recording.events[:300] == whole.recording.events


def test_more_events_than_any_recording_holds_are_capped(monkeypatch: pytest.MonkeyPatch) -> None:
    from engine.sandbox.transport.messages import most_events

    assert most_events(Limits(events=2_500_000)) == limits.EVENTS.most == limits.MOST_EVENTS
    assert limits.ENTRIES.value() >= limits.EVENTS.most + 5


def test_characters_of_output() -> None:
    allowed = Limits(seconds=60, output_chars=10_000)
    whole = ran("print('é' * 9_999)", allowed)
    assert (whole.status, len(whole.output)) == ("ok", 10_000)
    cut = past(ran("print('é' * 10_000)", allowed), limits.OUTPUT, 10_000)
    assert cut.output == "é" * 10_000 + "\n... output stopped after 10,000 characters\n"


def test_two_megabytes_of_output() -> None:
    for program in ("print('x' * 2_000_000)", "for k in range(20_000): print('x' * 99)", "print('\\U0001f600' * 2_000_000)"):
        result = ran(program)
        assert result.status == "ok"
        assert len(result.output.rstrip("\n").replace("\n", "")) >= 1_980_000


def test_arrays_that_are_kept_whole() -> None:
    allowed = Limits(seconds=60, array_bytes=40_000)
    result = ran("import torch\nfor k in range(20): x = torch.ones(1000)", allowed)
    assert result.status == "ok", "nothing is cut, and the rest are summaries"
    assert result.recording is not None
    assert [array.data is not None for array in result.recording.arrays] == [True] * 10 + [False] * 10


def test_elements_of_an_array_that_is_kept_whole() -> None:
    most = limits.ELEMENTS.value()
    result = ran(f"import torch\nx = torch.ones({most})\ny = torch.ones({most} + 1)")
    assert result.recording is not None
    assert [array.data is not None for array in result.recording.arrays] == [True, False]


def test_facts() -> None:
    allowed = Limits(seconds=60, facts=30_000)
    result = ran("import torch\nfor k in range(3000): x = torch.ones(1)", allowed)
    assert result.status == "ok"
    assert count(result, Thinned) > 0
    assert 100 < count(result, OpRan) < 1_000
    assert ran("import torch\nfor k in range(50): x = torch.ones(1)", allowed).status == "ok"


def test_names_and_texts_are_shortened() -> None:
    most = limits.NAME.value()
    result = ran(f"import torch\n{'a' * most} = torch.ones(1)\n{'b' * (most + 1)} = torch.ones(1)")
    assert result.recording is not None
    names = [event.name for event in result.recording.events if isinstance(event, Named)]
    assert names[0] == "a" * most
    assert len(names[1]) == most
    assert names[1].endswith(f"… ({most + 1} characters)")
    for length in (limits.TEXT.value(), limits.TEXT.value() + 1):
        result = ran(f"raise ValueError('x' * {length})")
        assert result.error is not None
        assert (result.error.message == "x" * length) == (length == limits.TEXT.value())
        assert len(result.error.message) == limits.TEXT.value()


def test_the_value_of_a_cell_is_shortened() -> None:
    most = limits.VALUE.value()
    result = ran(Program.from_cells((f"'x' * ({most} - 2)", f"'x' * {most}", "print(1)")))
    assert result.status == "ok"
    assert [len(cell.result or "") for cell in result.cells] == [most, most, 0]
    assert (result.cells[0].result or "").endswith("x'")
    assert (result.cells[1].result or "").endswith(f"({most + 2:,} characters)")


def test_a_notebook_of_as_many_cells_as_there_may_be() -> None:
    most = limits.CELLS.value()
    result = ran(Program.from_cells(tuple(f"print({k})\n{k}" for k in range(most))))
    assert result.status == "ok"
    assert [(cell.output, cell.result, cell.status) for cell in result.cells] == [(f"{k}\n", f"{k}", "ok") for k in range(most)]


def test_an_hour_of_trickling_output_needs_no_more_frames_than_there_may_be() -> None:
    from engine.sandbox.tracer import EAGER, MANY, Tape
    from engine.sandbox.transport.messages import Job

    longest = float(limits.SECONDS.most or 0)
    tape = Tape(Job((" ",), False, Limits(seconds=longest)), -1)
    in_time = longest / tape.pause
    filled = (limits.EVENTS.most or 0) / MANY + limits.RESULT.value() / 2**20
    assert EAGER + in_time + filled < limits.FRAMES.value()


def test_an_honest_stream_comes_in_no_more_pieces_than_there_may_be() -> None:
    # A pipe hands over whole pages of 4 kB, but for the last piece of a frame.
    assert limits.RESULT.value() / 4096 + 2 * limits.FRAMES.value() < limits.READS.value()


def test_what_a_run_may_record_fits_into_a_file_and_a_stream() -> None:
    for hosted in (False, True):
        facts = limits.FACTS.value(hosted) + 4 * limits.PROGRAM.value() + 2 * limits.MB
        assert facts <= limits.DOCUMENT.value(hosted)
    assert limits.ARRAYS.value() + limits.DOCUMENT.value() < limits.FILE.value()
    assert limits.ARRAYS.value() + limits.FACTS.value() < limits.RESULT.value()
    assert limits.ROWS.value() < limits.ENTRIES.value()


# --- programs put together by chance ------------------------------------------------------------------------------------------

PIECES = (
    "x = torch.ones(N, requires_grad=True)",
    "x = torch.randn([1] * (N % 64), requires_grad=True)",
    "y = (x * x).sum()\ny.backward()",
    "y = (x * 2).tanh().sum()\ny.backward(retain_graph=True, create_graph=N % 2)\ny.backward()",
    "x.register_hook(lambda g: g * 2)\n(x * 3).sum().backward()",
    "x.grad = None",
    "x.grad.zero_()",
    "with torch.no_grad(): x += 1",
    "x = x.detach().requires_grad_()",
    "z = x.expand(2 ** 30, *x.shape)",
    "z = torch.empty(0, N * 2 ** 35)",
    "m = torch.nn.Linear(3, 2)\nm(torch.ones(N % 5 + 1, 3)).sum().backward()",
    "m = torch.nn.Sequential(*[torch.nn.Tanh() for _ in range(N)])\nm(x)",
    "opt = torch.optim.SGD([x], lr=0.1)\nopt.step()\nopt.zero_grad()",
    "class F(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, a): return a * 2\n"
    "    @staticmethod\n    def backward(ctx, g): return g * 2\nF.apply(x).sum().backward()",
    "class F(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, a): return a * 2\n"
    "    @staticmethod\n    def backward(ctx, g):\n        w = torch.ones(2, requires_grad=True)\n        kept.append(w * 2)\n"
    "        return g * 2\nF.apply(x).sum().backward()\n(kept[-1] * 3).sum().backward()",
    "kept.append([x, {'a': x * 2, 5: x}])",
    "for k in range(N): y = x * k",
    "while len(kept) < N % 7: kept.append(torch.zeros(70_000))",
    "print('\\ud800' * N, N ** N)",
    "import sys\nsys.stderr.write('x' * N * 1000)",
    "import warnings\nwarnings.warn('w' * N)",
    "def f(n): return x * n if n < 1 else f(n - 1) + 1\ny = f(N)",
    "v = x.view(-1)[:1]\nv.add_(1) if not x.requires_grad else None",
    "t = torch.tensor([[float('nan'), float('inf')], [1.0, N]])",
    "b = torch.ones(N, dtype=torch.bool)\ni = torch.arange(N)\nh = torch.ones(N, dtype=torch.float16)",
    "torch.autograd.grad((x * x).sum(), x, create_graph=True)",
    "torch.func.grad(lambda a: (a * a).sum())(x)",
    "torch.utils.checkpoint.checkpoint(torch.tanh, x, use_reentrant=False).sum().backward()",
    "try: raise ValueError('q' * N * 1000)\nexcept ValueError: pass",
    "assert N % 13",
    "raise KeyError('k' * N * 1000)",
    "sys.exit(N)",
)


@given(
    st.lists(st.tuples(st.sampled_from(PIECES), st.integers(0, 70)), min_size=1, max_size=14),
    st.booleans(),
    st.integers(8, 400),
)
@settings(derandomize=True, deadline=None, max_examples=examples(80))
def test_programs_put_together_by_chance(pieces: list[tuple[str, int]], notebook: bool, events: int) -> None:
    texts = ["import torch\nx = torch.ones(3, requires_grad=True)\nkept = []"]
    texts += [piece.replace("N", f"({n})") for piece, n in pieces]
    program = Program.from_cells(tuple(texts)) if notebook else Program.from_text("\n".join(texts))
    result = ran(program, Limits(seconds=120, memory_mb=1024, events=events))
    assert result.status in ("ok", "error", "too_large")
    assert result.recording is not None
    assert len(result.recording.events) <= events + 2


def test_an_array_that_is_too_large_is_said_in_one_sentence() -> None:
    result = ran("import torch\nx = torch.ones(2048, 1024, 1) * torch.ones(1, 1024, 512)", Limits(seconds=120, memory_mb=512))
    assert result.error is not None
    assert result.error.traceback.splitlines()[-1] == "MemoryError: a program may use at most 512 MB of memory"
