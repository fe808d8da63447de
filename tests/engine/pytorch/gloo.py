"""Runs a script in several processes that train together on this machine, each of them recorded, as `torchrun` starts them:
`python -m tests.engine.pytorch.gloo 2 FOLDER values train`. All are forked from one, which imports PyTorch once."""

from __future__ import annotations

import os
import runpy
import signal
import socket
import subprocess
import sys
from importlib import import_module
from pathlib import Path

PLAIN = "plain_"
"""What the names of scripts begin with that are not recorded from outside."""
PATIENCE = 400.0
"""Seconds for all scripts together."""
ROOT = Path(__file__).parents[3]


def run_ranks(folder: Path, scripts: dict[str, str], ranks: int = 2, level: str = "values") -> dict[str, list[Path]]:
    """The recordings that the processes of each script have left, by rank; those that raise leave theirs as well."""
    for name, text in scripts.items():
        (folder / f"{name}.py").write_text(text)
    command = [sys.executable, "-m", "tests.engine.pytorch.gloo", str(ranks), str(folder), level, *scripts]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    pipe = subprocess.PIPE
    started = subprocess.Popen(
        command, stdout=pipe, stderr=pipe, text=True, env=environment, cwd=ROOT, start_new_session=True
    )  # fmt: skip
    with started:
        try:
            out, err = started.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(started.pid, signal.SIGKILL)  # the ranks as well
            raise
    assert started.returncode == 0, out + err
    return {name: sorted(folder.glob(f"{name}.rank*.gradtape")) for name in scripts}


def _rank(rank: int, ranks: int, port: int, script: str, tape: str, level: str) -> None:
    os.environ |= {
        "RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(ranks), "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port), "GLOO_SOCKET_IFNAME": "lo",
    }  # fmt: skip
    import torch
    from gradtape.engine.pytorch.running import run_script, traceback_of
    from gradtape.engine.recording.collectives import path_of

    torch.set_num_threads(1)
    if level == "off" or Path(script).stem.startswith(PLAIN):
        runpy.run_path(script, run_name="__main__")
        return
    _, error = run_script(Path(script), (), level, path_of(Path(tape), rank, ranks))
    if error is not None:
        raise SystemExit(f"rank {rank}: {traceback_of(error)}")


def main(ranks: int, folder: str, level: str, names: list[str]) -> None:
    """Run the scripts of a folder one after another, each in its ranks."""
    for module in ("torch._dynamo", "gradtape.engine.pytorch.running"):
        import_module(module)  # optimizers import the first one, which takes seconds

    for name in names:
        _together(ranks, Path(folder) / f"{name}.py", level)


def _together(ranks: int, script: Path, level: str) -> None:
    """Fork the ranks and wait for them."""
    with socket.socket() as tried:
        tried.bind(("127.0.0.1", 0))
        port = int(tried.getsockname()[1])
    children = []
    for rank in range(ranks):
        child = os.fork()
        if child == 0:
            try:
                _rank(rank, ranks, port, str(script), str(script.with_suffix(".gradtape")), level)
            except BaseException as error:
                print(error, file=sys.stderr)
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:])
