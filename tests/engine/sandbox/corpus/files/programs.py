"""Programs that work with files: they print the same here as in Python, in a folder that is empty at first."""

# %% text, as open reads and writes it
with open("a.txt", "w") as f:
    print(f.write("one\ntwo\nthrée"), f.tell(), f.name, f.mode, f.encoding.lower(), f.closed, f.readable(), f.writable())
print(f.closed, repr(f).replace("UTF-8", "utf-8"))
with open("a.txt") as f:
    print([f.readline(), f.readline(3), f.read(1), f.read(), f.read(), f.readline()])
print([*open("a.txt")], open("a.txt").readlines(), open("a.txt").readlines(2))
with open("a.txt", "a") as f:
    f.writelines(["\n", "more"])
    print("printed", 1, file=f)
print(open("a.txt", encoding="latin-1").read())
with open("a.txt", "r+") as f:
    print(f.readline(), f.tell())
    f.seek(0)
    f.write("ONE")
    f.seek(0, 2)
    f.write("!")
print(open("a.txt").read())
with open("a.txt", "w+") as f:
    f.write("abc")
    f.seek(0)
    print(f.read(), f.truncate(1), f.seek(0), f.read())

# %% bytes, as open reads and writes them
with open("b", "wb") as f:
    print(f.write(b"\x00\x01\nxyz"), f.write(bytearray(b"12")), f.write(memoryview(b"34")), f.tell(), f.mode)
with open("b", "rb") as f:
    print(f.read(2), f.readline(), f.readline(2), f.peek(1)[:1], f.seek(-2, 2), f.read(), f.seek(1), f.seek(1, 1), list(f))
with open("b", "r+b") as f:
    f.seek(20)
    f.write(b"end")
    f.seek(0)
    print(f.read(), f.mode, f.truncate(3), f.seek(0), f.read(), repr(f))
with open("b", "ab") as f:
    print(f.tell(), f.seek(0), f.write(b"added"), f.mode)
print(open("b", "rb").read())

# %% ends of lines and encodings
open("n", "wb").write(b"a\r\nb\rc\nd")
for newline in (None, "", "\n", "\r", "\r\n"):
    with open("n", newline=newline) as f:
        print(newline, list(f))
for newline in (None, "", "\n", "\r", "\r\n"):
    with open("m", "w", newline=newline) as f:
        f.write("x\ny\r\nz")
    print(newline, open("m", "rb").read())
for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "latin-1", "cp1252"):
    with open("e", "w", encoding=encoding) as f:
        f.write("ä")
    with open("e", "a", encoding=encoding) as f:
        f.write("ö\n")
    print(encoding, open("e", "rb").read(), repr(open("e", encoding=encoding).read()))
print(open("n", "w", encoding="ascii", errors="replace").write("ä€"), open("n").read())
with open("n", newline="") as f:
    print(f.read(1), f.tell(), f.seek(0), f.read())

# %% what goes wrong with files
import io
import os
os.mkdir("folder")
open("full", "w").write("x")
closed = open("full")
closed.close()
closed_binary = open("full", "rb")
closed_binary.close()
tries = [
    lambda: open("none"), lambda: open("none/x", "w"), lambda: open("folder"), lambda: open("folder", "w"), lambda: open(""),
    lambda: open("full", "x"), lambda: open("full/x"), lambda: open("full", "q"), lambda: open("full", ""), lambda: open("full", "rw"),
    lambda: open("full", "rb", encoding="utf-8"), lambda: open("full", "rb", newline=""), lambda: open("full", "rbt"),
    lambda: open("full", newline="x"), lambda: open("full", buffering=0), lambda: open(1.5), lambda: open("full", 5),
    lambda: open("full", encoding="nothing"), lambda: open("full", encoding=1), lambda: open("a\0b"), lambda: open("x" * 300),
    lambda: open("full").write("x"), lambda: open("w", "w").read(), lambda: open("full", "rb").write(b"x"),
    lambda: open("w", "wb").read(), lambda: open("w", "w").write(1), lambda: open("w", "w").write(b"x"),
    lambda: open("w", "wb").write("x"), lambda: open("full").read("x"), lambda: open("full", "rb").seek(-1),
    lambda: open("full").seek(-1), lambda: open("full").seek(1, 1), lambda: open("full").seek(1, 2), lambda: open("full").seek(0, 7),
    lambda: open("full", "rb").truncate(), lambda: open("full").truncate(), lambda: open("w", "w", encoding="ascii").write("ä"),
    closed.read, closed.readline, closed.tell, closed.flush, lambda: closed.write("x"), lambda: next(closed), closed.__enter__,
    closed_binary.read, closed_binary.tell, closed_binary.flush, lambda: closed_binary.write(b""), lambda: closed_binary.seek(0),
]
for k, attempt in enumerate(tries):
    try:
        print(k, attempt())
    except Exception as e:
        print(k, type(e).__name__, e)
