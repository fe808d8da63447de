# ruff: noqa: E501  (a table)
"""What torchvision 0.29 makes of a picture of 31 × 37 pixels, with seed 4.

For each transform: how it prints itself, and of the result for a picture and for a tensor the shape, the mean, and the mean
weighted by position; None where it takes only the other.
"""

from __future__ import annotations

from typing import Any

CASES: dict[str, tuple[str, Any, Any]] = {
    "T.Resize(20)": (
        "Resize(size=20, interpolation=bilinear, max_size=None, antialias=True)",
        ((20, 23, 3), 114.6493, 59.767),
        ((3, 20, 23), 0.4496, 0.2177),
    ),
    "T.Resize((13, 17), interpolation=T.InterpolationMode.NEAREST)": (
        "Resize(size=(13, 17), interpolation=nearest, max_size=None, antialias=True)",
        ((13, 17, 3), 114.3801, 59.3734),
        ((3, 13, 17), 0.4307, 0.2062),
    ),
    "T.Resize((40, 50), interpolation=T.InterpolationMode.BICUBIC)": (
        "Resize(size=(40, 50), interpolation=bicubic, max_size=None, antialias=True)",
        ((40, 50, 3), 114.6042, 59.6951),
        ((3, 40, 50), 0.4494, 0.2177),
    ),
    "T.Resize(20, max_size=25)": (
        "Resize(size=20, interpolation=bilinear, max_size=25, antialias=True)",
        ((20, 23, 3), 114.6493, 59.767),
        ((3, 20, 23), 0.4496, 0.2177),
    ),
    "T.CenterCrop(20)": ("CenterCrop(size=(20, 20))", ((20, 20, 3), 145.49, 71.9042), ((3, 20, 20), 0.5705, 0.27)),
    "T.CenterCrop((60, 21))": ("CenterCrop(size=(60, 21))", ((60, 21, 3), 67.0873, 33.895), ((3, 60, 21), 0.2631, 0.1223)),
    "T.Pad(3)": (
        "Pad(padding=3, fill=0, padding_mode=constant)",
        ((37, 43, 3), 82.6227, 42.7621),
        ((3, 37, 43), 0.324, 0.1566),
    ),
    "T.Pad((1, 2), fill=7)": (
        "Pad(padding=(1, 2), fill=7, padding_mode=constant)",
        ((35, 39, 3), 97.4203, 50.5053),
        ((3, 35, 39), 1.4956, 0.7414),
    ),
    "T.Pad((1, 2, 3, 4), padding_mode='reflect')": (
        "Pad(padding=(1, 2, 3, 4), fill=0, padding_mode=reflect)",
        ((37, 41, 3), 110.227, 57.4546),
        ((3, 37, 41), 0.4323, 0.2099),
    ),
    "T.Pad(2, padding_mode='symmetric')": (
        "Pad(padding=2, fill=0, padding_mode=symmetric)",
        ((35, 41, 3), 108.3294, 57.5462),
        ((3, 35, 41), 0.4248, 0.2059),
    ),
    "T.Pad(2, padding_mode='edge')": (
        "Pad(padding=2, fill=0, padding_mode=edge)",
        ((35, 41, 3), 107.9131, 57.5382),
        ((3, 35, 41), 0.4232, 0.2053),
    ),
    "T.Grayscale()": ("Grayscale(num_output_channels=1)", ((31, 37), 116.5161, 59.1875), ((1, 31, 37), 0.4569, 0.2321)),
    "T.Grayscale(3)": ("Grayscale(num_output_channels=3)", ((31, 37, 3), 116.5161, 59.2214), ((3, 31, 37), 0.4569, 0.2297)),
    "T.RandomCrop(20)": (
        "RandomCrop(size=(20, 20), padding=None)",
        ((20, 20, 3), 140.1567, 63.7711),
        ((3, 20, 20), 0.5496, 0.2501),
    ),
    "T.RandomCrop(40, padding=4, pad_if_needed=True)": (
        "RandomCrop(size=(40, 40), padding=4)",
        ((40, 40, 3), 80.1817, 42.5397),
        ((3, 40, 40), 0.3144, 0.1525),
    ),
    "T.RandomHorizontalFlip()": ("RandomHorizontalFlip(p=0.5)", ((31, 37, 3), 114.6056, 59.721), ((3, 31, 37), 0.4494, 0.2177)),
    "T.RandomVerticalFlip(0.7)": ("RandomVerticalFlip(p=0.7)", ((31, 37, 3), 114.6056, 55.118), ((3, 31, 37), 0.4494, 0.2117)),
    "T.RandomRotation(20)": (
        "RandomRotation(degrees=[-20.0, 20.0], interpolation=nearest, expand=False, fill=0)",
        ((31, 37, 3), 113.553, 58.9117),
        ((3, 31, 37), 0.4453, 0.2158),
    ),
    "T.RandomRotation((10, 80), expand=True, fill=3)": (
        "RandomRotation(degrees=[10.0, 80.0], interpolation=nearest, expand=True, fill=3)",
        ((49, 49, 3), 56.4123, 27.5338),
        ((3, 49, 49), 1.7819, 0.8852),
    ),
    "T.RandomAffine(15, translate=(0.1, 0.1), scale=(0.8, 1.2), shear=10)": (
        "RandomAffine(degrees=[-15.0, 15.0], translate=(0.1, 0.1), scale=(0.8, 1.2), shear=[-10.0, 10.0])",
        ((31, 37, 3), 87.8291, 37.9824),
        ((3, 31, 37), 0.3444, 0.1584),
    ),
    "T.ColorJitter(0.4, 0.4, 0.4)": (
        "ColorJitter(brightness=(0.6, 1.4), contrast=(0.6, 1.4), saturation=(0.6, 1.4), hue=None)",
        ((31, 37, 3), 87.6678, 44.703),
        ((3, 31, 37), 0.3487, 0.1725),
    ),
    "T.ColorJitter(brightness=(0.5, 1.5))": (
        "ColorJitter(brightness=(0.5, 1.5), contrast=None, saturation=None, hue=None)",
        ((31, 37, 3), 80.8872, 42.1585),
        ((3, 31, 37), 0.3191, 0.1546),
    ),
    "T.RandomResizedCrop(24)": (
        "RandomResizedCrop(size=(24, 24), scale=(0.08, 1.0), ratio=(0.75, 1.3333), interpolation=bilinear, antialias=True)",
        ((24, 24, 3), 122.1372, 65.6613),
        ((3, 24, 24), 0.4787, 0.2301),
    ),
    "T.RandomGrayscale(0.5)": ("RandomGrayscale(p=0.5)", ((31, 37, 3), 114.6056, 59.721), ((3, 31, 37), 0.4494, 0.2177)),
    "T.RandomInvert()": ("RandomInvert(p=0.5)", ((31, 37, 3), 114.6056, 59.721), ((3, 31, 37), 0.4494, 0.2177)),
    "T.GaussianBlur(3)": (
        "GaussianBlur(kernel_size=(3, 3), sigma=(0.1, 2.0))",
        ((31, 37, 3), 114.7405, 59.6989),
        ((3, 31, 37), 0.45, 0.2178),
    ),
    "T.GaussianBlur((5, 3), sigma=1.0)": (
        "GaussianBlur(kernel_size=(5, 3), sigma=(1.0, 1.0))",
        ((31, 37, 3), 114.7597, 59.7073),
        ((3, 31, 37), 0.45, 0.2179),
    ),
    "T.Compose([T.Resize(25), T.RandomCrop(20), T.RandomHorizontalFlip()])": (
        "Compose(\n    Resize(size=25, interpolation=bilinear, max_size=None, antialias=True)\n    RandomCrop(size=(20, 20), padding=None)\n    RandomHorizontalFlip(p=0.5)\n)",
        ((20, 20, 3), 135.8967, 66.2819),
        ((3, 20, 20), 0.5328, 0.2527),
    ),
    "T.RandomApply([T.RandomHorizontalFlip(1.0)], p=0.5)": (
        "RandomApply(\n    p=0.5\n    RandomHorizontalFlip(p=1.0)\n)",
        ((31, 37, 3), 114.6056, 59.721),
        ((3, 31, 37), 0.4494, 0.2177),
    ),
    "T.ToTensor()": ("ToTensor()", ((3, 31, 37), 0.4494, 0.2177), None),
    "T.RandomErasing(p=1.0)": (
        "RandomErasing(p=1.0, scale=(0.02, 0.33), ratio=(0.3, 3.3), value=0, inplace=False)",
        None,
        ((3, 31, 37), 0.3609, 0.1788),
    ),
    "T.RandomErasing(p=1.0, value='random')": (
        "RandomErasing(p=1.0, scale=(0.02, 0.33), ratio=(0.3, 3.3), value=random, inplace=False)",
        None,
        ((3, 31, 37), 0.3472, 0.1582),
    ),
    "T.Normalize((0.5, 0.4, 0.3), (0.5, 0.2, 0.1))": (
        "Normalize(mean=(0.5, 0.4, 0.3), std=(0.5, 0.2, 0.1))",
        None,
        ((3, 31, 37), 0.4258, 0.3609),
    ),
}
