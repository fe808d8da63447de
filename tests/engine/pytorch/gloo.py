"""Runs a script in several processes that train together on this machine, each of them recorded, as `torchrun` starts them:
`python -m tests.engine.pytorch.gloo 2 train.py run.gradtape values`. All are forked from one, which imports PyTorch once."""

from __future__ import annotations

import os
import runpy
import socket
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]


def run_ranks(
    folder: Path, text: str, ranks: int = 2, level: str = "values", name: str = "run", expect: int = 0
) -> list[Path]:
    """The recordings that a script's processes have left, by rank."""
    script = folder / "train.py"
    script.write_text(text)
    command = [sys.executable, "-m", "tests.engine.pytorch.gloo", str(ranks), str(script), str(folder / f"{name}.gradtape"), level]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    ended = subprocess.run(command, capture_output=True, text=True, timeout=240, env=environment, cwd=ROOT, check=False)
    assert ended.returncode == expect, ended.stdout + ended.stderr
    return sorted(folder.glob(f"{name}.rank*.gradtape"))


def _rank(rank: int, ranks: int, port: int, script: str, tape: str, level: str) -> None:
    os.environ |= {
        "RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(ranks), "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port), "GLOO_SOCKET_IFNAME": "lo",
    }  # fmt: skip
    import torch

    from gradtape.engine.pytorch.running import run_script, traceback_of
    from gradtape.engine.recording.collectives import path_of

    torch.set_num_threads(1)
    if level == "off":
        runpy.run_path(script, run_name="__main__")
        return
    _, error = run_script(Path(script), (), level, path_of(Path(tape), rank, ranks))
    if error is not None:
        raise SystemExit(f"rank {rank}: {traceback_of(error)}")


def main(ranks: int, script: str, tape: str, level: str) -> int:
    """Fork the ranks and wait for them; 1 if one of them failed."""
    import torch  # noqa: F401

    with socket.socket() as tried:
        tried.bind(("127.0.0.1", 0))
        port = int(tried.getsockname()[1])
    children = []
    for rank in range(ranks):
        child = os.fork()
        if child == 0:
            code = 1
            try:
                _rank(rank, ranks, port, script, tape, level)
                code = 0
            except BaseException as error:
                print(error, file=sys.stderr)
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(code)
        children.append(child)
    return int(any([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), *sys.argv[2:]))
