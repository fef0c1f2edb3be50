// cooperative_groups::memcpy_async and cuda::pipeline. Block 32, 512 bytes.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/pipeline>
namespace cg = cooperative_groups;

template <bool WAIT>
__device__ __forceinline__ void group_body(const uint4* in, uint4* out)
{
    __shared__ uint4 s[32];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, s, in, cuda::aligned_size_t<16>(sizeof(s)));
    if (WAIT) cg::wait(block);
    else block.sync();                          // BUG: a barrier does not wait for the copy
    unsigned t = threadIdx.x;
    out[t] = s[31 - t];
}
extern "C" __global__ void group_copy(const uint4* in, uint4* out)        { group_body<true>(in, out); }
extern "C" __global__ void group_copy_nowait(const uint4* in, uint4* out) { group_body<false>(in, out); }

template <bool WAIT>
__device__ __forceinline__ void pipe_body(const uint4* in, uint4* out)
{
    __shared__ uint4 s[32];
    unsigned t = threadIdx.x;
    auto pipe = cuda::make_pipeline();          // of this thread
    pipe.producer_acquire();
    cuda::memcpy_async(&s[t], &in[t], cuda::aligned_size_t<16>(16), pipe);
    pipe.producer_commit();
    if (WAIT) pipe.consumer_wait();             // missing in the broken one
    __syncthreads();
    out[t] = s[31 - t];
    pipe.consumer_release();
}
extern "C" __global__ void pipe_copy(const uint4* in, uint4* out)        { pipe_body<true>(in, out); }
extern "C" __global__ void pipe_copy_nowait(const uint4* in, uint4* out) { pipe_body<false>(in, out); }
