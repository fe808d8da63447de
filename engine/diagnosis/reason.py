"""What diagnosis answers with: plain data, free of HTML."""

from __future__ import annotations

import msgspec

from ..graph.numbers import number
from ..program.changes import TextChange
from ..recording.events import NOTHING, Site


class Reason(msgspec.Struct, frozen=True, kw_only=True):
    """Why something is what it is at a moment: a tensor's `.grad` (and whether the tensor requires grad), the gradients of a
    module, the loss, a line that failed, a parameter that does not move."""

    tensor: int
    """The tensor that it is about, NOTHING where it is about none."""
    step: int
    """The moment that was asked about."""
    code: str
    """The kind of reason, such as "not_retained" or "accumulated": a key of `engine.diagnosis.answers.why.CODES`."""
    title: str
    """The answer in one sentence: "w.grad is None because …"."""
    explanation: str = ""
    fix: str = ""
    """What to change, or what could be done otherwise where nothing is wrong."""
    wrong: bool = False
    """Whether something is wrong, or probably not meant; a fact about an ordinary leaf or result is neither."""
    requires_grad: str = ""
    """Why the tensor does or does not require grad, in one sentence."""
    site: Site | None = None
    """The site in the program that is the cause."""
    moment: int = NOTHING
    """The step at which the cause happened, to jump to."""
    nodes: tuple[str, ...] = ()
    """The path to show in the graph, as node keys (`t12`)."""
    cut: tuple[tuple[str, str], ...] = ()
    """The edges of the path, as pairs of node keys, over which no gradient passes."""
    evidence: tuple[tuple[str, str], ...] = ()
    """Facts that support the answer: (what, value)."""
    good: int = NOTHING
    """The end of the last iteration in which all was well, to jump to."""

    @property
    def line(self) -> int:
        """The line of the cause, or 0."""
        return 0 if self.site is None else self.site.line

    def __str__(self) -> str:
        where = f" (line {self.line})" if self.line else ""
        return " ".join(part for part in (self.title + where, self.explanation, self.fix) if part)


class Kind(msgspec.Struct, frozen=True):
    """What a rule may find; `assets/rules/<id>.py` has a program that is broken in this way, and the same program mended."""

    id: str
    """The name that users give it, such as "no_zero_grad": on the command line, in `# gradtape: ignore[…]`, in the page."""
    severity: str
    """"error" (certainly wrong), "warning" (almost certainly not meant) or "hint" (worth a look)."""
    meaning: str
    """What is wrong, in one sentence about any program."""
    mechanical: bool = False
    """Whether what mends it can be written by rule: its findings may bring changes of the text."""
    settled: bool = False
    """Whether the rule itself has seen which change is the right one, by what is computed and not by what the loss comes to:
    then a loss whose value says nothing (`fixes/surrogates.py`) does not speak against it."""
    answers: tuple[str, ...] = ()
    """The codes of `why` whose cause it names better than the answer itself does: then it stands above such an answer even
    where that says that something is wrong."""


class Longer(msgspec.Struct, frozen=True):
    """The losses of the two programs with a loop that turns more often, where a few steps do not show which is better."""

    steps: int
    """The backward passes that there were at least."""
    last: int
    """The last of them, of which the losses are the mean."""
    before: float
    after: float


class Proof(msgspec.Struct, frozen=True, kw_only=True):
    """What came of trying changes of a program on a copy of it, where they did what they are meant to do."""

    lines: int
    """Lines that are changed."""
    diff: str
    """What is changed, as a unified diff without the names of files."""
    before: float | None = None
    """The loss at the end of the run with the finding, None where there is none."""
    after: float | None = None
    """The loss as often stepped with the changes, None where there is none."""
    began: float | None = None
    """The first loss with the changes, where it is another number than the first one was: the loss measures something else."""
    steps: int = 0
    """The backward passes after which the two losses are told."""
    longer: Longer | None = None
    """The losses of longer runs, where that after so few steps is worse: steps with too large gradients may go far at first."""
    ended: bool = False
    """Whether the program comes to its end only with the changes."""
    untold: str = ""
    """Why the loss is not told: its value says nothing of which program is better."""

    @property
    def loss(self) -> str:
        """What became of the loss, in a few words; "" where there is none."""
        if self.after is None:
            return self.untold
        after = f"after {self.steps} step{'s' * (self.steps != 1)}"
        if self.began is not None or self.before is None:
            first = "" if self.began is None or self.steps < 2 else f"{number(self.began)} → "
            return f"loss {'now ' * bool(first)}{first}{number(self.after)} {after}"
        told = f"{after} {number(self.before)} → {number(self.after)}"
        if self.longer is None:
            return f"loss {told}"
        many = f"loss of the last {self.longer.last} of {self.longer.steps} steps"
        return f"{many} {number(self.longer.before)} → {number(self.longer.after)} (the loop run longer; {told})"

    def __str__(self) -> str:
        done = "the finding is gone" + (" and the program runs to its end" if self.ended else "")
        lines = f"{self.lines} line{'s' * (self.lines != 1)} changed"
        return f"tried: {'; '.join(part for part in (done, self.loss, lines) if part)}"


class Edit(msgspec.Struct, frozen=True):
    """A fix that has been tried: changes of the program's text, and what they did."""

    changes: tuple[TextChange, ...]
    proof: Proof


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """Something about a run that is wrong, or odd enough to look at."""

    rule: str
    """The id of its kind, such as "no_zero_grad"."""
    severity: str
    """"error" (the result is wrong), "warning" (probably not meant) or "hint"."""
    title: str
    explanation: str
    fix: str
    evidence: tuple[tuple[str, str], ...] = ()
    """Facts with numbers: (what, value)."""
    site: Site | None = None
    """The line to look at."""
    related: tuple[Site, ...] = ()
    """Other lines that take part."""
    step: int = NOTHING
    """The moment at which it shows."""
    nodes: tuple[str, ...] = ()
    """The nodes of the graph it is about."""
    iterations: str = ""
    """Where it shows, "iteration 137 of 200", or in which iterations, "iterations 137–199"; "" outside of loops."""
    steps: tuple[int, ...] = ()
    """The moments at which it shows, where there are several: one of each iteration, in order."""
    changes: tuple[TextChange, ...] = ()
    """Changes of the program's text that may mend it; none of them has been tried."""
    edit: Edit | None = None
    """A fix that has been tried (`engine.diagnosis.fixes`); the rules leave it empty."""
    ends: bool = False
    """Whether it explains the exception that the program ended with."""

    @property
    def grave(self) -> bool:
        """Whether it is more than a hint."""
        return self.severity != "hint"

    @property
    def line(self) -> int:
        """The line to look at, or 0."""
        return 0 if self.site is None else self.site.line

    def __str__(self) -> str:
        where = f"line {self.line}: " if self.line else ""
        return f"{where}{self.title} {self.explanation} {self.fix}"
