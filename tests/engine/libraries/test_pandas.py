"""The tables that stand for `pandas`: they compute and print what pandas does, and hold nothing but plain values."""

from __future__ import annotations

import contextlib
import io
import re
import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from engine.libraries import pandas as ours
from engine.program import Program
from engine.sandbox import run

BEGINS = """
df = pd.DataFrame(
    {"a": [1, -2, 3, 4], "b": [1.5, np.nan, 2.25, -3], "name": ["x", "yy", "w", "z"], "flag": [True, False, True, True]}
)
s = pd.Series([1, 2, 3], index=["p", "q", "r"], name="s")
"""
CASES = {
    "a table": "print(df, df.shape, df.columns.tolist(), len(df), df.size, df.empty, list(df), 'a' in df)",
    "a column": "print(df['a'], df.a.values, df['b'].tolist(), df['a'].dtype, df['b'].shape, df.dtypes)",
    "long and wide ones": """
print(pd.DataFrame(np.arange(300.).reshape(100, 3) / 7, columns=list("xyz")), pd.Series(np.arange(100)))
print(pd.DataFrame(np.arange(60).reshape(3, 20) * 1000, columns=[f"column{k}" for k in range(20)]))
print(pd.DataFrame(np.zeros((2, 2))), pd.DataFrame(np.ones((2, 2), np.float32)).dtypes)
print(pd.DataFrame(columns=["a", "b"]))
""",
    "small and large numbers": """
print(pd.DataFrame({"x": [1e-8, 1.0], "y": [1e9, 2.5], "z": [123456.789, 2.0], "w": [np.inf, 1.25], "v": [1e7, 1.0]}))
""",
    "parts": """
print(df.iloc[0], df.iloc[1:3, 0:2], df.loc[2, "a"], df.loc[:, "b"].values, df.iloc[:, -1].values, df.iloc[2, 1])
print(df[df["a"] > 1], df[["a", "b"]], df[1:3], df.head(2), df.tail(1), df.loc[df["a"] > 0, ["a", "name"]])
print(df.iloc[[0, 2]].shape)
print(df[(df.a > 0) & (df.b < 2)], df[~df.flag], df.loc[1], df.iat[0, 1], df.at[3, "name"], df.get("none"))
print(df[df.name.isin(["x", "z"])])
print(s["q"], s.iloc[-1], s.loc["p":"q"], s[s > 1], s[["r", "p"]], s[:2], "p" in s, s.index.tolist())
""",
    "written": """
df["c"] = df["a"] * 2 + df["b"]
df.loc[df["a"] < 0, "a"] = 0
df.loc[1, "b"] = 7
df.iloc[0, 0] = 9
df["k"], df["t"] = 1, "text"
df[["u", "v"]] = df[["a", "b"]] * 2
del df["k"]
df.insert(1, "m", [1, 2, 3, 4])
print(df.pop("m").tolist(), df)
df.columns = [name.upper() for name in df.columns]
df.A = df.A + 1
print(df)
rows = pd.DataFrame(columns=["epoch", "loss"])
rows.loc[0] = [1, 2.5]
rows.loc[len(rows)] = [2, 3.5]
print(rows)
s["new"] = 4
s.iloc[0] = 10
print(s)
""",
    "made of others": """
print(pd.DataFrame([{"a": 1, "b": 2.5}, {"a": 2}]))
print(pd.DataFrame([[1, 2.0], [3, 4.5]], columns=["x", "y"], index=["r", "t"]))
print(pd.DataFrame({"x": s, "y": 2}), pd.DataFrame(df, columns=["b", "a"]))
print(pd.DataFrame({"a": [1, 2]}, dtype=float), df.T.shape)
print(pd.concat([df[["a"]], df[["a"]]], ignore_index=True), pd.concat([df["a"], df["b"]], axis=1), pd.concat([s, s]))
print(df.copy()["a"].tolist(), s.to_frame(), s.to_dict(), df.to_dict("list"), df[["a"]].to_dict("records"))
print(pd.concat([df[["a", "b"]], df[["b"]]]), pd.Series({"a": 1, "b": 2.5}), pd.Series(3, index=[0, 1]))
print(pd.Series([True, False]))
""",
    "gaps": """
print(df.isna().sum(), df.fillna(0), df.dropna(), df["b"].isnull().any(), df.isnull().values.any())
print(pd.isna(np.nan), pd.notna(1))
print(df.b.fillna(df.b.mean()), df.dropna(subset=["b"]).index.tolist(), df["b"].dropna().tolist(), df.b.count())
print(df.b.notna())
""",
    "counted": """
print(df.describe(), df[["a", "b"]].mean(), df.mean(numeric_only=True), df[["a", "b"]].std(), df.max())
print(df["a"].sum(), df.a.var())
print(df.corr(numeric_only=True), df.nunique(), df["name"].value_counts(), df.flag.value_counts(normalize=True))
print(df.a.idxmax())
print(df[["a", "b"]].quantile(0.5), df.a.median(), df[["a", "b"]].sum(axis=1), df.a.describe(), df.a.unique())
print(round(df.a.corr(df.b), 9))
print(df[["a", "b"]].agg(["min", "max"]), df.a.agg("mean"), s.argmax(), df.a.nlargest(2), df.a.quantile([0.25, 0.75]))
""",
    "groups": """
print(df.groupby("flag")["a"].mean(), df.groupby("flag")[["a", "b"]].sum(), df.groupby("flag").size())
print(df.groupby("name").a.count())
print(df.groupby("flag").agg({"a": "sum", "b": "mean"}), df.groupby("flag")["a"].agg(["min", "max"]))
print(len(df.groupby("flag")))
print(df.groupby("flag").agg(most=pd.NamedAgg(column="a", aggfunc="max"), mean=("b", "mean")))
for key, part in df.groupby("flag"):
    print(key, part["a"].tolist())
print(df.groupby("flag", as_index=False)["a"].mean(), df.groupby("flag")["a"].transform("mean"))
print(df.groupby("flag").mean(numeric_only=True))
print(df.groupby("flag").get_group(True), df.groupby("flag")["a"].apply(lambda part: part.max() - part.min()))
""",
    "other rows and columns": """
print(df.sort_values("a", ascending=False), df.drop(columns=["name"]), df.drop("a", axis=1).shape)
print(df.drop([0, 1]), df.set_index("a"))
print(df.rename(columns={"a": "A"}).columns, df.reset_index().columns.tolist())
print(df[df.a > 1].reset_index(drop=True), df.sample(2, random_state=1))
print(df.sample(frac=1, random_state=3).index.tolist(), df.select_dtypes("number").columns.tolist())
print(df.drop_duplicates("flag"), s.sort_index(ascending=False))
print(df.sort_values(["flag", "a"]), df.assign(z=lambda d: d.a + 1).z.tolist(), s.reindex(["q", "no"]))
print(df.nlargest(2, "a"))
print(df.merge(pd.DataFrame({"a": [1, 3], "w": [7, 8]}), on="a"))
print(df.merge(pd.DataFrame({"a": [1], "b": [0]}), on="a", how="left"))
""",
    "arithmetic": """
x = df[["a", "b"]]
print((x - x.mean()) / x.std(), x * 2, 1 / s, s + s, s - s.mean(), -s, s ** 2, x + x, s == 2, s != s)
print((s > 1) & (s < 3), abs(df.a))
print(x.sub(1), s.add(s), s + pd.Series([1, 1], index=["q", "z"]), df["name"] + "!", df.name == "x", 3 - s)
print(x > 1, s // 2, s % 2)
print(np.sqrt(df["a"].abs()), np.array(s), np.mean(s), np.asarray(x).shape, sum(s), max(s), list(s))
print([v for v in s], x.values)
""",
    "functions": """
print(df.apply(lambda r: r["a"] + 1, axis=1), df["a"].apply(lambda v: v ** 2))
print(df[["a", "b"]].apply(lambda c: c.max() - c.min()))
print(df["name"].map({"x": 1, "yy": 2}), df["name"].map(len), df["flag"].astype(int))
print(df["a"].astype(str).tolist(), df.a.replace(3, 30))
print(df["name"].str.upper(), df["name"].str.len(), df.name.str.contains("y"), df.name.str.replace("y", "o"))
print(df["a"].clip(0, 2), df.b.round(1))
for i, row in df.iterrows():
    print(i, row["a"], row.name)
for row in df.itertuples():
    print(row.a, row[0], row.name, len(row))
for name, one in df.items():
    print(name, one.iloc[0])
""",
    "one after the other": """
print(s.rolling(2).mean(), s.shift(1), s.cumsum(), s.diff(), df.a.cummax(), df[["a"]].shift(1), s.pct_change(), df.a.rank())
""",
    "kinds of values": """
print(pd.get_dummies(df["name"]), pd.get_dummies(df, columns=["name"], dtype=float))
print(pd.get_dummies(df[["a", "name"]], drop_first=True))
print(pd.factorize(np.array([3, 1, 3]))[0], pd.to_numeric(pd.Series(["1", "2.5"])), pd.unique(df["flag"]))
print(pd.to_numeric(pd.Series(["1", "x"]), errors="coerce"))
""",
    "files": """
text = "id,x,name,when\\n1,2.5,ann,\\n2,,bob,3\\n3,4,NA,5\\n"
read = pd.read_csv(io.StringIO(text))
print(read, read.dtypes, read.isna().sum(), read.shape)
print(pd.read_csv(io.StringIO(text), usecols=["id", "x"], nrows=2))
print(pd.read_csv(io.StringIO(text), index_col="id"))
print(pd.read_csv(io.StringIO(text), index_col=2).index.tolist()[:2])
print(pd.read_csv(io.StringIO("1 2\\n3 4\\n"), sep=" ", header=None))
print(pd.read_csv(io.StringIO("1;2\\n3;4\\n"), sep=";", names=["a", "b"]))
print(pd.read_csv(io.StringIO("a  b\\n1   2\\n"), sep=r"\\s+"))
print(pd.read_csv(io.StringIO("# c\\na,b\\n1,\\"x, y\\"\\n"), skiprows=1))
print(pd.read_csv(io.StringIO("a,b\\n1,2\\n"), dtype={"a": float}))
print(pd.read_csv(io.StringIO(",a\\n0,1\\n1,2\\n")), pd.read_csv(io.StringIO("a\\tb\\n1\\t2\\n"), delimiter="\\t"))
print(pd.read_csv(io.StringIO("a,b\\nTrue,1e3\\nFalse,2\\n")).dtypes)
print(df.to_csv(index=False), df[["a", "b"]].to_csv(), s.to_frame().to_csv(sep=";"), df.to_string())
""",
}
ERRORS = {
    "a column that is not there": "df['no']",
    "a row that is not there": "df.loc[9]",
    "a place that is not there": "df.iloc[9]",
    "columns that are not there": "df[['a', 'no']]",
    "columns of several lengths": "pd.DataFrame({'a': [1, 2], 'b': [1]})",
    "a column that is too short": "df['z'] = [1, 2]",
    "a table as a truth value": "bool(df)",
    "a column as a truth value": "bool(s > 1)",
    "nothing to put together": "pd.concat([])",
    "a column that cannot go": "df.drop(columns=['no'])",
    "a file that is not there": "pd.read_csv('no.csv')",
    "scalars alone": "pd.DataFrame({'a': 1})",
    "a wrong number of names": "df.columns = ['a']",
    "an attribute that is not there": "df.no",
}


