"""`torchvision.datasets.utils`: downloads, of which there are none."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

__all__ = [
    "check_integrity",
    "download_and_extract_archive",
    "download_file_from_google_drive",
    "download_url",
    "extract_archive",
]
NO_NETWORK = "torchvision.datasets.utils.{}: a program has no network here; open the file together with the program."


def _refused(name: str) -> Callable[..., NoReturn]:
    def refused(*_: object, **__: object) -> NoReturn:
        raise RuntimeError(NO_NETWORK.format(name))

    refused.__name__ = refused.__qualname__ = name
    return refused


def check_integrity(fpath: object, md5: object = None) -> bool:
    """Always False: the file has not been downloaded."""
    return False


download_and_extract_archive = _refused("download_and_extract_archive")
download_file_from_google_drive = _refused("download_file_from_google_drive")
download_url, extract_archive = _refused("download_url"), _refused("extract_archive")