with open("bad", "wb") as f:
    f.write(b"\xff")
try:
    open("bad").read()
except UnicodeDecodeError as e:
    print(e)
with open("full") as f:
    next(f)
    try:
        f.tell()
    except OSError as e:
        print(e)

# %% paths
from pathlib import Path, PurePath, PurePosixPath
p = Path("a/b.c/d.tar.gz")
print(p, repr(p), p.name, p.stem, p.suffix, p.suffixes, p.parent, p.parents[1], list(map(str, p.parents)), p.parts, p.anchor == "")
print(p / "e", "r" / p, p.joinpath("x", "y"), p / "/abs", Path("a", "b"), Path(), Path("."), Path("./x//y/./z/"), Path("/"), Path("//x"))
print(p.with_suffix(".x"), p.with_suffix(""), p.with_name("n"), p.with_stem("s"), p.is_absolute(), p.relative_to("a"), p.as_posix())
print(p == Path("a", "b.c", "d.tar.gz"), p < Path("b"), hash(p) == hash(Path(str(p))), {p: 1}[Path("a/b.c/d.tar.gz")], p.match("*.gz"))
print([Path(x).suffix for x in (".bashrc", "x.", "a.b", "..", "a/.b.c")], [Path(x).stem for x in (".bashrc", "x.", "a.b.c")])
print(Path("a/../b"), sorted([Path("b"), Path("a/c"), Path("a")]), f"{p!s:>20}", isinstance(p, PurePath), p.is_relative_to("a"), p.is_relative_to("b"))
for attempt in (lambda: Path("a").relative_to("b"), lambda: Path("a").with_suffix("x"), lambda: Path("/").with_name("x"), lambda: Path(1),
                lambda: Path("a") / 1, lambda: Path("a") < "b", lambda: Path("a").with_name("b/c")):
    try:
        print(attempt())
    except Exception as e:
        print(type(e).__name__)

# %% files by paths
from pathlib import Path
d = Path("runs") / "one"
d.mkdir(parents=True, exist_ok=True)
print(d.exists(), d.is_dir(), d.is_file(), (d / "x").exists())
print((d / "x.txt").write_text("hällo\n"), (d / "y.bin").write_bytes(b"12"), (d / "x.txt").read_text(), (d / "y.bin").read_bytes())
print((d / "x.txt").stat().st_size, sorted(d.iterdir()), sorted(x.name for x in Path("runs").rglob("*")))
(d / "z").touch()
(d / "deep").mkdir()
(d / "deep" / "w.txt").write_text("")
print(sorted(d.glob("*.txt")), sorted(d.glob("**/*.txt")), sorted(Path(".").glob("runs/*/y*")), sorted(d.rglob("*.txt")), list(d.glob("none")))
print((d / "z").rename(d / "q"), (d / "q").exists(), (d / "z").exists())
with (d / "q").open("w") as f:
    print("x", file=f)
print((d / "q").read_text())
(d / "q").unlink()
(d / "q").unlink(missing_ok=True)
(d / "deep" / "w.txt").unlink()
(d / "deep").rmdir()
for attempt in (d.mkdir, d.rmdir, (d / "q").unlink, (d / "q").read_text, lambda: Path("a/b").mkdir(), d.read_text):
    try:
        print(attempt())
    except OSError as e:
        print(type(e).__name__, e)
print(sorted(x.name for x in d.iterdir()), Path("x").resolve().name, Path.cwd() == Path(".").resolve(), d.absolute() == Path.cwd() / d)

