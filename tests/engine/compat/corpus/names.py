"""Names that programs use, and what they print, warn of and raise, as PyTorch does; for test_names.py."""
#: gives*: what is printed, the warnings' line and text in angle brackets, and the error at the end

# %% range zero
#: gives: <2: UserWarning: torch.range is deprecated and will be removed in a future release because its behavior is inconsistent with Python's range builtin. Instead, use torch.arange, which produces values in [start, end).>
#: gives: RuntimeError: step must be nonzero
import torch
torch.range(1, 4, 0)

# %% new
#: gives: tensor([]) tensor([1., 2.]) torch.Size([2, 3]) torch.Size([2]) True
#: gives: tensor([3]) torch.int64
#: gives: tensor([1., 2.]) tensor(5.) tensor([1]) tensor([1])
import torch
x = torch.tensor([1., 2.])
print(x.new(), x.new([1, 2]), x.new(2, 3).shape, x.new(torch.Size([2])).shape, x.new(x).data_ptr() == x.data_ptr())
i = torch.tensor([1])
print(i.new([3]), i.new(2).dtype)
print(x.new_tensor([1, 2]), x.new_tensor(5), x.new_tensor([1], dtype=torch.int64), i.new_tensor([1.7]))

# %% new_tensor of tensor
#: gives: <3: UserWarning: To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or sourceTensor.detach().clone().requires_grad_(True), rather than tensor.new_tensor(sourceTensor).>
#: gives: tensor([1., 2.])
#: gives: tensor([1.], requires_grad=True)
#: gives: tensor([[0., 0., 0.],
#: gives:         [0., 0., 0.]]) tensor([0., 0.]) tensor([1, 1]) tensor([3., 3.]) tensor([1.5000, 1.5000], dtype=torch.float64) torch.Size([2]) tensor([0., 0.])
import torch
x = torch.tensor([1., 2.])
print(x.new_tensor(x))
print(x.new_tensor([1.], requires_grad=True))
print(x.new_zeros(2, 3), x.new_zeros((2,)), x.new_ones([2], dtype=torch.long), x.new_full((2,), 3), x.new_full((2,), 1.5, dtype=torch.float64), x.new_empty(2).shape, x.new_zeros(size=(2,)))

# %% new_full keyword
#: gives: tensor([3., 3.]) tensor([1.]) (1, 2)
import torch
x = torch.tensor([1., 2.])
print(x.new_full(size=(2,), fill_value=3), x.new_full([1], True), x.new_empty_strided((2, 2), (1, 2)).stride())

# %% type
#: gives: tensor([1, 2]) tensor([1, 2], dtype=torch.int32) tensor([1.7000, 2.0000], dtype=torch.float64) torch.float64
#: gives: True True torch.FloatTensor
#: gives: tensor([1., 1.], dtype=torch.float64, grad_fn=<ToCopyBackward0>)
import torch
x = torch.tensor([1.7, 2.])
print(x.type(torch.LongTensor), x.type('torch.IntTensor'), x.type(torch.float64), x.type(dtype=torch.DoubleTensor).dtype)
print(x.type(torch.FloatTensor) is x, x.type(torch.float32) is x, x.type())
print(torch.ones(2, requires_grad=True).type(torch.DoubleTensor))

# %% type wrong
#: gives: ValueError: invalid type: 'torch.Foo'
import torch
x = torch.tensor([1.7, 2.])
x.type('torch.Foo')

# %% type cuda
#: gives: RuntimeError: Cannot initialize CUDA without ATen_cuda library. PyTorch splits its backend into two shared libraries: a CPU library and a CUDA library; this error has occurred because you are trying to use some CUDA functionality, but the CUDA library has not been loaded by the dynamic linker for some reason.  The CUDA library MUST be loaded, EVEN IF you don't directly use any symbols from the CUDA library! One common culprit is a lack of -Wl,--no-as-needed in your link arguments; many dynamic linkers will delete dynamic library dependencies if you don't depend on any of their symbols.  You can check if this has occurred by using ldd on your binary to see if there is a dependency on *_cuda.so library.
import torch
x = torch.tensor([1.7, 2.])
x.type(torch.cuda.FloatTensor)

# %% type cuda text
#: gives: RuntimeError: Cannot initialize CUDA without ATen_cuda library. PyTorch splits its backend into two shared libraries: a CPU library and a CUDA library; this error has occurred because you are trying to use some CUDA functionality, but the CUDA library has not been loaded by the dynamic linker for some reason.  The CUDA library MUST be loaded, EVEN IF you don't directly use any symbols from the CUDA library! One common culprit is a lack of -Wl,--no-as-needed in your link arguments; many dynamic linkers will delete dynamic library dependencies if you don't depend on any of their symbols.  You can check if this has occurred by using ldd on your binary to see if there is a dependency on *_cuda.so library.
import torch
x = torch.tensor([1.7, 2.])
x.type('torch.cuda.FloatTensor')

# %% legacy
#: gives: torch.Size([2, 3]) tensor([1, 2]) tensor([1., 2.]) tensor([], dtype=torch.int32) tensor([1], dtype=torch.uint8) tensor([ True, False]) tensor([[1.5000]], dtype=torch.float64)
#: gives: <class 'torch.FloatTensor'> <class 'torch.LongTensor'> torch.float16
#: gives: True False True
#: gives: tensor([1, 2])
import torch
print(torch.FloatTensor(2, 3).shape, torch.LongTensor([1, 2]), torch.FloatTensor([1, 2]), torch.IntTensor(), torch.ByteTensor([1]), torch.BoolTensor([True, False]), torch.DoubleTensor([[1.5]]))
print(torch.FloatTensor, torch.LongTensor, torch.HalfTensor([1]).dtype)
print(isinstance(torch.ones(2), torch.FloatTensor), isinstance(torch.ones(2), torch.LongTensor), isinstance(torch.tensor(1), torch.LongTensor))
print(torch.LongTensor([1.0, 2]))

# %% legacy more
#: gives: tensor([1., 2.]) torch.Size([2]) torch.Size([3]) tensor([3.])
#: gives: tensor([1., 2.])
#: gives: torch.int64 False LongTensor torch.strided
import torch
print(torch.FloatTensor((1, 2)), torch.FloatTensor(torch.Size([2])).shape, torch.Tensor(3).shape, torch.Tensor([3]))
print(torch.FloatTensor(torch.tensor([1., 2.])))
print(torch.LongTensor.dtype, torch.FloatTensor.is_cuda, torch.LongTensor.__name__, torch.LongTensor.layout)

# %% legacy wrong type
#: gives: TypeError: expected TensorOptions(dtype=float, device=cpu, layout=Strided, requires_grad=false (default), pinned_memory=false (default), memory_format=(nullopt)) (got TensorOptions(dtype=long int, device=cpu, layout=Strided, requires_grad=false (default), pinned_memory=false (default), memory_format=(nullopt)))
import torch
torch.FloatTensor(torch.tensor([1, 2]))

# %% legacy wrong text
#: gives: TypeError: new(): invalid data type 'str'
import torch
torch.FloatTensor('a')

# %% legacy number
#: gives: TypeError: new(): data must be a sequence (got float)
import torch
torch.FloatTensor(1.5)

# %% legacy Long float
#: gives: tensor([1, 2])
import torch
print(torch.LongTensor([1.7, 2]))

# %% legacy from numpy
#: gives: tensor([1., 2.]) tensor([1, 2]) tensor([0., 1., 2.])
import torch, numpy as np
print(torch.FloatTensor(np.array([1., 2.])), torch.LongTensor(np.array([1, 2])), torch.Tensor(np.arange(3)))

# %% Tensor.cuda
#: gives: AssertionError: Torch not compiled with CUDA enabled
import torch
torch.ones(2).cuda()

