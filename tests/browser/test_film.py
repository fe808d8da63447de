"""What is played is filmed by the browser, and saved as a video."""

from __future__ import annotations

import base64

import pytest

from tests.browser.conftest import Gradtape

pytestmark = pytest.mark.browser

PROGRAM = """import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x * 3).sum()
y.backward()
"""
WATCHED = """async (source) => {
    const video = document.createElement('video');
    video.muted = true;
    video.src = source;
    await new Promise((resolve) => video.addEventListener('loadedmetadata', resolve, { once: true }));
    const seek = (time) => new Promise((resolve) => {
        video.addEventListener('seeked', resolve, { once: true });
        video.currentTime = time;
    });
    const { duration } = video;
    const sought = [];
    for (const share of [0.75, 0.25]) {
        await seek(share * duration);
        sought.push(video.currentTime / duration);
    }
    await seek(0);
    await video.play();
    const sheet = document.createElement('canvas');
    [sheet.width, sheet.height] = [video.videoWidth, video.videoHeight];
    const context = sheet.getContext('2d');
    const look = () => {
        context.drawImage(video, 0, 0);
        return context.getImageData(0, 0, sheet.width, sheet.height).data.join();
    };
    const first = look();
    while (!video.ended) await new Promise((resolve) => setTimeout(resolve, 50));
    return { width: sheet.width, height: sheet.height, moved: look() !== first, duration, sought, ended: video.currentTime };
}"""
"""A video is watched to its end: how large and long it is, whether its last picture is another than its first, and where one
is who seeks."""


def test_what_is_played_is_saved_as_a_video_under_the_programs_title(fresh: Gradtape) -> None:
    tab = fresh.page
    fresh.run(PROGRAM)
    title = tab.get_by_role("textbox", name="Title")
    title.fill("Two <b>sums</b>")
    title.press("Enter")
    fresh.settled()
    tab.get_by_label("Playback speed").select_option("5")
    area = tab.locator(".player .canvas").bounding_box()
    assert area is not None
    with tab.expect_download() as saved:
        tab.get_by_role("button", name="Film what is played").click()
        tab.get_by_role("button", name="End the film").wait_for()
    assert saved.value.suggested_filename == "two-b-sums-b.webm"
    assert fresh.step == fresh.total - 1
    assert "Saved two-b-sums-b.webm" in tab.locator(".player .notice").inner_text()
    assert tab.get_by_role("button", name="Film what is played").get_attribute("aria-pressed") == "false"

    film = saved.value.path().read_bytes()
    assert film.startswith(b"\x1aE\xdf\xa3")  # what every WebM begins with
    other = tab.context.new_page()
    seen = other.evaluate(WATCHED, f"data:video/webm;base64,{base64.b64encode(film).decode()}")
    assert abs(seen["width"] - area["width"]) <= 2
    assert area["height"] + 40 < seen["height"] < area["height"] + 52
    assert seen["moved"]
    assert 0 < seen["duration"] < 600, "it says how long it is"
    assert seen["sought"] == pytest.approx([0.75, 0.25], abs=0.01)
    assert seen["ended"] == pytest.approx(seen["duration"], abs=0.2)


def test_a_film_ends_where_one_pauses(fresh: Gradtape) -> None:
    tab = fresh.page
    fresh.run(PROGRAM)
    tab.get_by_label("Playback speed").select_option("0.5")
    with tab.expect_download() as saved:
        tab.get_by_role("button", name="Film what is played").click()
        fresh.until(lambda: fresh.step > 0 and fresh.step < fresh.total - 1, "it plays")
        tab.get_by_role("button", name="End the film").click()
    assert fresh.step < fresh.total - 1
    assert saved.value.suggested_filename.endswith(".webm")
