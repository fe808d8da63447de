"""torchinfo and torchsummary: tables as the libraries print them."""

from __future__ import annotations

import pytest

from engine.sandbox import run
from tests.engine.libraries.model_tables import EXPECTED, PROGRAM


def test_tables_are_those_of_the_libraries() -> None:
    result = run(PROGRAM)
    assert result.status == "ok", result.error
    assert result.output == EXPECTED


def test_lists_of_modules_stand_where_they_are() -> None:
    text = (
        "import torch\nfrom torch import nn\nfrom torchinfo import summary\n"
        "class Deep(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.layers = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])\n"
        "    def forward(self, x):\n        for layer in self.layers: x = layer(x)\n        return self.layers[0](x)\n"
        "for line in str(summary(Deep(), input_data=torch.ones(2, 4), verbose=0)).splitlines()[3:8]: print(line)\n"
    )
    assert run(text).output.splitlines() == [
        "Deep                                     [2, 4]                    --",
        "├─ModuleList: 1-1                        --                        --",
        "│    └─Linear: 2-1                       [2, 4]                    20",
        "│    └─Linear: 2-2                       [2, 4]                    20",
        "│    └─Linear: 2-3                       [2, 4]                    (recursive)",
    ]


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        ("summary(m, (1, 2), col_names=['nothing'])", "ValueError"),
        ("summary(m, (1, 3))", "RuntimeError"),
        ("summary(m, (1, 2), col_width=10**9)", "MemoryError"),
    ],
)
def test_hooks_are_gone_after_what_is_wrong(call: str, kind: str) -> None:
    text = (
        f"from torch import nn\nfrom torchinfo import summary\nm = nn.Linear(2, 3)\ntry:\n    {call}\n"
        "except Exception as e: print(type(e).__name__)\nprint(len(m._forward_hooks), len(m._forward_pre_hooks))"
    )
    assert run(text).output == f"{kind}\n0 0\n"
