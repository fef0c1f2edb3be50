// Decoupled look-back: inclusive prefix sum over tiles, one tile (4 numbers) a CTA.
#include <cuda/atomic>
using Flag = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

template <cuda::std::memory_order ST, cuda::std::memory_order LD>
__device__ __forceinline__ void body(const uint4* in, unsigned* flag, unsigned* agg, unsigned* pref, unsigned* out)
{
    __shared__ unsigned before;
    unsigned b = blockIdx.x, t = threadIdx.x;
    uint4 v = in[b];
    unsigned sum = v.x + v.y + v.z + v.w;
    if (t == 0) {
        unsigned excl = 0;
        if (b > 0) {
            agg[b] = sum;
            Flag(flag[b]).store(1, ST);                 // aggregate there
            for (int j = (int)b - 1; j >= 0; j--) {
                unsigned f;
                do f = Flag(flag[j]).load(LD); while (f == 0);
                if (f == 2) { excl += pref[j]; break; }
                excl += agg[j];
            }
        }
        pref[b] = excl + sum;
        Flag(flag[b]).store(2, ST);                     // inclusive prefix there
        before = excl;
    }
    __syncthreads();
    out[b * blockDim.x + t] = before + t;
}
extern "C" __global__ void scan(const uint4* in, unsigned* flag, unsigned* agg, unsigned* pref, unsigned* out)
{ body<cuda::std::memory_order_release, cuda::std::memory_order_acquire>(in, flag, agg, pref, out); }
extern "C" __global__ void scan_relaxed(const uint4* in, unsigned* flag, unsigned* agg, unsigned* pref, unsigned* out)
{ body<cuda::std::memory_order_relaxed, cuda::std::memory_order_relaxed>(in, flag, agg, pref, out); }
