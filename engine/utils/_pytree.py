"""`torch.utils._pytree`: nested lists, tuples and dictionaries as a flat list and what puts it together again."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from typing import Any

__all__ = [
    "LeafSpec",
    "TreeSpec",
    "tree_all",
    "tree_any",
    "tree_flatten",
    "tree_iter",
    "tree_leaves",
    "tree_map",
    "tree_map_",
    "tree_map_only",
    "tree_structure",
    "tree_unflatten",
]

_KEYED = (dict, OrderedDict, defaultdict)


class TreeSpec:
    """How something nested is put together.

    Args:
        type: the container's; None for a leaf.
        context: the keys of a dictionary, the class of a namedtuple, the bound of a deque, a defaultdict's factory and keys.
        children: the specs of what it holds.
    """

    def __init__(self, type: Any, context: Any, children: list[TreeSpec]) -> None:
        self.type, self.context, self._children = type, context, children
        self.num_children = len(children)
        self.num_leaves: int = sum([child.num_leaves for child in children]) if type is not None else 1
        self.num_nodes: int = 1 + sum([child.num_nodes for child in children])

    def children(self) -> list[TreeSpec]:
        """The specs of what it holds."""
        return list(self._children)

    def is_leaf(self) -> bool:
        """Whether it is no container."""
        return self.type is None

    def unflatten(self, leaves: Iterable[Any]) -> Any:
        """The same with other leaves.

        Raises:
            ValueError: if there are not as many as it holds.
        """
        given = list(leaves)
        if len(given) != self.num_leaves:
            raise ValueError(
                f"treespec.unflatten(leaves): `leaves` has length {len(given)} but the spec refers to a pytree that holds "
                f"{self.num_leaves} items ({self})."
            )
        return self._put_together(iter(given))

    def _put_together(self, leaves: Any) -> Any:
        if self.type is None:
            return next(leaves)
        parts = [child._put_together(leaves) for child in self._children]
        if self.type == "namedtuple":
            return self.context(*parts)
        if self.type is defaultdict:
            return defaultdict(self.context[0], zip(self.context[1], parts, strict=True))
        if self.type in _KEYED:
            return self.type(zip(self.context, parts, strict=True))
        return self.type(parts, self.context) if _is_deque(self.type) else self.type(parts)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TreeSpec):
            return NotImplemented
        return (self.type, self.context, self._children) == (other.type, other.context, other._children)

    def __hash__(self) -> int:
        return hash((self.type, self.num_leaves, self.num_nodes))

    def __repr__(self, indent: int = 0) -> str:
        if self.type is None:
            return "*"
        name = self.type if isinstance(self.type, str) else self.type.__name__
        between = ",\n" + " " * (indent + 2)
        inner = between.join([child.__repr__(indent + 2) for child in self._children])
        return f"TreeSpec({name}, {self.context}, [{inner}])"


class LeafSpec(TreeSpec):
    """What is no container."""

    def __init__(self) -> None:
        super().__init__(None, None, [])


def _is_deque(kind: Any) -> bool:
    """Whether a class is Python's own, or what stands for it in a sandbox."""
    return kind.__name__ == "deque" and issubclass(kind, deque)


def _parts(tree: Any) -> tuple[Any, Any, list[Any]] | None:
    """The type of a container, what there is to know of it, and what it holds; None for a leaf."""
    kind = type(tree)
    if kind in (list, tuple):
        return kind, None, list(tree)
    if kind is defaultdict:
        return kind, [tree.default_factory, list(tree)], list(tree.values())
    if kind in _KEYED:
        return kind, list(tree), list(tree.values())
    if _is_deque(kind):
        return kind, tree.maxlen, list(tree)
    if issubclass(kind, tuple) and isinstance(getattr(kind, "_fields", None), tuple):
        return "namedtuple", kind, list(tree)
    return None


