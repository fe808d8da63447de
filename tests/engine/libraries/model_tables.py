# ruff: noqa: E501  (programs are written as they are)
"""A program that prints models as tables, and what torchinfo 1.8.0 and torchsummary 1.5.1 make of it on PyTorch."""

PROGRAM = """
import torch, torch.nn as nn
from torchinfo import summary

class N(nn.Module):
    def __init__(s):
        super().__init__()
        s.c=nn.Sequential(nn.Conv2d(1,10,5),nn.ReLU(),nn.MaxPool2d(2)); s.d=nn.Conv2d(10,20,5); s.e=nn.Dropout(0.5); s.f=nn.Linear(320,50); s.g=nn.Linear(50,10); s.w=nn.Parameter(torch.ones(3))
    def forward(s,x):
        x=s.c(x); x=torch.max_pool2d(s.d(x),2).relu(); x=x.view(-1,320); return s.g(s.e(torch.relu(s.f(x))))
m=N()
summary(m,(16,1,28,28))
summary(m)
summary(m,input_size=(2,1,28,28),col_names=["input_size","output_size","num_params","trainable"],col_width=20,row_settings=["var_names"])
summary(nn.LSTM(3,4,2,batch_first=True),(5,7,3))
r=summary(nn.Linear(2,3),input_data=torch.ones(1,2),verbose=0); print(repr(r)[:50], r.total_params)
for p in m.c.parameters(): p.requires_grad = False
summary(m,(16,1,28,28), depth=1)
summary(m,(1,1,28,28), col_names=("output_size","num_params","mult_adds","kernel_size","trainable"), col_width=16, row_settings=("var_names","depth"))
from torchsummary import summary as s2
s2(m,(1,28,28),device="cpu")
s2(nn.Sequential(nn.Linear(2,3),nn.ReLU()),(5,2),batch_size=4,device="cpu")
"""

