// A matrix product, f16 to f16: 128x128x64 tiles in 4 stages by TMA, that of B for both CTAs of a cluster; the result
// goes out by TMA. With fences of the async proxy where copies and products of two CTAs meet.
// Of Hopper: two warpgroups multiply, one thread of each frees a stage in either CTA.
// Of Blackwell: one thread multiplies into tensor memory, its commits free stages, two warpgroups load the result.
// nvcc -ptx -arch=sm_90a gemm.cu -o gemm.ptx; nvcc -ptx -arch=sm_100a gemm.cu -o gemm-tcgen05.ptx
#include <cstdint>
#include <cuda_fp16.h>
enum { RIGHT, PARITY, NOFENCE, EARLY, TAIL, NOEPI, NOWAIT, NOAFTER, FREE };
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
#if __CUDA_ARCH__ >= 1000
constexpr int FREED_BY = 2;  // a commit of either CTA
// K-major, rows of 128 bytes, swizzled.
__device__ __forceinline__ uint64_t desc(const void* p) {
  return (uint64_t)((sa(p) & 0x3ffff) >> 4) | (uint64_t)1 << 16 | (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 46 |
         (uint64_t)2 << 61;
}
constexpr uint32_t F16_TO_F32 = 1u << 4 | 128u / 8 << 17 | 128u / 16 << 24;
__device__ __forceinline__ void mma(uint32_t d, uint64_t a, uint64_t b, int adds) {
  asm volatile(
      "{\n .reg .pred p;\n setp.ne.b32 p, %4, 0;\n tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p;\n}"
      ::"r"(d), "l"(a), "l"(b), "r"(F16_TO_F32), "r"(adds) : "memory");
}
__device__ __forceinline__ void commit(uint64_t* b) {
  asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(sa(b)) : "memory");
}
__device__ __forceinline__ void commit_for(uint64_t* b, uint16_t ctas) {
  asm volatile(
      "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1;"
      ::"r"(sa(b)), "h"(ctas) : "memory");
}
__device__ __forceinline__ void before() { asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory"); }
__device__ __forceinline__ void after() { asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory"); }
// 16 columns of the lane of the thread.
__device__ __forceinline__ void load(uint32_t (&v)[16], uint32_t from) {
  asm volatile(
      "tcgen05.ld.sync.aligned.32x32b.x16.b32 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15},"
      " [%16];"
      : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]), "=r"(v[4]), "=r"(v[5]), "=r"(v[6]), "=r"(v[7]), "=r"(v[8]),
        "=r"(v[9]), "=r"(v[10]), "=r"(v[11]), "=r"(v[12]), "=r"(v[13]), "=r"(v[14]), "=r"(v[15])
      : "r"(from) : "memory");
}
template <int BUG>
__device__ __forceinline__ void multiply(uint32_t d, uint8_t* sA, uint8_t* sB, uint64_t* full, uint64_t* empty,
                                         uint64_t* done, int tiles) {
#pragma unroll 1
  for (int i = 0; i < tiles; i++) {
    int s = i % STAGES;
    mb_wait(&full[s], (i / STAGES) & 1);
    fence_async();
    after();
#pragma unroll
    for (int k = 0; k < 4; k++)
      mma(d, desc(sA + s * A_BYTES + k * 32), desc(sB + s * B_BYTES + k * 32), i > 0 || k > 0);
    if (BUG == EARLY) { mb_arrive_at(&empty[s], 0); mb_arrive_at(&empty[s], 1); }  // BUG: they may still read it
    else commit_for(&empty[s], 3);
  }
  commit(done);
}
template <int BUG>
__device__ __forceinline__ void unload(uint32_t d, uint64_t* done, half2* out, uint32_t g, uint32_t u) {
  if (BUG == NOAFTER)  // BUG: a wait that does not acquire, and no fence
    asm volatile(
        "{\n .reg .pred p;\nW:\n mbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64 p, [%0], 0;\n @!p bra W;\n}"
        ::"r"(sa(done)) : "memory");
  else if (BUG != NOWAIT) mb_wait(done, 0);  // BUG: the products may still write
  if (BUG != NOAFTER) after();
#pragma unroll
  for (int j = 0; j < 4; j++) {
    uint32_t v[16];
    load(v, d + (u / 32 << 21) + g * 64 + j * 16);
    asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
#pragma unroll
    for (int k = 0; k < 8; k++)
      out[u * 32 + j * 8 + k] = __floats2half2_rn(__uint_as_float(v[2 * k]), __uint_as_float(v[2 * k + 1]));
  }
}
#else
constexpr int FREED_BY = 4;  // one thread of each warpgroup, of both CTAs
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
__device__ __forceinline__ void multiply(uint8_t* sA, uint8_t* sB, uint64_t* full, uint64_t* empty, half2* out,
                                         uint32_t g, uint32_t u, int tiles) {
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
  uint32_t row = u / 32 * 16 + u % 32 / 4, col = u % 4;
#pragma unroll
  for (int j = 0; j < 16; j++) {
    out[row * 64 + j * 4 + col] = __floats2half2_rn(d[4 * j], d[4 * j + 1]);
    out[(row + 8) * 64 + j * 4 + col] = __floats2half2_rn(d[4 * j + 2], d[4 * j + 3]);
  }
}
#endif
template <int BUG>
__device__ __forceinline__ void body(const Map* ma, const Map* mb, const Map* mc, int tiles) {
  extern __shared__ __align__(1024) uint8_t smem[];
  uint8_t *sA = smem, *sB = smem + STAGES * A_BYTES, *sC = smem + STAGES * (A_BYTES + B_BYTES);
  __shared__ uint64_t full[STAGES], empty[STAGES];
  uint32_t t = threadIdx.x, rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  if (t == 0)
    for (int s = 0; s < STAGES; s++) { mb_init(&full[s], 1); mb_init(&empty[s], FREED_BY); }
#if __CUDA_ARCH__ >= 1000
  __shared__ uint64_t done;
  __shared__ uint32_t slot;
  if (t == 0) mb_init(&done, 1);
  if (t / 32 == 1)
    asm volatile(
        "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 128;\n"
        "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::"r"(sa(&slot)) : "memory");
  before();
  cluster_sync();
  after();
  uint32_t d = slot;
#else
  cluster_sync();
#endif
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
#if __CUDA_ARCH__ >= 1000
    // BUG: commits of the other CTA may come to a CTA that has exited; a barrier does not wait for them
    if (t == 0 && BUG != TAIL)
#pragma unroll 1
      for (int i = tiles; i < tiles + STAGES; i++) mb_wait(&empty[i % STAGES], ((i / STAGES) & 1) ^ 1);
    if (t == 32) multiply<BUG>(d, sA, sB, full, empty, &done, tiles);
#endif
    __syncwarp();
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    uint32_t g = t / 128 - 1, u = t % 128;
    half2* out = reinterpret_cast<half2*>(sC + g * 16384);
#if __CUDA_ARCH__ >= 1000
    unload<BUG>(d, &done, out, g, u);
    int column = g * 64, line = 0;
#else
    multiply<BUG>(sA, sB, full, empty, out, g, u, tiles);
    int column = 0, line = g * 64;
#endif
    if (BUG != NOEPI) asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // BUG: stored, and copied at once
    asm volatile("bar.sync %0, 128;" ::"r"(g + 1) : "memory");
    if (u == 0)
      asm volatile(
          "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];\n"
          "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;"
          ::"l"(mc), "r"(column), "r"(blockIdx.x * 128 + line), "r"(sa(out)) : "memory");
    __syncwarp();
  }
#if __CUDA_ARCH__ >= 1000
  before();
  if (BUG == FREE && t / 32 == 1)  // BUG: others may still load
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 128;" ::"r"(d) : "memory");
  __syncthreads();
  after();
  if (BUG != FREE && t / 32 == 1)
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 128;" ::"r"(d) : "memory");
#endif
#if __CUDA_ARCH__ >= 1000
  cluster_sync();
#else
  if (BUG != TAIL) cluster_sync();  // BUG: the last arrivals may come to a CTA that has exited
#endif
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
#if __CUDA_ARCH__ >= 1000 || !defined(__CUDA_ARCH__)
K(gemm_nowait, NOWAIT)
K(gemm_noafter, NOAFTER)
K(gemm_free, FREE)
#endif