def printed(pandas: ModuleType, text: str) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(BEGINS + text, "<case>", "exec"), {"pd": pandas, "np": np, "io": io})
    # Texts are a kind of their own in pandas 3.
    return re.sub(r"\bstr\b(?=\n|'|$|,)|(?<=dtype: )str\b", "object", out.getvalue())


def plainly(text: str) -> list[list[str]]:
    """The words of each line: how far they stand from each other is looked at elsewhere."""
    return [line.split() for line in text.splitlines()]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CASES)
def test_it_prints_what_pandas_prints(name: str) -> None:
    real = pytest.importorskip("pandas", minversion="3")
    mine, its = printed(ours, CASES[name]), printed(real, CASES[name])
    if "object" not in its:
        assert mine == its
    assert plainly(mine) == plainly(its)


def error(pandas: ModuleType, text: str) -> BaseException:
    names: dict[str, Any] = {"pd": pandas, "np": np}
    exec(compile(BEGINS, "<case>", "exec"), names)
    with pytest.raises(Exception) as caught:  # noqa: PT011
        exec(compile(text, "<case>", "exec"), names)
    return caught.value


@pytest.mark.parametrize("name", ERRORS)
def test_it_refuses_as_pandas_does(name: str) -> None:
    real = pytest.importorskip("pandas", minversion="3")
    mine, its = error(ours, ERRORS[name]), error(real, ERRORS[name])
    assert isinstance(mine, tuple(kind for kind in type(its).__mro__[:-2])[-1])
    assert type(its).__name__ == type(mine).__name__


