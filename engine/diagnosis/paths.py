"""How values went from one tensor to another, and where a gradient cannot go back, in one file because a path goes through
operations, writes and Python's numbers in turn: each step of the search asks for all three. Nothing recurses.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Collection
from functools import cached_property
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np

from ..graph.structure.tensor_titles import name_now
from ..graph.symbols import clip
from ..recording.columns import columns_of
from ..recording.events import NOTHING, FlagSet, HookRan, Named, OpRan, Read, Site
from ..recording.index import Pass
from ..recording.operations import having
from ..recording.recording import Recording
from .program_ast import Covered, Source
from .run import Run

_KEPT = 8
"""Searches that are kept for the next question."""
_MAX_NAME = 120
_MEANT = 5
"""Cuts that one which is meant counts as, in search of the way with the fewest."""
_LITTLE = 2_000
"""Tensors that a look ahead takes in."""


class Link(NamedTuple):
    """One step of values: the operation at `step` made `result` from `source`."""

    source: int
    result: int
    step: int
    cut: bool
    """Whether `source` requires grad and no gradient comes back to it here."""
    read: int = NOTHING
    """The step at which the values left as numbers, where they came by way of Python or NumPy."""


class Paths:
    """Questions about the ways of values and gradients through one recording; searches are kept."""

    def __init__(self, recording: Recording) -> None:
        self.run = Run(recording)
        self._creations = having(recording, "creation")
        self._searches: OrderedDict[tuple[tuple[int, ...], int], _Search] = OrderedDict()
        self._reached: OrderedDict[int, frozenset[int]] = OrderedDict()
        self._unseen: dict[int, list[int]] = {}
        self._behind: dict[int, tuple[int, ...]] = {}
        self._written: dict[int, list[int]] = {}

    @cached_property
    def source(self) -> Source:
        """The program's text, parsed when first asked for."""
        return Source(self.run.recording.source)

    def label(self, tensor: int, step: int) -> str:
        """What a tensor is called at a step: its name then, or any it had, or the expression that made it."""
        history = self.run.tensors[tensor]
        return clip(name_now(self.run.recording, tensor, history.name(step)) or self.run.title(tensor), _MAX_NAME)

    def statement(self, step: int) -> str:
        """The statement of the program that ran at a step, in one line."""
        site = self.run.site(step)
        node = self.source.at(site)
        whole = self.source.statement(node) if node is not None else None
        if (
            whole is None
            or site is None
            or isinstance(whole, ast.With | ast.For | ast.While | ast.If | ast.Try | ast.FunctionDef | ast.ClassDef)
        ):
            return self.run.expression(site)
        return self.run.expression(
            Site(site.cell, whole.lineno, whole.col_offset, whole.end_lineno or 0, whole.end_col_offset or 0)
        )

    def assigned_to(self, step: int) -> str:
        """What the statement of a step gives its value to, as it is written: "self.mean"; "" for none or several."""
        node = self.source.at(self.run.site(step))
        match self.source.statement(node) if node is not None else None:
            case ast.Assign(targets=[target]) | ast.AugAssign(target=target) | ast.AnnAssign(target=target):
                return clip(ast.unparse(target), 40)
        return ""

    # --- ways of gradients ----------------------------------------------------------------------------------------------------

    @cached_property
    def accumulators(self) -> dict[int, list[int]]:
        """Leaf -> its AccumulateGrad nodes; a leaf gets a new one when no graph holds the old one."""
        found: dict[int, list[int]] = {}
        nodes = columns_of(self.run.recording).nodes
        filling = nodes.variable != NOTHING
        for id, variable in zip(nodes.id[filling].tolist(), nodes.variable[filling].tolist(), strict=True):
            found.setdefault(variable, []).append(id)
        return found

    @cached_property
    def hooks(self) -> list[int]:
        """The steps at which hooks replaced gradients."""
        steps: list[int] = self.run.recording.tape.steps(HookRan).tolist()
        return steps

    @cached_property
    def hooks_of_node(self) -> dict[int, list[int]]:
        """The steps at which hooks replaced gradients, by the node that they came to."""
        found: dict[int, list[int]] = {}
        for step in self.hooks:
            event = self.run.events[step]
            if isinstance(event, HookRan):
                found.setdefault(event.node, []).append(step)
        return found

    @cached_property
    def flags(self) -> dict[int, list[tuple[int, str, bool]]]:
        """Tensor -> the flags that were set on it: (step, flag, value)."""
        found: dict[int, list[tuple[int, str, bool]]] = {}
        for step in self.run.recording.tape.steps(FlagSet).tolist():
            event = self.run.events[step]
            assert isinstance(event, FlagSet)
            found.setdefault(event.tensor, []).append((step, event.flag, event.value))
        return found

    def before(self, step: int) -> list[tuple[int, OpRan]]:
        """The operations up to a step."""
        ops = self.run.ops
        return ops[: bisect_left(ops, step + 1, key=lambda pair: pair[0])]

    def assigned(self, name: str, step: int) -> list[tuple[int, int]]:
        """The tensors that assignments to a name or attribute made, as far as the assigned expression was an operation: pairs
        (tensor, step) in order, up to `step`."""
        values = self.source.values(name)
        spans = {
            (cell, v.lineno, v.col_offset, v.end_lineno, v.end_col_offset)
            for cell, at, v in values
            if isinstance(at, ast.Assign | ast.AnnAssign | ast.NamedExpr)
        }
        if not spans:
            return []
        sites = self.run.recording.sites
        rows = {i for i, s in enumerate(sites) if (s.cell, s.line, s.column, s.end_line, s.end_column) in spans}
        return [(e.outputs[0].id, s) for s, e in self.before(step) if e.site in rows and e.outputs]

    def nodes_of(self, tensor: int, step: int) -> list[int]:
        """The nodes through which a gradient reaches a tensor."""
        node = self.run.status(tensor, step).node
        return [node] if node != NOTHING else self.accumulators.get(tensor, [])

    def reached(self, entry: Pass) -> frozenset[int]:
        """The nodes that the graph of a backward pass consists of."""
        made = self._reached.get(entry.number)
        if made is None:
            starts, targets = self._edges
            row_of: list[int] = self._node_rows
            stack = [n for n, _ in entry.event.root_nodes if n != NOTHING]
            seen = set(stack)
            while stack:
                row = row_of[stack.pop()]
                for target in targets[starts[row] : starts[row + 1]]:
                    if target not in seen:
                        seen.add(target)
                        stack.append(target)
            made = self._reached[entry.number] = frozenset(seen)
            if len(self._reached) > _KEPT:
                self._reached.popitem(last=False)
        return made

    @cached_property
    def _edges(self) -> tuple[list[int], list[int]]:
        """Where the edges of each row of the columns' nodes begin, and which nodes they lead to."""
        columns = columns_of(self.run.recording)
        rows, edges = columns.row_of_node[columns.edges.node], columns.edges
        order = np.argsort(rows, kind="stable")
        starts = np.searchsorted(rows[order], np.arange(len(columns.nodes.id) + 1))
        return starts.tolist(), edges.target[order].tolist()

    @cached_property
    def _node_rows(self) -> list[int]:
        rows: list[int] = columns_of(self.run.recording).row_of_node.tolist()
        return rows

    def variables(self, nodes: Collection[int]) -> dict[int, int]:
        """For each of some nodes the leaf that it fills, NOTHING for a node that is no AccumulateGrad."""
        columns, ids = columns_of(self.run.recording), list(nodes)
        found = columns.nodes.variable[columns.row_of_node[np.array(ids, np.int64)]]
        return dict(zip(ids, found.tolist(), strict=True))

    def backwards(self, entry: Pass, node: int, most: int = 400) -> list[int]:
        """The tensors from a node up to the pass's root, along the gradients that arrived."""
        owners = self.run.index.owners
        found: list[int] = []
        while node != NOTHING and len(found) < most:
            track = entry.arrivals.get(node)
            arrival = track.values[0] if track is not None else None
            tensor = owners.get((node, arrival.input if arrival else 0), NOTHING)
            if tensor != NOTHING:
                found.append(tensor)
            node = NOTHING if arrival is None else arrival.source
        return found

    # --- ways of values -------------------------------------------------------------------------------------------------------

    def between(self, tensor: int, roots: tuple[int, ...], before: int) -> list[Link] | None:
        """The way from a tensor's value to one of the roots' values with the fewest cuts, seen from `before`; None if the
        roots do not depend on the tensor."""
        key = (roots, before)
        if self.leads_nowhere(tensor, roots, before):
            return None
        search = self._searches.get(key)
        if search is None:
            search = self._searches[key] = _Search(self, roots, before)
            if len(self._searches) > _KEPT:
                self._searches.popitem(last=False)
        return search.way(tensor)

    def straight_through(self, step: int) -> bool:
        """Whether a cut is meant as one: of `z + (q - z).detach()`, whose gradient goes to z as if it were q."""
        run = self.run
        event = run.events[step]
        if not isinstance(event, OpRan) or len(event.outputs) != 1 or event.op not in run.having("detaches"):
            return False
        symbols = run.recording.ops
        for source in run.inputs(event):
            maker = run.tensors[source].op
            if symbols[maker.op].symbol != "−":
                continue
            kept = set(run.inputs(maker)[1:])
            for later in run.consumers.get(event.outputs[0].id, ())[:4]:
                added = run.events[later]
                if isinstance(added, OpRan) and symbols[added.op].symbol == "+" and kept & set(run.inputs(added)):
                    return True
        return False

    def written(self, tensor: int) -> list[int]:
        """The steps at which something else was written into a tensor; not what optimizers do with its own gradient."""
        kept = self._written.get(tensor)
        if kept is None:
            run, kept = self.run, []
            for step in run.writes.get(tensor, ()):
                event = run.events[step] if not run.index.stepping[step] else None
                if isinstance(event, OpRan) and any(
                    a.tensor != tensor and (a.tensor == NOTHING or run.tensors[a.tensor].info.grad_of == NOTHING)
                    for a in event.inputs
                ):
                    kept.append(step)
            self._written[tensor] = kept
        return kept

    def makers(self, tensor: int, before: int) -> list[int]:
        """The steps before `before` that made a tensor or wrote something into it."""
        found = [self.run.tensors[tensor].born]
        if writes := self.written(tensor):
            found += writes[: bisect_left(writes, before)]
        return [step for step in found if step < before]

    def sources(self, step: int) -> list[tuple[int, int]]:
        """What the values of an operation's result come from: pairs (tensor, step of the read or NOTHING)."""
        event = self.run.events[step]
        if not isinstance(event, OpRan):
            return []
        found = [(argument.tensor, NOTHING) for argument in event.inputs if argument.tensor != NOTHING]
        if event.op == "grad":
            return []
        if event.op == "constant" and not found:
            return self._read_there(step) or [(tensor, NOTHING) for tensor in self.unseen(step)]
        if self._reads and (event.op in self._creations or any(argument.text for argument in event.inputs)):
            found += [(self.tensor_read(read), read) for read in self.reads_behind(step)]
        return found

    def _read_there(self, step: int) -> list[tuple[int, int]]:
        """The reads whose numbers became the tensor that came about unseen at a step: `buffer[i] = w[i].item()`."""
        site = self.source.site_of(self.expression_of_unseen(step), self.run.site(step))
        scope = self.run.events[step].scope
        reads = (
            [read for read in self.reads_behind(step, site) if self.run.events[read].scope == scope] if site is not None else []
        )
        return [(self.tensor_read(read), read) for read in reads if self.run.tensors[self.tensor_read(read)].born < step]

    def is_cut(self, source: int, result: int, step: int) -> bool:
        """Whether the operation at a step lets no gradient from `result` back to `source`, which requires grad."""
        event = self.run.events[step]
        return isinstance(event, OpRan) and self.needs(source, step - 1) and not _recorded(event, result)

    def needs(self, tensor: int, step: int) -> bool:
        """Whether a tensor requires grad after a step."""
        history = self.run.tensors[tensor]
        return history.info.requires_grad if history.changes is None else history.status(max(step, 0)).requires_grad

    def is_plain(self, event: OpRan) -> bool:
        """Whether all that goes into an operation stands among its inputs."""
        if event.op == "grad" or event.op == "constant":
            return False
        return not self._reads or (event.op not in self._creations and not any(argument.text for argument in event.inputs))

    def leads_nowhere(self, tensor: int, roots: tuple[int, ...], before: int) -> bool:
        """Whether what is computed from a tensor is little and leads to none of the roots, as a look ahead from it finds; False
        where that is not certain."""
        if self._any_unseen:
            return False
        run, read = self.run, self._read_tensors
        queue, seen = [tensor], {tensor}
        for source in queue:
            if len(queue) > _LITTLE or source in read or source in roots:
                return False
            for step in run.consumers.get(source, ()):
                event = run.events[step]
                if step >= before or not isinstance(event, OpRan) or event.op == "grad":
                    continue
                for made in (*(info.id for info in event.outputs), *(write.tensor for write in event.written)):
                    if made not in seen:
                        seen.add(made)
                        queue.append(made)
        return True

    # --- ways through Python --------------------------------------------------------------------------------------------------

    @cached_property
    def _reads(self) -> dict[int, list[int]]:
        """Site -> the steps at which values were read there."""
        found: dict[int, list[int]] = {}
        sites = columns_of(self.run.recording).events.site
        for step in self.run.recording.tape.steps(Read).tolist():
            if (site := int(sites[step])) >= 0:
                found.setdefault(site, []).append(step)
        return found

    def read_of(self, tensor: int) -> bool:
        """Whether a tensor's values were ever read as numbers, or it may have been used unseen."""
        return tensor in self._read_tensors or self._any_unseen

    @cached_property
    def _read_tensors(self) -> set[int]:
        found: list[int] = self.run.recording.tape.tables[Read]["tensor"].tolist()
        return set(found)

    @cached_property
    def _any_unseen(self) -> bool:
        columns = columns_of(self.run.recording)
        return any(columns.op_names[op] == "constant" for op in np.unique(columns.operations.op).tolist())

    def tensor_read(self, step: int) -> int:
        """The tensor whose values were read at a step."""
        event = self.run.events[step]
        assert isinstance(event, Read)
        return event.tensor

    def unseen(self, step: int) -> list[int]:
        """What a tensor that came about unseen (`torch.multinomial(p, 1)`) may have been computed from: the tensors named in
        the expression that made it."""
        found = self._unseen.get(step)
        if found is None:
            found = self._unseen[step] = []
            node = self.expression_of_unseen(step)
            for part in ast.walk(node) if node is not None else ():
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
                    tensor = self.run.named_at(part.id, step - 1)
                    if tensor != NOTHING and tensor not in found and self.run.tensors[tensor].born < step:
                        found.append(tensor)
        return found

    def expression_of_unseen(self, step: int) -> ast.AST | None:
        """The expression that made a tensor unseen: that of the assignment that named it next, or where it was first used."""
        events = self.run.events
        event = events[step]
        if not isinstance(event, OpRan) or not event.outputs:
            return None
        made = event.outputs[0].id
        for after in events[step + 1 : step + 4]:
            if isinstance(after, Named) and after.tensor == made:
                statement = self.source.at(self.run.recording.site(after))
                return getattr(statement, "value", statement)
        node = self.source.at(self.run.site(step))
        if isinstance(getattr(node, "ctx", None), ast.Store):
            # `y[mask] = 1`: the number became a tensor to be written, whatever stands on the left.
            node = self.source.statement(node)  # type: ignore[arg-type]
        if isinstance(node, ast.Assign | ast.AugAssign):
            return node.value
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            return node.func.value
        return node

    def reads_behind(self, step: int, site: Site | None = None) -> list[int]:
        """The reads of values that went into what ran at a step (at its site, or at another): of each site, the last one."""
        number = self.run.events[step].site
        if not self._reads or (number < 0 and site is None):
            return []
        if site is not None:
            rows: tuple[int, ...] | None = self._rows_behind(step, site)
        else:
            rows = self._behind.get(number)
        if rows is None:
            rows = self._behind[number] = self._rows_behind(step, self.run.site(step))
        found = []
        for row in rows:
            steps = self._reads[row]
            last = bisect_left(steps, step)
            if last:
                # A comprehension reads many tensors at one site.
                found += [s for s in steps[max(last - 16, 0) : last] if self._together(s, steps[last - 1])]
        return found

    def _together(self, step: int, last: int) -> bool:
        events = self.run.events
        return step == last or (last - step < 200 and events[step].scope == events[last].scope)

    def _rows_behind(self, step: int, site: Site | None) -> tuple[int, ...]:
        sites = self.run.recording.sites
        expressions = self.source.expressions_behind(site, lambda name: self.run.named_at(name, step - 1) != NOTHING)
        covered = Covered(expressions)
        return tuple(row for row in self._reads if sites[row] in covered)


