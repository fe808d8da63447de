"""What is wrong or odd about a run: rules over a recording, each a small function, in files by theme.

Every file of this folder is read: a rule is declared where it stands (`registry.rule`), and nothing else has to know of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from msgspec.structs import replace

from ...discovery import modules
from ...recording.levels import beginning
from ...recording.log import Events
from ...recording.recording import Recording
from ..ignoring import split
from ..over_iterations import over_iterations
from ..paths import paths_of
from ..reason import Finding
from ..run import Run, said
from .refusals import PROGRAM_ERROR
from .registry import Rule, everywhere, in_order
from .told import as_text, beside

__all__ = ["RULES", "explain", "findings", "ignored", "known_findings", "outcome"]

modules(__name__, __path__)
RULES: tuple[Rule, ...] = in_order()
"""The rules, in the order in which their findings matter where they are equally severe."""

CONSEQUENCES = {
    "leaf_overwritten": {"grad_is_none", "loss_not_connected", "non_leaf_in_optimizer", "none_used"},
    "grad_is_none": {"none_used", "grad_of_non_leaf"},
    "no_gradient": {"grad_of_non_leaf", "tensor_to_number"},
    "converted_leaf": {"grad_of_non_leaf"},
    "unused_create_graph": {"reference_cycle"},
    "nan": {"too_few_values"},
    "exhausted_parameters": {"clips_nothing", "no_zero_grad"},
    "function_returns_wrong": {"program_error"},
    "loss_recreated": {"stale_optimizer", "step_without_backward", "detached_parameter", "unused_parameter", "copied_tensor",
                       "tensor_to_number", "no_gradient"},
    "loss_not_connected": {"copied_tensor", "tensor_to_number"},
    "step_without_backward": {"unused_parameter"},
    "never_stepped": {"schedule_before_optimizer"},
    "growing_graph": {"needless_retain"},
    "stale_optimizer": {"late_parameter"},
    "copy_trained": {"unused_create_graph"},
    "late_parameter": {"unused_parameter", "detached_parameter"},
    "detached_parameter": {"unused_create_graph"},
    "gradients_returned": {"never_stepped", "step_without_backward"},
    "checkpoint_without_gradient": {"unused_parameter"},
    "wrong_optimizer": {"step_before_backward"},
    "single_score": {"zero_gradient", "zero_gradient_read"},
    "loss_lost": {"unused_parameter", "unused_result"},
    "compared_with_itself": {"zero_gradient", "zero_gradient_read"},
    "dead_relu": {"zero_gradient"},
    "saturated": {"zero_gradient"},
    "schedule_of_another": {"schedule_before_optimizer", "schedule_unused"},
    "returned_in_loop": {"unused_parameter"},
    "not_unscaled": {"diverging", "inf", "nan", "inf_gradient", "nan_gradient"},
    "mask_inverted": {"zero_gradient", "zero_gradient_read"},
    "gradient_cancels": {"zero_gradient", "zero_gradient_read"},
    "filled_after_softmax": {"diverging", "inf", "nan", "inf_gradient", "nan_gradient", "exploding_gradients"},
    "rounded_to_zero": {"zero_gradient", "zero_gradient_read", "dead_relu"},
    "zero_derivative": {"zero_gradient"},
    "symmetry": {"zero_gradient", "dead_relu"},
    "zero_product": {"symmetry", "zero_gradient", "zero_gradient_read"},
    "vanishing_gradients": {"zero_gradient"},
    "undivided_accumulation": {"diverging"},
    "made_in_forward": {"stale_optimizer"},
    "scaled_again": {"data_changed"},
    "ratio_is_one": {"old_computed_anew"},
    "mixed_apart": {"shuffled_apart"},
    "unused_adaptation": {"unused_result"},
}  # fmt: skip
"""Findings that say no more than that another one has taken effect."""

SEVERITIES = ("error", "warning", "hint")


def findings(recording: Recording, ignore: Collection[str] = ()) -> list[Finding]:
    """What is wrong or odd about a run, in the order in which it should be read. Computed once and kept on the recording.

    What a rule says of one place in many iterations is one finding.
    What explains the exception that ended the program comes first, then the gravest, equally grave ones in the order of
    `RULES`, those of one rule in the order of the run; last of the errors that time or memory were used up. Page, command
    line, replay and groups all show this order; none has one of its own. What a comment of the program ignores,
    `# gradtape: ignore[ID]`, is left out, as are the kinds in `ignore`.
    """
    return split(recording, _all(recording), ignore)[0]


def ignored(recording: Recording, ignore: Collection[str] = ()) -> list[Finding]:
    """What was found and is left out of the findings."""
    return split(recording, _all(recording), ignore)[1]


def _all(recording: Recording) -> list[Finding]:
    kept = recording.derived.get("findings")
    if kept is None:
        if isinstance(recording.events, Events):
            recording.events.ahead()  # the rules together look at nearly every piece
        run, whole = paths_of(recording).run, beginning(recording)
        early = None if whole is recording else paths_of(whole).run
        reported = [finding for rule in RULES for finding in sorted(_found(rule, run, early), key=lambda f: f.step)]
        reported = over_iterations(recording, _told(run, reported))
        kept = recording.derived["findings"] = sorted(reported, key=_gravity)
    answer: list[Finding] = kept
    return answer


def _gravity(found: Finding) -> tuple[bool, int, bool]:
    return not found.ends, SEVERITIES.index(found.severity), found.rule == PROGRAM_ERROR.id


def _told(run: Run, found: list[Finding]) -> list[Finding]:
    """Findings without those that say no more than another one. What ended the program is said by one finding at least: by that
    which explains it, by the cause that another one implies, or by that of an exception about nothing in particular."""
    kinds = {f.rule for f in found}
    implied = {rule for kind in kinds for rule in CONSEQUENCES.get(kind, ())}
    causes = {kind for kind in kinds for f in found if f.ends and f.rule in CONSEQUENCES.get(kind, ())}
    told = [
        replace(f, ends=True, evidence=(*(fact for fact in f.evidence if fact[0] != "error"), ("error", said(run))))
        if f.rule in causes and not f.ends
        else f
        for f in found
        if f.rule not in implied
    ]
    explained = any(f.ends and f.rule != PROGRAM_ERROR.id for f in told)
    return [f for f in told if f.rule != PROGRAM_ERROR.id or not explained]


def _found(rule: Rule, run: Run, early: Run | None) -> Iterator[Finding]:
    """What a rule finds, where it may look: in a run that has grown thinner, in what is held whole, from its `early` part."""
    if early is None or everywhere(rule):
        yield from rule(run)
        return
    for finding in rule(early):
        tensors = [int(key[1:]) for key in finding.nodes if key[:1] == "t"]
        # What got no gradient in the beginning may have got one later, which is known of the rest, too.
        if not any(early.tensors[t].ledger is None and run.tensors[t].ledger is not None for t in tensors):
            yield finding


def known_findings(recording: Recording) -> list[Finding] | None:
    """The findings if they have been computed, for those who do not wait for them."""
    return findings(recording) if "findings" in recording.derived else None


LONG = 100_000
"""Events from which on nobody waits for findings who has not asked for them."""


def findings_at_hand(recording: Recording) -> list[Finding]:
    """The findings for who would like to say what is among them; of a long recording those that have been computed."""
    if known_findings(recording) is None and len(recording.events) > LONG:
        return []
    return findings(recording)


def outcome(recording: Recording, ignore: Collection[str] = ()) -> list[str]:
    """What there is to say beside the findings of a run: that there are none, and how to go on; that some are ignored. Page,
    command line and replay all say this."""
    return beside(recording, findings(recording, ignore), ignored(recording, ignore))


def explain(recording: Recording, ignore: Collection[str] = ()) -> str:
    """The findings as plain text, with what there is to say beside them."""
    found = findings(recording, ignore)
    sentences = "".join(f"{each}\n" for each in outcome(recording, ignore))
    return "\n".join(part for part in (as_text(recording, found), sentences) if part)
