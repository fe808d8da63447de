"""The menus of the header. What they hold is only drawn while they are open: every element costs every run of the page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from components.menus import gallery
from components.menus.export import save_menu
from components.menus.help import help_panel
from components.menus.share import share_panel
from components.page import address, controls
from components.page.attached import named
from components.page.guided_tour import start_tour
from components.page.keeping import list_of_works
from components.page.limits import choose_limits, limits_menu, limits_now
from components.page.opening import open_example, open_files
from components.page.ranks import open_together, recordings_in
from components.page.saving import save
from components.page.space import display_settings
from components.page.state import Page
from engine.sandbox.calls import get_ready
from engine.sandbox.settings import settings


def brand() -> None:
    """The name."""
    st.html('<h1 class="gt-brand"><span aria-hidden="true">◧</span> <span>Gradtape</span></h1>', width="content")


@contextmanager
def _menu(label: str, key: str, icon: str | None = None) -> Iterator[bool]:
    """A menu; whether it is open."""
    menu = st.popover(label, icon=icon, key=key, on_change="rerun")
    with menu:
        yield bool(menu.open)


def examples_menu() -> None:
    """The lessons and the examples."""
    with _menu("Examples", "examples", ":material/lightbulb:") as is_open:
        for name, example in {**gallery.lessons(), **gallery.examples()}.items() if is_open else ():
            st.button(
                example.title, key=f"example_{name}", help=example.about, width="stretch", type="tertiary", on_click=_chosen,
                args=(name,),
            )  # fmt: skip


def _chosen(name: str) -> None:
    """An example was chosen: open it, and close the menu."""
    open_example(name)
    controls.put("examples", False)


def works_menu() -> None:
    """The programs that this browser keeps."""
    with _menu("Recent", "works", ":material/history:") as is_open:
        if is_open:
            with st.container(key="works_menu", width=380):
                list_of_works()


def open_menu() -> None:
    """A place for files."""
    with _menu("Open", "opening", ":material/folder_open:") as is_open:
        if is_open:
            get_ready()
            st.file_uploader(
                "A program (.py), notebook (.ipynb), session (.txt) or recording (.gradtape), with modules and files it needs",
                accept_multiple_files=True,
                key="upload",
                on_change=_uploaded,
                args=("upload",),
            )
            st.file_uploader(
                "A folder with a program", accept_multiple_files="directory", key="upload_folder", on_change=_uploaded,
                args=("upload_folder",),
            )  # fmt: skip


def _uploaded(key: str) -> None:
    """Files were chosen: open them, and close the menu that would stand before them."""
    files = [file for file in controls.value(key) or () if isinstance(file, UploadedFile)]
    found = named(files, folder=key == "upload_folder")
    if found:
        if together := recordings_in(found):
            open_together(together)
        else:
            open_files(found)
        controls.put("opening", False)


def files_menu(p: Page) -> None:
    """What is on show, as a file."""
    with _menu("Save", "save", ":material/download:") as is_open:
        if is_open:
            get_ready()
            save_menu(p.recording is not None, save, key="save_menu")


def links_menu(p: Page) -> None:
    """What is on show, as a link."""
    with _menu("Share", "share", ":material/link:") as is_open:
        if is_open:
            share_panel(address.link(), p.recording, page=address.address(), key="share_panel")


def display_menu() -> None:
    """How the page is shown: theme, size of the text, what is on show."""
    with _menu("Display", "display", ":material/tune:") as is_open:
        if is_open:
            with st.container(key="display_menu", width=330):
                display_settings()


def help_menu() -> None:
    """Keys, the tour, what is supported."""
    with _menu("Help", "help", ":material/help:") as is_open:
        if is_open:
            help_panel(start_tour)


def bounds_menu() -> None:
    """What a run may use."""
    with _menu("Limits", "limits", ":material/timer:") as is_open:
        if is_open:
            limits_menu(
                limits_now(), settings().limits, fixed=settings().hosted, key="limits_menu", on_change=choose_limits
            )  # fmt: skip
