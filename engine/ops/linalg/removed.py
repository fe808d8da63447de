"""What old programs call and PyTorch has no longer: each says what to write instead."""

from __future__ import annotations

from typing import Any, NoReturn

from ...op.declare import function
from ...tensor import Tensor

GONE = "This function was deprecated since version 1.9 and is now removed."
"""How PyTorch begins when it refuses a function that it no longer has."""


@function
def symeig(input: Tensor, eigenvectors: bool = False, upper: bool = True, *, out: Any = None) -> NoReturn:
    """Refused, as in PyTorch: `torch.linalg.eigh` or `torch.linalg.eigvalsh`."""
    raise RuntimeError(
        f"{GONE} The default behavior has changed from using the upper triangular portion of the matrix by default to using "
        "the lower triangular portion.\n\n"
        "L, _ = torch.symeig(A, upper=upper) should be replaced with:\n"
        "L = torch.linalg.eigvalsh(A, UPLO='U' if upper else 'L')\n\nand\n\n"
        "L, V = torch.symeig(A, eigenvectors=True) should be replaced with:\n"
        "L, V = torch.linalg.eigh(A, UPLO='U' if upper else 'L')"
    )


@function
def eig(input: Tensor, eigenvectors: bool = False, *, e: Any = None, v: Any = None) -> NoReturn:
    """Refused, as in PyTorch: `torch.linalg.eig` or `torch.linalg.eigvals`."""
    raise RuntimeError(
        f"{GONE} `torch.linalg.eig` returns complex tensors of dtype `cfloat` or `cdouble` rather than real tensors "
        "mimicking complex tensors.\n\n"
        "L, _ = torch.eig(A) should be replaced with:\nL_complex = torch.linalg.eigvals(A)\n\nand\n\n"
        "L, V = torch.eig(A, eigenvectors=True) should be replaced with:\nL_complex, V_complex = torch.linalg.eig(A)"
    )


@function
def lstsq(input: Tensor, A: Tensor, *, out: Any = None) -> NoReturn:  # noqa: N803
    """Refused, as in PyTorch: `torch.linalg.lstsq`, its arguments the other way round."""
    raise RuntimeError(
        f"{GONE} `torch.lstsq` is deprecated in favor of `torch.linalg.lstsq`.\n"
        "`torch.linalg.lstsq` has reversed arguments and does not return the QR decomposition in the returned tuple (although "
        "it returns other information about the problem).\n\n"
        "To get the QR decomposition consider using `torch.linalg.qr`.\n\n"
        "The returned solution in `torch.lstsq` stored the residuals of the solution in the last m - n columns of the returned "
        "value whenever m > n. In torch.linalg.lstsq, the residuals are in the field 'residuals' of the returned named tuple."
        "\n\nThe unpacking of the solution, as in\nX, _ = torch.lstsq(B, A).solution[:A.size(1)]\nshould be replaced with:\n"
        "X = torch.linalg.lstsq(A, B).solution"
    )


@function
def solve(input: Tensor, A: Tensor, *, out: Any = None) -> NoReturn:  # noqa: N803
    """Refused, as in PyTorch: `torch.linalg.solve`, its arguments the other way round."""
    raise RuntimeError(
        f"{GONE} `torch.solve` is deprecated in favor of `torch.linalg.solve`. `torch.linalg.solve` has its arguments "
        "reversed and does not return the LU factorization.\n\n"
        "To get the LU factorization see `torch.lu`, which can be used with `torch.lu_solve` or `torch.lu_unpack`.\n"
        "X = torch.solve(B, A).solution should be replaced with:\nX = torch.linalg.solve(A, B)"
    )


@function
def matrix_rank(input: Tensor, tol: Any = None, symmetric: bool = False, *, out: Any = None) -> NoReturn:
    """Refused, as in PyTorch: `torch.linalg.matrix_rank`."""
    raise RuntimeError(
        f"{GONE}\nPlease use the `torch.linalg.matrix_rank` function instead. The parameter 'symmetric' was renamed in "
        "`torch.linalg.matrix_rank()` to 'hermitian'."
    )
