"""A user who builds programs without typing code."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.browser.conftest import Gradtape

pytestmark = pytest.mark.browser


@pytest.fixture
def page(shared: Gradtape) -> Gradtape:
    """One visit for all: each test begins with an empty program."""
    return shared


SPANS = """all => all.filter((each) => each.getClientRects().length).map((each) => {
    const { left, right } = each.getBoundingClientRect();
    return { left, right, text: each.innerText };
})"""
"""From where to where those of some elements reach that have a place."""


COUNT_RUNS = """() => {
    if (window.__runs !== undefined) return;
    window.__runs = 0;
    const app = document.querySelector('[data-test-script-state]');
    new MutationObserver(() => { window.__runs += app.dataset.testScriptState === 'running' })
        .observe(app, { attributes: true, attributeFilter: ['data-test-script-state'] });
}"""
SETTLED = """async (before) => {
    const wait = (ms) => new Promise((done) => setTimeout(done, ms));
    const running = () => document.querySelector('[data-test-script-state="running"]');
    for (let k = 0; k < 25 && window.__runs === before; k++) await wait(10);
    for (let quiet = 0; quiet < 60; quiet = running() ? 0 : quiet + 10) await wait(10);
}"""
"""Waits for the run of the script that was asked for; where none begins, a quarter of a second."""


class Builder:
    """The builder's panel as a user handles it."""

    def __init__(self, gradtape: Gradtape) -> None:
        self.gradtape, self.page = gradtape, gradtape.page
        self.page.evaluate(COUNT_RUNS)
        self.page.get_by_role("radio", name="Build", exact=True).click()
        self.root = self.page.locator(".st-key-builder")
        self.root.wait_for()
        self.settled()

    def settled(self) -> None:
        """Wait until the page is at rest, whatever was done."""
        self.page.wait_for_timeout(250)
        self.gradtape.settled()

    def done(self, act: Callable[[], object]) -> None:
        """Do something, and wait until the page is at rest again."""
        before = self.page.evaluate("window.__runs")
        act()
        self.page.evaluate(SETTLED, before)
        self.gradtape.settled()

    def empty(self) -> Builder:
        self.done(self.root.get_by_role("button", name="New").click)
        self.gradtape.until(lambda: self.gradtape.code().strip() == "import torch", "an empty program")
        return self

    def tab(self, name: str) -> None:
        radio = self.root.get_by_role("radio", name=name, exact=True)
        if radio.get_attribute("aria-checked") != "true":
            self.done(radio.click)

    def option(self, name: str) -> None:
        """Take what an open list offers."""
        self.done(self.page.get_by_role("option", name=name, exact=True).first.click)

    def choose(self, label: str, option: str) -> None:
        self.root.get_by_label(label, exact=True).first.click()
        self.option(option)

    def number(self, label: str, value: float) -> None:
        field = self.root.get_by_label(label, exact=True).first
        field.fill(f"{value:g}")
        self.done(lambda: field.press("Enter"))

    def press(self, name: str | re.Pattern[str]) -> None:
        """Press a button that changes the program, and wait for the change."""
        before = self.gradtape.code()
        button = self.root.get_by_role("button", name=name).first
        button.wait_for()
        self.gradtape.until(button.is_enabled, f"{name} can be pressed")
        self.done(button.click)
        self.gradtape.until(lambda: self.gradtape.code() != before, f"{name} changed the program")

    def operation(self, kind: str, label: str) -> None:
        self.tab("Operation")
        if self.root.get_by_label("Kind", exact=True).first.get_attribute("value") != kind:
            self.choose("Kind", kind)
        self.press(re.compile(rf"^{re.escape(label)}"))

    def gradient(self, what: str) -> None:
        self.tab("Gradient")
        self.root.locator(".st-key-build_gradient input").click()
        self.option(what)

    def change(self, what: str) -> None:
        self.tab("Change")
        self.root.locator(".st-key-build_change input").click()
        self.option(what)

    def leaf(self, kind: str, **sizes: float) -> None:
        self.tab("Leaf")
        self.tab(kind)
        for label, value in sizes.items():
            self.number(label, value)
        self.press(re.compile("^Add"))

    def click(self, title: str) -> None:
        """Click a tensor in the graph, which the builder takes as an operand."""
        self.gradtape.click_node(title)
        self.settled()
        self.chosen(lambda names: title in names, f"{title} is chosen")

    def chosen(self, condition: Callable[[list[str]], bool], what: str) -> None:
        self.gradtape.until(lambda: condition(self.operands()), what)
        self.settled()

    def operands(self) -> list[str]:
        return [re.split(r"\s{1,}\[", t)[0] for t in self.root.locator(".stMultiSelect [data-tag]").all_inner_texts()]

    def lines(self) -> list[str]:
        return [line for line in self.gradtape.code().split("\n") if line.strip()]

    def says(self, why: str) -> None:
        """Wait until the builder explains this."""
        self.gradtape.until(lambda: why in self.root.locator(".gt-why").all_inner_texts(), why)


