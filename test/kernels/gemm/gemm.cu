// A matrix product of Hopper, f16 to f16: 128x128x64 tiles in 4 stages by TMA, that of B for both CTAs of a cluster;
// two warpgroups multiply, one thread of each frees a stage in either CTA; the result goes out by TMA. With fences of
// the async proxy where copies and products of two CTAs meet. nvcc -ptx -arch=sm_90a gemm.cu -o gemm.ptx
#include <cstdint>
#include <cuda_fp16.h>
enum { RIGHT, PARITY, NOFENCE, EARLY, TAIL, NOEPI };
constexpr int STAGES = 4, A_BYTES = 16384, B_BYTES = 16384;
struct alignas(64) Map { char bytes[128]; };
__device__ __forceinline__ uint32_t sa(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ __forceinline__ void mb_init(uint64_t* b, int n) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(sa(b)), "r"(n) : "memory");
}
__device__ __forceinline__ void mb_expect(uint64_t* b, int n) {
  asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(sa(b)), "r"(n) : "memory");
}
__device__ __forceinline__ void mb_wait(uint64_t* b, int parity) {
  asm volatile(
      "{\n .reg .pred p;\nW:\n mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], %1;\n @!p bra W;\n}"
      ::"r"(sa(b)), "r"(parity) : "memory");
}
__device__ __forceinline__ void mb_arrive_at(uint64_t* b, int cta) {
  asm volatile(
      "{\n .reg .b32 r;\n mapa.shared::cluster.u32 r, %0, %1;\n"
      " mbarrier.arrive.release.cluster.shared::cluster.b64 _, [r];\n}" ::"r"(sa(b)), "r"(cta) : "memory");
}
__device__ __forceinline__ void fence_async() { asm volatile("fence.proxy.async;" ::: "memory"); }
__device__ __forceinline__ void cluster_sync() {
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
__device__ __forceinline__ void tma(void* dst, const Map* m, int x, int y, uint64_t* b) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
      ::"r"(sa(dst)), "l"(m), "r"(x), "r"(y), "r"(sa(b)) : "memory");
}
__device__ __forceinline__ void tma_for(void* dst, const Map* m, int x, int y, uint64_t* b, uint16_t ctas) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
      " [%0], [%1, {%2, %3}], [%4], %5;"
      ::"r"(sa(dst)), "l"(m), "r"(x), "r"(y), "r"(sa(b)), "h"(ctas) : "memory");
}
__device__ __forceinline__ uint64_t desc(const void* p) {
  return (uint64_t)((sa(p) & 0x3ffff) >> 4) | (uint64_t)1 << 16 | (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 62;
}
#define D8(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), \
  "+f"(d[i + 6]), "+f"(d[i + 7])
__device__ __forceinline__ void mma(float (&d)[64], uint64_t a, uint64_t b) {
  asm volatile(
      "{\n .reg .pred p;\n setp.ne.b32 p, %66, 0;\n wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, %64, %65, p, 1, 1, 0, 0;\n}"
      : D8(0), D8(8), D8(16), D8(24), D8(32), D8(40), D8(48), D8(56)
      : "l"(a), "l"(b), "r"(1));
}
template <int BUG>
__device__ __forceinline__ void body(const Map* ma, const Map* mb, const Map* mc, int tiles) {
  extern __shared__ __align__(1024) uint8_t smem[];
  uint8_t *sA = smem, *sB = smem + STAGES * A_BYTES, *sC = smem + STAGES * (A_BYTES + B_BYTES);
  __shared__ uint64_t full[STAGES], empty[STAGES];
  uint32_t t = threadIdx.x, rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  if (t == 0)
    for (int s = 0; s < STAGES; s++) { mb_init(&full[s], 1); mb_init(&empty[s], 4); }
  cluster_sync();
  if (t < 128) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (t == 0) {
#pragma unroll 1
      for (int i = 0; i < tiles; i++) {
        int s = i % STAGES;
        mb_wait(&empty[s], ((i / STAGES) & 1) ^ (BUG == PARITY && i >= STAGES ? 0 : 1));  // BUG: it waits for nobody
        if (BUG != NOFENCE) fence_async();  // BUG: over what the other CTA's copies and products have in this stage
        mb_expect(&full[s], A_BYTES + B_BYTES);
        tma(sA + s * A_BYTES, ma, i * 64, blockIdx.x * 128, &full[s]);
        tma_for(sB + s * B_BYTES + rank * 8192, mb, i * 64, rank * 64, &full[s], 3);
      }
    }
    __syncwarp();
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    uint32_t g = t / 128 - 1, u = t % 128;
    float d[64];
#pragma unroll
    for (int j = 0; j < 64; j++) d[j] = 0;
#pragma unroll 1
    for (int i = 0; i < tiles; i++) {
      int s = i % STAGES;
      mb_wait(&full[s], (i / STAGES) & 1);
      fence_async();
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
      for (int k = 0; k < 4; k++)
        mma(d, desc(sA + s * A_BYTES + g * 8192 + k * 32), desc(sB + s * B_BYTES + k * 32));
      asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
      if (BUG == EARLY && u < 2) mb_arrive_at(&empty[s], u);  // BUG: the products may still read the stage
      asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
      if (BUG != EARLY && u < 2) mb_arrive_at(&empty[s], u);
    }
    half2* out = reinterpret_cast<half2*>(sC + g * 16384);
    uint32_t row = u / 32 * 16 + u % 32 / 4, col = u % 4;
#pragma unroll
    for (int j = 0; j < 16; j++) {
      out[row * 64 + j * 4 + col] = __floats2half2_rn(d[4 * j], d[4 * j + 1]);
      out[(row + 8) * 64 + j * 4 + col] = __floats2half2_rn(d[4 * j + 2], d[4 * j + 3]);
    }
    if (BUG != NOEPI) asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // BUG: stored, and copied at once
    asm volatile("bar.sync %0, 128;" ::"r"(g + 1) : "memory");
    if (u == 0)
      asm volatile(
          "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];\n"
          "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;"
          ::"l"(mc), "r"(0), "r"(blockIdx.x * 128 + g * 64), "r"(sa(out)) : "memory");
    __syncwarp();
  }
  if (BUG != TAIL) cluster_sync();  // BUG: the last arrivals may come to a CTA that has exited
}
#define MAP const __grid_constant__ Map
#define K(name, bug) \
  extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(384, 1) name(MAP a, MAP b, MAP c, int tiles) { \
    body<bug>(&a, &b, &c, tiles); \
  }
K(gemm, RIGHT)
K(gemm_parity, PARITY)
K(gemm_nofence, NOFENCE)
K(gemm_early, EARLY)
K(gemm_tail, TAIL)
K(gemm_noepi, NOEPI)
