"""Recording in a script or a notebook, without the sandbox: `with record() as tape: …`, then `tape` shows the picture."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Any

from ..context import context
from ..tensor import Tensor
from .call_paths import Codes
from .events import NOTHING
from .recorder import Recorder
from .recording import Recording
from .tensor_paths import tensor_paths


@contextmanager
def record() -> Iterator[Tape]:
    """Record what the engine does in a block, with the lines and the names of the function or notebook cell around it.

        import gradtape.engine as torch
        from gradtape.engine.recording import record

        x = torch.tensor([1.0, 2.0], requires_grad=True)
        with record() as tape:
            y = (x**2).sum()
            y.backward()
        tape.recording.save("run.gradtape")

    At the end of a notebook's cell, `tape` shows the graph. Python's names are noticed when the engine runs next, and loops
    are not told apart; programs that Gradtape runs itself have both.
    """
    tape = Tape(sys._getframe(2))
    tape.begin()
    try:
        yield tape
    except BaseException as error:
        tape.end(error)
        raise
    else:
        tape.end()


class Tape:
    """A block that is being recorded, or was."""

    def __init__(self, frame: FrameType) -> None:
        file = frame.f_code.co_filename
        self.recorder = Onlooker({file: 0}, lambda: frame.f_locals)
        self._source = "".join(linecache.getlines(file, frame.f_globals))
        self._kept: tuple[int, Recording] | None = None
        self._before: Any = None
        """Who watched the engine until then."""

    def begin(self) -> None:
        """Record from here on."""
        self._before, context.observer = context.observer, self.recorder

    def end(self, error: BaseException | None = None) -> None:
        """Record nothing more; with the error that ended the block, if one did."""
        try:
            self.recorder.look_around(deep=True)
            if error is not None:
                self.recorder.raised(type(error).__name__, str(error))
        finally:
            context.observer = self._before

    @property
    def recording(self) -> Recording:
        """What was recorded so far."""
        count = self.recorder.count
        if self._kept is None or self._kept[0] != count:
            self._kept = count, self.recorder.recording((self._source,))
        return self._kept[1]

    def __repr__(self) -> str:
        return repr(self.recording)

    def _repr_html_(self) -> str:
        """The picture, where a notebook shows it."""
        return self.recording._repr_html_()


class Onlooker(Recorder):
    """A recorder that looks for itself which names the code around it has given to tensors.

    Args:
        program: as `Recorder` has it.
        held: gives the names.
    """

    def __init__(self, program: dict[str, int] | Codes, held: Callable[[], Mapping[str, Any]]) -> None:
        super().__init__(program)
        self._held = held
        self._seen: dict[str, Any] = {}
        """The tensors that were last found under each name; kept, so that their ids are not used again."""

    def op(self, *arguments: Any) -> None:
        self.look_around()
        super().op(*arguments)

    def wrote(self, *arguments: Any) -> None:
        self.look_around()
        super().wrote(*arguments)

    def backward_began(self, *arguments: Any) -> None:
        self.look_around(deep=True)
        super().backward_began(*arguments)

    def grad_set(self, *arguments: Any) -> None:
        self.look_around()
        super().grad_set(*arguments)

    def look_around(self, deep: bool = False) -> None:
        """Note the names that have been bound since; with `deep`, of tensors in lists, dicts and modules too."""
        if self._running:
            return
        for name, value in list(self._held().items()):
            if name.startswith("_"):
                continue
            if isinstance(value, Tensor):
                # A tensor that has had no part in the recording so far is none of its business.
                if self._seen.get(name) is not value and self.known(value) != NOTHING:
                    self._seen[name] = value
                    self._bind(name, value, "", self.where())
            elif deep:
                for path, tensor, _ in tensor_paths(value):
                    if self._seen.get(name + path) is not tensor and self._unnamed(tensor):
                        self._seen[name + path] = tensor
                        self._bind(name + path, tensor, "", self.where())

    def _unnamed(self, tensor: Tensor) -> bool:
        number = self.known(tensor)
        return number != NOTHING and number not in self._named
