"""`sklearn.metrics`: how good predictions are."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

__all__ = [
    "accuracy_score", "balanced_accuracy_score", "classification_report", "confusion_matrix", "f1_score", "log_loss",
    "mean_absolute_error", "mean_squared_error", "precision_recall_fscore_support", "precision_score", "r2_score",
    "recall_score", "roc_auc_score", "root_mean_squared_error",
]  # fmt: skip

Array = Any


class UndefinedMetricWarning(UserWarning):
    """A score divides by nothing."""

    __module__ = "sklearn.exceptions"


def _pair(y_true: Any, y_pred: Any) -> tuple[Array, Array]:
    """Both as arrays of equal length.

    Raises:
        ValueError: if they are not.
    """
    true, predicted = np.asarray(y_true), np.asarray(y_pred)
    if len(true) != len(predicted):
        raise ValueError(f"Found input variables with inconsistent numbers of samples: [{len(true)}, {len(predicted)}]")
    return true, predicted


def _classes(y_true: Any, y_pred: Any) -> tuple[Array, Array]:
    true, predicted = _pair(y_true, y_pred)
    kinds = [_kind(a) for a in (true, predicted)]
    if "continuous" in kinds:
        told = f"Classification metrics can't handle a mix of {kinds[0]} and {kinds[1]} targets"
        raise ValueError("continuous is not supported" if kinds[0] == kinds[1] else told)
    return true.reshape(-1), predicted.reshape(-1)


def _kind(labels: Array) -> str:
    """What scikit-learn calls such labels."""
    if labels.dtype.kind == "f" and (labels != labels.astype(int)).any():
        return "continuous"
    return "multiclass" if len(np.unique(labels)) > 2 else "binary"


def accuracy_score(y_true: Any, y_pred: Any, *, normalize: bool = True, sample_weight: Any = None) -> float:
    """The part of predictions that are right, or their number."""
    true, predicted = _classes(y_true, y_pred)
    right = (true == predicted).astype(np.float64)
    if not normalize:
        return float(right.sum() if sample_weight is None else np.dot(right, sample_weight))
    return float(np.average(right, weights=sample_weight))


def confusion_matrix(y_true: Any, y_pred: Any, *, labels: Any = None, normalize: str | None = None) -> Array:
    """How many of each class (rows) were taken for which (columns)."""
    true, predicted = _classes(y_true, y_pred)
    known = np.unique(np.concatenate([true, predicted])) if labels is None else np.asarray(labels)
    counts = np.array([[((true == row) & (predicted == column)).sum() for column in known] for row in known])
    if normalize is None:
        return counts
    with np.errstate(all="ignore"):
        axis = {"true": 1, "pred": 0, "all": None}[normalize]
        return np.nan_to_num(counts / counts.sum(axis, keepdims=True))


def precision_recall_fscore_support(y_true: Any, y_pred: Any, *, beta: float = 1.0, labels: Any = None, pos_label: Any = 1,
                                    average: str | None = None, zero_division: Any = "warn") -> tuple[Any, ...]:  # fmt: skip
    """Precision, recall, F score and count, of each class or averaged.

    Raises:
        ValueError: for an average that does not fit the classes.
    """
    true, predicted = _classes(y_true, y_pred)
    present = np.unique(np.concatenate([true, predicted]))
    known = present if labels is None else np.asarray(labels)
    if average == "binary":
        if len(present) > 2:
            raise ValueError(
                "Target is multiclass but average='binary'. Please choose another average setting, one of [None, 'micro', "
                "'macro', 'weighted']."
            )
        if pos_label not in present and len(present) >= 2:
            raise ValueError(f"pos_label={pos_label} is not a valid label. It should be one of {present.tolist()}")
        known = np.array([pos_label])
    hits = np.array([((true == c) & (predicted == c)).sum() for c in known], np.float64)
    claimed = np.array([(predicted == c).sum() for c in known], np.float64)
    support = np.array([(true == c).sum() for c in known])
    actual = support.astype(np.float64)
    if average == "micro":
        hits, claimed, actual = (np.array([part.sum()]) for part in (hits, claimed, actual))
    precision = _ratio(hits, claimed, "Precision", "predicted", zero_division)
    recall = _ratio(hits, actual, "Recall", "true", zero_division)
    score = _ratio((1 + beta**2) * hits, beta**2 * actual + claimed, "F-score", "true nor predicted", zero_division, quiet=True)
    if average is None:
        return precision, recall, score, support
    weights = actual if average == "weighted" and actual.sum() else None
    return (*(float(np.average(part, weights=weights)) for part in (precision, recall, score)), None)


def _ratio(above: Array, below: Array, name: str, what: str, zero_division: Any, quiet: bool = False) -> Array:
    nothing = below == 0
    filled = 0.0 if zero_division == "warn" else float(zero_division)
    if nothing.any() and zero_division == "warn" and not quiet:
        where = "due to" if len(below) == 1 else "in labels with"
        warnings.warn(
            f"{name} is ill-defined and being set to 0.0 {where} no {what} samples. Use `zero_division` parameter to control "
            "this behavior.",
            UndefinedMetricWarning,
            stacklevel=4,
        )
    return np.where(nothing, filled, above / np.where(nothing, 1, below))


def _score(which: int, y_true: Any, y_pred: Any, options: dict[str, Any]) -> Any:
    found = precision_recall_fscore_support(y_true, y_pred, **{"average": "binary", **options})
    return found[which]


def precision_score(y_true: Any, y_pred: Any, **options: Any) -> Any:
    """Of what was taken for a class, the part that is of it."""
    return _score(0, y_true, y_pred, options)


def recall_score(y_true: Any, y_pred: Any, **options: Any) -> Any:
    """Of what is of a class, the part that was taken for it."""
    return _score(1, y_true, y_pred, options)


def f1_score(y_true: Any, y_pred: Any, **options: Any) -> Any:
    """The harmonic mean of precision and recall."""
    return _score(2, y_true, y_pred, options)


def balanced_accuracy_score(y_true: Any, y_pred: Any) -> float:
    """The mean of the classes' recalls."""
    counts = confusion_matrix(y_true, y_pred)
    present = counts.sum(1) > 0
    return float((counts.diagonal()[present] / counts.sum(1)[present]).mean())


