"""Tables of vectors: Embedding, and EmbeddingBag for their sums."""

from __future__ import annotations

from typing import Any, Self

from ..autograd import no_grad
from ..tensor import Tensor
from . import functional as F  # noqa: N812
from . import init
from .module import Module
from .parameter import Parameter, empty


class _Table(Module):
    """A table of `num_embeddings` vectors of `embedding_dim` numbers."""

    _padding = ""
    """How the errors call `padding_idx`."""

    def _set_up(
        self, rows: int, columns: int, padding_idx: int | None, weight: Tensor | None, frozen: bool, **make: Any
    ) -> None:
        """Check and keep the sizes; take `weight`, or draw one."""
        Module.__init__(self)
        self.num_embeddings = rows
        self.embedding_dim = columns
        if padding_idx is not None:
            if not -rows <= padding_idx < rows and padding_idx != 0:
                raise AssertionError(f"{self._padding} must be within num_embeddings")
            padding_idx = padding_idx + rows if padding_idx < 0 else padding_idx
        self.padding_idx = padding_idx
        if weight is not None and list(weight.shape) != [rows, columns]:
            raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
        self.weight = Parameter(empty((rows, columns), **make) if weight is None else weight, requires_grad=not frozen)
        if weight is None:
            self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the vectors from a normal distribution; the padding's is zero."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with no_grad():
                weight: Any = self.weight
                weight[self.padding_idx].fill_(0)

    def _unusual(self, **usual: Any) -> str:
        """The settings that are not the usual ones."""
        pairs = [(name, getattr(self, name), value) for name, value in usual.items()]
        return "".join(f", {name}={value!r}" for name, value, default in pairs if value != default)


class Embedding(_Table):
    """The vectors of a table by index; input (*) of integers, output (*, embedding_dim).

    Args:
        padding_idx: this vector starts as zeros and gets no gradient.
        max_norm: vectors longer than that, by the norm `norm_type`, are shortened when they are looked up.
        scale_grad_by_freq: gradients are divided by how often the index stands in the batch.
        sparse: taken, but gradients are dense.
    """

    _padding = "Padding_idx"

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        self._set_up(num_embeddings, embedding_dim, padding_idx, _weight, _freeze, device=device, dtype=dtype)
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.sparse = sparse

    def forward(self, input: Tensor) -> Any:
        """The vectors of the indices `input`."""
        settings = (self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse)
        return F.embedding(input, self.weight, *settings)

    def extra_repr(self) -> str:
        """The sizes, and the settings that are not the usual ones."""
        unusual = self._unusual(padding_idx=None, max_norm=None, norm_type=2, scale_grad_by_freq=False, sparse=False)
        return f"{self.num_embeddings}, {self.embedding_dim}{unusual}"

    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True, *args: Any, **kwargs: Any) -> Self:
        """A table of the rows of `embeddings`, not trained unless `freeze` is False; then `padding_idx` and so on."""
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        names = ("padding_idx", "max_norm", "norm_type", "scale_grad_by_freq", "sparse")
        kwargs |= dict(zip(names, args))
        rows, columns = embeddings.shape
        return cls(rows, columns, _weight=embeddings, _freeze=freeze, **kwargs)


class EmbeddingBag(_Table):
    """Sums, means or maxima of bags of vectors; input (bags, n), or (n) with the bags' starts as `offsets`."""

    _padding = "padding_idx"

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        self._set_up(num_embeddings, embedding_dim, padding_idx, _weight, False, device=device, dtype=dtype)
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.mode = mode
        self.sparse = sparse
        self.include_last_offset = include_last_offset

    def forward(self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None) -> Any:
        """The bags' vectors, (bags, embedding_dim)."""
        return F.embedding_bag(
            input,
            self.weight,
            offsets,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.mode,
            self.sparse,
            per_sample_weights,
            self.include_last_offset,
            self.padding_idx,
        )

    def extra_repr(self) -> str:
        """The sizes, the mode, and the settings that are not the usual ones."""
        unusual = self._unusual(max_norm=None, norm_type=2, scale_grad_by_freq=False)
        padding = self._unusual(padding_idx=None)
        return f"{self.num_embeddings}, {self.embedding_dim}{unusual}, mode={self.mode!r}{padding}"

    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True, *args: Any, **kwargs: Any) -> Self:
        """A table of the rows of `embeddings`, not trained unless `freeze` is False; then `max_norm` and so on."""
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        names = ("max_norm", "norm_type", "scale_grad_by_freq", "mode", "sparse", "include_last_offset", "padding_idx")
        rows, columns = embeddings.shape
        kwargs |= dict(zip(names, args))
        bag = cls(rows, columns, _weight=embeddings, **kwargs)
        bag.weight.requires_grad = not freeze
        return bag
