"""A page of its own for a recording under way: another process, on this machine, for who has the address that is printed."""

from __future__ import annotations

import atexit
import os
import socket
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from secrets import token_urlsafe

from .telling import told

LOOPBACK = "127.0.0.1"


def serve(path: Path) -> str:
    """Serve a page that follows a recording, until this program ends, however it does; returns its address, "" where there is
    no page to serve."""
    if find_spec("streamlit") is None:
        told('The page cannot be served, because Streamlit is not installed here; "gradtape open --follow" follows the file')
        return ""
    command = import_module("gradtape")
    token, port = token_urlsafe(24), _free()
    server = subprocess.Popen(
        [
            sys.executable, "-P", "-c", command.START, str(command.FOLDER), "open", str(path.absolute()), "--follow",
            "--server.address", LOOPBACK, "--server.port", str(port),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"GRADTAPE_TOKEN": token},
    )  # fmt: skip
    atexit.register(_end, server, os.getpid())
    address = f"http://{LOOPBACK}:{port}/?token={token}"
    print(f"Gradtape follows {path.name} at {address}", file=sys.stderr)
    return address


def _end(server: subprocess.Popen[bytes], process: int) -> None:
    """The page goes with the program; should that be killed, what it reads ends, and it goes, too."""
    if os.getpid() == process:
        server.terminate()
        server.wait()


def _free() -> int:
    """A port that nothing listens at."""
    with socket.socket() as tried:
        tried.bind((LOOPBACK, 0))
        return int(tried.getsockname()[1])
