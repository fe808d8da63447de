"""Programs that nobody means well with: texts of many shapes, each as long as is asked for, and marks of What if, forged.

Used by `benchmarks/freeze.py`, which times what the page does with them, and by the tests, which bound the work.
"""

from __future__ import annotations

from collections.abc import Callable


def repeated(piece: str, before: str = "", after: str = "") -> Callable[[int], str]:
    """A shape that repeats a piece until it is long enough."""
    return lambda size: before + piece * max(1, (size - len(before) - len(after)) // len(piece)) + after


def nested(opening: str, inside: str, closing: str) -> Callable[[int], str]:
    """A shape that nests to half its length."""
    return lambda size: _deep(opening, inside, closing, max(1, size // (len(opening) + len(closing))))


def deep(opening: str, inside: str, closing: str, depth: int = 60) -> Callable[[int], str]:
    """A shape with many statements, each nested as deeply as programs may be."""
    one = _deep(opening, inside, closing, depth) + "\n"
    return lambda size: one * max(1, size // len(one))


def numbered(line: str) -> Callable[[int], str]:
    """A shape of lines, each with its number in it."""

    def made(size: int) -> str:
        lines, length, number = [], 0, 0
        while length < size:
            lines.append(line.format(n=number))
            length += len(lines[-1]) + 1
            number += 1
        return "\n".join(lines) + "\n"

    return made


def _deep(opening: str, inside: str, closing: str, depth: int) -> str:
    return opening * depth + inside + closing * depth


MARKS: dict[str, Callable[[int], str]] = {
    "marks, all good": repeated("y = x * 2  # without .detach() @5\n", "x = torch.tensor(1.)\n"),
    "marks, all in one line": repeated("  # without .detach() @5", "y = x + x * 2"),
    "marks where nothing fits": repeated("y = x * 2  # without .detach() @3\n"),
    "marks after keywords": repeated("y = x if x else x  # without .data @8\n"),
    "marks, every other good": repeated("y = x * 2  # without .data @5\nimport a  # without .data @6\n"),
    "marks with huge columns": repeated("y = x  # without .data @" + "9" * 300 + "\n"),
    "marks with pieces of no one": repeated("y = x  # without .__class__ @5\n"),
    "marks behind a text in quotes": repeated("y = 'abc'  # without .data @9\n"),
    "marks inside a text in quotes": repeated("y = 'abc'  # without .data @7\n"),
    "marks in a comment of signs": repeated("# " + "# " * 40 + "  # without .data @0\n"),
    "lines that were taken out": repeated("# without: opt.zero_grad()\n"),
    "blocks that were taken out": repeated("if True:  # without: with torch.no_grad():\n    y = 1\n"),
    "lines taken out of themselves": repeated("# without: # without: opt.step()\n"),
    "pieces in one line": repeated(".detach()", "y = x"),
    "pieces in many lines": repeated("y = x.detach().data + w.data\n"),
    "lines to take out": repeated("opt.zero_grad()  # each time\n"),
    "decorators to take out": repeated("@torch.no_grad()\ndef f(): 0\n"),
    "blanks before a comment": lambda size: "opt.step()" + " " * (size // 2) + "x\nopt.step()" + " " * (size // 2) + "# c",
    "signs before a quote": lambda size: "# without: opt.step()" + " #" * (size // 2) + "'",
}
SHAPES: dict[str, Callable[[int], str]] = {
    "nest of (": nested("(", "1", ")"),
    "nest of [": nested("[", "1", "]"),
    "nest of {": nested("{", "1", "}"),
    "nest of {a:": nested("{a:", "1", "}"),
    "nest of calls": nested("f(", "1", ")"),
    "nest of subscripts": nested("a[", "1", "]"),
    "nest of lambdas": nested("lambda:", "1", ""),
    "nest of lambdas with commas": nested("lambda a, b: ", "1", ""),
    "nest of comprehensions": nested("[x for x in ", "a", "]"),
    "nest of conditions": nested("a if b else ", "c", ""),
    "nest of f-strings": nested("f'{", "1", "}'"),
    "nest of formats": nested("{a:", "1", "}"),
    "nest of blocks": lambda size: "".join(" " * i + "if a:\n" for i in range(int((2 * size) ** 0.5))),
    "nest of defs": lambda size: "".join("\t" * i + "def f():\n" for i in range(int((2 * size) ** 0.5))),
    "open (": repeated("("),
    "open [ of all kinds": repeated("[{("),
    "closed )": repeated(")"),
    "chain of +": repeated("+a", "a"),
    "chain of .": repeated(".a", "a"),
    "chain of calls": repeated("()", "a"),
    "chain of subscripts": repeated("[0]", "a"),
    "chain of <": repeated("<a", "a"),
    "chain of **": repeated("**a", "a"),
    "chain of and": repeated(" and a", "a"),
    "chain of =": repeated("a=", "", "1"),
    "chain of elif": repeated("elif a:\n 0\n", "if a:\n 0\n"),
    "chain of not": repeated("not ", "", "a"),
    "chain of -": repeated("-", "", "1"),
    "chain of await": repeated("await ", "", "a"),
    "chain of decorators": repeated("@a\n", "", "def f(): 0\n"),
    "chain of with items": repeated("a as b, ", "with ", "a: 0\n"),
    "chain of numbers with words": repeated("1if 1else ", "a = ", "1"),
    "chain of exponents": repeated("0xe+", "a = ", "1"),
    "chain of attributes of a number": repeated(".a", "1."),
    "many deep (": deep("(", "1", ")"),
    "many deep calls": deep("f(", "2.5", ")", 50),
    "many deep lists of numbers": deep("[1, ", "2", "]", 60),
    "many deep lambdas": deep("lambda x=1:", "1", "", 40),
    "many deep targets": lambda size: (_deep("(", "a", ",)", 60) + " = b\n") * max(1, size // 190),
    "huge integer": lambda size: "x = " + "9" * size,
    "huge hexadecimal integer": lambda size: "x = 0x" + "f" * size,
    "huge negative integer": lambda size: "x = -" + "9" * min(size, 4_000),
    "huge float": repeated("9", "x = ", ".5"),
    "float beyond all": lambda size: "x = [1e400, -1e400, 1e999j]\n" * max(1, size // 28),
    "long name": lambda size: "a" * (size // 2) + " = " + "torch." + "a" * (size // 2),
    "long names of arguments": lambda size: "x" * (size // 2) + "(" + "a=1, " * (size // 10) + ")",
    "long text": lambda size: "x = '" + "a" * size + "'",
    "long comment": lambda size: "# " + "a" * size,
    "long line": repeated("x = 1; "),
    "long line of other letters": repeated("ä = 1.5; ö.detach(); "),
    "long line of blanks": lambda size: "x = 1" + " " * size + "\ny = 2",
    "arguments": repeated("1, ", "f(", ")"),
    "arguments with names": repeated("a=1, ", "f(", ")"),
    "list": repeated("1, ", "x = [", "]"),
    "list of tuples": repeated("(1, x), ", "[", "]"),
    "list of words": repeated("True, ", "f([", "])"),
    "matrices": repeated("[[1, 2], [3, 4]]\n"),
    "dictionary": repeated("'a': 1, ", "{", "}"),
    "sums": repeated("y = a + 1 + 2 * x[3]\n"),
    "empty lines": repeated("\n"),
    "names": numbered("v{n} = 1"),
    "one name": repeated("x = x + 1\n"),
    "one name in one call": lambda size: "x = 1\n" * (size // 12) + "f(" + "x," * (size // 4) + ")\n",
    "functions": numbered("def f{n}(a=1, b=2): return a"),
    "one function": repeated("def f(a): return f(a)\n"),
    "parameters": lambda size: (
        numbered("f(1)")(size // 2) + "def f(" + ", ".join(f"p{n}" for n in range(size // 12)) + "): 0\n"
    ),
    "classes": repeated("class A: x = 1\n"),
    "imports": repeated("import a\n"),
    "global names": repeated(" global a\n", "def f():\n"),
    "matches": repeated(" case 1: 0\n", "match a:\n"),
    "statements in one line": repeated("opt.step();"),
    "f-string of values": repeated("{a}", "f'", "'"),
    "f-strings": repeated("f'{a}{b!r:>{c}}'\n"),
    "f-string of its own quotes": repeated("{x['a']}", "f'", "'"),
    "adjacent texts": repeated("'a' ", "x = "),
    "appends": repeated("    a.append(b)\n", "for i in c:\n"),
    "blanks in calls": lambda size: "loss" + "." * (size // 2) + "grad" + " " * (size // 2),
    "open text": lambda size: "x = '''" + "a\n" * (size // 2),
    "open f-string": lambda size: "x = f'''" + "{a}\n" * (size // 4),
    "quotes": repeated("'"),
    "backslashes": repeated("\\"),
    "joined lines": repeated("\\\n", "x = ", "1"),
    "carriage returns": repeated("x = 1\r"),
    "both ends of lines": repeated("x = 1\r\n"),
    "form feeds": repeated("\fx = 1\n"),
    "null characters": repeated("x\0"),
    "byte order marks": repeated("\ufeffx = 1\n"),
    "halves of characters": repeated("\ud800"),
    "right to left": repeated("\u202ex = 1 # \u202d\n"),
    "other digits": repeated("x = ١٢\n"),
    "other letters": repeated("ﬀ = ℌ\n"),
    "emoji": repeated("x = '👩‍👩‍👧‍👦'\n"),
    "tabs and blanks": repeated("if a:\n\tx = 1\n        y = 2\n"),
    "indented ever more": lambda size: "".join(f"if a:\n{' ' * (i % 90 + 1)}x = 1\n" for i in range(max(1, size // 55))),
    **MARKS,
}
"""Name → a function that makes the text, of about so many characters."""
