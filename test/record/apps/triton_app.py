"""Triton kernels beside what PyTorch brings: a vector sum, a softmax and a matrix product; matmul and cumsum."""
import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)


@triton.jit
def softmax_kernel(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    values = tl.load(x + row * columns + at, mask=inside, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row * columns + at, powers / tl.sum(powers, axis=0), mask=inside)


@triton.jit
def matmul_kernel(a, b, c, K, N, M: tl.constexpr, W: tl.constexpr, STEP: tl.constexpr):
    rows = tl.program_id(0) * M + tl.arange(0, M)
    columns = tl.program_id(1) * W + tl.arange(0, W)
    sums = tl.zeros((M, W), dtype=tl.float32)
    for k in range(0, K, STEP):
        inner = k + tl.arange(0, STEP)
        left = tl.load(a + rows[:, None] * K + inner[None, :])
        right = tl.load(b + inner[:, None] * N + columns[None, :])
        sums += tl.dot(left, right)
    tl.store(c + rows[:, None] * N + columns[None, :], sums)


def main():
    torch.manual_seed(0)
    x = torch.rand(1000, device="cuda")
    y = torch.rand(1000, device="cuda")
    out = torch.empty_like(x)
    for _ in range(3):
        add_kernel[(4,)](x, y, out, 1000, BLOCK=256)
    print("add", bool(torch.allclose(out, x + y)))

    rows = torch.rand(8, 100, device="cuda")
    soft = torch.empty_like(rows)
    softmax_kernel[(8,)](rows, soft, 100, BLOCK=128)
    print("softmax", bool(torch.allclose(soft, torch.softmax(rows, 1), atol=1e-5)))

    a = torch.rand(64, 64, device="cuda", dtype=torch.float16)
    b = torch.rand(64, 64, device="cuda", dtype=torch.float16)
    c = torch.empty(64, 64, device="cuda")
    matmul_kernel[(2, 2)](a, b, c, 64, 64, M=32, W=32, STEP=32)
    print("matmul", bool(torch.allclose(c, (a.float() @ b.float()), atol=1e-1)))
    print("cumsum", int(torch.cumsum(torch.ones(500, device="cuda", dtype=torch.int64), 0)[-1]))
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
