"""The page's style sheet is known to be one, and of every other text Streamlit's own answer holds."""

from __future__ import annotations

import pytest
from streamlit.elements import html

from components.page import theme
from components.server import styles_told

plain = getattr(html, styles_told.NAME)
look = getattr(plain, "__wrapped__", plain)


def test_the_style_sheet_is_not_searched() -> None:
    def never(content: str) -> bool:
        raise AssertionError("it was searched")

    assert styles_told.quickly(never)(theme._STYLES._repr_html_())


@pytest.mark.parametrize(
    "text",
    [
        "", "<style></style>", "<style>a {}</style>", "<style>a {}</style><b>x</b>", "<style>a</style><style>b</style>",
        "<style>a</style><!-- x -->", "<!-- x --><style>a</style>", "<style><!-- </style>", "<style>a", "<b>x</b>", "</style>",
        "<style>a</style>\n", "<style type='text/css'>a</style>", "<STYLE>a</STYLE>", "<style>a</style>x</style>",
    ],
)  # fmt: skip
def test_the_answer_is_streamlits(text: str) -> None:
    assert styles_told.quickly(look)(text) == look(text)
