// cp.async.bulk of bytes: warp 0 produces, warp 1 consumes; 2 stages, 4 tiles of 128 bytes, block 64.
#include "mbar.cuh"
enum { RIGHT, NO_FULL, NO_EMPTY, PARITY, PRODPARITY, NOPROXY };
template <int BUG>
__device__ __forceinline__ void body(const uint32_t* in, uint32_t* out)
{
    __shared__ alignas(128) uint32_t tile[2][32];
    __shared__ uint64_t full[2], empty[2];
    unsigned t = threadIdx.x & 31;
    if (threadIdx.x == 0)
        for (int s = 0; s < 2; s++) { mb_init(&full[s], 1); mb_init(&empty[s], 32); }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned i = 0; i < 4; i++) {
            unsigned s = i & 1, ph = i >> 1;
            if (BUG != NO_EMPTY) mb_wait(&empty[s], BUG == PRODPARITY ? ph & 1 : (ph & 1) ^ 1);
            mb_expect(&full[s], 128);
            bulk(tile[s], in + i * 32, 128, &full[s]);
        }
    } else if (threadIdx.x >= 32) {
        for (unsigned i = 0; i < 4; i++) {
            unsigned s = i & 1, ph = i >> 1;
            if (BUG != NO_FULL) mb_wait(&full[s], BUG == PARITY ? 0 : ph & 1);
            out[i * 32 + t] = tile[s][31 - t];
            if (BUG != NOPROXY) proxy_fence();
            mb_arrive(&empty[s]);
        }
    }
}
#define K(name, bug) extern "C" __global__ void name(const uint32_t* in, uint32_t* out) { body<bug>(in, out); }
K(tma, RIGHT)
K(tma_nofull, NO_FULL)        // BUG: the consumer does not wait for full
K(tma_noempty, NO_EMPTY)      // BUG: the producer does not wait for empty
K(tma_parity, PARITY)         // BUG: the consumer always waits for parity 0
K(tma_prodparity, PRODPARITY) // BUG: the producer begins with parity 0 on a fresh barrier
K(tma_noproxy, NOPROXY)       // no proxy fence between generic reads and the next bulk write