# %% os and os.path
import os
os.makedirs("a/b/c", exist_ok=True)
os.makedirs("a/b/c", exist_ok=True)
open("a/f", "w").write("12345")
open("a/b/g", "w").close()
print(sorted(os.listdir("a")), os.path.exists("a"), os.path.isfile("a/f"), os.path.isdir("a/f"), os.path.getsize("a/f"), os.path.exists("q"))
print([(x, sorted(y), sorted(z)) for x, y, z in sorted(os.walk("a"))], [x for x, _, _ in os.walk("a", topdown=False)])
print(os.path.join("a", "b", "/c", "d"), os.path.basename("a/b.c"), os.path.dirname("a/b"), os.path.split("a/b"), os.path.splitext("a/b.c.d"))
print(os.path.normpath("a/../b//c/."), os.path.relpath("a/b/c", "a/q"), os.path.abspath("x") == os.path.join(os.getcwd(), "x"), os.path.isabs("/a"))
print(os.path.commonpath(["a/b", "a/c"]), os.path.commonprefix(["ab", "ac"]), os.path.samefile("a", "./a"), os.sep, os.linesep == "\n", os.name)
print(sorted(e.name for e in os.scandir("a") if e.is_dir()), [e.path for e in os.scandir("a") if e.is_file()])
os.rename("a/f", "a/h")
os.replace("a/h", "a/b/g")
print(os.listdir("a/b") == ["g", "c"] or sorted(os.listdir("a/b")), os.stat("a/b/g").st_size)
os.remove("a/b/g")
os.removedirs("a/b/c")
print(os.listdir("."))
for attempt in (lambda: os.makedirs("q/r/s") or os.makedirs("q/r/s"), lambda: os.mkdir("q"), lambda: os.mkdir("z/z"), lambda: os.remove("z"),
                lambda: os.rmdir("q"), lambda: os.listdir("z"), lambda: os.rename("z", "y"), lambda: os.stat("z"), lambda: os.path.getsize("z"),
                lambda: os.chdir("z"), lambda: os.remove("q")):
    try:
        print(attempt())
    except OSError as e:
        print(type(e).__name__, e)
os.chdir("q")
print(os.listdir("."), os.path.exists("../q/r"))
os.environ["A_NAME"] = "b"
print(os.environ["A_NAME"], os.environ.get("NO_SUCH_NAME"), os.getenv("A_NAME"), os.getenv("NO_SUCH_NAME", 3), "A_NAME" in os.environ)
os.environ.setdefault("A_NAME", "c")
print(os.path.expandvars("$A_NAME/${A_NAME}x"), os.environ.pop("A_NAME"), os.environ.setdefault("B_NAME", "d"))
for attempt in (lambda: os.environ["NO_SUCH_NAME"], lambda: os.environ.__setitem__("a", 1)):
    try:
        print(attempt())
    except Exception as e:
        print(type(e).__name__, e)

# %% glob, shutil, tempfile
import glob
import os
import shutil
import tempfile
for name in ("a/x.txt", "a/b/y.txt", "a/b/.hidden.txt", "z.txt"):
    os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
    open(name, "w").write(name)
for pattern in ("*", "*.txt", "a/*", "a/*/*.txt", "a/?.txt", "[az].txt", "none*", "a", "a/b/", "**", "a/**/*.txt"):
    print(pattern, sorted(glob.glob(pattern)), sorted(glob.glob(pattern, recursive=True)))
print(sorted(glob.iglob("*.txt")), glob.escape("a[1]"), sorted(glob.glob("*.txt", root_dir="a")))
print(shutil.copy("z.txt", "a"), shutil.copyfile("z.txt", "w.txt"), shutil.move("w.txt", "a/b"), sorted(os.listdir("a/b")))
print(shutil.copytree("a", "c"), sorted(os.listdir("c")), open("c/b/y.txt").read())
print(sorted(shutil.copytree("a", "d", ignore=shutil.ignore_patterns("*.txt")) and os.listdir("d")))
shutil.rmtree("c")
shutil.rmtree("none", ignore_errors=True)
print(os.path.exists("c"))
for attempt in (lambda: shutil.rmtree("none"), lambda: shutil.copy("none", "x"), lambda: shutil.copyfile("z.txt", "z.txt"), lambda: shutil.copytree("a", "d")):
    try:
        print(attempt())
    except OSError as e:
        print(type(e).__name__)