# %% Tensor.to cuda
#: gives: AssertionError: Torch not compiled with CUDA enabled
import torch
torch.ones(2).to('cuda')

# %% device cuda zeros
#: gives: AssertionError: Torch not compiled with CUDA enabled
import torch
torch.zeros(2, device='cuda:0')

# %% module cuda
#: gives: AssertionError: Torch not compiled with CUDA enabled
import torch
torch.nn.Linear(2, 2).cuda()

# %% module to cuda
#: gives: AssertionError: Torch not compiled with CUDA enabled
import torch
torch.nn.Linear(2, 2).to('cuda')

# %% module to device obj
#: gives: AssertionError: Torch not compiled with CUDA enabled
import torch
torch.nn.Linear(2, 2).to(torch.device('cuda', 0))

# %% module no params cuda
#: gives: ReLU() ReLU()
import torch
print(torch.nn.ReLU().cuda(), torch.nn.ReLU().to('cuda'))

# %% other devices
#: gives: RuntimeError: PyTorch is not linked with support for mps devices
import torch
torch.ones(2).to('mps')

# %% other devices xpu
#: gives: AssertionError: Torch not compiled with XPU enabled
import torch
torch.ones(2).to('xpu')

# %% cuda tensor types
#: gives: TypeError: type torch.cuda.FloatTensor not available. Torch not compiled with CUDA enabled.
import torch
torch.cuda.FloatTensor(2)

# %% cuda memory
#: gives: False 0 0 0 0 0
#: gives: AssertionError: Torch not compiled with CUDA enabled
import torch
print(torch.cuda.is_available(), torch.cuda.device_count(), torch.cuda.memory_allocated(), torch.cuda.max_memory_allocated(), torch.cuda.memory_reserved(), torch.cuda.max_memory_reserved())
torch.cuda.empty_cache(); torch.cuda.ipc_collect()
torch.cuda.manual_seed(1); torch.cuda.manual_seed_all(1)
print(torch.cuda.is_initialized(), torch.cuda.is_bf16_supported())

# %% cuda reset
#: gives: AttributeError: module 'torch._C' has no attribute '_cuda_resetPeakMemoryStats'
import torch
torch.cuda.reset_peak_memory_stats()

# %% cuda memory stats
#: gives: OrderedDict()
import torch
print(torch.cuda.memory_stats())

# %% cuda memory summary
#: gives: KeyError: 'allocated_bytes.all.current'
import torch
print(torch.cuda.memory_summary())

# %% cuda sync
#: gives: AssertionError: Torch not compiled with CUDA enabled
import torch
torch.cuda.synchronize()

# %% cuda name
#: gives: AssertionError: Torch not compiled with CUDA enabled
import torch
torch.cuda.get_device_name(0)

# %% cuda props
#: gives: AssertionError: Torch not compiled with CUDA enabled
import torch
torch.cuda.get_device_properties(0)

# %% cuda capability
#: gives: AssertionError: Torch not compiled with CUDA enabled
import torch
torch.cuda.get_device_capability()

# %% cuda mem info
#: gives: AssertionError: Torch not compiled with CUDA enabled
import torch
torch.cuda.mem_get_info()

# %% cuda set device
#: gives: AttributeError: module 'torch._C' has no attribute '_cuda_setDevice'
import torch
torch.cuda.set_device(0)

# %% cuda event
#: gives: RuntimeError: Tried to instantiate dummy base class Event
import torch
torch.cuda.Event(enable_timing=True)

# %% cuda stream
#: gives: RuntimeError: torch.cuda.Stream requires CUDA support
import torch
torch.cuda.Stream()

# %% cuda current stream
#: gives: AssertionError: Torch not compiled with CUDA enabled
import torch
torch.cuda.current_stream()

# %% cuda device ctx
#: gives: RuntimeError: PyTorch was compiled without CUDA support
import torch
with torch.cuda.device(0): print('in')

# %% cuda current
#: gives: AssertionError: Torch not compiled with CUDA enabled
import torch
torch.cuda.current_device()

# %% cuda graph names
#: gives: RuntimeError: Tried to instantiate dummy base class _cuda_isCurrentStreamCapturing
import torch
print(torch.cuda.is_current_stream_capturing(), torch.cuda.device_count(), torch.cuda.amp.GradScaler)

# %% cuda rng
#: gives: AssertionError: Torch not compiled with CUDA enabled
import torch
torch.cuda.get_rng_state()

# %% cuda seed
#: gives: AssertionError: Torch not compiled with CUDA enabled
import torch
torch.cuda.seed(); torch.cuda.seed_all(); torch.cuda.set_per_process_memory_fraction(0.5)

# %% mps
#: gives: False False False 0
#: gives: False True 1
#: gives: cpu
import torch
print(torch.backends.mps.is_available(), torch.backends.mps.is_built(), torch.mps.is_available(), torch.mps.device_count())
print(torch.xpu.is_available(), torch.cpu.is_available(), torch.cpu.device_count())
torch.cpu.synchronize()
print(torch.cpu.current_device())

# %% backends
#: gives: True True False None False
#: gives: True False
#: gives: high
import torch
import torch.backends.cudnn as cudnn
cudnn.benchmark = True
cudnn.deterministic = True
cudnn.enabled = False
print(cudnn.benchmark, torch.backends.cudnn.deterministic, cudnn.is_available(), cudnn.version(), cudnn.enabled)
torch.backends.cuda.matmul.allow_tf32 = True
torch.backends.cudnn.allow_tf32 = True
print(torch.backends.cuda.matmul.allow_tf32, torch.backends.cuda.is_built())
torch.set_float32_matmul_precision('high')
print(torch.get_float32_matmul_precision())

# %% backends more
#: gives: True True True
#: gives: True True True
import torch
print(torch.backends.mkl.is_available(), torch.backends.mkldnn.is_available(), torch.backends.openmp.is_available())
print(torch.backends.cuda.flash_sdp_enabled(), torch.backends.cuda.math_sdp_enabled(), torch.backends.cuda.mem_efficient_sdp_enabled())

# %% clip_grad_norm
#: gives: <3: FutureWarning: `torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`.>
#: gives: tensor(2.) tensor([0.5000, 0.5000, 0.5000, 0.5000])
#: gives: None
import torch
x = torch.nn.Parameter(torch.ones(4)); x.grad = torch.ones(4)
print(torch.nn.utils.clip_grad_norm([x], 1.0), x.grad)
print(torch.nn.utils.clip_grad_value_(x, 0.1))

# %% clip_grad modules
#: gives: True
import torch
from torch.nn.utils.clip_grad import clip_grad_norm_
from torch.nn.utils import clip_grad
print(clip_grad.clip_grad_norm_ is clip_grad_norm_)

# %% default device
#: gives: cpu
#: gives: cpu cpu
#: gives: tensor([1., 1.])
import torch
print(torch.get_default_device())
torch.set_default_device('cpu')
print(torch.get_default_device(), torch.ones(2).device)
torch.set_default_device(torch.device('cpu'))
torch.set_default_device(None)
with torch.device('cpu'):
    print(torch.ones(2))

# %% default device cuda
#: gives: AssertionError: Torch not compiled with CUDA enabled
import torch
torch.set_default_device('cuda')
torch.ones(2)

# %% default device wrong
#: gives: RuntimeError: Expected one of cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, vulkan, mps, meta, hpu, mtia, privateuseone device type at start of device string: quda
import torch
torch.set_default_device('quda')

# %% accelerator
#: gives: False 0 None
#: gives: cpu
import torch
print(torch.accelerator.is_available(), torch.accelerator.device_count(), torch.accelerator.current_accelerator())
device = torch.accelerator.current_accelerator().type if torch.accelerator.is_available() else "cpu"
print(device)

