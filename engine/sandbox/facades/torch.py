"""`torch` and its submodules for programs: the public names of PyTorch that the engine has, and nothing of the engine's own."""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from types import ModuleType
from typing import Any

from ...amp import cuda as cuda_amp
from ...compat import torch_c
from ...compat.names import SURFACE, keep_module_to_release
from ...compat.version import when_followed
from ...distributions import FILES
from ...errors import unread
from ...itself import OURS, engine
from ...profiler import of_autograd
from ..policy.errors import MissingAttribute
from .facade import Facade, Missing

SUBMODULES = (
    "_dynamo", "accelerator", "amp", "autograd", "autograd.forward_ad", "autograd.function",
    "autograd.functional", "autograd.grad_mode",
    "autograd.gradcheck", "autograd.graph", "backends", "compiler", "cuda", "distributed", "distributions",
    "distributions.constraint_registry", "distributions.constraints", "distributions.distribution", "distributions.exp_family",
    "distributions.kl", "distributions.transforms", "distributions.utils", *(f"distributions.{file}" for file in FILES),
    "fft", "func", "functional", "jit", "linalg", "masked", "nn",
    "nn.attention", "nn.functional", "nn.init", "nn.modules", "nn.parallel", "nn.parameter", "nn.utils", "nn.utils.clip_grad",
    "nn.utils.convert_parameters", "nn.utils.parametrizations", "nn.utils.parametrize", "nn.utils.prune", "nn.utils.rnn",
    "optim", "optim.lr_scheduler", "optim.optimizer", "optim.swa_utils", "overrides", "profiler", "random", "signal",
    "signal.windows",
    "sparse", "special", "testing", "torch_version", "types", "utils",
    "utils._pytree", "utils.benchmark", "utils.checkpoint", "utils.data",
    "utils.data.dataloader",
    "utils.data.dataset", "utils.data.distributed", "utils.data.sampler", "version",
)  # fmt: skip
"""What a program may import by its dotted name."""

LISTED = {
    "": (
        "__version__ _C bool cpu float int has_cuda has_cudnn has_mkldnn has_mps is_anomaly_check_nan_enabled "
        "is_anomaly_enabled mps mtia strided supported xpu"
    ),
    "amp.autocast_mode": "autocast custom_bwd custom_fwd is_autocast_available",
    "amp.grad_scaler": "GradScaler",
    "autograd": "function grad_mode",
    "autograd.function": "Function FunctionCtx InplaceFunction once_differentiable",
    "autograd.grad_mode": "enable_grad inference_mode no_grad set_grad_enabled",
    "backends": "cpu cuda cudnn mkl mkldnn mps openmp opt_einsum",
    "cuda": "BoolTensor ByteTensor CharTensor DoubleTensor FloatTensor HalfTensor IntTensor LongTensor ShortTensor",
    "nn.utils.clip_grad": ("clip_grad_norm clip_grad_norm_ clip_grad_value_ clip_grads_with_norm_ get_total_norm"),
    "nn.utils.convert_parameters": "parameters_to_vector vector_to_parameters",
    "sparse": "BFloat16Tensor ByteTensor CharTensor DoubleTensor FloatTensor HalfTensor IntTensor LongTensor ShortTensor",
    "torch_version": "TorchVersion",
    "version": "__version__",
    "nn.parameter": "Buffer Parameter UninitializedBuffer UninitializedParameter is_lazy",
    "optim": "lr_scheduler optimizer swa_utils",
    "optim.optimizer": "Optimizer",
    "utils.data.dataset": ("ChainDataset ConcatDataset Dataset IterableDataset StackDataset Subset TensorDataset random_split"),
    "utils.data.distributed": "DistributedSampler",
    "utils.data.sampler": ("BatchSampler RandomSampler Sampler SequentialSampler SubsetRandomSampler WeightedRandomSampler"),
}
"""Names that are public but in no list."""

PRIVATE = {
    "nn.init": "_calculate_correct_fan _calculate_fan_in_and_fan_out",
    "optim.lr_scheduler": "_LRScheduler",
    "optim.optimizer": "required",
}
"""Names that programs import although PyTorch means them for itself."""

ELSEWHERE = {
    **{f"optim.{name.lower()}": ("optim", f"{name} Optimizer") for name in (
        "Adadelta", "Adagrad", "Adam", "Adamax", "AdamW", "ASGD", "LBFGS", "NAdam", "RAdam", "RMSprop", "Rprop", "SGD",
    )},
    "autograd.variable": ("autograd", "Variable"),
    "nn.parallel.data_parallel": ("nn.parallel", "DataParallel"),
    "nn.parallel.distributed": ("nn.parallel", "DistributedDataParallel"),
    "nn.utils.spectral_norm": ("nn.utils", "spectral_norm remove_spectral_norm"),
    "nn.utils.stateless": ("func", "functional_call"),
    "nn.utils.weight_norm": ("nn.utils", "weight_norm remove_weight_norm"),
    "optim.sparse_adam": ("optim", "SparseAdam"),
    "utils.data._utils": ("utils.data", "default_collate default_convert"),
    "utils.data._utils.collate": ("utils.data", "default_collate default_convert"),
}  # fmt: skip
"""PyTorch's files that are none here: where their names are, and which these are."""


