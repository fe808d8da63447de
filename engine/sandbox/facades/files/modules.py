"""The modules by which programs know files, as facades."""

from __future__ import annotations

import codecs
import io
from typing import Any

from ...policy.guards import Guards
from ..facade import Facade, picked
from ..outside import missing
from . import archives, paths, streams, system, tables


def _io(guards: Guards) -> dict[str, Any]:
    kinds = (streams.BufferedRandom, streams.BufferedReader, streams.BufferedWriter, streams.TextIOWrapper)
    names = picked(io, "BytesIO DEFAULT_BUFFER_SIZE SEEK_CUR SEEK_END SEEK_SET StringIO UnsupportedOperation")
    return names | {"open": streams.open} | {kind.__name__: guards.shown(kind) for kind in kinds}


def facades(guards: Guards) -> dict[str, Facade]:
    """The modules by name; those of which there is more elsewhere are put together there."""
    environ = system.Environment()
    by_name: dict[str, dict[str, Any]] = {
        "codecs": {"BOM_UTF8": codecs.BOM_UTF8, "open": streams.codecs_open},
        "csv": tables.csv_names(guards),
        "glob": system.glob_names(),
        "gzip": archives.gzip_names(guards),
        "io": _io(guards),
        "os.path": system.path_names(environ),
        "pathlib": paths.names(),
        "shutil": system.shutil_names(),
        "tempfile": system.tempfile_names(),
        "zipfile": archives.zip_names(guards),
    }
    for names in by_name.values():
        guards.know(thing for thing in names.values() if thing is not OSError)
    made = {name: Facade(name, names, missing(name)) for name, names in by_name.items()}
    os_names = system.os_names(environ) | {"path": made["os.path"], "PathLike": guards.shown(paths.PurePosixPath)}
    return made | {"os": Facade("os", os_names, missing("os"))}