def test_a_line_and_its_gradient_are_built_by_clicks(page: Gradtape) -> None:
    builder = Builder(page).empty()
    builder.leaf("Vector", Entries=1)
    builder.tab("Operation")
    builder.chosen(lambda names: names == ["x"], "the leaf is proposed")
    builder.number("Number", 5)
    builder.press(re.compile("^a · number"))
    builder.chosen(lambda names: names == ["y"], "the result is proposed to go on with")
    builder.root.get_by_text("go on in the line of y").click()
    builder.settled()
    builder.number("Number", 3)
    builder.press(re.compile("^a \\+ number"))
    assert builder.lines() == ["import torch", "x = torch.tensor([1.], requires_grad=True)", "y = x * 5 + 3"]
    builder.gradient("Backward")
    builder.number("Times", 2)
    builder.press(re.compile("^Add"))
    assert builder.lines()[-2:] == ["for _ in range(2):", "    y.backward(retain_graph=True)"]
    builder.gradient("Print")
    builder.choose("What of them", "grad")
    builder.root.get_by_label("Tensors", exact=True).first.click()
    page.page.get_by_role("option", name="x", exact=True).click()
    builder.page.keyboard.press("Escape")
    builder.settled()
    builder.press(re.compile("^Add"))
    page.until(lambda: "tensor([10.])" in page.console(), "two passes add up to 10")


def test_operations_that_do_not_fit_say_why(page: Gradtape) -> None:
    builder = Builder(page).empty()
    builder.leaf("Matrix", Rows=2, Columns=3)
    builder.leaf("Matrix", Rows=2, Columns=2)
    builder.tab("Operation")
    builder.click("x")
    builder.click("w")
    builder.chosen(lambda names: names == ["x", "w"], "both are chosen")
    builder.choose("Kind", "Matrix")
    builder.says("matmul: inner sizes 3 and 2 differ")
    assert builder.root.get_by_role("button", name="matrix product").is_disabled()
    builder.choose("Kind", "Arithmetic")
    builder.says("broadcasting: sizes 3 and 2 in dimension 1 differ, and neither is 1")


@pytest.mark.thorough
def test_a_matrix_product_and_a_loss(page: Gradtape) -> None:
    builder = Builder(page).empty()
    builder.leaf("Matrix", Rows=2, Columns=3)
    builder.leaf("Vector", Entries=3)
    builder.tab("Operation")
    builder.click("x")
    builder.click("w")
    builder.chosen(lambda names: names == ["x", "w"], "both are chosen, in this order")
    builder.operation("Matrix", "matrix product")
    builder.operation("Reduce", "mean")
    builder.gradient("Backward")
    builder.press(re.compile("^Add"))
    assert builder.lines()[3:] == ["y = x @ w", "z = y.mean()", "z.backward()"]
    assert page.page.evaluate("window.__gradtapePlayer.find('z').length") == 1


def test_an_expression_without_a_name_gets_one_when_it_is_used(page: Gradtape) -> None:
    builder = Builder(page)
    page.set_code("import torch\na = torch.tensor([1., 2.], requires_grad=True)\nb = (3 * a) + 1\n")
    page.until(lambda: int(page.player.get_attribute("data-nodes") or 0) == 3, "the graph")
    builder.settled()
    builder.tab("Operation")
    product = page.page.evaluate("window.__gradtapePlayer.find('3 ×')[0] ?? window.__gradtapePlayer.find('× 3')[0]")
    spot = page.page.evaluate("id => window.__gradtapePlayer.screen(id)", product)
    page.page.mouse.click(spot["x"], spot["y"])
    page.until(lambda: "3 * a" in " ".join(builder.operands()), "the expression is chosen")
    builder.settled()
    builder.operation("Function", "relu")
    assert builder.lines()[2:] == ["u = 3 * a", "b = u + 1", "y = torch.relu(u)"]


@pytest.mark.thorough
def test_changes_are_taken_back_and_made_again(page: Gradtape) -> None:
    builder = Builder(page).empty()
    builder.leaf("Number")
    once = page.code()
    builder.operation("Arithmetic", "power")
    twice = page.code()
    builder.press("Undo")
    assert page.code() == once
    builder.press("Undo")
    assert page.code().strip() == "import torch"
    builder.press("Redo")
    builder.press("Redo")
    assert page.code() == twice
    assert builder.root.get_by_role("button", name="Redo").is_disabled()


