"""Links hold what they are given, and whatever else they are given is refused in words."""

from __future__ import annotations

import base64
import random
import tracemalloc
import zlib

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.hostile import SHAPES
from engine.program.share import DICTIONARY, MAX_LINK, MAX_UNPACKED, VERSION, Link, LinkError, pack, program_of, unpack
from tests.thorough import examples

PROGRAM = "import torch\n\nx = torch.tensor([1.0, 2.0], requires_grad=True)\ny = (x ** 2).sum()\ny.backward()\nprint(x.grad)\n"

nodes = st.none() | st.builds("{}{}".format, st.sampled_from("tnbm"), st.integers(0, 999))
characters = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
links = st.builds(
    Link,
    cells=st.lists(st.text(characters, max_size=300), min_size=1, max_size=4).map(tuple),
    notebook=st.just(True),
    name=st.text(characters, max_size=60),
    step=st.none() | st.integers(0, 2**31 - 1),
    selected=nodes,
    view=st.sampled_from(["tensors", "autograd", "grouped"]),
)


def sealed(plain: bytes, dictionary: bytes = DICTIONARY) -> str:
    """Bytes as a link that unpacks to them."""
    squeezer = zlib.compressobj(9, zlib.DEFLATED, -15, zdict=dictionary)
    return VERSION + base64.urlsafe_b64encode(squeezer.compress(plain) + squeezer.flush()).rstrip(b"=").decode()


@given(links)
@settings(derandomize=True, max_examples=examples(200))
def test_what_is_packed_is_unpacked(link: Link) -> None:
    assert unpack(pack(link)) == link


def test_a_short_program_makes_a_short_link() -> None:
    text = pack(Link((PROGRAM,)))
    assert len(text) < len(PROGRAM) * 0.8
    assert program_of(unpack(text)).cells == (PROGRAM,)