PROGRAM = """
import torch
import pandas as pd
import numpy as np
pd.set_option("display.max_rows", 5)
pd.options.display.max_columns = None
data = pd.read_csv("data/points.csv")
X = torch.tensor(data[["x", "y"]].values, dtype=torch.float32)
labels = torch.from_numpy(data["label"].to_numpy())
also = torch.tensor(data["x"]), torch.FloatTensor(data.y), torch.tensor(np.array(data.iloc[:, :2]))
print(X.shape, labels.dtype, [each.dtype for each in also], pd.DataFrame(X.numpy()).shape, pd.DataFrame(X).shape)
w = torch.zeros(2, requires_grad=True)
loss = ((X @ w - labels) ** 2).mean()
loss.backward()
history = []
history.append({"epoch": 1, "loss": loss.item()})
table = pd.DataFrame(history)
table.to_csv("history.csv", index=False)
print(pd.read_csv("history.csv"), open("history.csv").read(), w.grad)
"""


def test_a_program_reads_a_table_and_learns_from_it() -> None:
    files = (("data/points.csv", b"x,y,label\n1,2,1\n3,4.5,0\n"),)
    result = run(Program(cells=(PROGRAM,), files=files))
    assert result.status == "ok", result.error
    assert result.output == (
        "torch.Size([2, 2]) torch.int64 [torch.int64, torch.float32, torch.float64] (2, 2) (2, 2)\n"
        "   epoch  loss\n0      1   0.5 epoch,loss\n1,0.5\n tensor([-1., -2.])\n"
    )


