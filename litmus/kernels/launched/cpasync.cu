// Two-stage double buffer with cp.async: block 32, 4 tiles of 32 x 16 bytes.
#include <cuda_pipeline.h>
template <int PENDING>
__device__ __forceinline__ void body(const uint4* in, uint4* out)
{
    __shared__ uint4 buf[2][32];
    unsigned t = threadIdx.x;
    __pipeline_memcpy_async(&buf[0][t], &in[t], 16);
    __pipeline_commit();
#pragma unroll
    for (int i = 0; i < 4; i++) {
        if (i + 1 < 4) __pipeline_memcpy_async(&buf[(i + 1) & 1][t], &in[(i + 1) * 32 + t], 16);
        __pipeline_commit();
        __pipeline_wait_prior(PENDING);                  // the newest PENDING groups may still be on their way
        __syncthreads();
        out[i * 32 + t] = buf[i & 1][(t + 1) & 31];
        __syncthreads();
    }
}
extern "C" __global__ void dbuf(const uint4* in, uint4* out)        { body<1>(in, out); }
extern "C" __global__ void dbuf_broken(const uint4* in, uint4* out) { body<2>(in, out); }   // BUG: one group too few
