"""Links that hold a program: its text and where the tape stands, compressed into an address's parameter.

A link is what a stranger sends: whatever it holds is bounded while it is unpacked, decoded into typed fields, and checked.
"""

from __future__ import annotations

import base64
import binascii
import re
import zlib

import msgspec

from .. import limits
from ..recording.story import NONE, Story
from . import Program, ProgramError
from .source import MAX_CELLS

VERSION = "1"
"""What a link begins with; another number means another dictionary or other fields."""
MAX_LINK = limits.LINK.value()
"""Characters of a link's parameter: what every browser, chat and mail program passes on whole."""
MAX_UNPACKED = limits.UNPACKED.value()
"""Bytes that a link may unpack to."""
MAX_NAME = limits.TITLE.value()
NODE = re.compile(r"[tnbm]\d{1,9}|[a-z]:[\w.:-]{1,80}", re.ASCII)
"""A node of the graph."""
VIEWS = frozenset({"tensors", "autograd", "grouped"})
DICTIONARY = (
    b"for epoch in range(optimizer = torch.optim.SGD(model.parameters(), lr=0.1)optimizer.zero_grad()optimizer.step()"
    b"class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.linear = nn.Linear(\n"
    b"    def forward(self, x):\n        return import torch.nn as nn\nimport torch.nn.functional as F\nmodel = nn.Sequential("
    b"nn.ReLU()with torch.no_grad():\n    .detach()torch.randn(torch.ones(torch.manual_seed(0).backward(retain_graph=True)"
    b".mean()loss = ((y - target) ** 2).sum()loss.backward()print(x.grad)tensorsautogradimport torch\n\n"
    b"x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)\ny = "
)
"""Text that programs are likely to contain: what is in here costs a link next to nothing."""


class Link(msgspec.Struct, frozen=True, array_like=True):
    """What a link holds."""

    cells: tuple[str, ...]
    notebook: bool = False
    name: str = ""
    step: int | None = None
    """The tape's moment; its end if there is none."""
    selected: str | None = None
    """The selected node."""
    view: str = "tensors"
    story: Story = NONE
    """What stands between the cells of a notebook."""


class LinkError(ValueError):
    """A link that cannot be made or opened; the message says why."""


def pack(link: Link) -> str:
    """The link's parameter.

    Raises:
        LinkError: when the program is too long for a link, or is no text that can be written in UTF-8.
    """
    try:
        plain = msgspec.msgpack.encode(link)
    except UnicodeEncodeError:
        raise LinkError("the program holds half a character, which no link can hold") from None
    if len(plain) > MAX_UNPACKED:
        raise LinkError(f"the program takes {len(plain):,} bytes, and what is in a link may have {MAX_UNPACKED:,}")
    squeezer = zlib.compressobj(9, zlib.DEFLATED, -15, 9, zdict=DICTIONARY)
    packed = squeezer.compress(plain) + squeezer.flush()
    text = VERSION + base64.urlsafe_b64encode(packed).rstrip(b"=").decode()
    if len(text) > MAX_LINK:
        raise LinkError(f"the program takes {len(text):,} characters of a link, which may have {MAX_LINK:,}")
    return text


def unpack(text: str) -> Link:
    """What a link's parameter holds.

    Raises:
        LinkError: for anything that `pack` does not make.
    """
    if len(text) > MAX_LINK:
        raise LinkError("it is too long")
    if text[:1] != VERSION:
        raise LinkError("it was made by another version of Gradtape" if text[:1].isdigit() else "it is not one of Gradtape's")
    if not re.fullmatch(r"[A-Za-z0-9_-]+", text):
        raise LinkError("it holds characters that do not belong there")
    try:
        packed = base64.urlsafe_b64decode(text[1:] + "=" * (-len(text[1:]) % 4))
        opener = zlib.decompressobj(-15, zdict=DICTIONARY)
        plain = opener.decompress(packed, MAX_UNPACKED)
    except (binascii.Error, zlib.error):
        raise LinkError("it is damaged, perhaps cut off") from None
    if opener.unconsumed_tail:
        raise LinkError("it unpacks to more than a program may have")
    if not opener.eof or opener.unused_data:
        raise LinkError("it is damaged, perhaps cut off")
    try:
        link = msgspec.msgpack.decode(plain, type=Link)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise LinkError("it does not hold a program") from None
    return _checked(link)


def program_of(link: Link) -> Program:
    """The program that a link holds."""
    return Program.from_cells(link.cells, story=link.story) if link.notebook else Program.from_text(link.cells[0])


def _checked(link: Link) -> Link:
    """The link, if its fields make sense together."""
    if not link.cells or len(link.cells) > MAX_CELLS or (len(link.cells) > 1 and not link.notebook):
        raise LinkError("it does not hold a program")
    if link.story and not link.notebook:
        raise LinkError("it does not hold a program")
    if any("\0" in cell for cell in link.cells) or len(link.name) > MAX_NAME:
        raise LinkError("it does not hold a program")
    if link.step is not None and not 0 <= link.step < 2**31:
        raise LinkError("it names a moment that no tape has")
    if link.selected is not None and not NODE.fullmatch(link.selected):
        raise LinkError("it names a node that no graph has")
    if link.view not in VIEWS:
        raise LinkError("it names a view that there is not")
    try:
        program_of(link)
    except ProgramError as error:
        raise LinkError(str(error)) from None
    return link
