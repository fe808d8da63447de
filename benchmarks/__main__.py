"""Runs all benchmarks and prints their tables."""

from __future__ import annotations

from benchmarks import browser, engines, networks, page, pictures


def main() -> None:
    """All of them, in one run."""
    engines.chains()
    engines.training_steps()
    networks.networks()
    print("\nCost of recording, per operation\n")
    engines.recording()
    print("\nFrom the program to the picture\n")
    page.sandbox()
    pictures.pictures()
    browser.browser()


if __name__ == "__main__":
    main()
