"""The operator's lines count what happened, and say nothing of what anybody wrote."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from typing import Any

import pytest

from engine.sandbox import run
from engine.serving.metrics import MINUTE, RUNS, Metrics, status_of, to_stderr
from engine.serving.pool import Busy, Pool


@dataclass
class Ticket:
    """A run that has finished."""

    value: Any = None
    failure: BaseException | None = None
    cancelled: bool = False
    session: str = "0a1b2c3d"
    waited: float = 0.0
    seconds: float = 0.01


@dataclass
class Result:
    status: str
    recording: Any = None


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What has been written, as it is written."""
    found: list[dict[str, Any]] = []

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            found.append(json.loads(record.getMessage()))

    monkeypatch.setattr(RUNS, "handlers", [Handler()])
    monkeypatch.setattr(RUNS, "level", logging.INFO)
    RUNS.manager._clear_cache()  # type: ignore[attr-defined]
    return found


@pytest.mark.parametrize(
    ("ticket", "status"),
    [
        (Ticket(Result("ok")), "ok"),
        (Ticket(Result("timeout")), "timeout"),
        (Ticket(Result("secret text of a program")), "failed"),
        (Ticket("some other work's result"), "ok"),
        (Ticket(failure=ValueError("secret")), "failed"),
        (Ticket(failure=Busy("full")), "busy"),
        (Ticket(Result("ok"), cancelled=True), "cancelled"),
    ],
)
def test_how_a_run_ended_is_one_of_our_own_words(ticket: Ticket, status: str) -> None:
    assert status_of(ticket) == status


def test_a_run_makes_a_line_without_its_text(lines: list[dict[str, Any]]) -> None:
    secret = "print('my secret', 42 * 'x')\nraise ValueError('hidden')"
    pool = Pool(2, 10, 10, observer=Metrics())
    pool.submit("0a1b2c3d", lambda stop: run(secret, stop=stop)).result(60)
    pool.close()
    (line,) = lines
    assert set(line) == {"kind", "session", "status", "seconds", "waited", "events"}
    assert (line["kind"], line["session"], line["status"]) == ("run", "0a1b2c3d", "error")
    assert line["events"] > 0
    assert not any(word in json.dumps(line) for word in ("secret", "hidden", "ValueError", "print"))


def test_a_busy_minute_is_summed_up(lines: list[dict[str, Any]]) -> None:
    now = 0.0
    metrics = Metrics(lambda: now)
    for k in range(100):
        metrics.finished(Ticket(Result("timeout" if k < 10 else "ok"), waited=k / 100, seconds=0.0), queue=3)
    metrics.finished(Ticket(cancelled=True), queue=3)
    metrics.finished(Ticket(failure=ValueError()), queue=3)
    metrics.refused(queue=3)
    now = MINUTE + 0.5
    metrics.finished(Ticket(Result("crashed"), waited=0.5, seconds=0.0), queue=7)
    (summary,) = (line for line in lines if line["kind"] == "minute")
    counted = {k: summary[k] for k in ("over", "runs", "refused", "timeouts", "crashed", "cancelled", "queue")}
    assert counted == {"over": 60.5, "runs": 103, "refused": 1, "timeouts": 10, "crashed": 2, "cancelled": 1, "queue": 7}
    assert 0.4 < summary["p50"] < 0.6
    assert 0.9 < summary["p95"] < 1.0


def test_an_idle_minute_is_not_summed_up_and_the_next_begins_anew(lines: list[dict[str, Any]]) -> None:
    now = 0.0
    metrics = Metrics(lambda: now)
    metrics.finished(Ticket(Result("ok")), queue=0)
    assert [line["kind"] for line in lines] == ["run"]
    for minute in (1, 2):
        now = minute * MINUTE
        metrics.finished(Ticket(Result("ok")), queue=0)
    assert [line["runs"] for line in lines if line["kind"] == "minute"] == [2, 1]


def test_the_log_goes_to_stderr_once(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RUNS, "handlers", [])
    monkeypatch.setattr(RUNS, "propagate", True)
    monkeypatch.setattr(RUNS, "level", logging.NOTSET)
    RUNS.manager._clear_cache()  # type: ignore[attr-defined]
    to_stderr()
    to_stderr()
    Metrics().finished(Ticket(Result("ok")), queue=0)
    written = capsys.readouterr().err.splitlines()
    assert len(written) == 1
    assert json.loads(written[0])["status"] == "ok"
