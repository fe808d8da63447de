"""What recording costs a training on the PyTorch that is installed: processor time of a step, recorded ÷ plain, medians; and
what a step takes of a recording's file.

Beside it stands what PyTorch itself offers: `detect_anomaly`, and `DebugMode`, which prints what is dispatched. Where there is
a GPU, a large transformer is recorded on it, too.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.sizes import options


def tiny() -> Callable[[], None]:
    """A step of a small network."""
    import torch
    from torch import nn

    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1))
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    x, y = torch.randn(16, 8), torch.randn(16, 1)

    def step() -> None:
        optimizer.zero_grad()
        torch.autograd.backward(((net(x) - y) ** 2).mean())
        optimizer.step()

    return step


def transformer(
    layers: int = 12, width: int = 128, vocabulary: int = 64, shape: tuple[int, int] = (4, 32), device: str = "cpu"
) -> tuple[Callable[[], None], int]:
    """A step of a transformer of so many layers on a batch of token sequences, and how many parameters it has.

    Args:
        shape: sequences in the batch, and their length.
        device: as PyTorch names it.
    """
    import torch
    from torch import nn

    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(width, 4, 4 * width, dropout=0.0, batch_first=True)
    net = nn.Sequential(nn.Embedding(vocabulary, width), nn.TransformerEncoder(layer, layers), nn.Linear(width, vocabulary))
    net.to(device)
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
    x = torch.randint(0, vocabulary, shape, device=device)

    def step() -> None:
        optimizer.zero_grad()
        torch.autograd.backward(nn.functional.cross_entropy(net(x).flatten(0, 1), x.flatten()))
        optimizer.step()

    return step, sum(p.numel() for p in net.parameters())


def anomalies() -> AbstractContextManager[Any]:
    """PyTorch's anomaly mode."""
    import torch

    return torch.autograd.detect_anomaly(check_nan=True)


def debugging() -> AbstractContextManager[Any]:
    """PyTorch's log of what is dispatched."""
    from torch.utils._debug_mode import DebugMode

    return DebugMode()


@contextmanager
def boxed(every: int) -> Iterator[None]:
    """Our black box, of which nothing makes it write."""
    from engine.pytorch import record

    with TemporaryDirectory() as folder, record(Path(folder) / "run.gradtape", last=3, every=every):
        yield


@contextmanager
def recorded(level: str) -> Iterator[None]:
    """Our recording."""
    from engine.pytorch import record

    with record(level=level):
        yield


def milliseconds(step: Callable[[], None], around: Callable[[], AbstractContextManager[Any]], times: int, rounds: int) -> float:
    """Processor time of a step."""
    found = []
    for _ in range(rounds):
        with around():
            step()
            began = time.process_time()
            for _ in range(times):
                step()
            found.append((time.process_time() - began) / times * 1e3)
    return statistics.median(found)


def kilobytes(step: Callable[[], None], level: str, times: int) -> float:
    """Kilobytes that a step adds to a recording's file."""
    from engine.pytorch import record

    sizes = []
    for count in (2, 2 + times):
        with record(level=level) as session:
            for _ in range(count):
                step()
        sizes.append(len(session.recording.to_bytes()))
    return (sizes[1] - sizes[0]) / times / 1e3


def on_device(device: str, small: bool) -> None:
    """Print what recording costs a transformer of 124 million parameters there: time of a step on the clock, and memory.

    Args:
        device: as PyTorch names it.
        small: whether a few thousand parameters do.
    """
    import torch

    step, parameters = transformer(2, 16, 50, (2, 8), device) if small else transformer(12, 768, 25_000, (16, 512), device)
    there = torch.cuda if device == "cuda" else None
    kinds: dict[str, Callable[[], AbstractContextManager[Any]]] = {
        "plain": nullcontext,
        "facts": lambda: recorded("facts"),
        "statistics": lambda: recorded("statistics"),
    }
    taken: dict[str, list[float]] = {name: [] for name in kinds}
    peaks: dict[str, float] = {}
    for _ in range(1 if small else 5):
        for name, around in kinds.items():
            if there is not None:
                there.reset_peak_memory_stats()
            with around():
                for count in (1, 1 if small else 10):
                    began = time.perf_counter()
                    for _ in range(count):
                        step()
                    if there is not None:
                        there.synchronize()
                taken[name].append((time.perf_counter() - began) / count * 1e3)
            peaks[name] = there.max_memory_allocated() / 1e6 if there is not None else math.nan
    print(
        f"\nA transformer of {parameters / 1e6:.1f} million parameters on {device}: a step, in brackets ÷ plain; peak memory\n"
    )
    print(f"| {' | '.join(kinds)} |\n|{'---|' * len(kinds)}")
    middle = {name: statistics.median(each) for name, each in taken.items()}
    cells = [f"{each:.1f} ms ({each / middle['plain']:.2f}), {peaks[name]:.0f} MB" for name, each in middle.items()]
    print(f"| {' | '.join(cells)} |", flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    small = options(__doc__).parse_args(arguments).smallest
    try:
        import torch
    except ModuleNotFoundError:
        print("\nRecording PyTorch: it is not installed")
        return
    torch.set_num_threads(1)
    kinds: dict[str, Callable[[], AbstractContextManager[Any]]] = {
        "plain": nullcontext,
        "facts": lambda: recorded("facts"),
        "statistics": lambda: recorded("statistics"),
        "values": lambda: recorded("values"),
        "black box": lambda: boxed(1),
        "one in 20": lambda: boxed(20),
        "detect_anomaly": anomalies,
        "DebugMode": debugging,
    }
    print(f"\nRecording PyTorch {torch.__version__}: processor time of a step, in brackets ÷ plain\n")
    print(f"| | {' | '.join(kinds)} |\n|---{'|---' * len(kinds)}|")
    # Of twenty steps, one is recorded whole where one in twenty is.
    programs = {
        "tiny network": (tiny(), 2 if small else 60),
        "transformer of 12 layers": (transformer()[0], 1 if small else 20),
    }
    for title, (step, times) in programs.items():
        rounds = 1 if small else 5
        taken = {name: milliseconds(step, around, times, rounds) for name, around in kinds.items()}
        cells = [f"{each:.2f} ms ({each / taken['plain']:.1f})" for each in taken.values()]
        print(f"| {title} | {' | '.join(cells)} |", flush=True)
    levels = ("facts", "statistics", "values")
    print(f"\nWhat a step adds to the file, in kB\n\n| | {' | '.join(levels)} |\n|---{'|---' * len(levels)}|")
    for title, (step, times) in programs.items():
        each = [f"{kilobytes(step, level, min(times, 5)):.0f}" for level in levels]
        print(f"| {title} | {' | '.join(each)} |", flush=True)
    if small or torch.cuda.is_available():
        on_device("cuda" if torch.cuda.is_available() else "cpu", small)


if __name__ == "__main__":
    main()