class _Search:
    """A search from roots back through what they were computed from, latest operations first; it goes only as far as the
    questions so far made it go."""

    def __init__(self, paths: Paths, roots: tuple[int, ...], before: int) -> None:
        self.paths = paths
        self.cost: dict[int, int] = dict.fromkeys(roots, 0)
        self.link: dict[int, Link] = {}
        self.heap: list[tuple[int, int]] = []
        for root in self.cost:
            self._push(root, before)

    def _push(self, tensor: int, before: int) -> None:
        if self.paths.written(tensor):
            for step in self.paths.makers(tensor, before):
                heappush(self.heap, (-step, tensor))
        else:
            born = self.paths.run.tensors[tensor].born
            if born < before:
                heappush(self.heap, (-born, tensor))

    def way(self, tensor: int) -> list[Link] | None:
        """The links from the tensor to a root."""
        born = self.paths.run.tensors[tensor].born
        while self.heap and -self.heap[0][0] > born:
            if self.cost.get(tensor, 2) <= 1:
                break  # a way with one cut is as good as any: one without a cut would have been found as a gradient's
            self._advance()
        if tensor not in self.cost:
            return None
        found: list[Link] = []
        while tensor in self.link and len(found) <= len(self.link):
            found.append(self.link[tensor])
            tensor = found[-1].result
        return found

    def _advance(self) -> None:
        negative, result = heappop(self.heap)
        step = -negative
        paths = self.paths
        event = paths.run.events[step]
        assert isinstance(event, OpRan)
        if paths.is_plain(event):
            # Most operations: only tensors that need no look at the text.
            kept = not _recorded(event, result)
            for argument in event.inputs:
                source = argument.tensor
                if source >= 0 and source != result:
                    self._take(source, result, step, kept and paths.needs(source, step - 1), NOTHING)
            return
        for source, read in paths.sources(step):
            if source != result:
                cut = paths.needs(source, read) if read >= 0 else paths.is_cut(source, result, step)
                self._take(source, result, step, cut, read)

    def _take(self, source: int, result: int, step: int, cut: bool, read: int) -> None:
        # What a cut that is meant as one leaves out is looked for elsewhere first.
        total = self.cost[result] + (_MEANT if cut and read < 0 and self.paths.straight_through(step) else cut)
        known = self.cost.get(source)
        if known is None:
            self.cost[source] = total
            self.link[source] = Link(source, result, step, cut, read)
            self._push(source, step if read < 0 else read)
        elif total < known and source in self.link:
            self.cost[source] = total
            self.link[source] = Link(source, result, step, cut, read)


def _recorded(event: OpRan, result: int) -> bool:
    """Whether an operation left a node through which a gradient comes back from its result."""
    for info in event.outputs:
        if info.id == result:
            return info.node != NOTHING
    return event.node is not None


def paths_of(recording: Recording) -> Paths:
    """The recording's paths, kept on it."""
    return recording.once("paths", lambda: Paths(recording))
