"""Calls of scikit-learn, and how what they give is told in few numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

TEXTS = """
D.make_moons(random_state=0)
D.make_moons(101, noise=0.1, random_state=3)
D.make_moons((3, 5), shuffle=False)
D.make_circles(50, noise=0.05, factor=0.4, random_state=1)
D.make_circles(factor=2)
D.make_blobs(random_state=0)
D.make_blobs(100, centers=4, cluster_std=0.5, random_state=42)
D.make_blobs([3, 4, 5], random_state=1)
D.make_blobs(10, centers=[[0, 0], [1, 1.0]], cluster_std=[0.1, 0.2], random_state=1)
D.make_blobs(10, n_features=3, return_centers=True, random_state=2)
D.make_classification(random_state=0)
D.make_classification(200, 10, n_informative=5, n_redundant=2, n_repeated=1, n_classes=3, random_state=1)
D.make_classification(50, 2, n_informative=2, n_redundant=0, n_clusters_per_class=1, random_state=7)
D.make_classification(50, 40, n_informative=35, shift=None, scale=None, hypercube=False, weights=[0.2], random_state=7)
D.make_classification(n_informative=1)
D.make_classification(n_features=2)
D.make_regression(random_state=0)
D.make_regression(50, 3, noise=2.0, coef=True, random_state=1)
D.make_swiss_roll(20, noise=0.1, random_state=0)
D.make_s_curve(20, noise=0.1, random_state=0)
D.make_friedman1(20, noise=0.1, random_state=0)
D.make_gaussian_quantiles(n_samples=20, random_state=0)
D.load_iris(return_X_y=True)
list(D.load_iris().target_names) + D.load_iris().feature_names
D.load_digits().data.shape
D.load_wine().data.shape
D.load_breast_cancer().data.shape
list(D.load_breast_cancer().feature_names)
D.load_diabetes().data.shape
M.train_test_split(X, y, random_state=0)
M.train_test_split(X, y, test_size=0.2, random_state=42)
M.train_test_split(X, L, test_size=5, random_state=1)
M.train_test_split(X, train_size=0.3, random_state=1)
M.train_test_split(X, y, shuffle=False)
M.train_test_split(X, y, stratify=y, test_size=0.3, random_state=4)
M.train_test_split(X, test_size=0.2, train_size=0.5, random_state=0)
M.train_test_split(X, y[:3])
M.train_test_split(X, test_size=1.5)
M.train_test_split(X, test_size=40)
M.train_test_split(X, test_size=0.7, train_size=0.5)
M.train_test_split()
M.train_test_split(X, y, stratify=y, shuffle=False)
M.train_test_split(X, y, stratify=y, test_size=2)
M.train_test_split([1], test_size=0.5)
list(M.KFold(5).split(X))
list(M.KFold(4, shuffle=True, random_state=2).split(X))
list(M.StratifiedKFold(3).split(X, y))
list(M.StratifiedKFold(3, shuffle=True, random_state=0).split(X, y))
repr(M.KFold(3))
M.KFold(1)
list(M.KFold(50).split(X))
P.StandardScaler().fit_transform(X)
P.StandardScaler().fit(X).inverse_transform(X)
P.StandardScaler(with_mean=False).fit_transform(Z)
P.StandardScaler().fit_transform(X.astype('f4'))
P.StandardScaler().transform(X)
P.StandardScaler().fit_transform(y)
repr(P.StandardScaler(with_mean=False))
P.MinMaxScaler().fit_transform(X)
P.MinMaxScaler((-1, 1)).fit_transform(Z)
P.MinMaxScaler((-1, 1)).fit(X).inverse_transform(X)
P.MinMaxScaler((1, 1)).fit(X)
P.MaxAbsScaler().fit_transform(X)
P.LabelEncoder().fit_transform(w)
P.LabelEncoder().fit(w).inverse_transform([0, 2]).tolist()
P.LabelEncoder().fit(w).transform(['z'])
P.OneHotEncoder().fit_transform(w.reshape(-1, 1)).toarray()
P.OneHotEncoder(sparse_output=False, drop='first').fit_transform(w.reshape(-1, 1))
P.OneHotEncoder().fit(w)
P.OneHotEncoder(handle_unknown='ignore').fit(w[:, None]).transform([['z']]).toarray()
P.LabelBinarizer().fit_transform(w)
P.label_binarize([0, 2], classes=[0, 1, 2])
P.normalize(X)
P.normalize(X, 'l1', axis=0)
P.scale(X)
P.minmax_scale(X)
S.accuracy_score(t, p)
S.accuracy_score(t, p, normalize=False)
S.confusion_matrix(t, p)
S.confusion_matrix(t, p, normalize='true')
S.precision_score(b, q)
S.recall_score(b, q)
S.f1_score(b, q)
S.f1_score(t, p)
S.f1_score(t, p, average='macro')
S.f1_score(t, p, average='weighted')
S.f1_score(t, p, average='micro')
S.precision_recall_fscore_support(t, p)
S.classification_report(t, p)
S.classification_report(b, q, target_names=['no', 'yes'], digits=3)
S.classification_report(t, p, output_dict=True)['macro avg']['recall']
S.mean_squared_error(f, g)
S.mean_squared_error([[1, 2], [3, 4]], [[1, 1], [2, 2]], multioutput='raw_values')
S.root_mean_squared_error(f, g)
S.mean_absolute_error(f, g)
S.r2_score(f, g)
S.roc_auc_score(b, s)
S.log_loss(b, s)
S.balanced_accuracy_score(t, p)
S.accuracy_score(t, p[:3])
S.accuracy_score(t, f)
C.PCA(2).fit_transform(D.load_iris().data)
C.PCA().fit(X).explained_variance_ratio_
C.PCA(0.95).fit(D.load_iris().data).n_components_
C.PCA(2, whiten=True).fit_transform(D.load_iris().data)
C.PCA(3).fit(D.load_iris().data).singular_values_
C.PCA(2).fit(D.load_iris().data).noise_variance_
C.PCA(2).fit(D.load_iris().data).components_
C.PCA(2).fit(D.load_iris().data).get_covariance()
C.PCA(2, whiten=True).fit(D.load_iris().data).inverse_transform(np.eye(2))
C.PCA(2).transform(D.load_iris().data)
C.PCA(5, svd_solver="full").fit(D.load_iris().data)
repr(C.PCA(n_components=2, whiten=True))
E.LinearRegression().fit(X, y).coef_
E.LinearRegression().fit(X, y).intercept_
E.LinearRegression().fit(X, X[:, :2] * 2).predict(X)
E.LinearRegression(fit_intercept=False).fit(X, y).score(X, y)
E.LinearRegression().fit(X, y, sample_weight=np.arange(37)).predict(X)
E.LinearRegression().fit(X, y).rank_
E.LinearRegression().predict(X)
E.LinearRegression().fit(X, y[:3])
E.LinearRegression().fit(X, y).predict(X[:, :2])
repr(E.LinearRegression(fit_intercept=False))
E.Ridge(0.5).fit(X, y).predict(X)
E.Ridge(alpha=2.0, fit_intercept=False).fit(X, y[:, None]).coef_
E.LogisticRegression().fit(X, y).predict(X)
E.LogisticRegression().fit(X, y > 0).predict(X)
E.LogisticRegression().fit(X, y > 0).score(X, y > 0)
E.LogisticRegression(C=10.0, fit_intercept=False).fit(*D.load_iris(return_X_y=True)).predict(D.load_iris().data)
E.LogisticRegression().fit(D.load_iris().data, w[[0] * 50 + [1] * 50 + [2] * 50]).predict(D.load_iris().data[::50]).tolist()
E.LogisticRegression().fit(X, y * 0)
repr(E.LogisticRegression(C=2.0, max_iter=500))
P.PolynomialFeatures().fit_transform(X)
P.PolynomialFeatures(3, include_bias=False).fit_transform(X)
P.PolynomialFeatures((2, 3)).fit(X).get_feature_names_out().tolist()
P.PolynomialFeatures(interaction_only=True).fit(X).powers_
P.PolynomialFeatures().fit(X).n_output_features_
P.PolynomialFeatures().fit(X).get_feature_names_out(["a", "b", "c"]).tolist()
P.PolynomialFeatures().transform(X)
P.PolynomialFeatures().fit(X).transform(X[:, :2])
P.PolynomialFeatures(0, include_bias=False).fit(X)
repr(P.PolynomialFeatures(degree=3))
""".strip().splitlines()


def given() -> dict[str, Any]:
    """The names in them: features, classes, lists, predictions."""
    random = np.random.RandomState(0)
    X = random.randn(37, 3)  # noqa: N806
    t = random.randint(0, 3, 60)
    p = np.where(random.rand(60) < 0.7, t, 1)
    f = random.randn(60)
    return {
        "X": X, "Z": np.concatenate([X[:, :1], np.full((37, 1), 2.0), X[:, 2:]], 1), "y": random.randint(0, 3, 37),
        "L": list(range(37)), "w": np.array(["b", "a", "c", "a"]), "t": t, "p": p, "b": (t > 0).astype(int),
        "q": (p > 0).astype(int), "s": random.rand(60).round(1), "f": f, "g": f + 0.1 * random.rand(60),
    }  # fmt: skip


def digest(code: Callable[[], Any]) -> Any:
    """Texts as they are, an error as its words, of arrays the shape, the sum, and the sum weighted by position."""
    try:
        return told(code())
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def told(result: Any) -> Any:
    if isinstance(result, str):
        return result
    if isinstance(result, (tuple, list)) and any(not np.isscalar(part) for part in result):
        return [told(part) for part in result]
    if isinstance(result, (tuple, list)) and result and isinstance(result[0], str):
        return " ".join(map(str, result))
    values = np.asarray(result, np.float64)
    weights = np.arange(1, values.size + 1).reshape(values.shape)
    return [list(values.shape), round(float(values.sum()), 6), round(float((values * weights).sum()), 4)]
