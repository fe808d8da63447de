"""Finds a Chromium for the browser tests, and brings one if there is none: `python -m tests.browser.install`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def find() -> str | None:
    """The path of a Chromium: `GRADTAPE_CHROMIUM`, one on the PATH, or Playwright's own."""
    if path := os.environ.get("GRADTAPE_CHROMIUM"):
        return path
    for name in NAMES:
        if path := shutil.which(name):
            return path
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if path and os.path.exists(path) else None


def bring() -> None:
    """Install Chromium: from Debian's packages as root, else Playwright's own."""
    if shutil.which("apt-get") and os.geteuid() == 0:
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run(["apt-get", "update", "-qq"], env=environment, check=False)
        subprocess.run(["apt-get", "install", "-y", "-qq", "chromium"], env=environment, check=False)
        if find():
            return
    subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False)


def main() -> int:
    """Make sure there is a browser."""
    if find() is None:
        print("no Chromium found; installing one for the browser tests")
        bring()
    path = find()
    if path is None:
        print("no Chromium could be installed; set GRADTAPE_CHROMIUM to one", file=sys.stderr)
        return 1
    print(f"browser: {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
