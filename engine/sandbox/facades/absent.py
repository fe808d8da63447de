"""What a program is told that imports what is not there."""

from __future__ import annotations

import sys
from collections.abc import Collection

from ..policy.errors import MissingModule

MODELS = "Pretrained models would have to be downloaded, and a program has no network here; build the layers with torch.nn."
DATA = (
    "Data would have to be downloaded, and a program has no network here; torchvision.datasets and sklearn.datasets make it up."
)
SERVES = "A program serves nobody and has no network here; call the functions."
WRAPS = "It wraps PyTorch's training loop; write the loop with torch.optim."
PICTURES = "Picture files cannot be read here; use arrays, PIL.Image.fromarray and torchvision.transforms."
GRAPHS = "Graphs are not here as objects; keep the edges in a tensor, or the adjacency matrix."
TRACKS = "Nothing leaves a run here; print the values, or use torch.utils.tensorboard."
TEXTS = "Write the texts or the list of words into the program, and split them with str.split or re."
OTHER = "It is another library for computing; use torch or NumPy."
TOLD = {
    DATA: "datasets kagglehub ogb opendatasets torchtext wget",
    GRAPHS: "dgl networkx ogb torch_geometric torch_scatter torch_sparse",
    MODELS: "accelerate diffusers fairseq huggingface_hub open_clip peft pretrainedmodels sentence_transformers timm "
    "transformers",
    OTHER: "chainer cupy fastai fastcore jax jaxlib flax mxnet numba optax paddle theano",
    PICTURES: "albumentations cv2 imageio imgaug skimage",
    SERVES: "aiohttp fastapi flask gradio sanic streamlit uvicorn",
    TEXTS: "nltk regex sentencepiece spacy tiktoken tokenizers",
    TRACKS: "comet_ml labml mlflow neptune tensorboard_logger visdom wandb",
    WRAPS: "catalyst ignite lightning pytorch_lightning skorch torchbearer",
}
"""What is said of packages of one kind, and their names."""
UNUSED = frozenset(" ".join(TOLD.values()).split()) | frozenset(
    (
        "google",
        "graphviz",
        "keras",
        "pandas",
        "psutil",
        "pyDOE",
        "requests",
        "tarfile",
        "tensorflow",
        "torchaudio",
        "torchmetrics",
        "torchviz",
        "urllib",
        "yaml",
    )
)
"""Packages that `import` gives, empty: many programs import them and use them in a branch that is not taken, or never."""
ASKED_FOR = ("google",)
"""Packages of other places, which programs try to import to learn where they are."""
INSTEAD = {
    **{name: sentence for sentence, names in TOLD.items() for name in names.split()},
    "ast": "Read values from texts with json.loads, int or float.",
    "asyncio": "Use plain functions and loops.",
    "builtins": "The built-in functions have their names.",
    "ctypes": "Index the array or tensor.",
    "engine": "Write import torch.",
    "google": "A program does not run in Colab here; open its files together with it.",
    "gradtape": "Write import torch.",
    "importlib": "Write an import statement, or use importlib.import_module.",
    "inspect": "Write down what you want to know of the function.",
    "keras": "Use torch.nn.",
    "multiprocessing": "A program is one process; use a loop.",
    "os": "A program has files of its own in memory, and no processes here.",
    "pandas": "Use NumPy arrays, lists or dicts; np.loadtxt and csv read tables that were opened together with the program.",
    "pdb": "The timeline steps through the run.",
    "psutil": "A program does not see the machine that it runs on.",
    "pyDOE": "Draw points with torch.rand, or torch.quasirandom.",
    "requests": "A program has no network here; write its data into the text.",
    "scipy": "Use torch.special, torch.linalg and torch.fft, or NumPy.",
    "signal": "A run ends by itself when its time is up.",
    "six": "Python 2 is past: range, zip and urllib.parse have their own names.",
    "socket": "A program has no network here.",
    "subprocess": "A program cannot start others here.",
    "tarfile": "Archives of tar are not unpacked here; open the files in them together with the program.",
    "tensorflow": "Use torch; torchvision.datasets.MNIST stands for the digits of its examples.",
    "threading": "A program has one thread; use a loop.",
    "torch": "This part of PyTorch is not here; print(torch.supported()) lists what is.",
    "torch.ao": "Models are not quantized here; the arithmetic is that of float32.",
    "torch.distributed": "A program is one process on one machine; leave out what shares the work, the mathematics is the same."
    " print(torch.supported()) lists what is here.",
    "torch.fx": "Programs are not traced into another form here: the page shows the graph of what ran.",
    "torch.hub": "A program has no network here, and no models that were trained elsewhere.",
    "torch.jit": "Programs are not compiled here; call the module itself.",
    "torch.multiprocessing": "A program is one process; use a loop.",
    "torch.nn.parallel": "A program has one processor and no other devices; call the module itself.",
    "torch.onnx": "A program cannot be exported to ONNX from here; save the state_dict here and load it where PyTorch is.",
    "torch.quantization": "Models are not quantized here; the arithmetic is that of float32.",
    "torch.utils.cpp_extension": "No C++ is compiled here; write the operation as a torch.autograd.Function.",
    "torch.utils.model_zoo": "A program has no network here, and no models that were trained elsewhere.",
    "torchaudio": "Sound files cannot be read here; make a wave with torch.sin, and spectra with torch.stft.",
    "torchmetrics": "Compute the metric from tensors, as (prediction.argmax(1) == y).float().mean().",
    "torchviz": "The page draws the graph.",
    "unittest": "Call the tests' functions, and use assert.",
    "urllib": "A program has no network here; write its data into the text.",
    "yaml": "Write the settings as a dict, or read them with json.",
}
"""Module → what to do instead."""
OWN = "If it is a module of your own, open its file, or its folder, together with the program. "
NOT_HERE = "Programs have PyTorch, NumPy, much of Python's library and stand-ins for some packages, and this is none of them. "
REACHES = "Of Python's library there is what does not reach beyond the program. "


def error_for(name: str, modules: Collection[str]) -> MissingModule:
    """The error for a module that programs do not have."""
    top = name.partition(".")[0]
    help = instead(name)
    below = [m for m in modules if m.startswith(f"{top}.")] if not help else []
    there = ", ".join(sorted(below or (m for m in modules if "." not in m and m[0] != "_"), key=str.lower))
    if not help and not below:
        help = REACHES if top in sys.stdlib_module_names else NOT_HERE + OWN
    return MissingModule(f"No module named '{name}' for programs here", f"{help.strip()} There are: {there}.".strip())


def instead(name: str) -> str:
    """What to do instead of importing a module, or one that it is in; "" where nothing is known of it."""
    parts = name.split(".")
    return next((INSTEAD[whole] for k in range(len(parts), 0, -1) if (whole := ".".join(parts[:k])) in INSTEAD), "")