with tempfile.TemporaryDirectory() as folder:
    open(os.path.join(folder, "x"), "w").write("1")
    print(os.path.isdir(folder), os.listdir(folder))
print(os.path.exists(folder))
with tempfile.NamedTemporaryFile("w+", suffix=".txt") as f:
    f.write("abc")
    f.flush()
    f.seek(0)
    print(f.read(), f.name.endswith(".txt"), os.path.exists(f.name))
print(os.path.exists(f.name), os.path.isdir(tempfile.mkdtemp()), os.path.isdir(tempfile.gettempdir()))
with tempfile.TemporaryFile() as f:
    print(f.write(b"x"), f.seek(0), f.read())

# %% json and csv
import csv
import io
import json
with open("a.json", "w") as f:
    json.dump({"a": [1, 2.5, None], "b": {"c": "ä"}}, f, indent=2, ensure_ascii=False)
print(open("a.json").read(), json.load(open("a.json")))
class Encoder(json.JSONEncoder):
    def default(self, o):
        return sorted(o) if isinstance(o, set) else super().default(o)
print(json.dumps({"s": {2, 1}}, cls=Encoder), Encoder(indent=1).encode([{3}]))
try:
    json.dumps({1, 2}, cls=json.JSONEncoder)
except TypeError as e:
    print(e)
with open("a.csv", "w", newline="") as f:
    w = csv.writer(f)
    print(w.writerow(["a", 'b"c', "d,e", 1, 2.5, None, True]))
    w.writerows([(1, 2), [3, "x\ny"]])