# %% accelerator sync
#: gives: RuntimeError: Cannot access accelerator device when none is available.
import torch
torch.accelerator.synchronize()

# %% accelerator check
#: gives: None
#: gives: RuntimeError: Cannot access accelerator device when none is available.
import torch
print(torch.accelerator.current_accelerator(check_available=True))
torch.accelerator.current_device_index()

# %% version
#: gives: None None str True False
#: gives: True True 2 False <class 'torch.torch_version.TorchVersion'>
import torch
print(torch.version.cuda, torch.version.hip, type(torch.version.__version__).__name__, torch.version.git_version is not None, torch.version.debug)
print(torch.__version__ >= (1, 8), torch.__version__ > '1.10', torch.__version__.split('.')[0], torch.__version__ == '2.13.0', type(torch.__version__))

# %% version strings
#: gives: True
#: gives: True
import torch
print(tuple(int(p) for p in torch.__version__.split('+')[0].split('.')[:2]) >= (2, 0))
from torch.torch_version import TorchVersion
print(TorchVersion('1.2') < '1.10')

# %% functional
#: gives: tensor(2.) tensor(2.)
#: gives: True
import torch
print(torch.functional.einsum('i,i', torch.ones(2), torch.ones(2)), torch.functional.norm(torch.ones(4)))
from torch.functional import split, meshgrid
print(torch.functional.F is torch.nn.functional)

# %% random
#: gives: tensor([0.0043, 0.1056]) 3
#: gives: tensor([True])
#: gives: True
import torch
torch.random.manual_seed(3)
print(torch.rand(2), torch.random.initial_seed())
with torch.random.fork_rng():
    torch.rand(5)
s = torch.random.get_rng_state(); a = torch.rand(1); torch.random.set_rng_state(s); print(a == torch.rand(1))
print(torch.random.default_generator is torch.default_generator)
from torch.random import fork_rng

# %% assert_close values
#: gives: AssertionError: Tensor-likes are not close!
#: gives:
#: gives: Mismatched elements: 1 / 3 (33.3%)
#: gives: Greatest absolute difference: 1.0 at index (2,) (up to 1e-05 allowed)
#: gives: Greatest relative difference: 0.25 at index (2,) (up to 1.3e-06 allowed)
import torch
torch.testing.assert_close(torch.tensor([1., 2., 3.]), torch.tensor([1., 2., 4.]))

# %% assert_close values 2
#: gives: AssertionError: Tensor-likes are not close!
#: gives:
#: gives: Mismatched elements: 2 / 4 (50.0%)
#: gives: Greatest absolute difference: 4.0 at index (1, 1) (up to 0.1 allowed)
#: gives: Greatest relative difference: 0.4444444477558136 at index (1, 1) (up to 0 allowed)
import torch
torch.testing.assert_close(torch.tensor([[1., 2.], [3., 5.]]), torch.tensor([[1., 2.], [4., 9.]]), rtol=0, atol=0.1)

# %% assert_close exact
#: gives: AssertionError: Tensor-likes are not equal!
#: gives:
#: gives: Mismatched elements: 2 / 4 (50.0%)
#: gives: Greatest absolute difference: 4 at index (1, 1)
#: gives: Greatest relative difference: 0.4444444477558136 at index (1, 1)
import torch
torch.testing.assert_close(torch.tensor([[1, 2], [3, 5]]), torch.tensor([[1, 2], [4, 9]]))

# %% assert_close shape
#: gives: AssertionError: The values for attribute 'shape' do not match: torch.Size([2]) != torch.Size([3]).
import torch
torch.testing.assert_close(torch.ones(2), torch.ones(3))

# %% assert_close dtype
#: gives: AssertionError: The values for attribute 'dtype' do not match: torch.float32 != torch.float64.
import torch
torch.testing.assert_close(torch.ones(2), torch.ones(2, dtype=torch.float64))

# %% assert_close dtype off
import torch
torch.testing.assert_close(torch.ones(2), torch.ones(2, dtype=torch.float64), check_dtype=False)

# %% assert_close nan
#: gives: AssertionError: Scalars are not close!
#: gives:
#: gives: Expected nan but got nan.
#: gives: Absolute difference: nan (up to 1e-05 allowed)
#: gives: Relative difference: nan (up to 1.3e-06 allowed)
import torch
torch.testing.assert_close(torch.tensor(float('nan')), torch.tensor(float('nan')))

# %% assert_close nan eq
import torch
torch.testing.assert_close(torch.tensor(float('nan')), torch.tensor(float('nan')), equal_nan=True)

# %% assert_close scalar
#: gives: AssertionError: Scalars are not close!
#: gives:
#: gives: Expected 1.5 but got 1.0.
#: gives: Absolute difference: 0.5 (up to 1e-07 allowed)
#: gives: Relative difference: 0.3333333333333333 (up to 1e-07 allowed)
import torch
torch.testing.assert_close(1.0, 1.5)

# %% assert_close int scalar
#: gives: AssertionError: Scalars are not equal!
#: gives:
#: gives: Expected 2 but got 1.
#: gives: Absolute difference: 1
#: gives: Relative difference: 0.5
import torch
torch.testing.assert_close(1, 2)

# %% assert_close seq
#: gives: AssertionError: Tensor-likes are not close!
#: gives:
#: gives: Mismatched elements: 1 / 1 (100.0%)
#: gives: Greatest absolute difference: 1.0 at index (0,) (up to 1e-05 allowed)
#: gives: Greatest relative difference: inf at index (0,) (up to 1.3e-06 allowed)
#: gives:
#: gives: The failure occurred for item [1]
import torch
torch.testing.assert_close([torch.ones(2), torch.ones(1)], [torch.ones(2), torch.zeros(1)])

# %% assert_close seq len
#: gives: AssertionError: The length of the sequences mismatch: 2 != 1
import torch
torch.testing.assert_close([torch.ones(2), torch.ones(1)], [torch.ones(2)])

# %% assert_close mapping
#: gives: AssertionError: The keys of the mappings do not match:
#: gives: Missing keys in the actual mapping: ['b']
#: gives: Additional keys in the actual mapping: ['a']
import torch
torch.testing.assert_close({'a': torch.ones(1)}, {'b': torch.ones(1)})

# %% assert_close mapping value
#: gives: AssertionError: Tensor-likes are not close!
#: gives:
#: gives: Mismatched elements: 1 / 1 (100.0%)
#: gives: Greatest absolute difference: 1.0 at index (0,) (up to 1e-05 allowed)
#: gives: Greatest relative difference: inf at index (0,) (up to 1.3e-06 allowed)
#: gives:
#: gives: The failure occurred for item ['a']
import torch
torch.testing.assert_close({'a': torch.ones(1)}, {'a': torch.zeros(1)})

# %% assert_close msg
#: gives: AssertionError: no good
import torch
torch.testing.assert_close(torch.ones(1), torch.zeros(1), msg='no good')

# %% assert_close msg callable
#: gives: AssertionError: Header
#: gives:
#: gives: Tensor-likes are not close!
#: gives:
#: gives: Mismatched elements: 1 / 1 (100.0%)
#: gives: Greatest absolute difference: 1.0 at index (0,) (up to 1e-05 allowed)
#: gives: Greatest relative difference: inf at index (0,) (up to 1.3e-06 allowed)
import torch
torch.testing.assert_close(torch.ones(1), torch.zeros(1), msg=lambda m: 'Header\n\n' + m)

# %% assert_close rtol only
#: gives: ValueError: Both 'rtol' and 'atol' must be either specified or omitted, but got no atol.
import torch
torch.testing.assert_close(torch.ones(1), torch.zeros(1), rtol=1)

