"""Files and links that somebody has changed: each is opened, or refused with a sentence, and what is opened is shown.

`python -m benchmarks.fuzz 20000` changes as many and says how they ended; it fails when one is not refused in a sentence of
ours, when one that was opened cannot be shown, or when the page's process takes more than its bound for one.
"""

from __future__ import annotations

import json
import random
import resource
import sys
import time
import traceback
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import cache
from typing import Any

import msgspec
import numpy as np

from benchmarks.sizes import options
from components.player import feed
from components.player.picture import Wish, drawing
from components.replay.panels import panels
from engine.diagnosis import findings
from engine.diagnosis.contributions import edge_lines
from engine.export import Options
from engine.export.isolated import make_file
from engine.opening import opened
from engine.program import Program, ProgramError
from engine.program.share import Link, LinkError, pack, program_of, unpack
from engine.recording import Recording, packing
from engine.recording.format2 import CHUNK, DATA, FRONT
from engine.recording.packing import ALIGNED, Packed
from engine.sandbox import Limits, run
from engine.sandbox.calls import CallError

SECONDS, MEGABYTES = 1.0, 100
"""What one file may take in the page's process."""
EXTREMES: tuple[Any, ...] = (
    -1, 0, 1, 2, 63, 64, 65, 2**31 - 1, 2**31, 2**53, 2**63 - 1, -(2**63), True, None, "", "x" * 3000, "é名🙂", 1e308,
    float("nan"), [], {}, [[]], b"", b"\0" * 9,
)  # fmt: skip
"""What a changed place may hold."""
PROGRAMS = {
    "passes": (
        "import torch\nx = torch.tensor([1.0, 2.0], requires_grad=True)\nfor i in range(3):\n    y = (x * x).sum()\n"
        "    y.backward()\nprint(x.grad)\n"
    ),
    "network": (
        "import torch\nfrom torch import nn\nm = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))\n"
        "o = torch.optim.SGD(m.parameters(), lr=0.1)\nfor i in range(2):\n    o.zero_grad()\n"
        "    m(torch.ones(4, 2)).pow(2).mean().backward()\n    o.step()\n"
    ),
    "writes": (
        "import torch\nx = torch.zeros(3, requires_grad=True)\ny = x.exp()\nv = y[1:]\nv.register_hook(lambda g: g * 2)\n"
        "y.retain_grad()\ntry:\n    y.mul_(2)\n    y.sum().backward(create_graph=True)\nexcept RuntimeError as e:\n"
        "    print(e)\nw = torch.ones(70000).sum()\nx.detach_()\n1/0\n"
    ),
}  # fmt: skip


@cache
def originals() -> tuple[tuple[str, bytes], ...]:
    """Files that are sound, by their names; a link is one, too."""
    found = []
    for name, text in PROGRAMS.items():
        recording = run(text, Limits(seconds=60)).recording
        assert recording is not None
        found.append((f"{name}.gradtape", recording.to_bytes()))
    cells = run(Program.from_cells(("import torch\nx = torch.ones(2)", "print(x)\nx + 1")), Limits(seconds=60)).recording
    assert cells is not None
    found.append(("cells.gradtape", cells.to_bytes()))
    notebook = Program.from_cells(tuple(PROGRAMS.values())).to_notebook()
    found += [("a.ipynb", notebook.encode()), ("a.py", PROGRAMS["network"].encode())]
    found += [("link", pack(Link(tuple(PROGRAMS.values()), True, "A title", 3, "t1", "tensors")).encode())]
    return tuple(found)


def mutated(data: bytes, seed: int) -> bytes:
    """The same file with a few things changed: its bytes, or what it says in a form that is sound."""
    rng = random.Random(seed)
    if rng.random() < 0.3:
        return _bytes_changed(data, rng)
    if data.startswith(b"GRADTAPE"):
        return _recording_changed(data, rng)
    if data.startswith(b"{"):
        return json.dumps(_changed(json.loads(data), rng), default=repr).encode("utf-8", "surrogatepass")
    return _bytes_changed(data, rng)


def _bytes_changed(data: bytes, rng: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 5, 20))):
        at, size = rng.randrange(len(changed) + 1), rng.choice((1, 1, 2, 8, 100, 1000))
        match rng.randrange(5):
            case 0 if changed:
                changed[at % len(changed)] ^= 1 << rng.randrange(8)
            case 1:
                del changed[at : at + size]
            case 2:
                changed[at:at] = changed[at : at + size] * rng.choice((1, 2, 50))
            case 3:
                changed[at:at] = rng.randbytes(size)
            case _:
                changed[at : at + size] = rng.choice((b"\xff", b"\0", b"[", b"{", b'"', b"\xdd\x7f\xff\xff\xff")) * size
    return bytes(changed)


def _recording_changed(data: bytes, rng: random.Random) -> bytes:
    """A recording with other numbers in a column or two, or of which something else is said, under checksums that fit."""
    parts, at = [], FRONT.size
    while at < len(data):
        kind, _, length = CHUNK.unpack_from(data, at)
        at += CHUNK.size
        content = data[at : at + length]
        at += length + -length % ALIGNED
        parts.append((kind, _chunk_changed(content, rng) if kind == DATA else content))
    written = [data[: FRONT.size]]
    for kind, content in parts:
        written += [CHUNK.pack(kind, zlib.crc32(content), len(content)), content, bytes(-len(content) % ALIGNED)]
    return b"".join(written)


