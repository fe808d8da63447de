"""`safetensors` for programs."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...checkpoint import safetensors, torch_files
from ...tensor import constant
from ...tensor_attributes import device
from ..policy.guards import Guards
from .files import files
from .files.store import text_of as path_of


def _on_cpu(where: Any) -> None:
    torch_files.placing(where if isinstance(where, (str, device)) else "cpu")(None, "cpu")  # type: ignore[arg-type]


def of_tensors() -> dict[str, Any]:
    def save(tensors: Any, metadata: Any = None) -> bytes:
        """Saves a dictionary of tensors into raw bytes in safetensors format."""
        return safetensors.written(tensors, metadata)

    def save_file(tensors: Any, filename: Any, metadata: Any = None) -> None:
        """Saves a dictionary of tensors into `filename` in safetensors format."""
        files().write(path_of(filename), safetensors.written(tensors, metadata))

    def load(data: Any) -> dict[str, Any]:
        """Loads a safetensors file into torch format from pure bytes."""
        if not isinstance(data, bytes):
            raise TypeError(f"a bytes-like object is required, not '{type(data).__name__}'")
        return safetensors.loaded(bytes(memoryview(data)))

    def load_file(filename: Any, device: Any = "cpu") -> dict[str, Any]:
        """Loads a safetensors file into torch format."""
        _on_cpu(device)
        return safetensors.loaded(files().read(path_of(filename)))

    def save_model(model: Any, filename: Any, metadata: Any = None, force_contiguous: Any = True) -> None:
        """Saves a given torch model to specified filename."""
        kept: dict[int, str] = {}
        state, note = {}, dict(metadata or {})
        for n, tensor in model.state_dict().items():
            first = kept.setdefault(tensor.data_ptr(), n)
            if first == n:
                state[n] = tensor.contiguous() if force_contiguous else tensor
            else:
                note[n] = first
        files().write(path_of(filename), safetensors.written(state, note or None))

    def load_model(model: Any, filename: Any, strict: Any = True, device: Any = "cpu") -> tuple[Any, Any]:
        """Loads a given filename onto a torch model."""
        _on_cpu(device)
        found, note = safetensors.arrays(files().read(path_of(filename)))
        state = {n: constant(array) for n, array in found.items()}
        state |= {n: state[first] for n, first in note.items() if first in state}
        missing, unexpected = model.load_state_dict(state, strict=strict)
        return set(missing), unexpected

    return {f.__name__: f for f in (save, save_file, load, load_file, save_model, load_model)}


def of_arrays(guards: Guards) -> dict[str, Any]:
    def arrays(data: bytes) -> dict[str, Any]:
        guards.noticed("arrays")
        return safetensors.arrays(data)[0]

    def plain(tensor_dict: Any) -> dict[str, Any]:
        given = dict(dict.items(tensor_dict))
        for value in given.values():
            if type(value) is not np.ndarray:
                raise TypeError(f"an array is expected, not '{type(value).__name__}'")
        return given

    def save(tensor_dict: Any, metadata: Any = None) -> bytes:
        """Saves a dictionary of arrays into raw bytes in safetensors format."""
        return safetensors.packed(plain(tensor_dict), metadata)

    def save_file(tensor_dict: Any, filename: Any, metadata: Any = None) -> None:
        """Saves a dictionary of arrays into `filename` in safetensors format."""
        files().write(path_of(filename), safetensors.packed(plain(tensor_dict), metadata))

    def load(data: Any) -> dict[str, Any]:
        """Loads a safetensors file into arrays from pure bytes."""
        if not isinstance(data, bytes):
            raise TypeError(f"a bytes-like object is required, not '{type(data).__name__}'")
        return arrays(bytes(memoryview(data)))

    def load_file(filename: Any) -> dict[str, Any]:
        """Loads a safetensors file into arrays."""
        return arrays(files().read(path_of(filename)))

    return {f.__name__: f for f in (save, save_file, load, load_file)}
