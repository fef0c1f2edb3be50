// cuda::barrier<thread_scope_block>: arrive, do something else, wait, read the neighbour. Two rounds.
#include <cuda/barrier>
#include <utility>
#pragma nv_diag_suppress static_var_with_dynamic_init
using Bar = cuda::barrier<cuda::thread_scope_block>;

extern "C" __global__ void neigh(unsigned* out)
{
    __shared__ Bar bar;
    __shared__ unsigned s[64];
    unsigned t = threadIdx.x, n = blockDim.x;
    if (t == 0) init(&bar, n);
    __syncthreads();
    s[t] = t + 1;
    Bar::arrival_token tok = bar.arrive();
    bar.wait(std::move(tok));
    unsigned v = s[(t + 1) % n];
    Bar::arrival_token tok2 = bar.arrive();
    bar.wait(std::move(tok2));
    s[t] = v * 2;
    out[t] = v;
}
extern "C" __global__ void neigh_early(unsigned* out)
{
    __shared__ Bar bar;
    __shared__ unsigned s[64];
    unsigned t = threadIdx.x, n = blockDim.x;
    if (t == 0) init(&bar, n);
    __syncthreads();
    s[t] = t + 1;
    Bar::arrival_token tok = bar.arrive();
    unsigned v = *(volatile unsigned*)&s[(t + 1) % n];     // BUG: read between arrive and wait
    bar.wait(std::move(tok));
    out[t] = v;
}
