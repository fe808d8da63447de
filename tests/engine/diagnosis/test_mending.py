"""Mends of a program's text: each changes what it says, leaves Python behind, and does nothing where it is not sure."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from types import ModuleType

import pytest

from engine.diagnosis import mending as m
from engine.diagnosis.mends.cuts import peeled
from engine.diagnosis.run import Run
from engine.program.changes import changed
from engine.program.parsing import parses
from engine.recording import Recording
from engine.recording.events import Site

Mend = Callable[..., m.Changes]
MARK = re.compile("[«»]")


def marked(text: str) -> tuple[str, list[Site]]:
    """A text without its marks, and the sites of what stands in each pair of « and »."""
    plain = MARK.sub("", text)
    opened, found = [], []
    for number, sign in enumerate(MARK.finditer(text)):
        at = sign.start() - number
        if sign[0] == "«":
            opened.append(at)
        else:
            found.append((opened.pop(), at))
    return plain, [Site(0, *place(plain, a), *place(plain, b)) for a, b in sorted(found)]


def place(text: str, offset: int) -> tuple[int, int]:
    before = text[:offset]
    return before.count("\n") + 1, len(before[before.rfind("\n") + 1 :].encode())


def mended(mend: Mend, text: str) -> str | None:
    """A text after a mend at its marks, None where the mend does nothing."""
    plain, sites = marked(text)
    run = Run(Recording(source=(plain,)))
    changes = mend(run, *sites)
    if not changes:
        return None
    (after,) = changed((plain,), changes)
    assert parses(after), after
    return after


LOOP = "for i in range(3):\n    loss = f()\n    «loss.backward()»  # down\n    opt.step()\n"
CASES: list[tuple[str, Mend, str, str]] = [
    ("before", partial(m.before), LOOP, LOOP.replace("    «loss", "    opt.zero_grad()\n    «loss")),
    ("after", partial(m.after), LOOP, LOOP.replace("# down\n", "# down\n    opt.zero_grad()\n")),
    ("after the last line", m.after, "x = 1\n«y = 2»", "x = 1\ny = 2\nopt.zero_grad()"),
    ("after lines that end as elsewhere", m.after, "«x = 1»\r\ny = 2", "x = 1\r\nopt.zero_grad()\r\ny = 2"),
    (
        "before an expression in a statement",
        m.before,
        "  # é\nif True:\n    z = [g(«f(1)»),\n      2]\n",
        "  # é\nif True:\n    opt.zero_grad()\n    z = [g(f(1)),\n      2]\n",
    ),
    (
        "before a decorated function",
        m.before,
        "@torch.no_grad()\n«def f():\n    pass»\n",
        "opt.zero_grad()\n@torch.no_grad()\ndef f():\n    pass\n",
    ),
    ("before one of several on a line", m.before, "x = 1; «y = f(2)»\n", ""),
    ("before the body of a block on one line", m.before, "for i in x: «y = 2»\n", ""),
    ("before another branch", m.before, "if a:\n    pass\n«elif b:\n    pass»\n", ""),
    ("before a continued line", m.before, "x = 1 + \\\n«y»\n", "opt.zero_grad()\nx = 1 + \\\ny\n"),
    ("before what follows a backslash", m.before, "if x:\\\n  «y = 1»\n", ""),
    ("before no node", m.before, "x = «1 +» 2\n", ""),
    ("before what is no Python", m.before, "x = = «1»\n", ""),
    ("first in a loop", m.first_in, "«for i in x:\n  a = 1\n  b = 2»\n", "for i in x:\n  opt.zero_grad()\n  a = 1\n  b = 2\n"),
    (
        "first in a function",
        m.first_in,
        "«def f():\n    'text'\n    return 1»\n",
        "def f():\n    'text'\n    opt.zero_grad()\n    return 1\n",
    ),
    (
        "last in a loop",
        m.last_in,
        "«for i in x:\n  a = 1\n  if a:\n    b = 2»\nc = 3\n",
        "for i in x:\n  a = 1\n  if a:\n    b = 2\n  opt.zero_grad()\nc = 3\n",
    ),
]


def said(mend: Mend) -> Mend:
    return lambda run, *sites: mend(run, *sites, "opt.zero_grad()")


@pytest.mark.parametrize(("mend", "text", "after"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_a_statement_is_written_beside_another(mend: Mend, text: str, after: str) -> None:
    assert mended(said(mend), text) == (MARK.sub("", after) if after else None)


def test_several_statements_keep_their_own_indentation() -> None:
    made = mended(
        lambda run, site: m.after(run, site, "with torch.no_grad():", "    w -= 1\n\n    b -= 1"), "if a:\n  «x = 1»\n"
    )
    assert made == "if a:\n  x = 1\n  with torch.no_grad():\n      w -= 1\n\n      b -= 1\n"


STATEMENTS: list[tuple[str, Mend, str, str]] = [
    ("a statement left out", m.dropped, "a = 1\n«b = f(\n  2)»  # why\nc = 3\n", "a = 1\nc = 3\n"),
    ("the last one left out", m.dropped, "a = 1\n«b = 2»", "a = 1\n"),
    (
        "the only one of a block left out",
        m.dropped,
        "if a:\n    «b = 2»\nelse:\n    c = 3\n",
        "if a:\n    pass\nelse:\n    c = 3\n",
    ),
    ("one of several on a line not left out", m.dropped, "«a = 1»; b = 2\n", ""),
    (
        "moved up",
        lambda run, to, what: m.moved(run, what, before=to),
        "«for i in x:\n    a = 1»\n«b = (1,\n  2)»\nc = 3\n",
        "b = (1,\n  2)\nfor i in x:\n    a = 1\nc = 3\n",
    ),
    (
        "moved into a loop",
        lambda run, what, to: m.moved(run, what, before=to),
        "«y = f(1)»\nfor i in x:\n    «g(y)»\n",
        "for i in x:\n    y = f(1)\n    g(y)\n",
    ),
    ("moved down", lambda run, what, to: m.moved(run, what, after=to), "«a = 1»\n«b = 2»\nc = 3", "b = 2\na = 1\nc = 3"),
    ("moved into itself", lambda run, what, to: m.moved(run, what, after=to), "«for i in x:\n    «a = 1»»\n", ""),
    (
        "moved with a text whose spaces count",
        lambda run, what, to: m.moved(run, what, before=to),
        '«y = """a\n  b"""»\nfor i in x:\n    «g(y)»\n',
        "",
    ),
    (
        "swapped",
        m.swapped,
        "if x:\n    «a = 1»  # one\n    c = 3\n    «b = [2,\n      4]»\n",
        "if x:\n    b = [2,\n      4]\n    c = 3\n    a = 1  # one\n",
    ),
    ("swapped with what it stands in", m.swapped, "«for i in x:\n    «a = 1»»\n", ""),
    (
        "a block around one",
        lambda run, site: m.enclosed(run, site, "with torch.no_grad():"),
        "a = 1\nif a:\n    «w -= 1»\nb = 2",
        "a = 1\nif a:\n    with torch.no_grad():\n        w -= 1\nb = 2",
    ),
    (
        "a block around several",
        lambda run, first, last: m.enclosed(run, first, "if a:", last),
        "«a = 1»\n\nb = 2\n«c = 3»\n",
        "if a:\n    a = 1\n\n    b = 2\n    c = 3\n",
    ),
    (
        "a block around parts of two",
        lambda run, first, last: m.enclosed(run, first, "if a:", last),
        "if x:\n    «a = 1»\n«c = 3»\n",
        "",
    ),
    (
        "a block less",
        m.unwrapped,
        "a = 1\nwith «torch.no_grad()»:\n    # why\n    y = x\n    if y:\n        z = 1\nb = 2\n",
        "a = 1\n# why\ny = x\nif y:\n    z = 1\nb = 2\n",
    ),
    ("a block less, by its statement", m.unwrapped, "«with torch.no_grad():\n    y = (x\n  + 1)»", "y = (x\n  + 1)"),
    (
        "a context less",
        m.unwrapped,
        "with «torch.no_grad()», torch.enable_grad():\n    y = x\n",
        "with torch.enable_grad():\n    y = x\n",
    ),
    (
        "another context less",
        m.unwrapped,
        "with torch.enable_grad(), «torch.no_grad()»:\n    y = x\n",
        "with torch.enable_grad():\n    y = x\n",
    ),
    ("a block on one line", m.unwrapped, "with «torch.no_grad()»: y = x\n", ""),
    ("a block with a name", m.unwrapped, "with «open(x)» as y:\n    z = y\n", ""),
    ("no block", m.unwrapped, "y = «torch.no_grad()»\n", ""),
]


@pytest.mark.parametrize(("mend", "text", "after"), [c[1:] for c in STATEMENTS], ids=[c[0] for c in STATEMENTS])
def test_statements_are_moved_and_left_out(mend: Mend, text: str, after: str) -> None:
    assert mended(mend, text) == (after or None)


EXPRESSIONS: list[tuple[str, Mend, str, str]] = [
    ("replaced", lambda run, site: m.replaced(run, site, "lr"), "é = 'ü', «0.1 * 2»\n", "é = 'ü', lr\n"),
    ("wrapped", lambda run, site: m.wrapped(run, site, "abs(", ")"), "y = «a + b» + c", "y = abs(a + b) + c"),
    ("no value", lambda run, site: m.replaced(run, site, "0"), "sum(«x for x in y»)", ""),
    ("a call more", lambda run, site: m.with_call(run, site, "detach()"), "y = «x[0]» + 1", "y = x[0].detach() + 1"),
    ("a call more on a sum", lambda run, site: m.with_call(run, site, "sum()"), "y = 2 * («a + 1»)", "y = 2 * ((a + 1).sum())"),
    ("a call more on a number", lambda run, site: m.with_call(run, site, "real"), "y = «1»", "y = (1).real"),
    ("a call less", lambda run, site: m.without_call(run, site, "detach"), "y = «(a + b).detach()».sum()", "y = (a + b).sum()"),
    (
        "a call less on another line",
        lambda run, site: m.without_call(run, site, "detach"),
        "y = («x\n   .  detach()»\n   .sum())",
        "y = (x\n   \n   .sum())",
    ),
    ("a call of another name", lambda run, site: m.without_call(run, site, "detach"), "y = «x.clone()»", ""),
    (
        "a call with dots in what it is called on",
        lambda run, site: m.without_call(run, site, "item", "detach"),
        "y = «f('.detach', 1.0).item()»",
        "y = f('.detach', 1.0)",
    ),
    ("an attribute less", lambda run, site: m.without_attribute(run, site, "data"), "«w.data» -= 1", "w -= 1"),
    ("an attribute of another name", lambda run, site: m.without_attribute(run, site, "data"), "«w.grad» -= 1", ""),
    ("a function less", m.without_function, "y = 2 * «float(a + b)»", "y = 2 * (a + b)"),
    ("a function less on a name", m.without_function, "y = «torch.tensor(loss, requires_grad=True)»", "y = loss"),
    ("a function of two", m.without_function, "y = «max(a, b)»", ""),
    ("a function of a generator", m.without_function, "y = «sum(a for a in b)»", ""),
    (
        "another function",
        lambda run, site: m.renamed(run, site, "log_softmax"),
        "y = «F.softmax(x, -1)»",
        "y = F.log_softmax(x, -1)",
    ),
    (
        "another method",
        lambda run, site: m.renamed(run, site, "log_softmax"),
        "y = «(a + b).softmax(-1)»",
        "y = (a + b).log_softmax(-1)",
    ),
    ("another name", lambda run, site: m.renamed(run, site, "g"), "y = «f(1)»", "y = g(1)"),
]


@pytest.mark.parametrize(("mend", "text", "after"), [c[1:] for c in EXPRESSIONS], ids=[c[0] for c in EXPRESSIONS])
def test_expressions_are_replaced(mend: Mend, text: str, after: str) -> None:
    assert mended(mend, text) == (after or None)


KEYWORDS: list[tuple[str, str | None, str, str]] = [
    ("added", "1", "«f(a)»", "f(a, lr=1)"),
    ("added to nothing", "1", "«f()»", "f(lr=1)"),
    ("added to nothing on a chain", "1", "«f(a).g( )»", "f(a).g( lr=1)"),
    ("added behind a comma", "1", "«f(a,)»", "f(a, lr=1)"),
    ("added before a comma, the parenthesis beneath", "1", "«f(\n  a,\n  b=c,\n)»", "f(\n  a,\n  b=c, lr=1,\n)"),
    ("added behind parentheses", "1", "«f((a), *b, **c)»", "f((a), *b, **c, lr=1)"),
    ("added behind comments", "1", "«f(\n  a,  # ), no\n)»", "f(\n  a,  # ), no\nlr=1)"),
    ("added behind a comment without a comma", "1", "«f(\n  a  # , no\n)»", "f(\n  a  # , no\n, lr=1)"),
    ("given another value", "1", "«f(a, lr=(2 + 3), b=c)»", "f(a, lr=(1), b=c)"),
    ("left out", None, "«f(a, lr=(2 + 3))»", "f(a)"),
    ("left out in between", None, "«f(a, lr=2, b=3)»", "f(a, b=3)"),
    ("left out ahead", None, "«f(lr=2, b=3)»", "f(b=3)"),
    ("left out alone", None, "«f( lr = 2 , )»", "f( )"),
    ("left out where a comment is in the way", None, "«f(a,  # one\n  lr=2)»", ""),
    ("left out where it is not", None, "«f(a)»", ""),
    ("added to a generator", "1", "«f(x for x in a)»", ""),
    ("added to what is no call", "1", "«x»", ""),
]


@pytest.mark.parametrize(("value", "text", "after"), [c[1:] for c in KEYWORDS], ids=[c[0] for c in KEYWORDS])
def test_keywords_are_added_changed_and_left_out(value: str | None, text: str, after: str) -> None:
    assert mended(lambda run, site: m.keyword(run, site, "lr", value), text) == (after or None)


PARTS = [
    ("f(«a», b)", "f(b)"),
    ("f(a, «b»)", "f(a)"),
    ("f(\n    a,\n    «g(b, c)»,\n)", "f(\n    a,\n)"),
    ("[«a»]", "[]"),
    ("[a, «b», c]", "[a, c]"),
    ("f(k=«a»)", ""),
    ("«a» + b", ""),
]


@pytest.mark.parametrize(("text", "after"), PARTS)
def test_an_argument_is_left_out(text: str, after: str) -> None:
    assert mended(m.without_argument, text) == (after or None)


def test_several_statements_are_moved_together() -> None:
    text = "«b = 1»\nc = 3\n«a = 2»\nfor i in x:\n    «g(a)»\n"
    assert (
        mended(lambda run, b, a, to: m.moved(run, b, a, before=to), text)
        == "c = 3\nfor i in x:\n    b = 1\n    a = 2\n    g(a)\n"
    )


def test_where_a_statement_stands_beside_another_is_found() -> None:
    plain, (inner, other) = marked("def f():\n    for i in x:\n        if i:\n            «g()»\n    «h()»\n")
    run = Run(Recording(source=(plain,)))
    assert m.text_at(run, m.in_body(run, inner, other)).startswith("for i in x:")
    assert m.in_body(run, other, inner) is None


DEFINED = [("c = nn.NLLLoss()\n«c(a, b)»", "nn.NLLLoss()"),
           ("class A:\n  def f(self):\n    self.c = L(1)\n    «self.c(a)»", "L(1)"),
           ("«L(1)(a)»", "L(1)"), ("c = L(1)\nc = L(2)\n«c(a)»", ""), ("«f(a)»", ""), ("c = d\n«c(a)»", "")]  # fmt: skip


@pytest.mark.parametrize(("text", "made"), DEFINED)
def test_what_made_what_is_called_is_found(text: str, made: str) -> None:
    plain, (call,) = marked(text)
    run = Run(Recording(source=(plain,)))
    assert m.text_at(run, m.definition_of(run, call)) == made


WRITES = [
    ("«y += 1»", "y = y + 1"),
    ("«y **= 2»", "y = y ** 2"),
    ("«y -= a - b»", "y = y - (a - b)"),
    ("«y *= (a - b) * c»", "y = y * ((a - b) * c)"),
    ("«y *= (a - b)»", "y = y * (a - b)"),
    ("«y[0] += 1»", ""),
    ("«y.mul_(2)»  # two", "y = y.mul(2)  # two"),
    ("«y.relu_()»", "y = y.relu()"),
    ("z = «y.mul_(2)»", "z = y.mul(2)"),
    ("«torch.relu_(y)»", "y = torch.relu(y)"),
    ("«y.zero_()»", "y = y.clone().zero_()"),
    ("«y.fill_(2)»", "y = y.clone().fill_(2)"),
    ("«y.copy_(x)»", "y = y.clone().copy_(x)"),
    ("«y.normal_(0, 0.1)»", "y = y.clone().normal_(0, 0.1)"),
    ("«y.uniform_()»", "y = y.clone().uniform_()"),
    ("z = «y.random_(3)»", "z = y.clone().random_(3)"),
    ("«y.masked_fill_(m, 0)»", "y = y.masked_fill(m, 0)"),
    ("«torch.zero_(y)»", "y = torch.zero_(y.clone())"),
    ("«torch.fill_(y, 2)»", "y = torch.fill(y, 2)"),
    ("from torch.nn import init\n«init.normal_(y)»", ""),
    ("import torch.nn.init as init\n«init.normal_(y)»", ""),
    ("«y.requires_grad_()»", ""),
    ("«y.__iadd__(2)»", ""),
    ("«y.data.mul_(2)»", ""),
    ("«y.mul(2)»", ""),
]


@pytest.mark.parametrize(("text", "after"), WRITES)
def test_a_write_becomes_a_new_tensor(text: str, after: str) -> None:
    assert mended(m.out_of_place, text) == (after or None)


def test_an_operation_that_writes_has_a_new_tensor_on_pytorch(torch: ModuleType) -> None:
    """What is written for each in-place method is a method that PyTorch has."""
    for name in (name for name in dir(torch.Tensor) if name.endswith("_") and not name.endswith("__") and name[0] != "_"):
        after = mended(m.out_of_place, f"«y.{name}(1)»")
        if name == "requires_grad_":
            assert after is None
            continue
        assert after in (f"y = y.{name[:-1]}(1)", f"y = y.clone().{name}(1)")
        assert hasattr(torch.Tensor, name[:-1]) == (after == f"y = y.{name[:-1]}(1)")


PEELED = [
    ("y = torch.tensor(«w.item()»)", "y = w"),
    ("y = math.exp(-«w[k].item()»)", "y = torch.exp(-w[k])"),
    ("y = 2 * math.sqrt(«w.item()»)", "y = 2 * torch.sqrt(w)"),
    ("y = torch.from_numpy(np.tanh(«c.detach().numpy()»))", "y = torch.tanh(c)"),
    ("y = math.comb(«w.item()»)", "y = math.comb(w)"),
    ("y = np.mean(«w.numpy()», axis=0)", "y = np.mean(w, axis=0)"),
    ("y = -«w.item()»", "y = -w"),
]


@pytest.mark.parametrize(("text", "after"), PEELED)
def test_numbers_are_computed_of_the_tensor_again(text: str, after: str) -> None:
    assert mended(peeled, text) == after


def test_sites_around_a_site_are_found() -> None:
    plain, (call, given) = marked("for a in b:\n    def f():\n        while c:\n            y = «opt.step(«k + 1», n=2)»\n")
    run = Run(Recording(source=(plain,)))
    text = partial(m.text_at, run)
    assert text(m.receiver_at(run, call)) == "opt"
    assert text(m.argument_at(run, call, 0)) == "k + 1" == text(given)
    assert text(m.argument_at(run, call, 1, "n")) == "2"
    assert m.argument_at(run, call, 1) is None
    assert text(m.statement_at(run, given)) == "y = opt.step(k + 1, n=2)"
    assert text(m.loop_around(run, call)).startswith("while c")
    assert m.loop_around(run, call, outermost=True) == m.loop_around(run, call)
    assert m.loop_around(run, None) is None
    assert m.text_at(run, Site(3, 1, 0, 1, 1)) == ""


def test_a_mend_knows_its_cell() -> None:
    run = Run(Recording(source=("x = 1\n", "!ls\n", "y = x\n")))
    assert changed(run.recording.source, m.before(run, Site(2, 1, 0, 1, 5), "z = 2")) == ("x = 1\n", "!ls\n", "z = 2\ny = x\n")
    assert m.before(run, Site(1, 1, 0, 1, 3), "z = 2") == []