EXPECTED = """\
==========================================================================================
Layer (type:depth-idx)                   Output Shape              Param #
==========================================================================================
N                                        [16, 10]                  3
├─Sequential: 1-1                        [16, 10, 12, 12]          --
│    └─Conv2d: 2-1                       [16, 10, 24, 24]          260
│    └─ReLU: 2-2                         [16, 10, 24, 24]          --
│    └─MaxPool2d: 2-3                    [16, 10, 12, 12]          --
├─Conv2d: 1-2                            [16, 20, 8, 8]            5,020
├─Linear: 1-3                            [16, 50]                  16,050
├─Dropout: 1-4                           [16, 50]                  --
├─Linear: 1-5                            [16, 10]                  510
==========================================================================================
Total params: 21,843
Trainable params: 21,843
Non-trainable params: 0
Total mult-adds (Units.MEGABYTES): 7.80
==========================================================================================
Input size (MB): 0.05
Forward/backward pass size (MB): 0.91
Params size (MB): 0.09
Estimated Total Size (MB): 1.05
==========================================================================================
=================================================================
Layer (type:depth-idx)                   Param #
=================================================================
N                                        3
├─Sequential: 1-1                        --
│    └─Conv2d: 2-1                       260
│    └─ReLU: 2-2                         --
│    └─MaxPool2d: 2-3                    --
├─Conv2d: 1-2                            5,020
├─Dropout: 1-3                           --
├─Linear: 1-4                            16,050
├─Linear: 1-5                            510
=================================================================
Total params: 21,843
Trainable params: 21,843
Non-trainable params: 0
=================================================================
========================================================================================================================
Layer (type (var_name))                  Input Shape          Output Shape         Param #              Trainable
========================================================================================================================
N (N)                                    [2, 1, 28, 28]       [2, 10]              3                    True
├─Sequential (c)                         [2, 1, 28, 28]       [2, 10, 12, 12]      --                   True
│    └─Conv2d (0)                        [2, 1, 28, 28]       [2, 10, 24, 24]      260                  True
│    └─ReLU (1)                          [2, 10, 24, 24]      [2, 10, 24, 24]      --                   --
│    └─MaxPool2d (2)                     [2, 10, 24, 24]      [2, 10, 12, 12]      --                   --
├─Conv2d (d)                             [2, 10, 12, 12]      [2, 20, 8, 8]        5,020                True
├─Linear (f)                             [2, 320]             [2, 50]              16,050               True
├─Dropout (e)                            [2, 50]              [2, 50]              --                   --
├─Linear (g)                             [2, 50]              [2, 10]              510                  True
========================================================================================================================
Total params: 21,843
Trainable params: 21,843
Non-trainable params: 0
Total mult-adds (Units.MEGABYTES): 0.98
========================================================================================================================
Input size (MB): 0.01
Forward/backward pass size (MB): 0.11
Params size (MB): 0.09
Estimated Total Size (MB): 0.21
========================================================================================================================
==========================================================================================
Layer (type:depth-idx)                   Output Shape              Param #
==========================================================================================
LSTM                                     [5, 7, 4]                 304
==========================================================================================
Total params: 304
Trainable params: 304
Non-trainable params: 0
Total mult-adds (Units.MEGABYTES): 0.01
==========================================================================================
Input size (MB): 0.00
Forward/backward pass size (MB): 0.00
Params size (MB): 0.00
Estimated Total Size (MB): 0.00
==========================================================================================
================================================== 9
==========================================================================================
Layer (type:depth-idx)                   Output Shape              Param #
==========================================================================================
N                                        [16, 10]                  3
├─Sequential: 1-1                        [16, 10, 12, 12]          (260)
├─Conv2d: 1-2                            [16, 20, 8, 8]            5,020
├─Linear: 1-3                            [16, 50]                  16,050
├─Dropout: 1-4                           [16, 50]                  --
├─Linear: 1-5                            [16, 10]                  510
==========================================================================================
Total params: 21,843
Trainable params: 21,583
Non-trainable params: 260
Total mult-adds (Units.MEGABYTES): 7.80
==========================================================================================
Input size (MB): 0.05
Forward/backward pass size (MB): 0.91
Params size (MB): 0.09
Estimated Total Size (MB): 1.05
==========================================================================================
========================================================================================================================
Layer (type (var_name):depth-idx)        Output Shape     Param #          Mult-Adds        Kernel Shape     Trainable
========================================================================================================================
N (N)                                    [1, 10]          3                --               --               Partial
├─Sequential (c): 1-1                    [1, 10, 12, 12]  --               --               --               False
│    └─Conv2d (0): 2-1                   [1, 10, 24, 24]  (260)            149,760          [5, 5]           False
│    └─ReLU (1): 2-2                     [1, 10, 24, 24]  --               --               --               --
│    └─MaxPool2d (2): 2-3                [1, 10, 12, 12]  --               --               2                --
├─Conv2d (d): 1-2                        [1, 20, 8, 8]    5,020            321,280          [5, 5]           True
├─Linear (f): 1-3                        [1, 50]          16,050           16,050           --               True
├─Dropout (e): 1-4                       [1, 50]          --               --               --               --
├─Linear (g): 1-5                        [1, 10]          510              510              --               True
========================================================================================================================
Total params: 21,843
Trainable params: 21,583
Non-trainable params: 260
Total mult-adds (Units.MEGABYTES): 0.49
========================================================================================================================
Input size (MB): 0.00
Forward/backward pass size (MB): 0.06
Params size (MB): 0.09
Estimated Total Size (MB): 0.15
========================================================================================================================
----------------------------------------------------------------
        Layer (type)               Output Shape         Param #
================================================================
            Conv2d-1           [-1, 10, 24, 24]             260
              ReLU-2           [-1, 10, 24, 24]               0
         MaxPool2d-3           [-1, 10, 12, 12]               0
            Conv2d-4             [-1, 20, 8, 8]           5,020
            Linear-5                   [-1, 50]          16,050
           Dropout-6                   [-1, 50]               0
            Linear-7                   [-1, 10]             510
================================================================
Total params: 21,840
Trainable params: 21,580
Non-trainable params: 260
----------------------------------------------------------------
Input size (MB): 0.00
Forward/backward pass size (MB): 0.11
Params size (MB): 0.08
Estimated Total Size (MB): 0.20
----------------------------------------------------------------
----------------------------------------------------------------
        Layer (type)               Output Shape         Param #
================================================================
            Linear-1                  [4, 5, 3]               9
              ReLU-2                  [4, 5, 3]               0
================================================================
Total params: 9
Trainable params: 9
Non-trainable params: 0
----------------------------------------------------------------
Input size (MB): 0.00
Forward/backward pass size (MB): 0.00
Params size (MB): 0.00
Estimated Total Size (MB): 0.00
----------------------------------------------------------------
"""
