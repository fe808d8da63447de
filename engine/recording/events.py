"""The facts a recording consists of: small, frozen, and free of the engine.

A recording is a log of these facts in order. Step *t* is the state after event *t*. Tensors, graph nodes and arrays are
named by integers: a tensor id and a node id are unique within the recording, an array id is a position in the recording's
`ArrayStore`. `NOTHING` (-1) stands for "none". Nothing here imports the engine, so a saved recording opens without it and
one made from real PyTorch fits the same log.
"""

from __future__ import annotations

import msgspec

NOTHING = -1
LEVELS = ("whole", "thin", "silent")
"""How much of what happens a recording holds, from one `Thinned` event to the next."""


class Fact(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Base of everything that is written to the log or to its tables."""


class Site(Fact, frozen=True):
    """A span of the program's text: that of the expression that ran. Lines count from 1, columns from 0, as in `ast`."""

    cell: int = 0
    line: int = 0
    column: int = 0
    end_line: int = 0
    end_column: int = 0


class Scope(Fact, frozen=True):
    """Where in the running program an event happened: function, loop iterations (outermost first) and `nn.Module` path."""

    function: str = ""
    call: int = 0
    loops: tuple[tuple[int, int], ...] = ()
    """Pairs (line of the loop, iteration counted from 0)."""
    module: str = ""
    calls: tuple[tuple[int, str], ...] = ()
    """The call path, outermost first: pairs (row of the call in `sites`, name of the function that was called)."""
    around: tuple[tuple[int, int], ...] = ()
    """For each of `loops`: the cell it stands in, and how many of `calls` are around it."""
    module_class: str = ""
    """The name of the class of the module; "" where it is not known."""
    mode: str = ""
    """The mode that the module was in when it was called: "train" or "eval"; "" where it is not known."""


class Argument(Fact, frozen=True):
    """One argument of an operation: a tensor by id, or the text of any other value."""

    name: str
    tensor: int = NOTHING
    text: str = ""


class Saved(Fact, frozen=True):
    """One value a node keeps for its rule (`grad_fn._saved_<name>`): a tensor with its version, or a plain value's text."""

    name: str
    tensor: int = NOTHING
    version: int = 0
    array: int = NOTHING
    text: str = ""


class NodeInfo(Fact, frozen=True):
    """A node of the autograd graph, as PyTorch names it (`MulBackward0`, `AccumulateGrad`)."""

    id: int
    name: str
    edges: tuple[tuple[int, int], ...] = ()
    """`next_functions`: pairs (node id or NOTHING, input number)."""
    sequence: int = 0
    variable: int = NOTHING
    """For AccumulateGrad: the leaf it fills."""
    saved: tuple[Saved, ...] = ()
    rule: str = ""
    """The entry of the recording's table of operations that has the texts of the node's rules."""


class TensorInfo(Fact, frozen=True):
    """A tensor as it was when it came to be."""

    id: int
    dtype: str
    shape: tuple[int, ...]
    array: int
    requires_grad: bool = False
    is_leaf: bool = True
    node: int = NOTHING
    output: int = 0
    """`output_nr`: which output of its node the tensor is."""
    version: int = 0
    view_of: int = NOTHING
    is_parameter: bool = False
    grad_of: int = NOTHING
    """The tensor whose `.grad` this tensor is, so that views can keep gradients' own bookkeeping out of the picture."""
    device: str = ""
    """Where it lies: "" for the processor, "cuda:0", "meta", …"""
    layout: str = ""
    """How: "" for strided, "sparse_coo", "sparse_csr", "jagged" (nested), …; of these only a summary is kept."""
    auxiliary: bool = False
    """Whether it is an output that pictures leave out, such as what a fused operation keeps for its own backward pass."""


class Write(Fact, frozen=True):
    """What an in-place operation left behind in one tensor that shares the written memory."""

    tensor: int
    version: int
    array: int
    requires_grad: bool = False
    is_leaf: bool = True
    node: int = NOTHING
    output: int = 0


class Event(Fact, frozen=True, tag_field="kind", kw_only=True):
    """Base of all events; `site` and `scope` are positions in the recording's tables."""

    site: int = NOTHING
    scope: int = NOTHING


class _Moded(Event, frozen=True, kw_only=True):
    """An event that says where gradients were switched off. Its field stands last, where recordings without it may end."""

    opened: int = NOTHING
    """The site (its row in `sites`) of the `no_grad` or `inference_mode` that made the cut, as far as it is known."""


class _Explained(Event, frozen=True, kw_only=True):
    """An event that says more of an error. Its fields stand last, where recordings without them may end."""

    help: str = ""
    """A sentence that takes the error itself to know, such as the name nearest to one that is not there."""
    module: str = ""
    """The path of the innermost module that was being called, "" outside of all."""
    layer: str = ""
    """That module as it prints itself, where it is one of `torch.nn`: "Linear(in_features=4, out_features=2, bias=True)"."""


class OpRan(_Moded, frozen=True, tag="op"):
    """An operation ran: it made `outputs`, or wrote in place. A leaf is the output of a creation op (`tensor`, `randn`)."""

    op: str
    inputs: tuple[Argument, ...] = ()
    outputs: tuple[TensorInfo, ...] = ()
    written: tuple[Write, ...] = ()
    node: NodeInfo | None = None
    accumulators: tuple[NodeInfo, ...] = ()
    """Other nodes first seen here: AccumulateGrad of leaves, regenerated view nodes."""
    grad_mode: bool = True
    cut: str = ""
    """Why a result of differentiable inputs needs no gradient: "", "detach", "data" (`.data`), "copy" (a new tensor of the
    values: `torch.tensor(x)`, `nn.Parameter(x)`), "no_grad", "inference", "dtype" or "nondifferentiable"."""
    in_backward: int = 0
    """The backward pass that ran the op while building a graph (`create_graph`), or 0."""


class Named(Event, frozen=True, tag="name"):
    """A name of the program was bound to a tensor (`tensor`) or to something else (NOTHING)."""

    name: str
    tensor: int
    function: str = ""
    """The function whose local it is; "" for a global."""


class FlagSet(Event, frozen=True, tag="flag"):
    """A tensor's `requires_grad` was changed, or `retain_grad()` was called."""

    tensor: int
    flag: str
    value: bool


class BackwardBegan(Event, frozen=True, tag="backward"):
    """A backward pass began; passes count from 1. `roots` are (tensor, array of the gradient it starts from)."""

    number: int
    roots: tuple[tuple[int, int], ...]
    root_nodes: tuple[tuple[int, int], ...] = ()
    retain_graph: bool = False
    create_graph: bool = False
    inputs: tuple[int, ...] = ()
    via: str = "backward"
    """"backward" or "grad" (`torch.autograd.grad`, which fills no `.grad`)."""
    nodes: tuple[NodeInfo, ...] = ()
    """Nodes first seen here: those of a graph made before the recording began, the AccumulateGrad of a root that is a leaf."""


class Sent(Fact, frozen=True):
    """A gradient that left a node along one edge. `raw` is the rule's result where broadcasting was undone on the way."""

    node: int
    input: int
    array: int
    raw: int = NOTHING


class NodeRan(Event, frozen=True, tag="node"):
    """A node's rule ran: gradients in (one per output, NOTHING where none came), gradients out (one per edge)."""

    number: int
    node: int
    received: tuple[int, ...]
    sent: tuple[Sent | None, ...]


BY_BACKWARD = "backward"
"""What changed a `.grad` where no `GradSet` says so: a backward pass."""


class Accumulated(Event, frozen=True, tag="accumulate"):
    """A gradient was added to a tensor's `.grad` by backward pass `number` (a retained non-leaf's is set, not added)."""

    number: int
    tensor: int
    increment: int
    total: int
    node: int = NOTHING


class BackwardEnded(Event, frozen=True, tag="backward_end"):
    """A backward pass ended; `error` holds the message if it failed. `freed` says whether the graph's buffers are gone."""

    number: int
    freed: bool = True
    error: str = ""


class GradSet(Event, frozen=True, tag="grad"):
    """A tensor's `.grad` changed outside a backward pass: `how` is "zero_", "None", "assign" or the in-place op's name, and
    never `BY_BACKWARD`."""

    tensor: int
    array: int
    how: str


class HookRan(Event, frozen=True, tag="hook"):
    """A hook saw a gradient and perhaps replaced it."""

    tensor: int
    node: int
    before: int
    after: int


class _Rated(Event, frozen=True, kw_only=True):
    """An event with scalars of an optimizer. Its fields stand last, where recordings without them may end."""

    rates: tuple[float, ...] = ()
    """The learning rate of each of the optimizer's groups of parameters; empty where that is not known."""
    gradient: tuple[float, ...] = ()
    """The norm of all gradients of the iteration's optimizers up to here, where it was measured; empty else."""


class Stepped(_Rated, frozen=True, tag="step"):
    """An optimizer stepped; the parameters' writes are events of their own before it."""

    optimizer: str
    parameters: tuple[int, ...] = ()
    """Ids of the parameters that had a gradient."""
    idle: tuple[int, ...] = ()
    """The optimizer's other parameters, whose `.grad` was None."""

    @property
    def owned(self) -> tuple[int, ...]:
        """All parameters that the optimizer has."""
        return (*self.parameters, *self.idle)


class Read(Event, frozen=True, tag="read"):
    """A tensor's values left the graph as Python numbers or a NumPy array: `how` is "item", "tolist", "numpy", "float", …"""

    tensor: int
    how: str


class Printed(Event, frozen=True, tag="print"):
    """The program wrote text to a stream ("stdout" or "stderr").

    Text comes with the end of its line or with what happens next, so a `print` may be two of these, or two of them one.
    """

    text: str
    stream: str = "stdout"


class Drew(Event, frozen=True, tag="figure"):
    """The program showed a figure: the calls that drew it, as text (`engine.figures.data`)."""

    figure: str


class Warned(Event, frozen=True, tag="warn"):
    """A warning was shown."""

    category: str
    message: str


class Raised(_Explained, frozen=True, tag="raise"):
    """The program ended with an exception."""

    type: str
    message: str


class CellBegan(Event, frozen=True, tag="cell"):
    """A notebook cell began; cells count from 0."""

    cell: int


class CellEnded(Event, frozen=True, tag="cell_end"):
    """A notebook cell ended; `result` is the repr of its last expression, or None."""

    cell: int
    result: str | None = None


class Thinned(Event, frozen=True, tag="thinned"):
    """From here on the recording holds more or less of what happens than before.

    "whole": everything; "thin": scalars, and what happened to gradients, parameters and `.grad`; "silent": only what the
    program prints, and how it ends.
    """

    level: str
    unit: tuple[int, ...] = ()
    """The loop by whose iterations that is decided: its line, its cell, and how many calls are around it; () for none."""
    iteration: int = NOTHING
    """Its iteration, counted from 0 over all the times that the loop was run."""


AnyEvent = (
    OpRan
    | Named
    | FlagSet
    | BackwardBegan
    | NodeRan
    | Accumulated
    | BackwardEnded
    | GradSet
    | HookRan
    | Stepped
    | Read
    | Printed
    | Warned
    | Raised
    | CellBegan
    | CellEnded
    | Thinned
    | Drew
)