# %% assert_close types
#: gives: TypeError: No comparison pair was able to handle inputs of type <class 'torch.Tensor'> and <class 'list'>.
import torch
torch.testing.assert_close(torch.ones(1), [1.0])

# %% assert_close numpy
#: gives: AssertionError: Tensor-likes are not close!
#: gives:
#: gives: Mismatched elements: 2 / 2 (100.0%)
#: gives: Greatest absolute difference: 1.0 at index (0,) (up to 1e-07 allowed)
#: gives: Greatest relative difference: inf at index (0,) (up to 1e-07 allowed)
import torch, numpy as np
torch.testing.assert_close(np.ones(2), np.zeros(2))

# %% assert_close tensor number
#: gives: TypeError: No comparison pair was able to handle inputs of type <class 'torch.Tensor'> and <class 'float'>.
import torch
torch.testing.assert_close(torch.tensor(1.), 1.)

# %% assert_close 0d
#: gives: AssertionError: Scalars are not close!
#: gives:
#: gives: Expected 2.0 but got 1.0.
#: gives: Absolute difference: 1.0 (up to 1e-05 allowed)
#: gives: Relative difference: 0.5 (up to 1.3e-06 allowed)
import torch
torch.testing.assert_close(torch.tensor(1.), torch.tensor(2.))

# %% assert_close bool
#: gives: AssertionError: Tensor-likes are not equal!
#: gives:
#: gives: Mismatched elements: 1 / 2 (50.0%)
#: gives: Greatest absolute difference: 1 at index (1,)
#: gives: Greatest relative difference: 1.0 at index (1,)
import torch
torch.testing.assert_close(torch.tensor([True, False]), torch.tensor([True, True]))

# %% assert_close of complex numbers and bfloat16
#: gives: close
import torch
torch.testing.assert_close(torch.tensor([1 + 1j]), torch.tensor([1 + 1.000001j]))
torch.testing.assert_close(torch.tensor([1.0]).bfloat16(), torch.tensor([1.01]).bfloat16())
print('close')

# %% assert_allclose
#: gives: <2: FutureWarning: `torch.testing.assert_allclose()` is deprecated since 1.12 and will be removed in a future release. Please use `torch.testing.assert_close()` instead. You can find detailed upgrade instructions in https://github.com/pytorch/pytorch/issues/61844.>
import torch
torch.testing.assert_allclose(torch.ones(2), torch.ones(2))

# %% assert_close str
#: gives: TypeError: No comparison pair was able to handle inputs of type <class 'str'> and <class 'str'>.
import torch
torch.testing.assert_close('a', 'b')

# %% dataloader modules
#: gives: True True
#: gives: [0, 2, 4, 6, 8] 5
import torch
from torch.utils.data.dataloader import DataLoader, default_collate
from torch.utils.data.dataset import Dataset, random_split, TensorDataset
from torch.utils.data.sampler import SubsetRandomSampler
import torch.utils.data as data
print(torch.utils.data.dataloader.DataLoader is DataLoader is data.DataLoader, data.dataset.Dataset is Dataset)
from torch.utils.data.distributed import DistributedSampler
s = DistributedSampler(range(10), num_replicas=2, rank=0, shuffle=False)
print(list(s), len(s))

# %% num_workers
#: gives: tensor([0., 4.])
#: gives: tensor([3., 5.])
#: gives: tensor([2., 1.])
import torch
from torch.utils.data import DataLoader, TensorDataset
ds = TensorDataset(torch.arange(6.))
torch.manual_seed(0)
for (b,) in DataLoader(ds, batch_size=2, shuffle=True, num_workers=0): print(b)

# %% compile eager
#: gives: tensor([2., 2.])
#: gives: False tensor([2.])
import torch
@torch.compile(backend='eager')
def h(x): return x + 1
print(h(torch.ones(2)))
torch.compiler.reset()
print(torch.compiler.is_compiling(), torch.compiler.disable(h)(torch.ones(1)))

# %% compile in a stance
#: gives: tensor([2.]) tensor([2.]) tensor([2.]) False g
#: gives: RuntimeError: non-default stance cannot have force_backend set
import torch
@torch.compile(backend='eager')
def f(x): return x + 1
@torch.compiler.set_stance("force_eager")
def g(x): return f(x)
with torch.compiler.set_stance("eager_on_recompile"): a = f(torch.ones(1))
torch.compiler.set_stance("default")
h = torch.compiler.nested_compile_region(f)
print(a, g(torch.ones(1)), h(torch.ones(1)), torch.compiler.is_exporting(), g.__name__)
torch.compiler.set_stance("force_eager", force_backend="eager")

# %% kernels of attention
#: gives: torch.Size([1, 2, 3, 4]) <SDPBackend.MATH: 0> SDPBackend.MATH
#: gives: torch.Size([1, 2, 3, 4])
#: gives: AssertionError Backend must be an instance of SDPBackend or a list of SDPBackend instances, got str
#: gives: RuntimeError: No viable backend for scaled_dot_product_attention was found. This is likely due to turning off both the math kernel and the fused kernels.
import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel
q = torch.ones(1, 2, 3, 4)
with sdpa_kernel(SDPBackend.MATH):
    print(F.scaled_dot_product_attention(q, q, q).shape, repr(SDPBackend.MATH), SDPBackend.MATH)
with sdpa_kernel([SDPBackend.EFFICIENT_ATTENTION, SDPBackend.FLASH_ATTENTION]):
    print(F.scaled_dot_product_attention(q, q, q).shape)
try:
    with sdpa_kernel("x"): pass
except AssertionError as e: print(type(e).__name__, e)
with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
    F.scaled_dot_product_attention(q, q, q)

# %% vmap and cond
#: gives: tensor([ 5., 25.]) tensor([2., 2.]) tensor([0., 0.])
#: gives: RuntimeError: Expected pred to be bool or single-element tensor, but got tensor([1., 1.]).
import torch
from torch import vmap
x = torch.tensor([[1., 2.], [3., 4.]])
up, down = (lambda x: x + 1), (lambda x: x - 1)
print(vmap(torch.dot)(x, x), torch.cond(torch.tensor(True), up, down, (torch.ones(2),)), torch.cond(False, up, down, (torch.ones(2),)))
torch.cond(torch.ones(2), up, down, (torch.ones(2),))

# %% jit's other names
#: gives: tensor([2.]) 3 True False
#: gives: RuntimeError Freezing expects a ScriptModule as input. Please use torch.jit.script or torch.jit.trace to script your 'nn.Module'.
#: gives: RuntimeError: Cannot access accelerator device when none is available.
import torch
f = torch.jit.fork(lambda x: x + 1, torch.ones(1))
print(torch.jit.wait(f), torch.jit.annotate(int, 3), torch.jit.isinstance([1], list[int]), torch.jit.isinstance({}, list[int]))
try: torch.jit.freeze(3)
except RuntimeError as e: print(type(e).__name__, e)
torch.ones(2).pin_memory()

# %% gradcheck of a Function that only has jvp
#: gives: True
#: gives: GradcheckError Jacobian computed with forward mode mismatch for output 0 with respect to input 0,
import torch
class Exp(torch.autograd.Function):
    factor = 1.0
    @staticmethod
    def forward(ctx, x):
        ctx.result = torch.exp(x)
        return ctx.result
    @staticmethod
    def jvp(ctx, tangent):
        return tangent * ctx.result * Exp.factor
x = torch.linspace(-1, 1, 4, dtype=torch.double).view(2, 2).requires_grad_()
said = dict(check_forward_ad=True, check_backward_ad=False, check_undefined_grad=False, check_batched_grad=False)
print(torch.autograd.gradcheck(Exp.apply, (x,), **said))
Exp.factor = 2.0
try: torch.autograd.gradcheck(Exp.apply, (x,), **said)
except RuntimeError as e: print(type(e).__name__, str(e).splitlines()[0])