print(repr(open("a.csv", newline="").read()), list(csv.reader(open("a.csv", newline=""))))
out = io.StringIO()
w = csv.DictWriter(out, ["x", "y"], delimiter=";", quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
w.writeheader()
w.writerow({"x": 1, "y": "z"})
w.writerows([{"x": 2}])
print(out.getvalue())
r = csv.DictReader(io.StringIO("a,b\n1,2\n3\n4,5,6\n"))
print(r.fieldnames, list(r), r.line_num)
print(list(csv.reader(["1 2", "3  4"], delimiter=" ")), list(csv.reader(["'a,b',c"], quotechar="'")), list(csv.reader(["1,x"], "excel")))
for attempt in (lambda: w.writerow({"q": 1}), lambda: list(csv.reader([1])), lambda: csv.reader(["a"], delimiter="ab"), lambda: csv.writer(3),
                lambda: csv.writer(out).writerow(3), lambda: csv.reader([""], dialect="nothing"), lambda: list(csv.reader(["a\0b", 'x"y'], strict=True))):
    try:
        print(attempt())
    except Exception as e:
        print(type(e).__name__, e)

# %% gzip and zipfile
import gzip
import io
import zipfile
with gzip.open("a.gz", "wt") as f:
    f.write("abc\n" * 1000)
print(len(gzip.open("a.gz").read()), gzip.open("a.gz", "rt").readline(), len(open("a.gz", "rb").read()) < 200)
with gzip.open("a.gz", "ab") as f:
    f.write(b"more")
print(gzip.open("a.gz").read()[-6:], gzip.decompress(gzip.compress(b"x" * 10)))
for attempt in (lambda: gzip.decompress(b"nothing"), lambda: gzip.open("none"), lambda: gzip.decompress(gzip.compress(b"abc")[:-9])):
    try:
        print(attempt())
    except Exception as e:
        print(type(e).__name__)
with zipfile.ZipFile("a.zip", "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr("x/y.txt", "hello")
    z.write("a.gz")
with zipfile.ZipFile("a.zip", "a") as z:
    z.writestr("more", b"1")
with zipfile.ZipFile("a.zip") as z:
    print(z.namelist(), z.read("x/y.txt"), [(i.filename, i.file_size) for i in z.infolist()][0], z.open("x/y.txt").read(), z.testzip())
    z.extractall("out")
print(open("out/x/y.txt").read(), zipfile.is_zipfile("a.zip"), zipfile.is_zipfile("a.gz"))
memory = io.BytesIO()
with zipfile.ZipFile(memory, "w") as z:
    z.writestr("k", "v")
print(zipfile.ZipFile(io.BytesIO(memory.getvalue())).read("k"))
for attempt in (lambda: zipfile.ZipFile("none"), lambda: zipfile.ZipFile("a.gz"), lambda: zipfile.ZipFile("a.zip").read("nothing")):
    try:
        print(attempt())
    except Exception as e:
        print(type(e).__name__)

# %% NumPy's files
import io
import numpy as np
a = np.arange(6.0).reshape(2, 3)
np.save("a", a)
np.savez("z", a, b=a * 2)
np.savez_compressed("c.npz", x=np.array(["s", "t"]))
z = np.load("z.npz")
print(np.load("a.npy"), z.files, z["b"], z["arr_0"].dtype, list(z), "b" in z, len(z), dict(np.load("c.npz")))
np.savetxt("t.csv", a, delimiter=",", header="x,y,z", fmt="%.2f")
print(open("t.csv").read(), np.loadtxt("t.csv", delimiter=","), np.loadtxt("t.csv", delimiter=",", skiprows=1, usecols=(0, 2), unpack=True))
print(np.genfromtxt("t.csv", delimiter=",", names=True), np.genfromtxt(io.StringIO("1,,3"), delimiter=","), np.loadtxt(["1 2"], dtype=int))
memory = io.BytesIO()
np.save(memory, a)
memory.seek(0)
print(np.load(memory).sum())
out = io.StringIO()
np.savetxt(out, [1, 2], fmt="%d")
print(out.getvalue())
open("raw", "wb").write(a.tobytes())
print(np.fromfile("raw"), np.fromfile("raw", np.float64, 2), np.fromfile("raw", np.int64, offset=40))
for attempt in (lambda: np.load("none"), lambda: np.save("o", np.array([{}]), allow_pickle=False), lambda: z["nothing"], lambda: np.loadtxt("t.csv")):
    try:
        print(attempt())
    except Exception as e:
        print(type(e).__name__)

# %% argparse
import argparse
parser = argparse.ArgumentParser(prog="prog", description="Train.", formatter_class=argparse.ArgumentDefaultsHelpFormatter)
parser.add_argument("--lr", type=float, default=0.1, metavar="LR", help="learning rate")
parser.add_argument("--no-cuda", action="store_true")
parser.add_argument("--sizes", nargs="+", type=int, default=[1])
parser.add_argument("--mode", choices=["a", "b"], default="a")
parser.add_argument("--verbose", "-v", action="count", default=0)
parser.add_argument("--flag", action=argparse.BooleanOptionalAction, default=True)
group = parser.add_mutually_exclusive_group()
group.add_argument("--x", action="append")
group.add_argument("--y", action="store_const", const=3)
args = parser.parse_args(["--lr", "0.5", "--sizes", "1", "2", "-vv", "--no-flag", "--x", "p", "--x", "q"])
print(args, vars(args), args.lr, "lr" in args)
args.device = "cpu"
print(args.device, argparse.Namespace(a=1) == argparse.Namespace(a=1), parser.parse_known_args(["--z", "1"])[1])
print(parser.format_usage(), parser.format_help())
sub = argparse.ArgumentParser(prog="sub")
commands = sub.add_subparsers(dest="command")
commands.add_parser("train").add_argument("n", type=int)
print(sub.parse_args(["train", "3"]))
class Action(argparse.Action):
    def __call__(self, parser, namespace, values, option_string=None):
        setattr(namespace, self.dest, values * 2)
parser.add_argument("--twice", action=Action)
print(parser.parse_args(["--twice", "ab"]).twice)
class Settings:
    pass
settings = Settings()
parser.parse_args(["--mode", "b"], namespace=settings)
print(settings.mode, vars(settings)["lr"])
open("arguments", "w").write("--lr\n0.7\n")
print(argparse.ArgumentParser(fromfile_prefix_chars="@").parse_known_args(["@arguments"])[1])
for bad in (["--mode", "c"], ["--lr", "x"], ["--nothing"], ["--x", "1", "--y"]):
    try:
        parser.parse_args(bad)
    except SystemExit as e:
        print(e.code)

# %% logging to files and streams
import logging
import sys
from io import SEEK_END, StringIO, TextIOWrapper, UnsupportedOperation, open
logging.basicConfig(level=logging.INFO, format="%(levelname)s - %(message)s", handlers=[logging.FileHandler("a.log"), logging.StreamHandler(sys.stdout)])
log = logging.getLogger("train.sub")
log.info("epoch %d of %d", 1, 2)
log.debug("not shown")
logging.warning("to the root %(a)s", {"a": 1})
logging.getLogger("train").setLevel("ERROR")
log.info("not shown either")
log.error("shown")
class Short(logging.Formatter):
    def format(self, record):
        return f"{record.levelname[0]}:{record.name}:{record.getMessage()}"
class Listed(logging.Handler):
    def emit(self, record):
        print("listed", self.format(record))
handler = Listed()
handler.setFormatter(Short())
handler.setLevel(logging.CRITICAL)
log.addHandler(handler)
log.critical("x")
log.propagate = False
log.critical("y")
log.removeHandler(handler)
print(log.level, log.getEffectiveLevel(), log.name, log.handlers, log.isEnabledFor(10), log.hasHandlers(), logging.getLevelName(20), log.parent.name)
out = StringIO()
own = logging.getLogger("own")
own.propagate = False
own.addHandler(logging.StreamHandler(out))
own.addHandler(logging.NullHandler())
own.warning("into a stream")
print(repr(out.getvalue()), open("a.log").read(), isinstance(open("a.log"), TextIOWrapper), open("a.log", "rb").seek(0, SEEK_END))
for bad in (lambda: own.setLevel("NOTHING"), lambda: open("a.log").write("x")):
    try:
        bad()
    except (ValueError, UnsupportedOperation) as e:
        print(type(e).__name__, e)
import codecs
with codecs.open("c", "w", "utf-8") as f:
    f.write("ä\r\n")
print(open("c", "rb").read(), repr(codecs.open("c", encoding="utf-8").read()))

# %% harmless modules
import base64
import binascii
import hashlib
import importlib
import inspect
import platform
import struct
import unicodedata
import uuid
from urllib.parse import parse_qs, quote, urlencode, urljoin, urlparse
print(hashlib.md5(b"x").hexdigest(), hashlib.sha256("ä".encode()).digest()[:4], hashlib.new("sha1", b"y").hexdigest(), hashlib.blake2b(b"").name)
h = hashlib.sha256()
h.update(b"a")
g = h.copy()
h.update(b"b")
print(h.hexdigest() == hashlib.sha256(b"ab").hexdigest(), g.hexdigest() == hashlib.sha256(b"a").hexdigest(), h.digest_size, h.block_size)
print(base64.b64encode(b"xy"), base64.b64decode("eHk="), binascii.hexlify(b"ab"), struct.unpack_from("<H", b"\x01\x02\x03", 1), list(struct.iter_unpack("<B", b"ab")))
print(unicodedata.normalize("NFD", "é"), unicodedata.category("a"), unicodedata.name("é"), platform.python_version())
print(uuid.uuid5(uuid.NAMESPACE_DNS, "x"), len(str(uuid.uuid4())), uuid.UUID(int=5).hex, urlparse("https://a.b/c?d=e").netloc, quote("a b"), urlencode({"a": 1}), parse_qs("a=1&a=2"), urljoin("http://a/b", "c"))
def f(a, b=2, *args, c: int = 3, **more) -> str: ...
s = inspect.signature(f)
print(s, list(s.parameters), s.parameters["b"].default, s.parameters["c"].annotation, s.parameters["a"].default is inspect.Parameter.empty, s.parameters["a"].kind)
print(s.bind(1, c=4).arguments, inspect.isfunction(f), inspect.isclass(int), inspect.getfullargspec(f).args, inspect.signature(lambda x, y=1: x))
class A:
    """Doc."""
    def __init__(self, x, y=2): ...
    def m(self, z): ...
print(inspect.signature(A), inspect.signature(A(1).m), inspect.ismethod(A(1).m), inspect.getdoc(A))
print(importlib.import_module("math").pi, importlib.util.find_spec("no_such_module_anywhere") is None if hasattr(importlib, "util") else True)
from importlib.metadata import PackageNotFoundError, version
try:
    version("no-such-package-anywhere")
except PackageNotFoundError as e:
    print(type(e).__name__, e)
