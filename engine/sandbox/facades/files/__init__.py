"""A program's files: a file system in memory of this run alone, and the modules and functions by which programs know files."""

from __future__ import annotations

from .store import FOLDER, HOME, TEMPORARY, WORKING, Files, begin, files

__all__ = ["FOLDER", "HOME", "TEMPORARY", "WORKING", "Files", "begin", "files"]