# %% compile model
#: gives: tensor([[1., 1.],
#: gives:         [1., 1.]]) ['_orig_mod.weight', '_orig_mod.bias'] OptimizedModule
#: gives: True
#: gives: torch.Size([2])
import torch
m = torch.nn.Linear(2, 2)
c = torch.compile(m)
c(torch.ones(1, 2)).sum().backward()
print(m.weight.grad, list(c.state_dict()), type(c).__name__)
print(c._orig_mod is m)
m.compile()
print(m(torch.ones(2)).shape)

# %% dynamo
#: gives: False
import torch
import torch._dynamo
torch._dynamo.config.suppress_errors = True
torch._dynamo.reset()
print(torch._dynamo.is_compiling())

# %% autocast off
#: gives: torch.float32
#: gives: torch.float32
import torch
with torch.autocast('cpu', enabled=False):
    print(torch.mm(torch.ones(2, 2), torch.ones(2, 2)).dtype)
with torch.amp.autocast('cuda', enabled=False):
    print(torch.mm(torch.ones(2, 2), torch.ones(2, 2)).dtype)

# %% autocast cuda
#: gives: <2: UserWarning: CUDA is not available or torch_xla is imported. Disabling autocast.>
#: gives: torch.float32
import torch
with torch.autocast('cuda'):
    print(torch.mm(torch.ones(2, 2), torch.ones(2, 2)).dtype)

# %% autocast cuda device_type
#: gives: <2: UserWarning: CUDA is not available or torch_xla is imported. Disabling autocast.>
#: gives: torch.float32
#: gives: False False torch.float16
import torch
with torch.autocast(device_type='cuda', dtype=torch.float16):
    print(torch.mm(torch.ones(2, 2), torch.ones(2, 2)).dtype)
print(torch.is_autocast_enabled(), torch.is_autocast_enabled('cpu'), torch.get_autocast_dtype('cuda'))

# %% autocast wrong type
#: gives: TypeError: autocast.__init__() missing 1 required positional argument: 'device_type'
import torch
torch.autocast()

# %% autocast wrong device
#: gives: RuntimeError: Expected one of cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, vulkan, mps, meta, hpu, mtia, privateuseone device type at start of device string: quda
import torch
torch.autocast('quda')

# %% autocast dtype
#: gives: <2: UserWarning: In CPU autocast, but the target dtype is not supported. Disabling autocast.
#: gives: CPU Autocast only supports dtypes of torch.bfloat16, torch.float16 currently.>
#: gives: torch.float32
import torch
with torch.autocast('cpu', dtype=torch.float64):
    print(torch.mm(torch.ones(2, 2), torch.ones(2, 2)).dtype)

# %% autocast decorator
#: gives: tensor([[2., 2.],
#: gives:         [2., 2.]])
import torch
@torch.autocast('cpu', enabled=False)
def f(x): return x @ x
print(f(torch.ones(2, 2)))

# %% GradScaler
#: gives: <2: UserWarning: torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.>
#: gives: False 1.0 tensor([1.])
import torch
s = torch.amp.GradScaler('cuda')
print(s.is_enabled(), s.get_scale(), s.scale(torch.ones(1)))

# %% GradScaler cuda amp disabled
#: gives: <2: FutureWarning: `torch.cuda.amp.GradScaler(args...)` is deprecated. Please use `torch.amp.GradScaler('cuda', args...)` instead.>
#: gives: False {}
import torch
s = torch.cuda.amp.GradScaler(enabled=False)
print(s.is_enabled(), s.state_dict())

# %% GradScaler cpu
#: gives: tensor([[-425.8855, -425.8855]]) 1024.0
#: gives: tensor([[-0.4159, -0.4159]])
#: gives: None
#: gives: Parameter containing:
#: gives: tensor([[0.0363, 0.4209]], requires_grad=True) 1024.0 2.0 0.5 2000
#: gives: {'scale': 1024.0, 'growth_factor': 2.0, 'backoff_factor': 0.5, 'growth_interval': 2000, '_growth_tracker': 1}
import torch
torch.manual_seed(0)
s = torch.amp.GradScaler('cpu', init_scale=1024.)
m = torch.nn.Linear(2, 1); opt = torch.optim.SGD(m.parameters(), lr=.1)
loss = m(torch.ones(3, 2)).pow(2).mean()
s.scale(loss).backward()
print(m.weight.grad, s.get_scale())
s.unscale_(opt); print(m.weight.grad)
print(s.step(opt)); s.update(); print(m.weight, s.get_scale(), s.get_growth_factor(), s.get_backoff_factor(), s.get_growth_interval())
print(s.state_dict())

# %% GradScaler inf
#: gives: None
#: gives: Parameter containing:
#: gives: tensor([1., 1.], requires_grad=True) 2.0
import torch
s = torch.amp.GradScaler('cpu', init_scale=4.)
x = torch.nn.Parameter(torch.ones(2)); opt = torch.optim.SGD([x], lr=.1)
s.scale((x * float('inf')).sum()).backward()
print(s.step(opt)); s.update(); print(x, s.get_scale())

# %% GradScaler twice
#: gives: RuntimeError: unscale_() has already been called on this optimizer since the last update().
import torch
s = torch.amp.GradScaler('cpu', init_scale=4.)
x = torch.nn.Parameter(torch.ones(2)); opt = torch.optim.SGD([x], lr=.1)
s.scale(x.sum()).backward()
s.unscale_(opt); s.unscale_(opt)

# %% GradScaler step twice
#: gives: RuntimeError: step() has already been called since the last update().
import torch
s = torch.amp.GradScaler('cpu', init_scale=4.)
x = torch.nn.Parameter(torch.ones(2)); opt = torch.optim.SGD([x], lr=.1)
s.scale(x.sum()).backward()
s.step(opt); s.step(opt)

# %% GradScaler update early
#: gives: AssertionError: Attempted update but _scale is None.  This may indicate your script did not use scaler.scale(loss or outputs) earlier in the iteration.
import torch
torch.amp.GradScaler('cpu').update()

# %% GradScaler no grads
#: gives: AssertionError: No inf checks were recorded for this optimizer.
import torch
s = torch.amp.GradScaler('cpu', init_scale=4.)
x = torch.nn.Parameter(torch.ones(2)); opt = torch.optim.SGD([x], lr=.1)
s.scale(torch.ones(1))
s.step(opt)

# %% GradScaler new scale
#: gives: 8.0
#: gives: 16.0
#: gives: 32.0
#: gives: 7.0
import torch
s = torch.amp.GradScaler('cpu', init_scale=4., growth_interval=1)
x = torch.nn.Parameter(torch.ones(2)); opt = torch.optim.SGD([x], lr=.1)
for _ in range(3):
    opt.zero_grad(); s.scale(x.sum()).backward(); s.step(opt); s.update(); print(s.get_scale())
s.update(new_scale=7.); print(s.get_scale())

# %% numbers first
#: gives: tensor([2., 4.]) tensor([3., 4.]) tensor([1., 0.]) tensor([2., 1.]) tensor([3.0000, 1.5000])
#: gives: tensor([2., 4.]) tensor([0., 1.]) tensor([5., 2.])
import torch
x = torch.tensor([1., 2.])
print(torch.mul(2, x), torch.add(2, x), torch.sub(2, x), torch.div(2, x), torch.true_divide(3, x))
print(torch.pow(2, x), torch.remainder(5, x), torch.floor_divide(5, x))

# %% numbers only
#: gives: tensor(5) tensor(6.) tensor(3) tensor(0.5000)
import torch
print(torch.add(2, 3), torch.mul(2, 3.), torch.sub(5, 2), torch.div(1, 2))