def _chunk_changed(content: bytes, rng: random.Random) -> bytes:
    length = int.from_bytes(content[:8], "little")
    facts = msgspec.msgpack.decode(content[8 : 8 + length])
    rest = memoryview(content)[8 + length + -length % ALIGNED :]
    if rng.random() < 0.3:
        try:
            front = msgspec.msgpack.encode(_changed(facts, rng))
        except OverflowError:  # a number of more than 64 bits, which the form does not have
            return _bytes_changed(content, rng)
        return len(front).to_bytes(8, "little") + front + bytes(-len(front) % ALIGNED) + rest
    columns, at = [], 0
    for plain in facts[1]:
        said = msgspec.convert(plain, Packed)
        columns.append((said.path, packing.unpack(said, rest[at : at + said.stored])))
        at += said.stored + -said.stored % ALIGNED
    for _ in range(rng.choice((1, 1, 2, 3))):
        number = rng.choice([k for k, (_, column) in enumerate(columns) if len(column)])
        path, column = columns[number]
        other = column.astype(np.float64 if column.dtype.kind == "f" else np.int64)
        place = rng.randrange(len(other))
        other[place] = rng.choice((other[place] + rng.choice((-2, -1, 1, 2, 5)), 0, -1, 2**31 - 1, 2**53))
        columns[number] = path, other
    again = [packing.pack(path, column) for path, column in columns]
    facts[1] = [said for said, _ in again]
    front = msgspec.msgpack.encode(facts)
    pieces = [d + bytes(-len(d) % ALIGNED) for _, d in again if d]
    return b"".join([len(front).to_bytes(8, "little"), front, bytes(-len(front) % ALIGNED), *pieces, rest[at:]])


def _changed(document: Any, rng: random.Random) -> Any:
    """A document with one to three places changed."""
    for _ in range(rng.choice((1, 1, 1, 1, 2, 3))):
        holder: Any = document
        while True:
            keys = list(holder) if isinstance(holder, dict) else range(len(holder))
            if not keys:
                break
            key = rng.choice(keys)
            if isinstance(holder[key], dict | list) and holder[key] and rng.random() < 0.85:
                holder = holder[key]
                continue
            _change(holder, key, rng)
            break
    return document


def _change(holder: Any, key: Any, rng: random.Random) -> None:
    value = holder[key]
    if isinstance(value, int) and rng.random() < 0.6:  # most often it leads somewhere, and then somewhere else
        holder[key] = not value if isinstance(value, bool) else value + rng.choice((-2, -1, 1, 2, 5, -value, -value - 1))
        return
    match rng.randrange(1, 5):
        case 1 if isinstance(holder, list):
            holder[key:key] = [deepcopy(value) for _ in range(rng.choice((1, 2, 300)))]
        case 2:
            del holder[key]
        case 3 if isinstance(holder, list):
            holder[key] = deepcopy(holder[rng.randrange(len(holder))])
        case _:
            holder[key] = deepcopy(rng.choice(EXTREMES))


# --- what becomes of one ------------------------------------------------------------------------------------------------------


def ending(name: str, data: bytes) -> str:
    """How a file or link ended: "refused", or "opened"; anything that is no sentence of ours is raised."""
    try:
        found = _open(name, data)
    except (ProgramError, LinkError):
        return "refused"
    except CallError as error:
        if error.status in ("failed", "crashed"):
            raise
        return "refused" if error.status == "refused" else error.status
    if isinstance(found, Recording):
        _work_with(found)
    return "opened"


def _open(name: str, data: bytes) -> Program | Recording:
    if name == "link":
        return program_of(unpack(data.decode("latin-1")))
    return opened(data, name)


def _work_with(recording: Recording) -> None:
    """What the page and the replay show of a recording, and a picture of it."""
    for view in ("tensors", "autograd"):
        feed.message(feed.parts_of(drawing(recording, Wish(view, run="run")), edge_lines(recording)))
    findings(recording)
    panels(recording, ("tensors", "autograd"))


def fuzz(count: int, tell: Callable[[str], None] = lambda _: None, first: int = 0) -> tuple[Counter[str], list[str]]:
    """Change and open so many; how they ended, and what must not have happened."""
    ended: Counter[str] = Counter()
    faults = []
    for seed in range(first, first + count):
        name, original = originals()[seed % len(originals())]
        data = mutated(original, seed)
        before, began = _peak(), time.process_time()
        try:
            how = ending(name, data)
        except Exception:
            how = "fault"
            faults.append(f"{name} {seed}: {traceback.format_exc(limit=-3)}")
        ended[f"{name.rpartition('.')[2]} {how}"] += 1
        seconds, grown = time.process_time() - began, _peak() - before
        if seconds > SECONDS or grown > MEGABYTES:
            faults.append(f"{name} {seed}: {seconds:.1f} s, {grown} MB in the page's process")
        if (seed - first + 1) % 1000 == 0:
            tell(f"{seed - first + 1:,}: {dict(ended)}")
    for name, original in originals():  # and what was not changed is opened and saved
        if ending(name, original) != "opened":
            faults.append(f"{name} is not opened")
        if name.endswith(".gradtape") and not make_file("svg", Recording.load(original), Options()):
            faults.append(f"{name} is not drawn")
    return ended, faults


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def main(arguments: Sequence[str] | None = None) -> None:
    """Say how they ended."""
    parser = options(__doc__)
    parser.add_argument("count", nargs="?", type=int, default=20_000, help="how many are changed and opened (%(default)s)")
    parser.add_argument("--first", type=int, default=0, help="the number of the first, which says how it is changed")
    args = parser.parse_args(arguments)
    ended, faults = fuzz(
        len(originals()) * 2 if args.smallest else args.count, lambda line: print(line, flush=True), args.first
    )
    for how, times in sorted(ended.items()):
        print(f"{how}: {times:,}")
    print(f"{len(faults)} faults")
    if faults:
        print(*faults[:50], sep="\n", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
