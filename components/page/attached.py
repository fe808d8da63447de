"""What a program has beside its text: files that it finds, its modules, its arguments; and the files that it has written."""

from __future__ import annotations

import io
import shlex
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import PurePosixPath

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from components.html.markup import muted, table, text
from components.page import controls
from components.page.runs import run_program, run_typed
from components.page.state import Page, page
from components.server.uploads import taken
from engine.limits import ARGUMENTS, FILE_BYTES, FILE_COUNT
from engine.program import Program, ProgramError
from engine.program.project import ODD, sound
from engine.sandbox.settings import settings

SHOWN = 50
"""Files that are listed by name."""


def arrived(file_id: str) -> bool:
    """Whether a file has not been taken yet: the browser goes on telling what was chosen."""
    p = page()
    new = file_id not in p.taken
    p.taken.add(file_id)
    return new


def named(files: Iterable[UploadedFile], *, folder: bool = False) -> dict[str, bytes]:
    """Files that the browser has sent, by their paths: those of a folder without its own name, nor what is hidden in it."""
    found = {}
    for file in files:
        path = PurePosixPath(file.name)
        if not arrived(file.file_id):
            continue
        data = taken(file)
        parts = path.parts[1:] if folder and len(path.parts) > 1 else path.parts
        if any(part.startswith(".") or part == "__pycache__" for part in parts):
            continue
        found["/".join(parts)] = data
    return found


def plainly_named(files: dict[str, bytes]) -> dict[str, bytes]:
    """The same files under names that a program may find them by: signs that no path has are replaced."""
    plain = {"".join("_" if sign in ODD or not sign.isprintable() else sign for sign in name): name for name in files}
    return {path: files[name] for path, name in plain.items() if sound(path)}


def put_beside(files: dict[str, bytes]) -> None:
    """Have the program find these files as well, and run it again."""
    p = page()
    together = tuple(sorted((dict(p.beside) | plainly_named(files)).items()))
    if why := refused(p.program, together):
        p.notice = f"The files cannot be opened: {why}."
        return
    p.beside = together
    run_program()


def refused(program: Program, files: tuple[tuple[str, bytes], ...]) -> str:
    """Why a program cannot have these files here, "" where it can."""
    hosted = settings().hosted
    if len(files) > FILE_COUNT.value(hosted):
        return FILE_COUNT.past(FILE_COUNT.value(hosted))
    if sum(len(data) for _, data in files) > FILE_BYTES.value(hosted):
        return FILE_BYTES.past(FILE_BYTES.value(hosted))
    try:
        replace(program, files=files)
    except ProgramError as error:
        return str(error)
    return ""


def attachments(p: Page) -> None:
    """A menu with the files beside the program and its arguments."""
    label = f"Files · {len(p.beside)}" if p.beside else "Files"
    menu = st.popover(label, key="attached", on_change="rerun", type="tertiary", icon=":material/attach_file:")
    if not menu.open:
        return
    with menu:
        st.file_uploader(
            "Files that the program reads, and its modules", accept_multiple_files=True, key="attach", on_change=_attached
        )
        if p.beside:
            rows = [("", [text(path), text(size(len(data)))]) for path, data in p.beside[:SHOWN]]
            more = len(p.beside) - SHOWN
            st.html(table(["file", "size"], rows) + (muted(f"and {more:,} more") if more > 0 else ""))
            st.button("Take them away", key="detach", on_click=_detached, icon=":material/close:")
        st.text_input(
            "Arguments", p.arguments, key="arguments", on_change=_argued, placeholder="--lr 0.1 --epochs 3",
            max_chars=ARGUMENTS.value(),
            help="What the program finds in sys.argv behind its name, as on a command line.",
        )  # fmt: skip


def _attached() -> None:
    files = controls.value("attach")
    found = named(file for file in files or () if isinstance(file, UploadedFile))
    if found:
        put_beside(found)


def _detached() -> None:
    page().beside = ()
    run_typed()


def _argued() -> None:
    p, told = page(), controls.value("arguments", "")
    if len(told) > ARGUMENTS.value():
        p.notice = f"The arguments cannot be read: {ARGUMENTS.past()}."
        return
    try:
        shlex.split(told)
    except ValueError as error:
        p.notice = f"The arguments cannot be read: {error}."
        return
    p.arguments = told
    run_typed()


# --- what it has written -----------------------------------------------------------------------------------------------------


def written(p: Page) -> None:
    """The files that the program wrote, each of which the browser fetches when it is asked for."""
    files = p.result.files if p.result is not None and p.opened is None else ()
    if not files:
        return
    with st.expander(f"Files it wrote · {len(files):,}", icon=":material/draft:", key="written"):
        for k, (path, data) in enumerate(files[:SHOWN]):
            st.download_button(
                f"`{text_of(path)}` · {size(len(data))}", _giving(data), PurePosixPath(path).name, "application/octet-stream",
                key=f"written_{k}", on_click="ignore", type="tertiary", icon=":material/download:",
            )  # fmt: skip
        if len(files) > SHOWN:
            st.html(muted(f"and {len(files) - SHOWN:,} more"))
        if len(files) > 1:
            st.download_button(
                "All of them (.zip)",
                lambda: packed(files),
                "files.zip",
                "application/zip",
                key="written_all",
                on_click="ignore",
            )


def _giving(data: bytes) -> Callable[[], bytes]:
    return lambda: data


def packed(files: Iterable[tuple[str, bytes]]) -> bytes:
    """Several files as an archive."""
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files:
            archive.writestr(zipfile.ZipInfo(path), data)
    return memory.getvalue()


def text_of(path: str) -> str:
    """A path for a label, in which nothing is markup."""
    return path.replace("`", "'")


def size(count: int) -> str:
    """A number of bytes, as people read it."""
    if count < 1_000:
        return f"{count} bytes"
    return f"{count / 1e6:.1f} MB" if count >= 1_000_000 else f"{count / 1e3:.1f} kB"
