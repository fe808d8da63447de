"""Asks a served page how it is: `python -m components.server.probe [port]` loads next to nothing, for those who ask often."""

from __future__ import annotations

import sys
import urllib.error
import urllib.request

PATH = "/health"
"""Where the server tells how it is. Streamlit's own path says only that it answers."""
PORT = 8501
PATIENCE = 3.0
"""Seconds after which a server that does not answer counts as unwell."""


def probe(host: str = "127.0.0.1", port: int = PORT) -> tuple[bool, str]:
    """Whether the page that is served there is well, and what it says."""
    try:
        with urllib.request.urlopen(f"http://{host}:{port}{PATH}", timeout=PATIENCE) as told:
            return True, told.read().decode().strip()
    except urllib.error.HTTPError as error:
        return False, error.read().decode(errors="replace").strip()
    except OSError as error:
        return False, f"The page does not answer: {getattr(error, 'reason', error)}."


def main(host: str = "127.0.0.1", port: int = PORT) -> int:
    """Print what a page says of itself; the exit code is 0 if it is well."""
    well, words = probe(host, port)
    print(words)
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main(port=int(sys.argv[1]) if len(sys.argv) > 1 else PORT))
