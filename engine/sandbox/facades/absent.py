"""What a program is told that imports what is not there."""

from __future__ import annotations

import sys
from collections.abc import Collection

from ...program.project import NOT_OPENED
from ..policy.errors import MissingModule

MODELS = "Pretrained models would have to be downloaded, and a program has no network here; build the layers with torch.nn."
DATA = (
    "Data would have to be downloaded, and a program has no network here; torchvision.datasets and sklearn.datasets make it up."
)
FETCHED = f"A program has no network here. {NOT_OPENED}"
SERVES = "A program serves nobody and has no network here; call the functions."
WRAPS = "It wraps PyTorch's training loop; write the loop with torch.optim."
PICTURES = (
    "Picture files, cameras and windows are not here; use arrays, PIL.Image.fromarray and torchvision.transforms, and draw "
    "with matplotlib."
)
GRAPHS = "Graphs are not here as objects; keep the edges in a tensor, or the adjacency matrix."
TRACKS = "Nothing leaves a run here; print the values, or use torch.utils.tensorboard."
TEXTS = "Write the texts or the list of words into the program, and split them with str.split or re."
OTHER = "It is another library for computing; use torch or NumPy."
TOLD = {
    DATA: "datasets kagglehub ogb",
    GRAPHS: "dgl networkx torch_geometric torch_scatter torch_sparse",
    MODELS: "accelerate diffusers fairseq huggingface_hub open_clip peft pretrainedmodels sentence_transformers timm "
    "transformers",
    FETCHED: "gdown opendatasets wget",
    OTHER: "chainer cupy fastai fastcore jax jaxlib flax mxnet numba optax paddle theano",
    PICTURES: "albumentations cv2 imageio imgaug skimage",
    SERVES: "aiohttp fastapi flask gradio sanic streamlit uvicorn",
    TEXTS: "nltk regex sentencepiece spacy tiktoken tokenizers",
    TRACKS: "comet_ml labml mlflow neptune tensorboard_logger visdom wandb",
    WRAPS: "catalyst ignite lightning pytorch_lightning skorch torchbearer",
}
"""What is said of packages of one kind, and their names."""
ASKED_FOR = ("google",)
"""Packages of other places, which programs try to import to learn where they are."""
INSTEAD = {
    **{name: sentence for sentence, names in TOLD.items() for name in names.split()},
    "ast": "Read values from texts with json.loads, int or float.",
    "asyncio": "Use plain functions and loops.",
    "atexit": "Write at the end of the program what is to be done there.",
    "builtins": "The built-in functions have their names.",
    "bz2": "zlib and gzip compress.",
    "click": "Use argparse, and call the function.",
    "concurrent": "A program is one process with one thread; use a loop.",
    "cProfile": "The recording has every operation; torch.profiler measures them.",
    "ctypes": "Index the array or tensor.",
    "dis": "Python's bytecode is not shown here; the recording has every operation.",
    "engine": "Write import torch.",
    "faulthandler": "An error says where it is; traceback.format_exc gives its text.",
    "fire": "Use argparse, and call the function.",
    "ftplib": FETCHED,
    "getpass": "A program knows nothing of who runs it.",
    "google": "A program does not run in Colab here; open its files together with it.",
    "gradtape": "Write import torch.",
    "h5py": "Use np.save and np.load, or torch.save.",
    "hydra": "Write the settings as a dict, or use argparse.",
    "importlib": "Write an import statement, or use importlib.import_module.",
    "inspect": "Write down what you want to know of the function.",
    "joblib": "Use a loop; pickle keeps objects.",
    "keras": "Use torch.nn; torchvision.datasets.MNIST stands for the digits of its examples.",
    "librosa": "Sound files cannot be read here; make a wave with torch.sin, and spectra with torch.stft.",
    "locale": "Numbers and texts are written as in English here.",
    "lzma": "zlib and gzip compress.",
    "multiprocessing": "A program is one process; use a loop.",
    "omegaconf": "Write the settings as a dict, or use argparse.",
    "os": "A program has files of its own in memory, and no processes here.",
    "pdb": "The timeline steps through the run.",
    "pickletools": "A pickle is read with pickle.load here; its opcodes are not shown.",
    "plotly": "Use matplotlib.",
    "profile": "The recording has every operation; torch.profiler measures them.",
    "pstats": "The recording has every operation; torch.profiler measures them.",
    "psutil": "A program does not see the machine that it runs on.",
    "pyDOE": "Draw points with torch.rand, or torch.quasirandom.",
    "requests": FETCHED,
    "scipy.fft": "Use torch.fft, or np.fft.",
    "scipy.interpolate": "Use np.interp, or torch.nn.functional.interpolate.",
    "scipy.io": "Save the arrays with np.savez where SciPy is, and open that file together with the program.",
    "scipy.linalg": "Use torch.linalg, or np.linalg.",
    "scipy.ndimage": "Use torch.nn.functional, or torchvision.transforms.",
    "scipy.optimize": "Use torch.optim; LBFGS is the one that needs few steps.",
    "scipy.sparse": "Use torch.sparse_coo_tensor, or a dense tensor.",
    "scipy.spatial": "Use torch.cdist.",
    "scipy.stats": "Use torch.distributions, or NumPy's mean, std and quantile.",
    "signal": "A run ends by itself when its time is up.",
    "six": "Python 2 is past: range, zip and urllib.parse have their own names.",
    "socket": "A program has no network here.",
    "soundfile": "Sound files cannot be read here; make a wave with torch.sin, and spectra with torch.stft.",
    "shelve": "Keep what belongs together in a dict, which pickle writes.",
    "smtplib": "A program has no network here; print what you want to tell.",
    "sqlite3": "Keep tables in lists, dicts or arrays.",
    "ssl": FETCHED,
    "stable_baselines3": "Keep what was seen in a collections.deque, and draw from it with random.sample.",
    "subprocess": "A program cannot start others here.",
    "tabulate": "Print the rows with f-strings.",
    "tarfile": "Archives of tar are not unpacked here; open the files in them together with the program.",
    "telnetlib": "A program has no network here.",
    "tensorflow": "Use torch; torchvision.datasets.MNIST stands for the digits of its examples.",
    "threading": "A program has one thread; use a loop.",
    "tkinter": "There is no window here; matplotlib draws into the page.",
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
    "torch.ops": "Operators are not called by their schema here; call the function of torch.",
    "torch.quantization": "Models are not quantized here; the arithmetic is that of float32.",
    "torch.utils.cpp_extension": "No C++ is compiled here; write the operation as a torch.autograd.Function.",
    "torch.utils.model_zoo": "A program has no network here, and no models that were trained elsewhere.",
    "torchaudio": "Sound files cannot be read here; make a wave with torch.sin, and spectra with torch.stft.",
    "torchdiffeq": "Write the solver's steps as a loop (Euler, Runge-Kutta): autograd goes through it.",
    "torchmetrics": "Compute the metric from tensors, as (prediction.argmax(1) == y).float().mean().",
    "torchtext": "Write the texts into the program, split them with str.split, and number the words with a dict.",
    "torchviz": "The page draws the graph.",
    "tracemalloc": "The page shows what a run's tensors take.",
    "urllib": FETCHED,
    "wave": "Sound files cannot be read here; make a wave with torch.sin, and spectra with torch.stft.",
    "xml": "Read what you need with re, or json.",
    "yaml": "Write the settings as a dict, or read them with json.",
}
"""Module → what to do instead."""
OWN = "If it is a module of your own, open its file, or its folder, together with the program."
NOT_HERE = "Programs have PyTorch, NumPy, much of Python's library and stand-ins for some packages, and this is none of them."
REACHES = "This part of Python's library is not here: programs have what they compute with, and files in memory."


