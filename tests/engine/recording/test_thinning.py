"""How closely each iteration is recorded: the decisions, without any program."""

from __future__ import annotations

from itertools import pairwise

from engine.recording.thinning import FIRST, Level, Thinning, Turns, Used, Window

MOST = 10_000
COST: dict[Level, int] = {"whole": 60, "thin": 15, "silent": 0}
UNIT = (7, 0, 0)


def levels(iterations: int, most: int = MOST, known: bool = False, thinning: Thinning | None = None) -> list[Level]:
    """The levels of a loop's iterations, each of which makes as many events as its level does."""
    decides = thinning or Thinning(most)
    decides.trained = (UNIT,)
    turns = decides.turns(UNIT)
    count, found, level = 0, [], "whole"
    for k in range(iterations):
        decides.counted(turns, count)
        left = iterations - k if known else None
        level = decides.began([turns], Used(count / most), last=left == 1, left=left) or level
        found.append(level)
        count += COST[level] + (len(found) > 1 and found[-2] != level)
    assert count <= most
    return found


def test_everything_is_whole_until_half_of_the_room_is_used_up() -> None:
    found = levels(1_000)
    assert found.index("thin") == -(-MOST // 2 // COST["whole"])
    assert levels(83) == ["whole"] * 83


def test_of_the_others_one_in_so_many_stays_whole() -> None:
    found = levels(150)
    whole = [k for k, level in enumerate(found) if level == "whole" and k >= found.index("thin")]
    assert whole == [k for k in range(found.index("thin"), 150) if k % 2**FIRST == 0]


def test_a_loop_without_end_is_sampled_to_its_end() -> None:
    found = levels(200_000)
    seen = [k for k, level in enumerate(found) if level != "silent"]
    assert seen[-1] > 150_000
    gaps = [b - a for a, b in pairwise(seen)]
    assert gaps[-1] > 10_000 > gaps[0]


def test_a_loop_whose_length_is_known_is_sampled_evenly_and_its_last_iteration_is_whole() -> None:
    found = levels(5_000, known=True)
    seen = [k for k, level in enumerate(found) if level != "silent"]
    assert found[-1] == "whole"
    assert max(b - a for a, b in pairwise(seen)) < 60


def test_what_happens_makes_the_next_iterations_whole() -> None:
    decides = Thinning(MOST)
    decides.trained = (UNIT,)
    turns = decides.turns(UNIT)

    def level(room: float) -> Level | None:
        decides.counted(turns, 100)
        return decides.began([turns], Used(room))

    for _ in range(40):
        level(0.1)
    assert [level(0.5) for _ in range(3)] == ["thin"] * 3
    decides.alarm("NaN")
    assert [level(0.5) for _ in range(3)] == ["whole", "whole", "thin"]


def test_the_unit_is_the_loop_around_the_last_backward_pass() -> None:
    decides = Thinning(100)
    epochs, batches, layers = (decides.turns((line, 0, 0)) for line in (1, 2, 3))
    decides.trained = (epochs.key, batches.key)
    assert decides.began([epochs], Used(0.1)) is None
    decides.counted(epochs, 60)
    assert decides.began([epochs], Used(0.6)) == "whole"
    for _ in range(2):
        decides.counted(batches, 60)
        level = decides.began([epochs, batches], Used(0.6))
    assert level == "thin"
    assert decides.unit is batches
    assert decides.began([epochs, batches, layers], Used(0.6)) is None  # it is a part of its batch
    assert decides.after([epochs]) == "whole"  # what stands around the batches is as their epoch


def test_without_backward_passes_the_unit_is_the_loop_with_most_events() -> None:
    decides = Thinning(100)
    setup, steps = decides.turns((1, 0, 0)), decides.turns((2, 0, 0))
    for turns, count in ((setup, 0), (setup, 2), (steps, 4), (steps, 30), (steps, 60)):
        decides.counted(turns, count)
    decides.began([steps], Used(0.6))
    assert decides.unit is steps


def test_a_slow_program_is_recorded_thinly_before_its_time_is_up() -> None:
    decides = Thinning(MOST)
    turns = decides.turns(UNIT)
    found = []
    for time in (0.1, 0.39, 0.45, 0.46, 0.8):
        decides.counted(turns, 10)
        found.append(decides.began([turns], Used(0.01, time=time)))
    assert found[:2] == [None, None]
    assert set(found[2:]) <= {"thin", "silent"}


def test_arrays_that_are_kept_make_iterations_thin_but_never_silent() -> None:
    decides = Thinning(MOST)
    turns = decides.turns(UNIT)
    found = []
    for _ in range(64):
        decides.counted(turns, 10)
        found.append(decides.began([turns], Used(0.2, kept=1.0)))
    assert set(found) == {"thin", "whole"}


def test_a_window_is_whole_and_the_run_is_over_after_it() -> None:
    thinning = Thinning(MOST, Window(UNIT, 900, 902))
    found = levels(903, thinning=thinning)
    assert [k for k, level in enumerate(found) if level == "whole"] == [0, 900, 901, 902]
    assert "thin" in found[:900]
    turns: Turns = thinning.turns(UNIT)
    thinning.counted(turns, 100)
    thinning.began([turns], Used(0.1))
    assert thinning.over
