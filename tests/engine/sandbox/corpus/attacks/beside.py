"""What programs have beside tensors (progress bars, the notebook's shell, environments, tables of models): ways through."""
#: goal: what it tries, by which it is judged (`attacks.py` says what there is)

if __name__: raise SystemExit("these programs may do harm: `python -m tests.corpus FILE::NAME` runs one shut in")

# %% a command of the notebook's shell
#: goal: starts
get_ipython().system('touch @TARGET@')
get_ipython().run_line_magic('sx', 'touch @TARGET@')
get_ipython().run_cell_magic('bash', '', 'touch @TARGET@')

# %% the globals of the notebook's shell
#: goal: sees
print(get_ipython().system.__func__.__globals__)

# %% the namespace that a shell of IPython's has
#: goal: sees
print(get_ipython().user_ns)

# %% an environment around an array, which hands on its memory
#: goal: memory
import gym
import numpy as np
w = gym.Wrapper(gym.make('CartPole-v1'))
w.env = np.zeros(3)
print(w.ctypes, w.setflags, w.data)

# %% an environment around a generator of random numbers
#: goal: sees
import gym
import numpy as np
w = gym.Wrapper(gym.make('CartPole-v1'))
w.env = np.random.default_rng(0)
print(w.bit_generator)

# %% the library behind an environment
#: goal: sees
import gym
print(gym.make('CartPole-v1').reset.__func__.__globals__)

# %% the frame that an environment looks at
#: goal: sees
import gym
print(gym.forms, gym.forms.sys)

# %% the class of all environments given another method
#: goal: marks
import gym
gym.Env.render = lambda self: print('REACHED')
gym.make('CartPole-v1').render()

# %% the progress bar of all programs given another method
#: goal: marks
from tqdm import tqdm
tqdm.close = lambda self: print('REACHED')
for i in tqdm(range(2)): pass

# %% the output behind a progress bar
#: goal: sees
from tqdm import tqdm
print(tqdm.close.__globals__)

# %% a table of a model that says its own globals
#: goal: sees
import torchinfo
print(torchinfo.summary.__globals__, torchinfo.statistics)

# %% a layer whose name leads to its class
#: goal: sees
import torch
from torch import nn
from torchinfo import summary
class Odd(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(1, 1)
    def named_modules(self, *a, **k):
        yield '', self
        yield '__class__.__init__.__globals__.inner', self.inner
    def forward(self, x):
        return self.inner(x)
print(summary(Odd(), (1, 1)))

# %% a distributed group whose functions say where they are from
#: goal: sees
import torch.distributed as dist
print(dist.all_reduce.__globals__, dist.all_reduce.__closure__)

# %% the version of a package that is a module of this process
#: goal: sees
from importlib.metadata import version
class Name(str):
    def lower(self): return 'einops'
    def replace(self, *a): return 'engine'
print(version(Name('os')), version('engine'))
