"""The `gradtape` command: starts the page."""

from __future__ import annotations

import sys
from pathlib import Path


def main() -> int:
    """Serve the page with Streamlit; arguments go to `streamlit run`."""
    from streamlit.web import cli

    sys.argv = ["streamlit", "run", str(Path(__file__).with_name("app.py")), *sys.argv[1:]]
    return int(cli.main() or 0)


if __name__ == "__main__":
    sys.exit(main())
