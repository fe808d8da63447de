"""Attributes whose names are made while a program runs are read and set by `safe_attributes`, which asks the guards.

A function of the engine's is given what a program chooses, which may say what names there are. Where the engine reads or sets
an attribute by such a name itself, the program chooses what of: any attribute of anything. (A method is called with objects of
its class only: see `policy/unbound.py`.)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import engine

ROOT = Path(engine.__file__).parent
OURS_ALONE = frozenset((
    "commands", "diagnosis", "experiments", "export", "figures", "graph", "notebook", "program", "pytorch", "recording",
    "sandbox", "serving", "stand_ins", "sweep",
))  # fmt: skip
"""Rooms whose functions no program gets hold of; the sandbox's own have tests of their own."""
LOOKED_AT = """
__init__.py __getattr__
autograd/__init__.py load
autograd/function.py FunctionCtx.__getattr__ FunctionNode.__getattr__
autograd/function_outputs.py Outputs._check
autograd/node.py Node.__init_subclass__
autograd/primitives.py give
backends.py _Flags.__enter__
checkpoint/makers.py _get_layout
checkpoint/objects.py Library._elsewhere Library._found Library._set_state Objects.name_of
compat/classes.py own
compat/reference.py absent listing
distributions/__init__.py _register
distributions/categories.py Categorical._expand_into
distributions/constraint.py Constraint.__repr__
distributions/distribution.py Distribution._broadcast Distribution._validate_parameters Distribution.expand
distributions/gaussians.py MultivariateNormal.__init__ MultivariateNormal._expand_into
distributions/kl_between.py _infinite
distributions/matrices.py Wishart.__init__ Wishart._expand_into
distributions/utils.py lazy_property.__get__
dtypes.py _extension finfo.__repr__
functional.py __getattr__
lazy.py Late.__getattr__
libraries/einops/recipes.py _reduced
libraries/gym/__init__.py _older
libraries/gymnasium/core.py Wrapper.__getattribute__
libraries/pandas/computing.py _least.reduce
libraries/pandas/index.py Index._compare
libraries/pandas/series.py with_operators
libraries/pandas/strings.py _method.each
libraries/scipy/special.py _along _of_numbers
libraries/torchsummary/__init__.py summary.note
libraries/torchvision/transforms/presets.py ImageClassification.__repr__
libraries/unittest/__init__.py _run
nn/convolution.py _ConvNd._set_up _ConvNd.extra_repr _ConvTransposeNd.forward _PlainConv._conv_forward
nn/embedding.py _Table._unusual
nn/functional_module.py Wrapped.__init_subclass__ Wrapped._call Wrapped._set_up
nn/lazy.py LazyModuleMixin._infer_parameters
nn/loss.py _Loss._set_up
nn/module.py Module.get_submodule Module.set_submodule
nn/modules.py _register
nn/multihead.py MultiheadAttention._reset_parameters
nn/padding_fold.py _Pad.__init_subclass__
nn/parameter.py UninitializedTensorMixin.materialize
nn/pooling.py _FractionalMaxPool.forward
nn/recurrent.py RNNBase.__init__ RNNBase._weights RNNBase.extra_repr
nn/transformer.py _Layer.__init__ _Layer._ff_block
nn/utils/parametrize.py ParametrizationList.forward ParametrizationList.right_inverse _check_further _inject_class
nn/utils/parametrize.py _inject_property remove_parametrizations transfer_parametrizations_and_params
nn/utils/prune.py global_unstructured
op/backward_codegen.py settle
ops/__init__.py _operators attach
ops/linalg/householder.py linalg_ldl_factor
ops/memory/inplace_views.py turning.turn
ops/pointwise/complex_numbers.py _taken.part
ops/pointwise/special.py _plain.value
optim/scheduler_base.py flag
overriding.py inherited tensor_asks
profiler/watching.py Watching.__getattr__
safe_attributes.py delete read write
tables.py settings_table
tensor.py Tensor.__deepcopy__ Tensor.as_subclass
torch_version.py TorchVersion._compared
utils/data/workers.py WorkerInfo.__repr__
"""
"""Functions that do it themselves: their names are the engine's whatever `self` is (or it is looked at), or what is found is
written as text only."""


def test_attributes_by_names_that_are_made_are_read_and_set_by_the_guards() -> None:
    known = {(file, name) for file, *names in map(str.split, LOOKED_AT.strip().splitlines()) for name in names}
    found = set(doing_it())
    assert not found - known, "use read, write or delete of engine/safe_attributes.py, or meant_for, and say so here"
    assert not known - found, "these do it no more"


def doing_it() -> Iterator[tuple[str, str]]:
    for path in sorted(ROOT.rglob("*.py")):
        file = path.relative_to(ROOT)
        if file.parts[0] not in OURS_ALONE:
            for name in _in(ast.parse(path.read_text(encoding="utf-8")), ""):
                yield file.as_posix(), name


def _in(node: ast.AST, name: str) -> Iterator[str]:
    for part in ast.iter_child_nodes(node):
        inside = f"{name}.{part.name}".lstrip(".") if isinstance(part, ast.FunctionDef | ast.ClassDef) else name
        if name and (_is_by_name(part) or (isinstance(part, ast.Attribute) and _becomes(part))):
            yield name
        yield from _in(part, inside)


def _is_by_name(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("delattr", "getattr", "setattr")
        and not isinstance(node.args[1], ast.Constant)
    )


def _becomes(node: ast.Attribute) -> bool:
    return node.attr == "__class__" and isinstance(node.ctx, ast.Store)
