# ruff: noqa: E501  (programs are written as they are)
"""`torchvision`: transforms as torchvision computes them, and datasets of the right shape that can be learned from."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import engine as torch
from engine.libraries.PIL import Image
from engine.libraries.torchvision import datasets, utils
from engine.libraries.torchvision import transforms as T  # noqa: N812
from engine.libraries.torchvision.transforms import functional as F  # noqa: N812
from engine.libraries.torchvision.transforms import v2
from engine.libraries.torchvision.transforms.v2 import functional as newer
from engine.sandbox import run
from engine.utils.data import DataLoader, Subset, random_split
from tests.engine.libraries.torchvision_cases import CASES


def picture() -> Any:
    y, x = np.mgrid[0:31, 0:37]
    return np.stack([(x * 7 + y * 3) % 256, (x * 2 + y * 11) % 256, (x * y) % 256], 2).astype(np.uint8)


@pytest.mark.parametrize("kind", ["picture", "tensor"])
@pytest.mark.parametrize("text", CASES)
def test_a_transform(text: str, kind: str) -> None:
    shown, *expected = CASES[text]
    transform = eval(text, {"T": T})
    assert repr(transform) == shown
    wanted = expected[kind == "tensor"]
    given = Image.fromarray(picture()) if kind == "picture" else torch.tensor(picture().transpose(2, 0, 1) / np.float32(255))
    torch.manual_seed(4)
    if wanted is None:
        with pytest.raises((TypeError, AttributeError)):
            transform(given)
        return
    found = transform(given)
    values = (found.numpy() if isinstance(found, torch.Tensor) else np.asarray(found)).astype(np.float64)
    assert values.shape == wanted[0]
    weighted = (values * np.arange(values.size).reshape(values.shape)).mean() / values.size
    assert (values.mean(), weighted) == pytest.approx(wanted[1:], rel=2e-3)


@pytest.mark.parametrize("name", T.__all__)
def test_newer_names_are_the_same_transforms(name: str) -> None:
    assert getattr(v2, name) is getattr(T, name)


def test_what_only_the_newer_names_have() -> None:
    tensor = v2.Compose([v2.ToImage(), v2.ToDtype(torch.float32, scale=True)])(Image.fromarray(picture()))
    torch.testing.assert_close(tensor, T.ToTensor()(picture()))
    assert v2.ToDtype(torch.int32)(tensor * 255).dtype == torch.int32
    assert v2.RGB()(torch.zeros(1, 2, 2)).shape == (3, 2, 2)
    assert v2.Identity()(tensor) is v2.ToPureTensor()(tensor) is tensor
    torch.testing.assert_close(newer.to_dtype(newer.to_image(picture()), torch.float32, scale=True), tensor)
    torch.testing.assert_close(newer.horizontal_flip(tensor), tensor.flip(2))
    torch.testing.assert_close(newer.vertical_flip(tensor), tensor.flip(1))


def test_a_gradient_goes_through_normalize() -> None:
    x = torch.rand(1, 2, 2, requires_grad=True)
    T.Normalize((0.5,), (0.25,))(x).sum().backward()
    torch.testing.assert_close(x.grad, torch.full((1, 2, 2), 4.0))
    kept = torch.rand(1, 2, 2)
    assert T.Normalize((0.5,), (0.25,), inplace=True)(kept) is kept


WRONG = {
    "pic should be PIL Image or ndarray. Got <class 'torch.Tensor'>": lambda: T.ToTensor()(torch.ones(2)),
    "std evaluated to zero": lambda: T.Normalize((0.5,), (0.0,))(torch.ones(1, 2, 2)),
    "should be a float tensor": lambda: T.Normalize((0.5,), (1.0,))(torch.ones(1, 2, 2, dtype=torch.int64)),
    "larger than input image size": lambda: T.RandomCrop(9)(torch.ones(1, 2, 2)),
    "Padding mode should be either": lambda: T.Pad(1, padding_mode="x"),
    "Size should be int or sequence": lambda: T.Resize(2.5),
    "cannot be performed safely": lambda: T.ConvertImageDtype(torch.int64)(torch.ones(1)),
    "should be between 0 and 1": lambda: T.RandomErasing(p=2.0),
    "must be non negative": lambda: T.ColorJitter(-1),
    "must be positive": lambda: T.RandomRotation(-1),
    "odd and positive": lambda: T.GaussianBlur(2),
    "should be callable": lambda: T.Lambda(3),  # type: ignore[arg-type]
    "is not in": lambda: F.adjust_hue(torch.ones(3, 2, 2), 0.7),
    "is bigger than input size": lambda: T.FiveCrop(9)(torch.ones(1, 2, 2)),
}


@pytest.mark.parametrize("words", WRONG)
def test_what_is_wrong_is_said_in_torchvisions_words(words: str) -> None:
    with pytest.raises((TypeError, ValueError, RuntimeError)) as error:
        WRONG[words]()
    assert words in str(error.value)


def test_a_choice_and_an_order_are_pythons() -> None:
    random.seed(3)
    chosen = [T.RandomChoice([lambda x: 1, lambda x: 2])(0) for _ in range(8)]
    order = T.RandomOrder([lambda x: [*x, 1], lambda x: [*x, 2], lambda x: [*x, 3]])([])
    random.seed(3)
    assert chosen == [random.choices([1, 2])[0] for _ in range(8)]
    expected = [1, 2, 3]
    random.shuffle(expected)
    assert order == expected


@pytest.mark.parametrize("function", [F.adjust_gamma, F.solarize, F.posterize])
def test_a_picture_and_its_tensor_become_the_same(function: Any) -> None:
    argument = {F.adjust_gamma: 1.5, F.solarize: 100, F.posterize: 3}[function]
    shown = F.pil_to_tensor(function(Image.fromarray(picture()), argument))
    computed = function(F.pil_to_tensor(Image.fromarray(picture())), argument)
    assert (shown.int() - computed.int()).abs().max() <= 1


def test_hues_turn_around() -> None:
    red = torch.tensor([1.0, 0, 0]).reshape(3, 1, 1)
    torch.testing.assert_close(F.adjust_hue(red, 1 / 3).flatten(), torch.tensor([0.0, 1, 0]), atol=1e-5, rtol=0)
    torch.testing.assert_close(F.adjust_hue(red, -1 / 3).flatten(), torch.tensor([0.0, 0, 1]), atol=1e-5, rtol=0)
    assert F.adjust_hue(Image.new("RGB", (1, 1), "red"), 0.5).getpixel((0, 0)) == (0, 255, 255)


# --- datasets ---------------------------------------------------------------------------------------------------------------

SETS = {
    "MNIST": ((600, 28, 28), torch.uint8, 10),
    "FashionMNIST": ((600, 28, 28), torch.uint8, 10),
    "KMNIST": ((600, 28, 28), torch.uint8, 10),
    "QMNIST": ((600, 28, 28), torch.uint8, 10),
    "USPS": ((600, 16, 16), np.uint8, 10),
    "CIFAR10": ((600, 32, 32, 3), np.uint8, 10),
    "CIFAR100": ((600, 32, 32, 3), np.uint8, 100),
    "SVHN": ((600, 3, 32, 32), np.uint8, 10),
    "STL10": ((600, 3, 96, 96), np.uint8, 10),
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", SETS)
def test_a_dataset_has_the_right_shape(name: str) -> None:
    shape, dtype, classes = SETS[name]
    made: Any = getattr(datasets, name)("data")
    assert tuple(made.data.shape) == shape
    assert made.data.dtype == dtype
    targets = [int(t) for t in (made.labels if hasattr(made, "labels") else made.targets)]
    assert sorted({*targets}) == list(range(classes))
    shown, target = made[3]
    assert isinstance(shown, Image.Image)
    assert type(target) is int
    assert target == targets[3]
    again: Any = getattr(datasets, name)("data")
    assert (again.data == made.data).all(), "every run has the same"


def test_a_dataset_prints_as_torchvisions() -> None:
    made = datasets.MNIST("./data", transform=T.Compose([T.ToTensor()]), target_transform=T.Lambda(lambda t: -t))
    assert repr(made).splitlines() == [
        "Dataset MNIST",
        "    Number of datapoints: 600",
        "    Root location: ./data",
        "    Split: Train",
        "    StandardTransform",
        "Transform: Compose(",
        "               ToTensor()",
        "           )",
        "Target transform: Lambda()",
    ]
    tensor, target = made[0]
    assert tensor.shape == (1, 28, 28)
    assert target == -made.targets[0]
    with pytest.raises(ValueError, match="Only transforms or"):
        datasets.VisionDataset("x", transforms=T.ToTensor(), transform=T.ToTensor())


@pytest.mark.parametrize("name", ["MNIST", "CIFAR10"])
def test_something_can_be_learned_of_it(name: str) -> None:
    torch.manual_seed(0)
    kind: Any = getattr(datasets, name)
    train, test = (kind("data", train=part, transform=T.ToTensor()) for part in (True, False))
    size = train[0][0].numel()
    model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(size, 32), torch.nn.ReLU(), torch.nn.Linear(32, 10))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(6):
        for x, y in DataLoader(train, batch_size=64, shuffle=True):
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
    x, y = next(iter(DataLoader(test, batch_size=128)))
    assert (model(x).argmax(1) == y).float().mean().item() > 0.6


def test_it_is_split_as_the_one_it_stands_for() -> None:
    made = datasets.MNIST("data")
    assert [len(part) for part in random_split(made, [50000, 10000])] == [500, 100]
    assert [len(part) for part in random_split(made, [550, 50])] == [550, 50]
    assert [len(part) for part in random_split(datasets.CIFAR10("data"), [45000, 5000])] == [540, 60]
    with pytest.raises(ValueError, match="Sum of input lengths"):
        random_split(made, [50000, 1])
    assert Subset(made, range(50000))[40000][1] == made[40000 % 600][1]
    assert sum(1 for _ in made) == 600
    with pytest.raises(IndexError):
        made[60000]


def test_parts_of_emnist() -> None:
    letters = datasets.EMNIST("data", split="letters", train=False)
    assert (len(letters), letters.classes[:2], int(letters.targets.min())) == (200, ["N/A", "a"], 1)
    assert len(datasets.EMNIST("data", "balanced").classes) == 47
    with pytest.raises(ValueError, match="Unknown value 'x' for argument split"):
        datasets.EMNIST("data", "x")


def test_fake_data_leaves_the_generator_alone() -> None:
    made = datasets.FakeData(3, (1, 4, 4), transform=T.ToTensor())
    before = torch.get_rng_state()
    first, target = made[1]
    assert (torch.get_rng_state() == before).all()
    torch.manual_seed(1)
    torch.testing.assert_close(first, T.ToTensor()(F.to_pil_image(torch.randn(1, 4, 4))))
    assert target == torch.randint(0, 10, (1,)).item()
    with pytest.raises(IndexError):
        made[3]


def test_there_are_no_picture_files() -> None:
    with pytest.raises(FileNotFoundError):
        datasets.ImageFolder("pictures")


def test_a_grid_of_pictures() -> None:
    grid = utils.make_grid(torch.arange(24.0).reshape(6, 1, 2, 2), nrow=4, padding=1, pad_value=-1)
    assert grid.shape == (3, 7, 13)
    assert grid[0, 1:3, 1:3].tolist() == [[0, 1], [2, 3]]
    assert grid[2, 4:6, 4:6].tolist() == [[20, 21], [22, 23]]
    assert grid[0, 0].unique().tolist() == [-1]
    assert utils.make_grid([torch.ones(3, 2, 2)]).shape == (3, 2, 2)
    scaled = utils.make_grid(torch.tensor([[[[2.0, 4.0]]], [[[0.0, 4.0]]]]), normalize=True, padding=0)
    assert scaled[0].tolist() == [[0.5, 1, 0, 1]]
    with pytest.raises(TypeError, match="tensor or list of tensors expected"):
        utils.make_grid(3)


def test_what_is_made_up_is_told_once() -> None:
    result = run(
        "from torchvision import datasets, transforms\nimport torchvision\n"
        "for _ in range(2): x, y = datasets.MNIST('.', transform=transforms.ToTensor())[0]\n"
        "print(x.shape, y)\ntorchvision.utils.save_image(x, 'x.png')\n"
    )
    assert result.output == (
        "torchvision.datasets.MNIST is synthetic here: 600 pictures of the right shape (200 for tests).\n"
        "torch.Size([1, 28, 28]) 3\ntorchvision.utils.save_image: pictures are not saved here.\n"
    )


def test_a_programs_own_dataset_and_transform() -> None:
    result = run(
        "import numpy as np, torch\nfrom PIL import Image\nfrom torchvision import datasets, transforms\n"
        "class Twice:\n    def __call__(self, x): return np.array(x) * 2\n"
        "class Mine(datasets.CIFAR10):\n    def __getitem__(self, k):\n        x, y = super().__getitem__(k)\n        return x, y + 100\n"
        "made = Mine('.', transform=transforms.Compose([Twice(), transforms.ToTensor()]))\nmade.targets = [7] * len(made)\n"
        "print(made[0][0].shape, made[0][1], type(Image.new('L', (2, 2))), np.asarray(Image.new('L', (2, 2), 3)).sum())\n"
    )
    assert result.output.endswith("torch.Size([3, 32, 32]) 107 <class 'PIL.Image.Image'> 12\n"), result.error