def facades(serialization: Facade) -> dict[str, Facade]:
    """`torch` and what is below it, by dotted name."""
    by_name: dict[str, Facade] = {}
    engine.autograd.load()  # before the modules of the same names: `torch.autograd.gradcheck` is the function
    by_name["torch._C"] = _facade("torch._C", torch_c, {})
    by_name["torch.autograd.profiler"] = _facade("torch.autograd.profiler", of_autograd, {})
    by_name["torch.cuda.amp"] = _facade("torch.cuda.amp", cuda_amp, {})
    for name in ("autocast_mode", "grad_scaler"):
        by_name[f"torch.amp.{name}"] = _facade(f"torch.amp.{name}", import_module(f"{OURS}amp.{name}"), {})
    for name in sorted(SUBMODULES, key=lambda n: -n.count(".")):
        dotted = f"torch.{name}"
        below = _below(dotted, by_name) | ({"F": by_name["torch.nn.functional"]} if name == "functional" else {})
        by_name[dotted] = _facade(dotted, import_module(f"{OURS}{name}"), below)
    modules = by_name["torch.nn.modules"]
    by_name |= {f"torch.nn.modules.{n}": f for n, f in vars(modules).items() if isinstance(f, Facade)}
    by_name |= _elsewhere(by_name)
    by_name["torch.serialization"] = serialization
    saving = {n: vars(serialization)[n] for n in ("load", "save")}
    by_name["torch"] = _facade("torch", engine, _below("torch", by_name), **saving)
    when_followed(lambda: _say_version(by_name))
    return by_name


def _elsewhere(by_name: dict[str, Facade]) -> dict[str, Facade]:
    """The facades of PyTorch's files that are none here."""
    made = {}
    for file, (where, names) in ELSEWHERE.items():
        there, dotted = vars(by_name[f"torch.{where}"]), f"torch.{file}"
        made[dotted] = Facade(dotted, {n: there[n] for n in names.split() if n in there}, _lacking(dotted))
        package, _, name = dotted.rpartition(".")
        if package in by_name or package in made:
            vars(by_name.get(package) or made[package]).setdefault(name, made[dotted])
    return made


def _lacking(dotted: str) -> Missing:
    """The error for a name that a file does not have here."""
    return lambda name: AttributeError(f"module '{dotted}' has no attribute '{name}'")


def _say_version(by_name: dict[str, Facade]) -> None:
    for name, module in (("torch", engine), ("torch.version", engine.version)):
        vars(by_name[name])["__version__"] = module.__version__


def _below(dotted: str, by_name: dict[str, Facade]) -> dict[str, Facade]:
    """The facades directly below a name, by their last part."""
    return {n.rpartition(".")[2]: f for n, f in by_name.items() if n.rpartition(".")[0] == dotted}


def _facade(dotted: str, module: ModuleType, below: dict[str, Facade], **instead: Any) -> Facade:
    """The facade of one module; where a function has a submodule's name, the function is meant."""
    names = {n: v for n, v in _public(dotted, module).items() if not isinstance(v, ModuleType)}
    if dotted == "torch.nn.modules":
        names |= {n: _file(f"{dotted}.{n}", m) for n, m in vars(module).items() if isinstance(m, ModuleType) and _is_file(m)}
        names |= module.BY_NAME | {"Module": module.Module}
    made = Facade(dotted, below | names | instead, lambda name: _missing(dotted, module, name))
    keep_module_to_release(dotted, vars(made))
    return made


def _public(dotted: str, module: ModuleType) -> dict[str, Any]:
    """The public names of a module of the engine."""
    below = dotted.partition(".")[2]
    listed = {*getattr(module, "__all__", ()), *SURFACE.get(dotted, ())}
    listed |= {*LISTED.get(below, "").split(), *PRIVATE.get(below, "").split()}
    found = {}
    with unread():
        for name in sorted(listed):
            with suppress(AttributeError):
                found[name] = getattr(module, name)
    return found


def _is_file(module: ModuleType) -> bool:
    return module.__name__.startswith(f"{OURS}nn.modules.")


def _file(dotted: str, module: ModuleType) -> Facade:
    """One of `torch.nn.modules`' files."""
    names = {n: v for n, v in vars(module).items() if n[:2] != "__" and not isinstance(v, ModuleType)}
    return Facade(dotted, names, _lacking(dotted))


def _missing(dotted: str, module: ModuleType, name: str) -> AttributeError:
    """The error for a name that is not public here, in the engine's words."""
    try:
        getattr(module, name)
    except AttributeError as error:
        return error
    return MissingAttribute(f"module '{dotted}' has no attribute '{name}' for programs here")