# %% numbers only pow
#: gives: TypeError: pow() received an invalid combination of arguments - got (int, int), but expected one of:
#: gives:  * (Tensor input, Tensor exponent, *, Tensor out = None)
#: gives:  * (Number self, Tensor exponent, *, Tensor out = None)
#: gives:  * (Tensor input, Number exponent, *, Tensor out = None)
import torch
print(torch.pow(2, 3))

# %% numbers only max
#: gives: TypeError: maximum(): argument 'input' (position 1) must be Tensor, not int
import torch
torch.maximum(2, torch.ones(2))

# %% numbers eq
#: gives: TypeError: eq() received an invalid combination of arguments - got (int, Tensor), but expected one of:
#: gives:  * (Tensor input, Tensor other, *, Tensor out = None)
#: gives:  * (Tensor input, Number other, *, Tensor out = None)
import torch
torch.eq(2, torch.ones(2))

# %% numbers where
#: gives: tensor([1., 2.]) tensor([1, 2]) tensor([1.])
import torch
print(torch.where(torch.tensor([True, False]), 1, 2.), torch.where(torch.tensor([True, False]), 1, 2), torch.where(torch.tensor([True]), torch.ones(1), 0))

# %% numbers exp
#: gives: TypeError: exp(): argument 'input' (position 1) must be Tensor, not float
import torch
torch.exp(2.0)

# %% numbers sqrt
#: gives: TypeError: sqrt(): argument 'input' (position 1) must be Tensor, not int
import torch
torch.sqrt(2)

# %% numbers add alpha
#: gives: tensor([7., 7.]) tensor([3., 3.]) tensor([-1., -1.])
import torch
print(torch.add(torch.ones(2), 3, alpha=2), torch.add(torch.ones(2), torch.ones(2), alpha=2), torch.sub(1, torch.ones(2), alpha=2))

# %% numbers pow string
#: gives: TypeError: pow() received an invalid combination of arguments - got (str, int), but expected one of:
#: gives:  * (Tensor input, Tensor exponent, *, Tensor out = None)
#: gives:  * (Number self, Tensor exponent, *, Tensor out = None)
#: gives:  * (Tensor input, Number exponent, *, Tensor out = None)
import torch
torch.pow('a', 2)

# %% bool matmul
#: gives: NotImplementedError: "addmm_impl_cpu_" not implemented for 'Bool'
import torch
torch.ones(2, 2, dtype=torch.bool) @ torch.ones(2, 2, dtype=torch.bool)

# %% bool mm
#: gives: NotImplementedError: "addmm_impl_cpu_" not implemented for 'Bool'
import torch
torch.mm(torch.ones(2, 2, dtype=torch.bool), torch.ones(2, 2, dtype=torch.bool))

# %% bool mv
#: gives: NotImplementedError: "addmv_impl_cpu" not implemented for 'Bool'
import torch
torch.mv(torch.ones(2, 2, dtype=torch.bool), torch.ones(2, dtype=torch.bool))

# %% bool dot
#: gives: NotImplementedError: "dot" not implemented for 'Bool'
import torch
torch.dot(torch.ones(2, dtype=torch.bool), torch.ones(2, dtype=torch.bool))

# %% bool bmm
#: gives: NotImplementedError: "bmm" not implemented for 'Bool'
import torch
torch.bmm(torch.ones(1, 2, 2, dtype=torch.bool), torch.ones(1, 2, 2, dtype=torch.bool))

# %% bool linear
#: gives: NotImplementedError: "addmm_impl_cpu_" not implemented for 'Bool'
import torch
torch.nn.functional.linear(torch.ones(2, 2, dtype=torch.bool), torch.ones(2, 2, dtype=torch.bool))

# %% mixed matmul
#: gives: RuntimeError: expected m1 and m2 to have the same dtype, but got: float != long int
import torch
torch.ones(2, 2) @ torch.ones(2, 2, dtype=torch.int64)

# %% int matmul
#: gives: tensor([[2, 2],
#: gives:         [2, 2]]) tensor([[2., 2.],
#: gives:         [2., 2.]], dtype=torch.float16)
import torch
print(torch.ones(2, 2, dtype=torch.int64) @ torch.ones(2, 2, dtype=torch.int64), torch.ones(2,2).half() @ torch.ones(2,2).half())

# %% info errors
#: gives: TypeError: torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'
import torch
torch.iinfo(torch.float32)

# %% info errors 2
#: gives: TypeError: torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'
import torch
torch.finfo(torch.int32)

# %% info errors 3
#: gives: TypeError: finfo(): argument 'type' (position 1) must be torch.dtype, not int
import torch
torch.finfo(3)

# %% info eq
#: gives: True False 0
import torch
print(torch.finfo(torch.float32) == torch.finfo(torch.float32), torch.finfo(torch.float32) == torch.finfo(torch.float64), torch.finfo('float32') if False else 0)

# %% generator device
#: gives: RuntimeError: Cannot get CUDA generator without ATen_cuda library. PyTorch splits its backend into two shared libraries: a CPU library and a CUDA library; this error has occurred because you are trying to use some CUDA functionality, but the CUDA library has not been loaded by the dynamic linker for some reason.  The CUDA library MUST be loaded, EVEN IF you don't directly use any symbols from the CUDA library! One common culprit is a lack of -Wl,--no-as-needed in your link arguments; many dynamic linkers will delete dynamic library dependencies if you don't depend on any of their symbols.  You can check if this has occurred by using ldd on your binary to see if there is a dependency on *_cuda.so library.
import torch
torch.Generator(device='cuda')

# %% generator device cpu
#: gives: tensor([0.8303, 0.1261]) cpu
import torch
g = torch.Generator(device='cpu').manual_seed(5)
print(torch.rand(2, generator=g), torch.Generator('cpu').device)

# %% return types
#: gives: 0
#: gives: <class 'torch.return_types.linalg_svd'> <class 'torch.return_types.linalg_qr'> <class 'torch.return_types.linalg_eigh'> <class 'torch.return_types.max'> <class 'torch.return_types.linalg_slogdet'> <class 'torch.return_types.linalg_lu'> <class 'torch.return_types.linalg_inv_ex'> <class 'torch.return_types.linalg_cholesky_ex'> <class 'torch.return_types.linalg_lstsq'>
import torch
x = torch.tensor([[2., 1.], [1., 3.]])
print(torch.linalg.eigh(x)._fields if hasattr(torch.linalg.eigh(x), '_fields') else 0)
print(type(torch.linalg.svd(x)), type(torch.linalg.qr(x)), type(torch.linalg.eigh(x)), type(x.max(0)), type(torch.linalg.slogdet(x)), type(torch.linalg.lu(x)), type(torch.linalg.inv_ex(x)), type(torch.linalg.cholesky_ex(x)), type(torch.linalg.lstsq(x, x)))

# %% warn cross
#: gives: <2: UserWarning: Using torch.cross without specifying the dim arg is deprecated.
#: gives: Please either pass the dim explicitly or simply use torch.linalg.cross.
#: gives: The default value of dim will change to agree with that of linalg.cross in a future release.>
#: gives: tensor([[0., 0., 0.],
#: gives:         [0., 0., 0.]])
import torch
print(torch.cross(torch.ones(2, 3), torch.ones(2, 3)))

# %% warn cross method
#: gives: <2: UserWarning: Using torch.cross without specifying the dim arg is deprecated.
#: gives: Please either pass the dim explicitly or simply use torch.linalg.cross.
#: gives: The default value of dim will change to agree with that of linalg.cross in a future release.>
#: gives: tensor([[0., 0., 0.],
#: gives:         [0., 0., 0.],
#: gives:         [0., 0., 0.]]) tensor([[0., 0., 0.],
#: gives:         [0., 0., 0.],
#: gives:         [0., 0., 0.]])
import torch
print(torch.ones(3, 3).cross(torch.ones(3, 3)), torch.linalg.cross(torch.ones(3,3), torch.ones(3,3)))