DRAWN = """
import pandas as pd
import matplotlib.pyplot as plt
import seaborn as sns
df = pd.DataFrame({"x": [1, 2, 3], "y": [2.0, 4.0, 8.0], "kind": ["a", "b", "a"]})
fig, axes = plt.subplots(1, 4)
(line,) = axes[0].plot(df["x"], df["y"])
axes[0].scatter(df.x, df.y, c=df.x)
axes[0].set_xticks(df.index)
axes[1].bar(df["kind"], df["y"])
axes[1].hist(df["y"])
sns.barplot(x="kind", y="y", data=df, ax=axes[2])
sns.heatmap(df[["x", "y"]].corr(), annot=True, ax=axes[3])
print(line.get_ydata())
plt.show()
"""


def test_columns_are_drawn() -> None:
    result = run(DRAWN)
    assert (result.status, result.output) == ("ok", "[2. 4. 8.]\n"), result.error
    assert len(result.figures) == 1


REFUSED = {
    "its own pictures": ("import pandas as pd\npd.DataFrame({'a': [1]}).plot()", "draw with matplotlib"),
    "objects": ("import pandas as pd\nclass A: pass\npd.DataFrame({'a': [A()]})", "numbers, texts and truth values"),
    "an object written into a cell": ("import pandas as pd\npd.Series([1]).iloc[0] = object", "numbers, texts and truth"),
    "an object that a function gives": ("import pandas as pd\npd.Series([1]).apply(lambda x: [x])", "numbers, texts and truth"),
    "a tensor": ("import torch\nimport pandas as pd\npd.DataFrame({'a': [torch.tensor(1.0)]})", "take its number with .item()"),
    "an address": ("import pandas as pd\npd.read_csv('https://example.com/a.csv')", "open the file together with the program"),
    "what is not here": ("import pandas as pd\npd.read_excel('a.xlsx')", "no attribute 'read_excel'"),
    "its insides": ("import pandas as pd\npd.DataFrame({'a': [1]})._held", "private"),
    "an object that draws": ("import pandas as pd\npd.Series([1]).sample(random_state=print)", "numbers, texts and truth"),
    "an object as a name": ("import pandas as pd\npd.Series([1]).name = print", "numbers, texts and truth"),
    "a name in a class of the program": ("import pandas as pd\nclass A(pd.Series):\n    _column = 1", "private"),
    "its insides by name": ("import pandas as pd\ngetattr(pd.Series([1]), '_column')", "private"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_is_said(name: str) -> None:
    text, said = REFUSED[name]
    result = run(text)
    assert result.status != "ok"
    assert result.error is not None
    assert said in f"{result.error.message} {result.error.help}"


def test_values_of_classes_of_the_program_become_plain() -> None:
    text = """
import pandas as pd
class Word(str):
    def __eq__(self, other): raise RuntimeError
    __hash__ = str.__hash__
words = pd.Series([Word("a"), Word("b")])
print((words == "a").tolist(), type(words.iloc[0]) is str, pd.Series([1, 2]).values is pd.Series([1, 2]).values)
"""
    result = run(text)
    assert (result.status, result.output) == ("ok", "[True, False] True False\n"), result.error


def test_a_class_of_the_program_that_inherits_from_a_table_changes_nothing_within() -> None:
    text = """
import pandas as pd
class Table(pd.DataFrame):
    index = property(lambda self: [print])
    columns = property(lambda self: [print])
    def isna(self): return 5
table = Table({"a": [1.0, None]})
print(table.shape, len(table), table["a"].tolist(), pd.concat([table, table]).dropna(), table.isna())
"""
    result = run(text)
    assert (result.status, result.output) == ("ok", "(2, 1) 2 [1.0, nan]      a\n0  1.0\n0  1.0 5\n"), result.error


def test_it_is_not_pandas_itself() -> None:
    result = run("import pandas\nprint(pandas.__version__, len(pandas.Series([1, 2])))")
    assert result.output == "2.3.3 2\n"
    assert "pandas" not in sys.modules or sys.modules["pandas"] is not ours
