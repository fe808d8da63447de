"""The documentation's pictures, taken from the page itself, and its animation: `python -m tests.browser.pictures`."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image, ImageChops
from playwright.sync_api import Browser, sync_playwright

from benchmarks.pictures import PROGRAMS
from benchmarks.serving import ROOT, served
from benchmarks.training import TRAINING
from components.menus.gallery import DEFAULT, examples
from engine.export import Options
from engine.export.animation import gif
from engine.sandbox import run
from tests.browser.conftest import Gradtape
from tests.browser.install import find

ASSETS = ROOT / "assets"
COLOURS = 256
"""Of a picture's palette: the file is a third of the size."""
NOISE = 60
"""Pixels that may differ between two pictures of the same thing: the browser rounds the edges now so, now so."""


@dataclass(frozen=True)
class Picture:
    """A file below `assets`, what is opened for it, and what is done before it is taken."""

    path: str
    example: str
    prepare: Callable[[Gradtape], None]
    width: int = 1480
    height: int = 920
    scheme: str = "light"
    part: str = ""
    """The part of the page that is shown, as a selector; all of it without one."""


def first_pass(page: Gradtape) -> None:
    """The middle of the second backward pass."""
    page.page.locator(".gt-brand").click()
    page.page.keyboard.press("End")
    page.page.keyboard.press("[")
    page.page.keyboard.press("[")
    for _ in range(3):
        page.page.keyboard.press("ArrowRight")


def tour(page: Gradtape) -> None:
    """The tour's third stop."""
    page.page.get_by_role("button", name="Help").click()
    page.page.get_by_role("button", name="Take the tour").click()
    stop = page.page.get_by_role("region", name="Guided tour")
    for title in ("A leaf", "Forward builds the tape"):
        stop.get_by_role("heading", name=title).wait_for()
        stop.get_by_role("button", name="Next").click()
    stop.get_by_role("heading", name="The first backward pass").wait_for()


def panel(name: str) -> Callable[[Gradtape], None]:
    """One of the panels beside the graph."""

    def prepare(page: Gradtape) -> None:
        page.page.locator(".st-key-panel_tab").get_by_role("radio", name=name).click()

    return prepare


def mistake(page: Gradtape) -> None:
    """A wrong shape."""
    page.set_code(
        "import torch\n\nx = torch.ones(4, 3)\nW = torch.ones(2, 4, requires_grad=True)\nh = torch.relu(x.sum(0))\ny = W @ h\n"
    )
    page.page.locator(".st-key-console .gt-error").wait_for()


def build(page: Gradtape) -> None:
    """The builder with a list of operations."""
    page.page.get_by_role("radio", name="Build").click()
    page.page.get_by_role("radio", name="Operation").click()


def folded(page: Gradtape) -> None:
    """A transformer of twelve blocks, one of which is open."""
    text, _ = PROGRAMS["transformer"]
    page.set_code(text.strip().replace("{k}", "12") + "\n")
    page.until_true("window.__gradtapePlayer.groups().length > 10")
    page.settled()
    page.click_node("model.blocks.1")
    group = page.page.evaluate("window.__gradtapePlayer.groups()[1]")
    page.page.evaluate("id => window.__gradtapePlayer.open(id)", group)
    page.until_true("id => !window.__gradtapePlayer.groups().includes(id)", group)
    page.page.get_by_role("button", name="Zoom out (−)").click()


def training(page: Gradtape) -> None:
    """A training run of 200 iterations, at the one with the largest gradient."""
    page.set_code(TRAINING.replace("{k}", "200"))
    page.until_true("window.__gradtapePlayer.groups().length > 3")
    page.settled()
    page.page.locator(".gt-brand").click()
    page.page.keyboard.press("G")


PICTURES = (
    Picture("screenshot.png", "repeated_backward", first_pass),
    Picture("pictures/tour.png", "repeated_backward", tour),
    Picture("pictures/dark.png", "tiny_mlp", first_pass, scheme="dark"),
    Picture("pictures/folded.png", "repeated_backward", folded),
    Picture("pictures/training.png", "repeated_backward", training),
    Picture("pictures/ledger.png", "training_a_network", panel("Ledger"), part=".st-key-panel"),
    Picture("pictures/whatif.png", "training_a_network", panel("What if"), part=".st-key-panel"),
    Picture("pictures/mistake.png", "repeated_backward", mistake, width=1100, height=620),
    Picture("pictures/build.png", "repeated_backward", build, part=".st-key-program"),
    Picture("pictures/phone.png", "repeated_backward", first_pass, width=390, height=844),
)


ANIMATION = "pictures/backward.gif"
SMALL = 450_000
"""Pixels of a picture of the animation."""


def animate() -> int:
    """Write the animation of the first example; returns the size of its file."""
    example = examples()[DEFAULT]
    recording = run(example.text).recording
    assert recording is not None
    return (ASSETS / ANIMATION).write_bytes(gif(recording, Options(title=example.title), pixels=SMALL))


def take(browser: Browser, address: str, picture: Picture) -> int:
    """Take a picture; returns the size of its file."""
    context = browser.new_context(
        viewport={"width": picture.width, "height": picture.height}, color_scheme=picture.scheme, reduced_motion="reduce"  # type: ignore[arg-type]
    )  # fmt: skip
    context.add_init_script("localStorage.setItem('gradtape.tour', 'seen')")
    tab = context.new_page()
    tab.goto(f"{address}?example={picture.example}")
    page = Gradtape(tab)
    page.ready()
    picture.prepare(page)
    shown = at_rest(page, picture.part)
    context.close()
    return save(shown, ASSETS / picture.path)


def at_rest(page: Gradtape, part: str) -> Image.Image:
    """What is to be seen when nothing changes any more."""
    page.settled()
    before = Image.new("RGB", (1, 1))
    for _ in range(60):
        place = page.page.locator(part).first if part else page.page
        shown = Image.open(io.BytesIO(place.screenshot(caret="hide", animations="disabled"))).convert("RGB")
        if shown.size == before.size and changed(before, shown) <= NOISE:
            return shown
        before = shown
        page.page.wait_for_timeout(300)
    raise AssertionError("the page does not come to rest")


def changed(before: Image.Image, after: Image.Image) -> int:
    """How many pixels differ."""
    same = ImageChops.difference(before, after).convert("L").histogram()[0]
    return after.width * after.height - same


def save(picture: Image.Image, path: Path) -> int:
    """Write a picture with a palette of its own: the large areas in their very colours, and no hue lost in the small ones."""
    path.parent.mkdir(exist_ok=True)
    counts = sorted(picture.getcolors(picture.width * picture.height), reverse=True)
    exact = [colour for _, colour in counts[: COLOURS // 2]]
    spread = picture.quantize(COLOURS // 2, Image.Quantize.MAXCOVERAGE).getpalette()
    palette = Image.new("P", (1, 1))
    palette.putpalette([part for colour in exact for part in colour] + list(spread or ()))
    picture.quantize(palette=palette, dither=Image.Dither.NONE).save(path, optimize=True)
    return path.stat().st_size


def main() -> int:
    """Take all of them, or those whose names are given."""
    names = sys.argv[1:]
    if not names or Path(ANIMATION).stem in names:
        print(f"{ANIMATION}: {animate() // 1024} kB")
    wanted = [p for p in PICTURES if not names or Path(p.path).stem in names]
    with TemporaryDirectory() as scratch, served(Path(scratch) / "log") as page, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find(), args=["--no-sandbox", "--disable-gpu"])
        for picture in wanted:
            print(f"{picture.path}: {take(browser, page.address, picture) // 1024} kB")
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