def classification_report(y_true: Any, y_pred: Any, *, labels: Any = None, target_names: Any = None, digits: int = 2,
                          output_dict: bool = False, zero_division: Any = "warn") -> Any:  # fmt: skip
    """Precision, recall, F score and count of each class, as a table or a dict."""
    true, predicted = _classes(y_true, y_pred)
    known = np.unique(np.concatenate([true, predicted])) if labels is None else np.asarray(labels)
    names = [str(c) for c in known] if target_names is None else [str(n) for n in target_names]
    if len(names) != len(known):
        raise ValueError(
            f"Number of classes, {len(known)}, does not match size of target_names, {len(names)}. Try specifying the labels "
            "parameter"
        )
    options = {"labels": known, "zero_division": zero_division}
    rows = list(zip(names, *precision_recall_fscore_support(true, predicted, **options), strict=True))
    averages = []
    total = int(np.isin(true, known).sum())
    for average in ("macro", "weighted"):
        found = precision_recall_fscore_support(true, predicted, average=average, **options)
        averages.append((f"{average} avg", *found[:3], total))
    accuracy = accuracy_score(true, predicted)
    if output_dict:
        keys = ("precision", "recall", "f1-score", "support")
        made = {name: {k: float(v) for k, v in zip(keys, row, strict=True)} for name, *row in (*rows, *averages)}
        first = dict(list(made.items())[: len(rows)])
        return first | {"accuracy": accuracy} | {k: v for k, v in made.items() if k not in first}
    width = max(*(len(n) for n in names), len("weighted avg"), digits)
    lines = [f"{'':>{width}s} " + "".join(f" {h:>9}" for h in ("precision", "recall", "f1-score", "support")), ""]

    def line(name: str, *row: Any) -> str:
        return f"{name:>{width}s} " + "".join(f" {v:>9.{digits}f}" for v in row[:3]) + f" {row[3]:>9}"

    lines += [line(*row) for row in rows] + [""]
    lines.append(f"{'accuracy':>{width}s} {'':>9} {'':>9}  {accuracy:>9.{digits}f} {total:>9}")
    return "\n".join([*lines, *(line(*row) for row in averages), ""])


