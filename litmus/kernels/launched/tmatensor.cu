// cp.async.bulk.tensor with a CUtensorMap parameter: warp 0 produces, warps 1 and 2 consume; 3 stages, 6 tiles of 8x8 u32.
#include <cuda.h>
#include "mbar.cuh"
__device__ __forceinline__ void tensor2d(void* dst, const CUtensorMap* map, int x, int y, uint64_t* b)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                 :: "r"(sa(dst)), "l"(map), "r"(x), "r"(y), "r"(sa(b)) : "memory");
}
enum { RIGHT, NO_EMPTY, ONE_CONSUMER };
template <int BUG>
__device__ __forceinline__ void body(const CUtensorMap* map, uint32_t* out)
{
    __shared__ alignas(128) uint32_t tile[3][64];
    __shared__ uint64_t full[3], empty[3];
    unsigned t = threadIdx.x, w = t / 32;
    if (t == 0) {
        for (int s = 0; s < 3; s++) { mb_init(&full[s], 1); mb_init(&empty[s], BUG == ONE_CONSUMER ? 1 : 2); }
    }
    __syncthreads();
    if (w == 0) {
        if (t == 0) {
            for (int i = 0; i < 6; i++) {
                int s = i % 3, ph = i / 3;
                if (BUG != NO_EMPTY) mb_wait(&empty[s], (ph & 1) ^ 1);
                mb_expect(&full[s], 256);
                tensor2d(tile[s], map, 0, 8 * i, &full[s]);
            }
        }
    } else {
        for (int i = 0; i < 6; i++) {
            int s = i % 3, ph = i / 3;
            mb_wait(&full[s], ph & 1);
            out[i * 64 + t - 32] = tile[s][95 - t];
            proxy_fence();                 // this lane's read before the next tensor copy
            __syncwarp();
            if ((t & 31) == 0) mb_arrive(&empty[s]);
        }
    }
}
extern "C" __global__ void tensor(const __grid_constant__ CUtensorMap map, uint32_t* out) { body<RIGHT>(&map, out); }
extern "C" __global__ void tensor_noempty(const __grid_constant__ CUtensorMap map, uint32_t* out)
{ body<NO_EMPTY>(&map, out); }             // BUG: the producer does not wait for empty
extern "C" __global__ void tensor_count(const __grid_constant__ CUtensorMap map, uint32_t* out)
{ body<ONE_CONSUMER>(&map, out); }         // BUG: empty is initialised for one consumer warp, there are two