# %% warn where uint8
#: gives: <2: UserWarning: where received a uint8 condition tensor. This behavior is deprecated and will be removed in a future version of PyTorch. Use a boolean condition instead.>
#: gives: tensor([1., 0.])
import torch
print(torch.where(torch.tensor([1, 0], dtype=torch.uint8), torch.ones(2), torch.zeros(2)))

# %% where int
#: gives: RuntimeError: where expected condition to be a boolean tensor, but got a tensor with dtype Long
import torch
torch.where(torch.tensor([1, 0]), torch.ones(2), torch.zeros(2))

# %% masked uint8
#: gives: RuntimeError: masked_fill_ only supports boolean masks, but got mask with dtype unsigned char
import torch
torch.ones(2).masked_fill(torch.tensor([1, 0], dtype=torch.uint8), 0.)

# %% masked_select uint8
#: gives: RuntimeError: masked_select: expected BoolTensor for mask
import torch
torch.ones(2).masked_select(torch.tensor([1, 0], dtype=torch.uint8))

# %% typed storage
#: gives: <2: UserWarning: TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage class. This should only matter to you if you are using storages directly.  To access UntypedStorage directly, use tensor.untyped_storage() instead of tensor.storage()>
#: gives:  0.0
#: gives:  1.0
#: gives:  2.0
#: gives:  3.0
#: gives: [torch.storage.TypedStorage(dtype=torch.float32, device=cpu) of size 4]
#: gives: <class 'torch.storage.TypedStorage'> 4 1.0
import torch
s = torch.arange(4.).storage()
print(s)
print(type(s), len(s), s[1])

# %% untyped storage
#: gives:  0
#: gives:  0
#: gives:  0
#: gives:  0
#: gives:  0
#: gives:  0
#: gives:  128
#: gives:  63
#: gives: [torch.storage.UntypedStorage(device=cpu) of size 8] <class 'torch.storage.UntypedStorage'> 8 8 cpu
import torch
s = torch.arange(2.).untyped_storage()
print(s, type(s), s.nbytes(), len(s), s.device)

# %% addmm numbers 2
#: gives: <2: UserWarning: This overload of addmm is deprecated:
#: gives: 	addmm(Number beta, Tensor input, Number alpha, Tensor mat1, Tensor mat2, *, Tensor out = None)
#: gives: Consider using one of the following signatures instead:
#: gives: 	addmm(Tensor input, Tensor mat1, Tensor mat2, *, Number beta = 1, Number alpha = 1, Tensor out = None)
#: gives: 	addmm(Tensor input, Tensor mat1, Tensor mat2, torch.dtype out_dtype, *, Number beta = 1, Number alpha = 1, Tensor out = None)>
#: gives: tensor([[8., 8.],
#: gives:         [8., 8.]])
import torch
print(torch.addmm(2, torch.ones(2,2), 3, torch.ones(2,2), torch.ones(2,2)))

# %% addcmul numbers
#: gives: <2: UserWarning: This overload of addcmul is deprecated:
#: gives: 	addcmul(Tensor input, Number value, Tensor tensor1, Tensor tensor2, *, Tensor out = None)
#: gives: Consider using one of the following signatures instead:
#: gives: 	addcmul(Tensor input, Tensor tensor1, Tensor tensor2, *, Number value = 1, Tensor out = None)>
#: gives: <2: UserWarning: This overload of add is deprecated:
#: gives: 	add(Number alpha, Tensor other)
#: gives: Consider using one of the following signatures instead:
#: gives: 	add(Tensor other, *, Number alpha = 1)>
#: gives: tensor([3., 3.]) tensor([3., 3.])
import torch
print(torch.addcmul(torch.ones(2), 2, torch.ones(2), torch.ones(2)), torch.ones(2).add(2, torch.ones(2)))

# %% add_ numbers
#: gives: <3: UserWarning: This overload of add_ is deprecated:
#: gives: 	add_(Number alpha, Tensor other)
#: gives: Consider using one of the following signatures instead:
#: gives: 	add_(Tensor other, *, Number alpha = 1)>
#: gives: tensor([1.5000, 1.5000])
#: gives: <4: UserWarning: This overload of addcdiv_ is deprecated:
#: gives: 	addcdiv_(Number value, Tensor tensor1, Tensor tensor2)
#: gives: Consider using one of the following signatures instead:
#: gives: 	addcdiv_(Tensor tensor1, Tensor tensor2, *, Number value = 1)>
#: gives: tensor([2., 2.])
#: gives: <5: UserWarning: This overload of addcmul_ is deprecated:
#: gives: 	addcmul_(Number value, Tensor tensor1, Tensor tensor2)
#: gives: Consider using one of the following signatures instead:
#: gives: 	addcmul_(Tensor tensor1, Tensor tensor2, *, Number value = 1)>
#: gives: tensor([2.5000, 2.5000])
#: gives: <6: UserWarning: This overload of sub_ is deprecated:
#: gives: 	sub_(Number alpha, Tensor other)
#: gives: Consider using one of the following signatures instead:
#: gives: 	sub_(Tensor other, *, Number alpha = 1)>
#: gives: tensor([2., 2.])
import torch
x = torch.ones(2)
x.add_(0.5, torch.ones(2)); print(x)
x.addcdiv_(0.5, torch.ones(2), torch.ones(2)); print(x)
x.addcmul_(0.5, torch.ones(2), torch.ones(2)); print(x)
x.sub_(0.5, torch.ones(2)); print(x)

# %% T warn
#: gives: <2: UserWarning: The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will throw an error in a future release. Consider `x.mT` to transpose batches of matrices or `x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor.>
#: gives: torch.Size([4, 3, 2])
import torch
print(torch.ones(2, 3, 4).T.shape)

# %% std warn
#: gives: <2: UserWarning: std(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor (input numel divided by output numel).>
#: gives: <2: UserWarning: var(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor (input numel divided by output numel).>
#: gives: tensor(nan) tensor(nan)
import torch
print(torch.ones(1).std(), torch.ones(1).var())

# %% index obj
#: gives: tensor([3., 4., 5.]) tensor(2.) tensor([[0., 1., 2.]]) tensor([[1., 2.],
#: gives:         [4., 5.]])
#: gives: tensor([[5., 5., 5.],
#: gives:         [3., 4., 5.]])
import torch
class I:
    def __init__(self, i): self.i = i
    def __index__(self): return self.i
x = torch.arange(6.).reshape(2, 3)
print(x[I(1)], x[I(0), I(2)], x[I(0):I(1)], x[:, I(1):])
x[I(0)] = 5; print(x)

# %% index numpy ints
#: gives: tensor([3., 4., 5.]) tensor([3., 4., 5.]) tensor([[0., 1., 2.],
#: gives:         [3., 4., 5.]]) tensor([0., 4.]) tensor([0., 4.])
#: gives: tensor([[[0., 1., 2.],
#: gives:          [3., 4., 5.]]]) tensor(1.) tensor([[0., 1., 2.],
#: gives:         [3., 4., 5.]]) tensor([1., 4.])
import torch, numpy as np
x = torch.arange(6.).reshape(2, 3)
print(x[np.int64(1)], x[torch.tensor(1)], x[np.array([0, 1])], x[range(2), [0, 1]], x[[0, 1], range(2)])
print(x[True], x[(0, 1)], x[[0, 1]], x[(slice(None), 1)])

