"""The table of a model's layers in the order in which they are called, with what they give and how much they compute."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

from ...itself import engine as torch
from ...tensor import Tensor

FIRST, STEP = 40, 5
"""Characters of the first column at least, and of each level in it."""
HEADS = {
    "input_size": "Input Shape", "output_size": "Output Shape", "num_params": "Param #", "kernel_size": "Kernel Shape",
    "mult_adds": "Mult-Adds", "trainable": "Trainable",
}  # fmt: skip
"""Columns, and what stands over them."""


class Layer:
    """One call of a module; where nothing was called, the module."""

    def __init__(self, module: Any, name: str, again: bool = False) -> None:
        self.module, self.name, self.again = module, name, again
        self.depth = self.index = 0
        self.children: list[Layer] = []
        self.given: list[int] = []
        self.gives: list[int] = []
        self.bytes = 0

    @property
    def kind(self) -> str:
        """The name of its class."""
        return type(self.module).__name__

    @property
    def own(self) -> list[tuple[str, Any]]:
        """Its parameters by name: of a layer with others in it, those that are in none of them."""
        if not self.children:
            return [*self.module.named_parameters()]
        within = {id(p) for child in self.children for p in child.module.parameters()}
        return [(name, p) for name, p in self.module.named_parameters() if id(p) not in within]

    @property
    def count(self) -> int:
        """How many numbers they are."""
        return sum(p.numel() for _, p in self.own)

    @property
    def products(self) -> int:
        """How many multiplications and additions it takes."""
        found = 0
        for path, parameter in self.own if self.gives and not self.children else ():
            name = path.rpartition(".")[2]
            if name in ("weight", "bias"):
                times = prod(self.gives[:1] + self.gives[2:]) if "Conv" in self.kind else self.gives[0]
                found += parameter.numel() * times
            elif "weight" in name or "bias" in name:
                found += parameter.numel() * prod(self.gives[:2])
        return found

    def cell(self, column: str, deepest: int) -> str:
        """What stands in a column, where layers are shown down to a depth."""
        if column == "input_size":
            return str(self.given) if self.given else "--"
        if column == "output_size":
            return str(self.gives) if self.gives else "--"
        if column == "num_params":
            shown = [*self.module.parameters()] if self.depth == deepest else [p for _, p in self.own]
            count = sum(p.numel() for p in shown)
            if not count or self.again:
                return "(recursive)" if count else "--"
            return f"{count:,}" if any(p.requires_grad for p in shown) else f"({count:,})"
        if column == "kernel_size":
            size = getattr(self.module, "kernel_size", None)
            return "--" if size is None else str([*size] if isinstance(size, tuple) else size)
        if column == "mult_adds":
            return "(recursive)" if self.again else f"{self.products:,}" if self.products else "--"
        needs = {p.requires_grad for p in self.module.parameters()}
        return "--" if not needs else "Partial" if len(needs) == 2 else str(needs.pop())

    def title(self, rows: Any) -> str:
        """What it is called in the first column."""
        inside = [self.name] if "var_names" in rows and self.name else []
        number = f": {self.depth}-{self.index}" if "depth" in rows and self.depth else ""
        return f"{self.kind}{f' ({inside[0]})' if inside else ''}{number}"


class ModelStatistics:
    """The table, and the sums below it."""

    def __init__(self, top: Layer, inputs: list[Any], columns: Any, width: int, rows: Any, depth: int) -> None:
        self._columns, self._width, self._rows = tuple(columns), width, tuple(rows)
        _number(top)
        self._shown = [layer for layer in _below(top) if layer.depth <= depth]
        self._deepest = depth
        every, once = [*_below(top)], {id(p): p for p in top.module.parameters()}
        self.total_params = sum(p.numel() for p in once.values())
        self.trainable_params = sum(p.numel() for p in once.values() if p.requires_grad)
        self.total_param_bytes = sum(p.numel() * p.element_size() for p in once.values())
        self.total_mult_adds = sum(layer.products for layer in every)
        self.total_output_bytes = sum(layer.bytes * 2 for layer in every if not layer.children and layer.count)
        self.total_input = sum(t.numel() * t.element_size() for t in inputs)
        self._ran = bool(top.gives)

    def __repr__(self) -> str:
        first = max([FIRST, *(len(layer.title(self._rows)) + layer.depth * STEP + 1 for layer in self._shown)])
        rule = "=" * (first + self._width * len(self._columns))
        kind = "type (var_name)" if "var_names" in self._rows else "type"
        head = f"Layer ({kind}{':depth-idx' if 'depth' in self._rows else ''})"
        lines = [rule, self._row(head, [HEADS[c] for c in self._columns], first), rule]
        for layer in self._shown:
            before = "│    " * (layer.depth - 2) + "│    └─" if layer.depth > 1 else "├─" * layer.depth
            lines.append(
                self._row(before + layer.title(self._rows), [layer.cell(c, self._deepest) for c in self._columns], first)
            )
        lines += [rule, f"Total params: {self.total_params:,}", f"Trainable params: {self.trainable_params:,}"]
        lines.append(f"Non-trainable params: {self.total_params - self.trainable_params:,}")
        if self._ran:
            n = self.total_mult_adds
            by, unit = next(((b, u) for b, u in ((1e12, "TERA"), (1e9, "GIGA")) if n >= b), (1e6, "MEGA"))
            sizes = [self.total_input, self.total_output_bytes, self.total_param_bytes]
            lines += [f"Total mult-adds (Units.{unit}BYTES): {n / by:.2f}", rule]
            names = ("Input size", "Forward/backward pass size", "Params size", "Estimated Total Size")
            lines += [f"{name} (MB): {size / 1e6:.2f}" for name, size in zip(names, (*sizes, sum(sizes)), strict=True)]
        return "\n".join([*lines, rule])

    def _row(self, title: str, cells: list[str], first: int) -> str:
        return " ".join([f"{title:<{first}}", *(f"{cell:<{self._width}}" for cell in cells)]).rstrip()


def summary(
    model: Any, input_size: Any = None, input_data: Any = None, batch_dim: int | None = None, cache_forward_pass: Any = None,
    col_names: Any = None, col_width: int = 25, depth: int = 3, device: Any = None, dtypes: Any = None, mode: Any = None,
    row_settings: Any = ("depth",), verbose: int | None = None, **kwargs: Any,
) -> ModelStatistics:  # fmt: skip
    """The table of a model, printed unless `verbose` is 0; given an input or its size, the model is called, without gradients.

    Raises:
        ValueError: for a column that there is not.
    """
    inputs = _inputs(input_size, input_data, batch_dim, dtypes)
    called = inputs is not None
    columns = [str(c) for c in col_names or (("output_size", "num_params") if called else ("num_params",))]
    for column in columns:
        if column not in HEADS:
            raise ValueError(f"Column {column} is not a valid column name; there are {', '.join(HEADS)}")
    top = _called(model, inputs, mode, kwargs) if called else _walked(model)
    tensors = [t for t in (inputs or ()) if isinstance(t, Tensor)]
    made = ModelStatistics(top, tensors, columns, int(col_width), row_settings or (), int(depth))
    if verbose is None or verbose:
        print(made)
    return made


def _inputs(size: Any, data: Any, batch_dim: int | None, kinds: Any) -> list[Any] | None:
    if data is not None:
        return [*data] if isinstance(data, list | tuple) else [data]
    if size is None:
        return None
    sizes = [tuple(size)] if all(isinstance(n, int) for n in size) else [tuple(one) for one in size]
    if batch_dim is not None:
        sizes = [(*one[:batch_dim], 1, *one[batch_dim:]) for one in sizes]
    made = [torch.rand(*one) for one in sizes]
    return made if kinds is None else [one.to(kind) for one, kind in zip(made, kinds, strict=True)]


def _called(model: Any, inputs: list[Any] | None, mode: Any, kwargs: dict[str, Any]) -> Layer:
    """The layers of one call, in the order of their calls."""
    paths = {id(m): path for path, m in model.named_modules()}
    stack: list[Layer] = []
    tops: list[Layer] = []
    met: set[int] = set()

    def begin(module: Any, given: Any) -> None:
        layer = Layer(module, paths[id(module)].rpartition(".")[2] or type(model).__name__, id(module) in met)
        met.add(id(module))
        layer.given = _size(given)
        (stack[-1].children if stack else tops).append(layer)
        stack.append(layer)

    def end(module: Any, _: Any, result: Any) -> None:
        layer = stack.pop()
        layer.gives, layer.bytes = _size(result), sum(t.numel() * t.element_size() for t in _tensors(result))

    hooks = [h for m in {id(m): m for m in model.modules()}.values()
             for h in (m.register_forward_pre_hook(begin), m.register_forward_hook(end))]  # fmt: skip
    was = model.training
    try:
        if mode in ("train", "eval"):
            model.train(mode == "train")
        with torch.no_grad():
            model(*(inputs or ()), **kwargs)
    finally:
        for hook in hooks:
            hook.remove()
        if mode in ("train", "eval"):
            model.train(was)
    for layer in [*_below(tops[0])]:
        _put_into_containers(layer, paths)
    return tops[0]


def _put_into_containers(layer: Layer, paths: dict[int, str]) -> None:
    """Put what a layer called into the lists of modules that it stands in, which are never called themselves."""
    above = paths[id(layer.module)]
    children, layer.children = layer.children, []
    for child in children:
        inside, path = layer, paths[id(child.module)]
        if path.startswith(f"{above}." if above else ""):
            for name in path[len(above) + bool(above) :].split(".")[:-1]:
                # Not as an attribute: the program may have said the path, and names of Python's own lead anywhere.
                module = inside.module._modules.get(name) if isinstance(inside.module, torch.nn.Module) else None
                if module is None:
                    break
                known = next((one for one in inside.children if one.module is module), None)
                if known is None:
                    known = Layer(module, name)
                    inside.children.append(known)
                inside = known
        inside.children.append(child)


def _walked(module: Any, name: str = "") -> Layer:
    """The modules, where none is called."""
    layer = Layer(module, name or type(module).__name__)
    layer.children = [_walked(child, key) for key, child in module.named_children()]
    return layer


def _number(top: Layer) -> None:
    """Say how deep layers are, and count those of each depth."""
    counts: dict[int, int] = {}
    pending = [(top, 0)]
    while pending:
        layer, depth = pending.pop()
        counts[depth] = counts.get(depth, 0) + 1
        layer.depth, layer.index = depth, counts[depth]
        pending.extend((child, depth + 1) for child in reversed(layer.children))


def _below(layer: Layer) -> Iterator[Layer]:
    yield layer
    for child in layer.children:
        yield from _below(child)


def _tensors(value: Any) -> list[Any]:
    if isinstance(value, Tensor):
        return [value]
    several = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return [t for each in several for t in _tensors(each)]


def _size(value: Any) -> list[int]:
    """The shape of the first tensor in something."""
    found = _tensors(value)
    return [*found[0].shape] if found else []
