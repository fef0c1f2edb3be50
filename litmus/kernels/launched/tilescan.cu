// Single-pass prefix sums over tiles, one tile (a number for each thread) a CTA.
#include <cuda/atomic>
using Flag = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

// CTAs draw their tiles in the order in which they start: each waits for tiles that others have drawn already.
template <bool BARRIER, cuda::std::memory_order ST>
__device__ __forceinline__ void drawn_body(unsigned* next, const unsigned* in, unsigned* flag, unsigned* agg,
                                           unsigned* pref, unsigned* out)
{
    __shared__ unsigned tile, before, item[32];
    unsigned t = threadIdx.x;
    if (t == 0) tile = atomicAdd(next, 1);
    if (BARRIER) __syncthreads();
    unsigned b = tile;
    item[t] = in[b * blockDim.x + t];
    __syncthreads();
    if (t == 0) {
        unsigned sum = 0, excl = 0;
        for (unsigned i = 0; i < blockDim.x; i++) sum += item[i];
        if (b > 0) {
            agg[b] = sum;
            Flag(flag[b]).store(1, ST);                 // aggregate there
            for (int j = (int)b - 1; j >= 0; j--) {
                unsigned f;
                do f = Flag(flag[j]).load(cuda::std::memory_order_acquire); while (f == 0);
                if (f == 2) { excl += pref[j]; break; }
                excl += agg[j];
            }
        }
        pref[b] = excl + sum;
        Flag(flag[b]).store(2, cuda::std::memory_order_release);    // inclusive prefix there
        before = excl;
    }
    __syncthreads();
    unsigned sum = before;
    for (unsigned i = 0; i <= t; i++) sum += item[i];
    out[b * blockDim.x + t] = sum;
}
using cuda::std::memory_order_relaxed;
using cuda::std::memory_order_release;
extern "C" __global__ void drawn(unsigned* next, const unsigned* in, unsigned* flag, unsigned* agg, unsigned* pref,
                                 unsigned* out)
{ drawn_body<true, memory_order_release>(next, in, flag, agg, pref, out); }
extern "C" __global__ void drawn_no_barrier(unsigned* next, const unsigned* in, unsigned* flag, unsigned* agg,
                                            unsigned* pref, unsigned* out)
{ drawn_body<false, memory_order_release>(next, in, flag, agg, pref, out); }
extern "C" __global__ void drawn_relaxed(unsigned* next, const unsigned* in, unsigned* flag, unsigned* agg,
                                         unsigned* pref, unsigned* out)
{ drawn_body<true, memory_order_relaxed>(next, in, flag, agg, pref, out); }

// The lanes of a warp look back at the 32 tiles before theirs at once. State and value of a tile are one word: 0 says
// nothing yet, 1 the sum of the tile, 2 that of all up to it. Before the first tile there are 32 words that say 2.
template <bool FENCED>
__device__ __forceinline__ void window_body(uint2* tiles, const unsigned* in, unsigned* data, unsigned* out)
{
    __shared__ unsigned before;
    unsigned b = blockIdx.x, t = threadIdx.x, sum = in[b * 32 + t];
    for (unsigned d = 1; d < 32; d *= 2) {
        unsigned other = __shfl_up_sync(0xffffffff, sum, d);
        if (t >= d) sum += other;
    }
    uint2* mine = tiles + 32 + b;
    data[b * 32 + t] = sum;
    __syncwarp();
    if (FENCED) __threadfence();
    if (t == 31) asm volatile("st.relaxed.gpu.v2.u32 [%0], {%1, %2};" :: "l"(mine), "r"(1), "r"(sum) : "memory");
    unsigned excl = 0;
    for (const uint2* look = mine - 1 - t; ; look -= 32) {
        unsigned state, value;
        do asm volatile("ld.relaxed.gpu.v2.u32 {%0, %1}, [%2];" : "=r"(state), "=r"(value) : "l"(look) : "memory");
        while (__any_sync(0xffffffff, state == 0));
        unsigned whole = __ballot_sync(0xffffffff, state == 2);
        unsigned last = whole == 0 ? 31 : __ffs(whole) - 1;
        unsigned own = t <= last ? value : 0;
        for (unsigned d = 16; d > 0; d /= 2) own += __shfl_xor_sync(0xffffffff, own, d);
        excl += own;
        if (!__all_sync(0xffffffff, state != 2)) break;
    }
    if (FENCED) __threadfence();
    if (t == 31) asm volatile("st.relaxed.gpu.v2.u32 [%0], {%1, %2};" :: "l"(mine), "r"(2), "r"(excl + sum) : "memory");
    if (t == 0) {
        before = excl;
        if (b > 0) out[gridDim.x * 32 + b] = data[(b - 1) * 32];     // what the tile before has stored
    }
    __syncthreads();
    out[b * 32 + t] = before + sum;
}
extern "C" __global__ void window(uint2* tiles, const unsigned* in, unsigned* data, unsigned* out)
{ window_body<true>(tiles, in, data, out); }
extern "C" __global__ void window_unfenced(uint2* tiles, const unsigned* in, unsigned* data, unsigned* out)
{ window_body<false>(tiles, in, data, out); }