# %% index list of tensors
#: gives: <3: UserWarning: Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in pytorch 2.9; use x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as tensor index, x[torch.tensor(seq)], which will result either in an error or a different result>
#: gives: tensor(1.) tensor([[0.],
#: gives:         [3.]]) tensor([[0., 1., 2.]])
import torch
x = torch.arange(6.).reshape(2, 3)
print(x[[torch.tensor(0), torch.tensor(1)]], x[:, [torch.tensor(0)]], x[torch.tensor([True, False])])

# %% index float
#: gives: IndexError: only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got float)
import torch
torch.ones(2)[1.0]

# %% index dim
#: gives: IndexError: index 3 is out of bounds for dimension 1 with size 2
import torch
torch.ones(2, 2)[0, 3]

# %% np functions 3
#: gives: TypeError: unsupported operand type(s) for *: 'numpy.ndarray' and 'Tensor'
import torch, numpy as np
x = torch.tensor([1., 4.])
print(np.array([1., 2.]) * x, type(np.array([1., 2.]) + x), type(x * np.array([1., 2.])), x + np.float64(2), type(np.float64(2) * x), np.float32(2) + x)

# %% autograd profiler
#: gives: True
import torch
with torch.autograd.profiler.profile() as prof:
    x = torch.ones(2, requires_grad=True); (x * x).sum().backward()
print('aten::mul' in str(prof.key_averages().table()))
with torch.autograd.profiler.record_function('a'): pass
with torch.autograd.profiler.emit_nvtx(enabled=False): pass

# %% profiler schedule
#: gives: [1]
import torch
from torch.profiler import profile, schedule, tensorboard_trace_handler
got = []
with profile(schedule=schedule(wait=1, warmup=1, active=2), on_trace_ready=lambda p: got.append(1)) as p:
    for _ in range(4):
        torch.ones(2) + 1; p.step()
print(got)

# %% benchmark
#: gives: Measurement True 10
import torch
import torch.utils.benchmark as benchmark
t = benchmark.Timer(stmt='x + 1', setup='import torch', globals={'x': torch.ones(2)})
m = t.timeit(10)
print(type(m).__name__, m.mean > 0, m.number_per_run)

# %% cpp names
#: gives: True True True
#: gives: False
#: gives: True
#: gives: False False torch.FloatTensor int
#: gives: 0 False
import torch
print(torch.backends.cpu.get_cpu_capability() is not None, torch.get_num_threads() >= 1, torch.get_num_interop_threads() >= 1)
torch.set_num_interop_threads
print(torch.are_deterministic_algorithms_enabled())
torch.use_deterministic_algorithms(True); print(torch.are_deterministic_algorithms_enabled()); torch.use_deterministic_algorithms(False)
print(torch.is_storage(3), torch.is_tensor(3), torch.typename(torch.ones(1)), torch.typename(3))
print(torch.get_deterministic_debug_mode(), torch.is_deterministic_algorithms_warn_only_enabled())
torch.set_flush_denormal(False)

# %% typing
#: gives: 2
import torch
from torch.types import Number
from torch import Tensor
from typing import Optional, Union
def f(x: Optional[torch.LongTensor], y: Union[torch.FloatTensor, int] = 2, z: "torch.device" = None): return y
print(f(None))

# %% names of graphs
#: gives: RollBackward0 ViewBackward0 IndexSelectBackward0 ViewBackward0
#: gives: tensor([1., 1., 1., 1., 1., 1.], grad_fn=<ViewBackward0>) tensor([[0., 0., 1., 1.],
#: gives:         [2., 2., 3., 3.]]) tensor([[3., 0.],
#: gives:         [1., 2.]])
#: gives: tensor([0., 0., 1.])
import torch, torch.nn.functional as F
x = torch.ones(3, requires_grad=True)
name = lambda t: type(t.grad_fn).__name__
print(name(x.roll(1)), name(x.repeat_interleave(2)), name(x.repeat_interleave(torch.tensor([1, 2, 1]))), name(torch.nn.Linear(3, 2)(x)))
print(x.repeat_interleave(2), torch.arange(4.).reshape(2, 2).repeat_interleave(2, dim=1), torch.arange(4.).reshape(2, 2).roll(1))
x.roll(1)[0].backward(); print(x.grad)

# %% numbers first in graphs
#: gives: tensor([-3., -3.]) tensor([2]) tensor([2.5000]) tensor(True)
import torch
x = torch.ones(2, requires_grad=True)
y = torch.mul(2, x) + torch.sub(3, x) + torch.div(4, x)
y.sum().backward(); print(x.grad, torch.add(1, torch.tensor([1])), torch.add(1.5, torch.tensor([1])), torch.add(True, True))

# %% an index that changes what it indexes
#: gives: tensor([3., 1.])
import torch
x = torch.arange(4.)
i = torch.tensor([0, 1])
class I:
    def __index__(self):
        i[0] = 3
        return 0
print(torch.stack([x, x])[I(), i])

# %% generators by name
#: gives: <class 'torch._C.Generator'> <class 'torch._C.Generator'> <class 'torch.return_types.max'>
import torch
print(torch.Generator, type(torch.Generator()), type(torch.ones(2, 2).max(0)))

# %% factors before tensors in methods
#: gives: <3: UserWarning: This overload of addmv is deprecated:
#: gives: 	addmv(Number beta, Tensor mat, Tensor vec)
#: gives: Consider using one of the following signatures instead:
#: gives: 	addmv(Tensor mat, Tensor vec, *, Number beta = 1, Number alpha = 1)>
#: gives: <3: UserWarning: This overload of addmv is deprecated:
#: gives: 	addmv(Number beta, Number alpha, Tensor mat, Tensor vec)
#: gives: Consider using one of the following signatures instead:
#: gives: 	addmv(Tensor mat, Tensor vec, *, Number beta = 1, Number alpha = 1)>
#: gives: <3: UserWarning: This overload of addr is deprecated:
#: gives: 	addr(Number beta, Tensor vec1, Tensor vec2)
#: gives: Consider using one of the following signatures instead:
#: gives: 	addr(Tensor vec1, Tensor vec2, *, Number beta = 1, Number alpha = 1)>
#: gives: tensor([4., 4.]) tensor([8., 8.]) tensor([[3., 3.],
#: gives:         [3., 3.]])
#: gives: <4: UserWarning: This overload of addmm_ is deprecated:
#: gives: 	addmm_(Number beta, Number alpha, Tensor mat1, Tensor mat2)
#: gives: Consider using one of the following signatures instead:
#: gives: 	addmm_(Tensor mat1, Tensor mat2, *, Number beta = 1, Number alpha = 1)>
import torch
m = torch.ones(2, 2); v = torch.ones(2)
print(v.addmv(2, m, v), v.addmv(2, 3, m, v), m.addr(2, v, v))
m.addmm_(2, 3, m, m)

# %% what a type of tensors is called with
#: gives: torch.Size([2, 3])
#: gives: TypeError new() received an invalid combination of arguments - got (list, str), but expected one of:
#: gives: TypeError new() received an invalid combination of arguments - got (list, str), but expected one of:
#: gives: TypeError new() received an invalid combination of arguments - got (list, str), but expected one of:
#: gives: TypeError new(): argument 'size' failed to unpack the object at pos 2 with error "type must be tuple of ints,but got float"
#: gives: TypeError new(): invalid data type 'str'
#: gives: TypeError new(): data must be a sequence (got bool)
#: gives: torch.Size([2, 1])
import torch
for f in (lambda: torch.Tensor(2, torch.tensor(3)).shape, lambda: torch.Tensor([1.], 'a'), lambda: torch.FloatTensor([1.], 'a'), lambda: torch.ones(1).new([1.], 'a'), lambda: torch.Tensor(2, 3.0), lambda: torch.Tensor('a'), lambda: torch.Tensor(True), lambda: torch.Tensor(2, True).shape):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e).split('\n')[0])