def test_a_program_that_is_too_long_makes_no_link() -> None:
    noise = base64.b85encode(b"".join(zlib.crc32(bytes([k % 256, k // 256])).to_bytes(4, "big") for k in range(2000))).decode()
    with pytest.raises(LinkError, match="4,096"):
        pack(Link((noise,)))
    with pytest.raises(LinkError, match="may have"):
        pack(Link(("x" * (MAX_UNPACKED + 1),)))


def test_half_a_character_makes_no_link() -> None:
    with pytest.raises(LinkError, match="half a character"):
        pack(Link(("print('\ud800')",)))


@given(st.text(max_size=200) | st.text("ABCabc019-_=", max_size=200).map(VERSION.__add__))
@settings(derandomize=True, max_examples=examples(300))
def test_anything_else_is_refused_in_words(text: str) -> None:
    with pytest.raises(LinkError):
        unpack(text)


@given(st.data())
@settings(derandomize=True, max_examples=examples(300))
def test_a_damaged_link_is_refused_or_still_makes_sense(data: st.DataObject) -> None:
    whole = pack(Link((PROGRAM,), step=7, selected="t3"))
    at = data.draw(st.integers(0, len(whole) - 1))
    damaged = whole[:at] + data.draw(st.sampled_from(["", "A", "_", "%", "é", "AAAA", "="])) + whole[at + 1 :]
    try:
        found = unpack(damaged)
    except LinkError:
        return
    assert program_of(found).cells == found.cells


@given(st.integers(1, 60))
@settings(derandomize=True, max_examples=examples(60))
def test_a_link_that_was_cut_off_is_damaged(missing: int) -> None:
    with pytest.raises(LinkError):
        unpack(pack(Link((PROGRAM,)))[:-missing])


def test_a_bomb_is_not_unpacked() -> None:
    bomb = sealed(msgspec.msgpack.encode(Link(("a" * 2_000_000,))))
    assert len(bomb) < MAX_LINK
    with pytest.raises(LinkError, match="more than a program may have"):
        unpack(bomb)


def test_another_version_says_so() -> None:
    with pytest.raises(LinkError, match="another version"):
        unpack("2" + pack(Link((PROGRAM,)))[1:])
    with pytest.raises(LinkError, match="not one of"):
        unpack("x" + pack(Link((PROGRAM,)))[1:])
    with pytest.raises(LinkError, match="not one of"):
        unpack("")


@pytest.mark.parametrize(
    "fields",
    [
        [],
        [[]],
        [["a", "b"], False],
        [["a"] * 501, True],
        [["a\0b"]],
        ["not a list"],
        [[1]],
        [["a"], "yes"],
        [["a"], False, "n" * 121],
        [["a"], False, "", -1],
        [["a"], False, "", 2**31],
        [["a"], False, "", 1.5],
        [["a"], False, "", None, "<script>"],
        [["a"], False, "", None, "t"],
        [["a"], False, "", None, "t1 onclick"],
        [["a"], False, "", None, None, "elsewhere"],
        {"cells": ["a"]},
        None,
    ],
    ids=repr,
)
def test_fields_that_make_no_sense_are_refused(fields: object) -> None:
    with pytest.raises(LinkError):
        unpack(sealed(msgspec.msgpack.encode(fields)))


@given(st.binary(max_size=300))
@settings(derandomize=True, max_examples=examples(300))
def test_any_bytes_inside_are_refused_or_a_program(plain: bytes) -> None:
    try:
        assert program_of(unpack(sealed(plain))).cells
    except LinkError:
        pass


def test_deep_nesting_inside_is_refused() -> None:
    with pytest.raises(LinkError):
        unpack(sealed(b"\x91" * 3000))


def test_bytes_after_the_end_are_refused() -> None:
    whole = base64.urlsafe_b64decode(pack(Link((PROGRAM,)))[1:] + "==")
    with pytest.raises(LinkError, match="damaged"):
        unpack(VERSION + base64.urlsafe_b64encode(whole + b"more").rstrip(b"=").decode())


def test_links_that_were_changed_anywhere_take_bounded_memory() -> None:
    drawn = random.Random(0)
    links = Link((PROGRAM,), step=7, selected="t3"), Link(("a = 1\n",) * 40, notebook=True), Link(("x" * 90_000,))
    wholes, plains = [pack(link) for link in links], [msgspec.msgpack.encode(link) for link in links]
    opened = 0
    tracemalloc.start()
    try:
        for _ in range(2_500):
            signs = list(drawn.choice(wholes))
            for _ in range(drawn.choice([1, 1, 4])):
                at = drawn.randrange(1, len(signs))
                signs[at : at + drawn.choice([0, 1, 1, 3])] = drawn.choice(["", "A", "_", "zz", "0"])
            # What is compressed is seldom sound after that, so what it holds is changed too.
            plain = bytearray(drawn.choice(plains))
            for _ in range(3):
                plain[drawn.choice([drawn.randrange(8), drawn.randrange(len(plain))])] = drawn.randrange(256)
            for text in ("".join(signs), sealed(bytes(plain))):
                try:
                    found = unpack(text)
                except LinkError:
                    continue
                opened += 1
                assert sum(map(len, program_of(found).cells)) <= MAX_UNPACKED
        assert tracemalloc.get_traced_memory()[1] < 8 * 2**20
    finally:
        tracemalloc.stop()
    assert opened > 100, "some still open, or the test would see nothing"


@pytest.mark.parametrize("name", ["marks, all good", "nest of (", "empty lines", "names", "list", "emoji"])
def test_a_short_link_to_a_hostile_program_is_bounded_while_it_is_opened(name: str) -> None:
    text = SHAPES[name](190_000)
    plain = msgspec.msgpack.encode(Link((text,)))
    tracemalloc.start()
    try:
        try:
            assert unpack(sealed(plain)).cells == (text,)
        except LinkError as error:
            assert len(sealed(plain)) > MAX_LINK or len(plain) > MAX_UNPACKED, error
        assert tracemalloc.get_traced_memory()[1] < 8 * 2**20
    finally:
        tracemalloc.stop()


def test_a_program_that_no_link_unpacks_is_not_even_packed() -> None:
    with pytest.raises(LinkError, match=r"takes 200,\d+ bytes, and what is in a link may have 200,000"):
        pack(Link(("a" * 200_100,)))
