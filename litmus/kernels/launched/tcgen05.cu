// One tcgen05.mma of 128x16x16 (f16 -> f32), block 128: plain stores, proxy fence, mma, commit to an mbarrier, wait, ld, dealloc.
#include "mbar.cuh"
enum { RIGHT, NOWAIT, NOPROXY, NODEALLOC };
__device__ __forceinline__ uint64_t desc(const void* p)
{
    return (uint64_t)((sa(p) & 0x3ffff) >> 4) | (uint64_t)(128 >> 4) << 16 | (uint64_t)(256 >> 4) << 32 | 1ull << 46;
}
template <int BUG>
__device__ __forceinline__ void body(const uint4* a, const uint32_t* b, uint4* out)
{
    __shared__ alignas(128) uint4 sA[256];            // 128 x 16 f16
    __shared__ alignas(128) uint32_t sB[128];         // 16 x 16 f16
    __shared__ uint64_t bar;
    __shared__ uint32_t slot;
    unsigned t = threadIdx.x, w = t / 32;
    if (t == 0) mb_init(&bar, 1);
    if (w == 0) {
        asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 32;" :: "r"(sa(&slot)) : "memory");
        asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::: "memory");
    }
    sA[2 * t] = a[2 * t];
    sA[2 * t + 1] = a[2 * t + 1];
    sB[t] = b[t];
    if (BUG != NOPROXY) proxy_fence();
    __syncthreads();
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
    uint32_t tm = slot;
    if (t == 0) {
        uint32_t idesc = 1u << 4 | (16u / 8) << 17 | (128u / 16) << 24;
        asm volatile("{\n .reg .pred p;\n setp.ne.b32 p, %4, 0;\n"
                     " tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p;\n}"
                     :: "r"(tm), "l"(desc(sA)), "l"(desc(sB)), "r"(idesc), "r"(0) : "memory");
        asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" :: "r"(sa(&bar)) : "memory");
    }
    if (BUG != NOWAIT) mb_wait(&bar, 0);              // missing in the broken one: ld before the mma is complete
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
    uint32_t r0, r1, r2, r3;
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(tm + (w << 21)) : "memory");
    asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
    out[t] = make_uint4(r0, r1, r2, r3);
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    __syncthreads();
    if (BUG != NODEALLOC && w == 0) {
        asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
        asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 32;" :: "r"(tm) : "memory");
    }
}
#define K(name, bug) extern "C" __global__ void __launch_bounds__(128) name(const uint4* a, const uint32_t* b, uint4* out) \
    { body<bug>(a, b, out); }
K(mma, RIGHT)
K(mma_nowait, NOWAIT)         // BUG: tcgen05.ld without waiting for the commit
K(mma_noproxy, NOPROXY)       // BUG: no fence.proxy.async between the stores of A and B and the mma
K(mma_nodealloc, NODEALLOC)   // BUG: tensor memory is not given back