# --- numbers ----------------------------------------------------------------------------------------------------------------


def _numbers(y_true: Any, y_pred: Any) -> tuple[Array, Array]:
    true, predicted = (a.astype(np.float64).reshape(len(a), -1) for a in _pair(y_true, y_pred))
    if true.shape != predicted.shape:
        raise ValueError(f"y_true and y_pred have different number of output ({true.shape[1]}!={predicted.shape[1]})")
    return true, predicted


def _averaged(errors: Array, multioutput: str) -> Any:
    return errors if multioutput == "raw_values" else float(np.average(errors))


def mean_squared_error(y_true: Any, y_pred: Any, *, sample_weight: Any = None, multioutput: str = "uniform_average") -> Any:
    """The mean of the squares of what predictions are off by."""
    true, predicted = _numbers(y_true, y_pred)
    return _averaged(np.average((true - predicted) ** 2, axis=0, weights=sample_weight), multioutput)


def root_mean_squared_error(y_true: Any, y_pred: Any, *, sample_weight: Any = None,
                            multioutput: str = "uniform_average") -> Any:  # fmt: skip
    """The root of it."""
    squares = mean_squared_error(y_true, y_pred, sample_weight=sample_weight, multioutput="raw_values")
    return _averaged(np.sqrt(squares), multioutput)


def mean_absolute_error(y_true: Any, y_pred: Any, *, sample_weight: Any = None, multioutput: str = "uniform_average") -> Any:
    """The mean of what predictions are off by."""
    true, predicted = _numbers(y_true, y_pred)
    return _averaged(np.average(np.abs(true - predicted), axis=0, weights=sample_weight), multioutput)


def r2_score(y_true: Any, y_pred: Any, *, sample_weight: Any = None, multioutput: str = "uniform_average") -> Any:
    """The part of the variance that predictions tell."""
    true, predicted = _numbers(y_true, y_pred)
    if len(true) < 2:
        warnings.warn("R^2 score is not well-defined with less than two samples.", UndefinedMetricWarning, stacklevel=2)
        return float("nan")
    weights = np.ones(len(true)) if sample_weight is None else np.asarray(sample_weight, np.float64)
    left = weights @ (true - predicted) ** 2
    spread = weights @ (true - np.average(true, axis=0, weights=weights)) ** 2
    flat = spread == 0
    scores = np.where(flat, np.where(left == 0, 1.0, 0.0), 1 - left / np.where(flat, 1, spread))
    return _averaged(scores, multioutput)


def roc_auc_score(y_true: Any, y_score: Any) -> float:
    """How often a score of the second class is above one of the first.

    Raises:
        ValueError: for another number of classes than two.
    """
    true, scores = _pair(y_true, y_score)
    classes = np.unique(true)
    if len(classes) > 2:
        raise ValueError("multi_class must be in ('ovo', 'ovr')")
    if len(classes) < 2:
        warnings.warn(
            "Only one class is present in y_true. ROC AUC score is not defined in that case.",
            UndefinedMetricWarning,
            stacklevel=2,
        )
        return float("nan")
    positive = true == classes[1]
    _, places, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[places]
    n, others = positive.sum(), (~positive).sum()
    return float((ranks[positive].sum() - n * (n + 1) / 2) / (n * others))


def log_loss(y_true: Any, y_pred: Any, *, labels: Any = None) -> float:
    """The mean of minus the logarithm of the right class's probability."""
    true, probs = _pair(y_true, y_pred)
    classes = np.unique(true) if labels is None else np.asarray(labels)
    probs = probs.astype(np.float64) if probs.dtype.kind != "f" else probs
    rows = np.stack([1 - probs, probs], 1) if probs.ndim == 1 else probs
    rows = np.clip(rows, np.finfo(rows.dtype).eps, 1 - np.finfo(rows.dtype).eps)
    return float(-np.log(rows[np.arange(len(true)), np.searchsorted(classes, true)]).mean())