def may_be_empty(name: str) -> bool:
    """Whether `import` gives a module that is not there all the same, empty, to be refused where it is used: many programs
    import what they use in a branch that is not taken, or never."""
    top = name.partition(".")[0]
    return top not in AT_ONCE and (top not in sys.stdlib_module_names or top in LATER)


AT_ONCE = frozenset(("engine", "gradtape", "numpy", "torch"))
"""Modules of which all is known."""
_LATER = """
asyncio atexit bdb bz2 cProfile cmd code compileall concurrent curses dis doctest email fcntl filecmp ftplib getpass http
linecache lzma mailbox mimetypes mmap modulefinder pickletools pkgutil profile pstats pydoc readline resource rlcompleter
sched select selectors shelve smtplib socket socketserver sqlite3 subprocess sysconfig syslog tarfile telnetlib termios
tkinter trace tracemalloc tty turtle urllib wave webbrowser xml xmlrpc
"""
LATER = frozenset(_LATER.split())
"""Modules of the standard library that are not there, and that programs import for what they do beside."""


def error_for(name: str, modules: Collection[str]) -> MissingModule:
    """The error for a module that programs do not have."""
    top = name.partition(".")[0]
    help = instead(name)
    below = sorted((m for m in modules if m.startswith(f"{top}.")), key=str.lower) if not help else []
    if below:
        help = f"There are: {', '.join(below)}."
    return MissingModule(f"No module named '{name}' for programs here", help or unknown(top))


def unknown(top: str) -> str:
    """What is said of a module of which nothing is known."""
    return REACHES if top in sys.stdlib_module_names else f"{OWN} {NOT_HERE}"


def instead(name: str) -> str:
    """What to do instead of importing a module, or one that it is in; "" where nothing is known of it."""
    parts = name.split(".")
    return next((INSTEAD[whole] for k in range(len(parts), 0, -1) if (whole := ".".join(parts[:k])) in INSTEAD), "")