def _flattened(tree: Any, leaves: list[Any], is_leaf: Callable[[Any], bool] | None) -> TreeSpec:
    found = None if is_leaf is not None and is_leaf(tree) else _parts(tree)
    if found is None:
        leaves.append(tree)
        return LeafSpec()
    kind, context, parts = found
    return TreeSpec(kind, context, [_flattened(part, leaves, is_leaf) for part in parts])


def tree_flatten(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> tuple[list[Any], TreeSpec]:
    """All leaves, and what puts them together."""
    leaves: list[Any] = []
    return leaves, _flattened(tree, leaves, is_leaf)


def tree_unflatten(leaves: Iterable[Any], treespec: TreeSpec) -> Any:
    """What has these leaves, and is put together so.

    Raises:
        TypeError: if `treespec` is none.
        ValueError: if there are not as many leaves as it holds.
    """
    if not isinstance(treespec, TreeSpec):
        raise TypeError(f"Expected `treespec` to be an instance of PyTreeSpec but got item of type {type(treespec)}.")
    return treespec.unflatten(leaves)


def tree_leaves(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> list[Any]:
    """All leaves."""
    return tree_flatten(tree, is_leaf)[0]


def tree_iter(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> Iterable[Any]:
    """All leaves, one after the other."""
    return iter(tree_leaves(tree, is_leaf))


def tree_structure(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> TreeSpec:
    """How it is put together."""
    return tree_flatten(tree, is_leaf)[1]


def _alike(spec: TreeSpec, tree: Any, leaves: list[Any]) -> None:
    """Collect what another tree holds where one like `spec` has leaves."""
    if spec.type is None:
        leaves.append(tree)
        return
    found = _parts(tree)
    if found is None or found[0] != spec.type:
        raise ValueError(f"Node type mismatch; expected {spec.type}, but got {type(tree)}.")
    parts = found[2]
    if len(parts) != spec.num_children:
        raise ValueError(f"Node arity mismatch; expected {spec.num_children}, but got {len(parts)}.")
    if spec.type in _KEYED:
        keys = spec.context[1] if spec.type is defaultdict else spec.context
        missing, extra = set(keys) - set(tree), set(tree) - set(keys)
        if missing or extra:
            said = (f" missing key(s): {missing}" if missing else "") + (f"; extra key(s): {extra}" if extra else "")
            raise ValueError(f"Node keys mismatch;{said}.")
        parts = [tree[key] for key in keys]
    for child, part in zip(spec.children(), parts, strict=True):
        _alike(child, part, leaves)


def tree_map(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: Callable[[Any], bool] | None = None) -> Any:
    """The same with `func` of each leaf, and of what others hold in its place.

    Raises:
        ValueError: if others are not put together like the first.
    """
    leaves, spec = tree_flatten(tree, is_leaf)
    columns = [leaves]
    for rest in rests:
        columns.append([])
        _alike(spec, rest, columns[-1])
    return spec.unflatten([func(*each) for each in zip(*columns, strict=True)])


def tree_map_(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: Callable[[Any], bool] | None = None) -> Any:
    """Call `func` of each leaf, and return the tree as it is."""
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree


def tree_map_only(
    type_or_types_or_pred: Any,
    func: Callable[[Any], Any],
    tree: Any,
    is_leaf: Callable[[Any], bool] | None = None,
) -> Any:
    """The same with `func` of those leaves that are of a type, of one of several, or for which a function holds."""
    wanted = type_or_types_or_pred
    holds = (lambda leaf: isinstance(leaf, wanted)) if isinstance(wanted, (type, tuple)) else wanted
    return tree_map(lambda leaf: func(leaf) if holds(leaf) else leaf, tree, is_leaf=is_leaf)


def tree_all(pred: Callable[[Any], bool], tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> bool:
    """Whether a function holds for all leaves."""
    return all(map(pred, tree_leaves(tree, is_leaf)))


def tree_any(pred: Callable[[Any], bool], tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> bool:
    """Whether a function holds for some leaf."""
    return any(map(pred, tree_leaves(tree, is_leaf)))
