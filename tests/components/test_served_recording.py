"""`record(serve=True)` serves a page for who has its address, and the page goes with the program, however that ends."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from http.cookiejar import CookieJar
from pathlib import Path
from types import ModuleType

from benchmarks.serving import ROOT

TRAINS = """import os, time
import gradtape
import torch

w = torch.ones(2, requires_grad=True)
with gradtape.record("run.gradtape", serve=True):
    for k in range(5):
        (w * k).sum().backward()
    time.sleep(600)
"""
PATIENCE = 240


def answer(address: str, jar: CookieJar | None = None, **headers: str) -> int:
    """The status of an answer; 0 where there is none."""
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar if jar is not None else CookieJar()))
    try:
        with opener.open(urllib.request.Request(address, headers=headers), timeout=30) as found:
            return int(found.status)
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code
    except OSError:
        return 0


def until(status: int, address: str) -> bool:
    """Whether an address comes to answer so."""
    for _ in range(PATIENCE * 2):
        if answer(address) == status:
            return True
        time.sleep(0.5)
    return False


def test_the_page_is_for_who_has_its_address_and_goes_with_the_program(torch: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TRAINS)
    program = subprocess.Popen(
        [sys.executable, "train.py"],
        cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT)}, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert program.stderr is not None
        said = program.stderr.readline()
        found = re.fullmatch(r"Gradtape follows run\.gradtape at ((http://127\.0\.0\.1:\d+/)\?token=[\w-]{32})\n", said)
        assert found, said
        address, plain = found[1], found[2]
        assert until(200, address)
        jar = CookieJar()
        assert answer(plain, jar) == 403
        assert answer(address, jar) == 200
        assert answer(plain, jar) == 200
        assert answer(plain, jar, Origin="http://attacker.example") == 403
        assert answer(plain, jar, Host="attacker.example") == 403
        program.send_signal(signal.SIGKILL)
        program.wait()
        assert until(0, plain), "the page outlives the program"
    finally:
        program.kill()
        program.wait()
        if program.stderr is not None:
            program.stderr.close()