@pytest.mark.thorough
def test_names_and_lines_are_changed_and_removed(page: Gradtape) -> None:
    builder = Builder(page).empty()
    builder.leaf("Vector", Entries=2)
    builder.operation("Function", "exp")
    builder.change("Delete a tensor")
    builder.choose("Tensor", "x [2]")
    builder.says("x is used in line 3.")
    builder.choose("Tensor", "y [2]")
    builder.press(re.compile("^Delete"))
    assert builder.lines()[1:] == ["x = torch.tensor([1., 2.], requires_grad=True)"]
    builder.operation("Arithmetic", "a · number")
    builder.change("Lines without gradients")
    builder.press(re.compile("^Put"))
    assert builder.lines()[2:] == ["with torch.no_grad():", "    y = x * 2"]


@pytest.mark.thorough
def test_entries_are_edited_in_a_grid(page: Gradtape) -> None:
    builder = Builder(page).empty()
    builder.leaf("Matrix", Rows=2, Columns=2)
    builder.change("Entries of a leaf")
    grid = builder.root.get_by_test_id("data-grid-canvas")
    grid.wait_for()
    page.until(lambda: (grid.bounding_box() or {"height": 0})["height"] > 90, "a head and two rows")
    builder.settled()
    field = page.page.locator(".gdg-input")

    def opened() -> bool:
        """The lower right entry is open for typing; what is above the grid may still have moved it."""
        box = grid.bounding_box()
        assert box is not None
        page.page.mouse.click(box["x"] + box["width"] * 0.75, box["y"] + box["height"] - 12)
        page.page.wait_for_timeout(300)
        page.page.keyboard.press("Enter")
        page.page.wait_for_timeout(300)
        return field.is_visible() and field.input_value() == "4"

    page.until(opened, "the entry can be typed into")
    page.page.keyboard.type("8.5", delay=60)
    assert field.input_value() == "8.5"
    page.page.keyboard.press("Enter")
    builder.settled()
    builder.press(re.compile("^Write"))
    assert builder.lines()[1] == "x = torch.tensor([[1., 2.], [3., 8.5]], requires_grad=True)"


@pytest.mark.thorough
def test_gradients_are_kept_zeroed_and_stepped(page: Gradtape) -> None:
    builder = Builder(page).empty()
    builder.leaf("Vector", Entries=2)
    builder.operation("Arithmetic", "power")
    builder.operation("Reduce", "sum")
    builder.gradient("Backward")
    builder.press(re.compile("^Add"))
    builder.gradient("Keep a result's gradient")
    builder.choose("Result", "y [2]")
    builder.press(re.compile("^Add"))
    builder.gradient("A step by hand")
    builder.press(re.compile("^Add"))
    builder.gradient("Zero the gradients")
    builder.press(re.compile("^Add"))
    assert builder.lines()[1:] == [
        "x = torch.tensor([1., 2.], requires_grad=True)",
        "y = x ** 2",
        "y.retain_grad()",
        "z = y.sum()",
        "z.backward()",
        "with torch.no_grad():",
        "    x -= 0.1 * x.grad",
        "    x.grad.zero_()",
        "x.grad.zero_()",
    ]


@pytest.mark.thorough
def test_writing_in_place_warns(page: Gradtape) -> None:
    builder = Builder(page).empty()
    builder.leaf("Vector", Entries=2)
    builder.tab("Operation")
    builder.choose("Kind", "In place")
    builder.says("x is a leaf that requires grad: it may be written only inside torch.no_grad()")
    builder.root.get_by_text("in no_grad").click()
    builder.settled()
    builder.press(re.compile("^multiply by number"))
    assert builder.lines()[2:] == ["with torch.no_grad():", "    x.mul_(2)"]


def test_everything_can_be_reached_with_the_keyboard(page: Gradtape) -> None:
    builder = Builder(page).empty()
    builder.root.get_by_role("button", name="New").focus()
    for _ in range(40):
        page.page.keyboard.press("Tab")
        name = page.page.evaluate("document.activeElement.innerText")
        if name and name.startswith("Add"):
            break
    before = page.code()
    page.page.keyboard.press("Enter")
    page.until(lambda: page.code() != before, "Enter presses Add")


@pytest.mark.thorough
def test_no_control_is_cut_off(fresh: Gradtape) -> None:
    builder = Builder(fresh)
    for look in fresh.looks():
        for tab in ("Leaf", "Operation", "Gradient", "Change"):
            builder.tab(tab)
            frame = fresh.page.locator(".st-key-program").bounding_box()
            assert frame is not None
            for box in builder.root.locator("button, input").evaluate_all(SPANS):
                inside = box["left"] >= frame["x"] and box["right"] <= frame["x"] + frame["width"]
                assert inside, f"{tab}, {look}: {box['text']}"
            scrolls = fresh.page.evaluate("(e => e.scrollWidth - e.clientWidth)(document.querySelector('.st-key-program'))")
            assert scrolls <= 1, f"{tab} scrolls sideways, {look}"
