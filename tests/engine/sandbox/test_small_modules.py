"""Modules of the standard library that are written out, or stand behind others, for programs: they do what Python's own do."""

from __future__ import annotations

import contextlib
import io
import sys

import pytest

from engine.sandbox import run

PROGRAMS = {
    "queue": """
import queue
from queue import Empty, Full
q = queue.PriorityQueue()
for k, x in enumerate([5, 2, 8, 1, 1, 9, 3]):
    q.put((x, k))
print(q.qsize(), [q.get() for _ in range(q.qsize())], q.empty())
last, first, small = queue.LifoQueue(), queue.Queue(), queue.Queue(maxsize=1)
for x in "abc":
    last.put(x), first.put(x)
print(last.get(), first.get(), first.unfinished_tasks)
small.put(1)
for call in (lambda: small.put(2, timeout=0.01), lambda: small.put_nowait(2), lambda: queue.SimpleQueue().get_nowait()):
    try:
        call()
    except (Empty, Full) as error:
        print(type(error).__name__)
first.task_done()
try:
    small.get(timeout=-1), small.get(timeout=-1)
except ValueError as error:
    print(error)
class Item:
    def __init__(self, n): self.n = n
    def __lt__(self, other): return self.n < other.n
q = queue.PriorityQueue()
for n in (3, 1, 2): q.put(Item(n))
print([q.get().n for _ in range(3)])
""",
    "optparse": """
from optparse import OptionGroup, OptionParser
parser = OptionParser(usage="usage: %prog [options] FILE", version="%prog 1.0", prog="p")
parser.add_option("--lr", type="float", default=0.1, help="the rate [default: %default]")
parser.add_option("-n", "--layers", type=int, dest="n", default="3", metavar="N")
parser.add_option("-q", "--quiet", action="store_false", dest="verbose", default=True, help="say less")
parser.add_option("-x", action="append", dest="xs")
parser.add_option("-v", action="count", dest="v", default=0)
parser.add_option("--opt", type="choice", choices=["sgd", "adam"], default="sgd")
group = OptionGroup(parser, "More", "what is seldom said")
group.add_option("--seed", type="int", default=1)
parser.add_option_group(group)
parser.set_defaults(seed=7)
options, rest = parser.parse_args(["--lr", "0.5", "a", "-q", "-x", "1", "-x2", "-vv", "b"])
print(options, rest, options.lr + 1, options.n, options.xs, options.seed, options == vars(options))
print(options.ensure_value("more", 3), options.more, parser.has_option("--lr"))
parser.print_help()
print(vars(parser.parse_args([])[0]))
parser.print_usage()
""",
    "configparser": """
import configparser
config = configparser.ConfigParser()
config.read_string('''
[DEFAULT]
lr = 0.1
[train]
epochs = 10
batch: 32
shuffle = yes
path = %(root)s/data
root = /tmp
''')
train = config["train"]
print(config.sections(), train["epochs"], config.getint("train", "batch"), train.getboolean("shuffle"), train["path"])
print(config.getfloat("train", "lr"), train.getfloat("none", 3.0), config.get("train", "no", fallback="f"), "train" in config)
print(list(train), len(train), train, dict(train), config.items("train"), train.get("nothing"), train.name)
for call in (lambda: config.get("a", "b"), lambda: config.get("train", "b"), lambda: config["q"], lambda: train["q"]):
    try:
        call()
    except (configparser.Error, KeyError) as error:
        print(type(error).__name__, error)
config["new"] = {"a": "1", "b": 2}
config.set("new", "c", "x")
config["new"]["d"] = "4"
del config["new"]["a"]
other = configparser.ConfigParser(interpolation=configparser.ExtendedInterpolation(), allow_no_value=True)
other.optionxform = str
other.read_dict({"A": {"Key": "1"}, "B": {"x": "${A:Key}2", "y": None}})
print({name: dict(section) for name, section in other.items()}, other.has_option("A", "key"), other.options("A"))
print(configparser.RawConfigParser({"a": "%(b)s"}).defaults(), config.has_section("new"))
print(config.remove_section("new"), len(config))
""",
    "functools": """
import functools, collections.abc
@functools.singledispatch
def told(x, more=0):
    'What it is.'
    return "anything"
@told.register(int)
def _(x, more=0): return f"int {more}"
@told.register
def _(x: list): return "list"
@told.register
def _(x: dict | str): return "dict or str"
@told.register(collections.abc.Sequence)
def _(x): return "sequence"
told.register(float, lambda x: "float")
class A: pass
class B(A): pass
told.register(A, lambda x: "A")
print([told(x) for x in (1, True, 1.0, [], {}, "", (), B(), None, {1})], told(1, more=2), told.__name__, told.__doc__)
print(told.dispatch(int)(3), told.dispatch(B)(3))
for call in (lambda: told(), lambda: told.register(3, print), lambda: told.register(lambda x: x)):
    try:
        call()
    except TypeError as error:
        print(str(error)[:40])
class Shown:
    @functools.singledispatchmethod
    def show(self, x): return "other"
    @show.register(int)
    def _(self, x): return "int", type(self).__name__
    told = told
print(Shown().show(1), Shown().show(""), Shown.told(1), Shown().told())
""",
    "string": """
from string import Template
import string
print(Template("$who likes ${what}, $$5").substitute(who="a", what=3), Template("$a $b").safe_substitute({"a": 1}))
try:
    Template("$a").substitute()
except KeyError as error:
    print(error)
class Percent(Template):
    delimiter = "%"
print(Percent("%x $x").substitute(x=2), Template("x").template)
""",
    "windows": """
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
windows = sliding_window_view(np.arange(6), 3)
print(windows, windows.mean(-1), sliding_window_view(np.arange(12.0).reshape(3, 4), (2, 2)).shape)
print(np.lib.stride_tricks.sliding_window_view(np.arange(12).reshape(3, 4), 2, axis=1)[1, 1])
for wrong in (lambda: windows.__setitem__(0, 1), lambda: sliding_window_view(np.arange(3), 9)):
    try:
        wrong()
    except ValueError as error:
        print(error)
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_prints_what_it_prints_elsewhere(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    there = io.StringIO()
    monkeypatch.setattr(sys, "argv", ["program.py"])
    with contextlib.redirect_stdout(there), contextlib.redirect_stderr(io.StringIO()):
        exec(compile(PROGRAMS[name], "program.py", "exec", dont_inherit=True), {"__name__": "__main__"})
    here = run(PROGRAMS[name])
    assert here.status == "ok", here.error
    assert here.output == there.getvalue()


def test_a_wrong_option_ends_the_program() -> None:
    text = "import optparse\np = optparse.OptionParser(prog='p')\np.add_option('-n', type='int')\np.parse_args(['-n', 'a'])"
    assert run(text).output == "Usage: p [options]\n\np: error: option -n: invalid integer value: 'a'\n"


def test_a_configuration_is_read_from_files_of_the_run() -> None:
    text = """
import configparser
config = configparser.ConfigParser()
config["a"] = {"x": "1"}
with open("a.ini", "w") as file:
    config.write(file)
print(open("a.ini").read().split(), configparser.ConfigParser().read(["a.ini", "none.ini", "/etc/passwd"]))
"""
    assert run(text).output == "['[a]', 'x', '=', '1'] ['a.ini']\n"


INERT = """
import faulthandler, locale, pickletools, signal, ssl, urllib.request
ssl._create_default_https_context = ssl._create_unverified_context
opener = urllib.request.build_opener()
opener.addheaders = [("User-agent", "Mozilla/5.0")]
urllib.request.install_opener(opener)
request = urllib.request.Request("http://a.b", headers={"a": "b"})
request.add_header("c", "d")
signal.signal(signal.SIGINT, lambda *_: None)
faulthandler.enable()
locale.setlocale(locale.LC_ALL, "")
print(request.full_url, request.headers, opener.addheaders)
"""


def test_what_only_prepares_for_the_world_outside_is_taken() -> None:
    assert run(INERT).output == "http://a.b {'a': 'b', 'c': 'd'} [('User-agent', 'Mozilla/5.0')]\n"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("opener.open(request)", "no network"),
        ("urllib.request.urlopen(request)", "no network"),
        ("pickletools.dis(b'')", "opcodes"),
        ("signal.alarm(1)", "ends by itself"),
        ("import optparse; optparse.OptionParser().add_option('-x', action='callback', callback=print)", "argparse"),
        ("import optparse; optparse.OptionParser().add_option('--x', dest='__class__')", ""),
        ("import optparse; optparse.OptionParser().parse_args([], opener)", "argparse"),
        ("import optparse; optparse.Values({'__dict__': {}})", ""),
        ("import configparser; configparser.ConfigParser()._real", "public attributes"),
        ("import numpy as np; np.lib.stride_tricks.as_strided(np.ones(2), (9,))", "sliding_window_view"),
        ("import numpy as np; np.lib.stride_tricks.sliding_window_view(np.ones(3), 2, writeable=True)", "array itself"),
    ],
)
def test_what_goes_further_is_refused(line: str, said: str) -> None:
    result = run(f"{INERT}\n{line}")
    assert result.status == "policy", (result.status, result.error)
    assert result.error is not None
    assert said in result.error.help


def test_who_would_wait_for_ever_is_told() -> None:
    result = run("import queue\nqueue.Queue().get()")
    assert result.error is not None
    assert "one thread" in result.error.message


def test_a_warning_names_no_path_of_the_machine() -> None:
    text = """
import torch
from torch.utils.data import DataLoader, TensorDataset
x = torch.ones(1, requires_grad=True)
print("%0.1f" % x.sum())
for batch in DataLoader(TensorDataset(torch.ones(2, 1)), pin_memory=True): pass
next(iter(DataLoader(TensorDataset(torch.ones(2, 1)), pin_memory=True)))
import numpy as np
np.mean([])
"""
    said = run(text).output
    assert "<program>:5: UserWarning: Converting a tensor" in said
    assert "<program>:6: UserWarning: 'pin_memory'" in said
    assert "<program>:7: UserWarning: 'pin_memory'" in said
    assert "numpy/_core/" in said or "numpy/core/" in said
    assert "/numpy" not in said


PYLAB = """
from pylab import *
import pylab
from matplotlib_inline import backend_inline
backend_inline.set_matplotlib_formats("svg")
rcParams["figure.figsize"] = 10, 8
x = linspace(0, 1, 5)
plot(x, sin(x))
title("a")
show()
print(x, randn(2).shape, norm([3.0, 4.0]), max([1, 2]), np.pi, pylab.plt.plot is plot, bool)
"""


def test_pylab_has_the_names_of_numpy_and_of_pyplot() -> None:
    result = run(PYLAB)
    assert result.output == "[0.   0.25 0.5  0.75 1.  ] (2,) 5.0 2 3.141592653589793 True <class 'bool'>\n"
    assert len(result.figures) == 1


ASKED = """
import multiprocessing, os, sys, urllib.error, urllib.request
import torch.multiprocessing as mp
from multiprocessing import cpu_count
from urllib.error import HTTPError, URLError
from IPython.display import Audio, Image, display
from requests.exceptions import Timeout
__date__, __license__ = "today", "MIT"
class Net:
    __constants__ = ["size"]
multiprocessing.set_start_method("spawn")
print(cpu_count(), mp.cpu_count(), os.cpu_count(), sys.executable)
display(Image("a.png", width=3), Audio([0.0], rate=8000))
try:
    raise HTTPError("http://a.b", 404, "Not Found", {}, None)
except URLError as error:
    print(error, repr(error), error.code, error.reason, isinstance(error, OSError), type(error).__name__)
try:
    raise urllib.request.URLError("gone")
except (Timeout, urllib.error.HTTPError, urllib.error.URLError) as error:
    print(error, repr(error), error.reason, error.args)
try:
    try:
        1 / 0
    except Timeout:
        print("never")
except ZeroDivisionError as error:
    print(error)
class Mine(HTTPError): pass
print(issubclass(Mine, URLError))
"""


def test_what_programs_ask_of_the_machine_and_catch_of_the_network() -> None:
    result = run(ASKED)
    assert result.status == "ok", result.error
    assert result.output == (
        "1 1 1 python\n<IPython.core.display.Image object>\n<IPython.core.display.Audio object>\n"
        "HTTP Error 404: Not Found <HTTPError 404: 'Not Found'> 404 Not Found True HTTPError\n"
        "<urlopen error gone> URLError('gone') gone ('gone',)\ndivision by zero\nTrue\n"
    )


def test_what_is_not_there_catches_nothing() -> None:
    result = run("from requests import Timeout\ntry:\n    int('x')\nexcept Timeout:\n    pass")
    assert result.error is not None
    assert (result.error.type, result.error.line) == ("ValueError", 3)
