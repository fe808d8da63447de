"""What is no picture's is not let through, whoever wrote it."""

from __future__ import annotations

import pytest

from engine.export.figures.svg import check, clean

BEGIN = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">'

HOSTILE = (
    "<script>alert(1)</script>",
    '<g onload="alert(1)"></g>',
    '<a xlink:href="javascript:alert(1)"><path d="M 0 0"/></a>',
    '<image xlink:href="http://evil/x.png"/>',
    '<image xlink:href="data:image/svg+xml;base64,AAAA"/>',
    '<use xlink:href="http://evil/x.svg#a"/>',
    '<path d="M 0 0" style="fill: url(http://evil)"/>',
    '<path d="M 0 0" style="background: url(#ga)"/>',
    '<path d="M 0 0" clip-path="url(http://evil#ga)"/>',
    "<style>@import url(http://evil);</style>",
    "<foreignObject><iframe/></foreignObject>",
    '<animate attributeName="href" to="javascript:alert(1)"/>',
    '<g id="outer"></g>',
)


@pytest.mark.parametrize("part", HOSTILE)
def test_it_is_taken_out_and_it_is_not_let_through(part: str) -> None:
    whole = f"{BEGIN}{part}</svg>"
    with pytest.raises(ValueError, match="picture"):
        check(whole)
    cleaned = clean(whole)
    check(cleaned)
    assert not any(word in cleaned for word in ("evil", "alert", "javascript", "@import", "iframe"))


@pytest.mark.parametrize(
    "text",
    [
        "", "<svg>", "</svg>", "<g></g>", f"{BEGIN}</svg>{BEGIN}</svg>", f"{BEGIN}</svg><g></g>", f"{BEGIN}<g></svg></g>",
        f'<?xml version="1.0"?>{BEGIN}</svg>', f"<!DOCTYPE svg>{BEGIN}</svg>", f"{BEGIN}<!-- x --></svg>",
        f"{BEGIN}<![CDATA[x]]></svg>",
        f"{BEGIN}words</svg>", f"{BEGIN}&evil;</svg>", f"{BEGIN}{'<g>' * 100}{'</g>' * 100}</svg>", f"{BEGIN}<svg></svg></svg>",
        f"{BEGIN}<path d='M 0 0'/></svg>", "<svg xmlns=\"http://www.w3.org/1999/xhtml\"></svg>",
    ],
)  # fmt: skip
def test_what_clean_does_not_write_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="picture"):
        check(text)


def test_a_picture_is_let_through_as_it_is() -> None:
    picture = clean(
        f'{BEGIN}<defs><clipPath id="p1"><rect x="0" y="0" width="1" height="2"/></clipPath></defs>'
        '<g clip-path="url(#p1)"><path id="m" d="M 0 0 L 1.5 -2e-3 z" style="fill: #1f77b4; stroke-width: 1.5"/>'
        '<use xlink:href="#m" x="1" y="2"/><text x="1">a &lt; b</text>'
        '<image xlink:href="data:image/png;base64,&#10;AAAA" width="1" height="1"/></g></svg>'
    )
    check(picture)
    for part in ('id="gp1"', 'clip-path="url(#gp1)"', 'xlink:href="#gm"', "a &lt; b", "base64,AAAA", "stroke-width: 1.5"):
        assert part in picture
