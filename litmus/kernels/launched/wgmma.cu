// Warp-specialised wgmma pipeline: warpgroup 0 holds the producer warp, warpgroups 1 and 2 multiply. 4 stages, 8 steps of k16, block 384.
// A step: A 128x16 f16 (4096 bytes, 2048 for each consumer group), B 16x8 f16 (256 bytes), no swizzle, core matrices contiguous.
#include "mbar.cuh"
enum { RIGHT, EARLY, NOFENCE, REGS };
constexpr int STAGES = 4, STEPS = 8, A_BYTES = 4096, B_BYTES = 256;
__device__ __forceinline__ uint64_t desc(const void* p)
{
    return (uint64_t)((sa(p) & 0x3ffff) >> 4) | (uint64_t)(128 >> 4) << 16 | (uint64_t)(256 >> 4) << 32;
}
#define MMA "{\n .reg .pred p;\n setp.ne.b32 p, %6, 0;\n" \
    " wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, p, 1, 1, 0, 0;\n}\n"
template <int BUG>
__device__ __forceinline__ void body(const uint8_t* a, const uint8_t* b, float* out)
{
    extern __shared__ __align__(1024) uint8_t smem[];
    uint8_t* sA = smem;
    uint8_t* sB = smem + STAGES * A_BYTES;
    __shared__ uint64_t full[STAGES], empty[STAGES];
    unsigned t = threadIdx.x;
    if (t == 0)
        for (int s = 0; s < STAGES; s++) { mb_init(&full[s], 1); mb_init(&empty[s], 256); }
    __syncthreads();
    if (t < 128) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (t == 0) {
#pragma unroll 1
            for (int i = 0; i < STEPS; i++) {
                int s = i % STAGES;
                mb_wait(&empty[s], ((i / STAGES) & 1) ^ 1);
                mb_expect(&full[s], A_BYTES + B_BYTES);
                bulk(sA + s * A_BYTES, a + i * A_BYTES, A_BYTES, &full[s]);
                bulk(sB + s * B_BYTES, b + i * B_BYTES, B_BYTES, &full[s]);
            }
        }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        unsigned g = t / 128 - 1;
        float d0 = 0, d1 = 0, d2 = 0, d3 = 0;
#pragma unroll 1
        for (int i = 0; i < STEPS; i++) {
            int s = i % STAGES;
            mb_wait(&full[s], (i / STAGES) & 1);
            uint64_t da = desc(sA + s * A_BYTES + g * 2048), db = desc(sB + s * B_BYTES);
            if (BUG == NOFENCE)
                asm volatile(MMA "wgmma.commit_group.sync.aligned;\n"
                             : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3) : "l"(da), "l"(db), "r"(1) : "memory");
            else
                asm volatile("wgmma.fence.sync.aligned;\n" MMA "wgmma.commit_group.sync.aligned;\n"
                             : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3) : "l"(da), "l"(db), "r"(1) : "memory");
            if (BUG == EARLY) mb_arrive(&empty[s]);               // BUG: the tile may still be read
            if (BUG == REGS && i == STEPS - 1)                    // BUG: accumulators read while in flight
                reinterpret_cast<float4*>(out)[t - 128] = make_float4(d0, d1, d2, d3);
            asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
            if (BUG != EARLY) mb_arrive(&empty[s]);
        }
        if (BUG != REGS) reinterpret_cast<float4*>(out)[t - 128] = make_float4(d0, d1, d2, d3);
    }
}
#define K(name, bug) extern "C" __global__ void __launch_bounds__(384, 1) name(const uint8_t* a, const uint8_t* b, float* out) \
    { body<bug>(a, b, out); }
K(gemm, RIGHT)
K(gemm_early, EARLY)
K(gemm_nofence, NOFENCE)      // BUG: no wgmma.fence before wgmma.mma_async
K(gemm_regs, REGS)
