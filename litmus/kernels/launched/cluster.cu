// Exchange through distributed shared memory, clusters of two CTAs.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
template <bool FIRST, bool REUSE, bool LAST>
__device__ __forceinline__ void body(unsigned* out)
{
    __shared__ unsigned s[32];
    cg::cluster_group cl = cg::this_cluster();
    unsigned t = threadIdx.x, r = cl.block_rank();
    const unsigned* peer = cl.map_shared_rank(s, r ^ 1);
    s[t] = 100 * r + t;
    if (FIRST) cl.sync();
    unsigned v = peer[t];
    if (REUSE) {
        cl.sync();
        s[t] = v + 1000;
        cl.sync();
        v = peer[t];
    }
    out[r * 32 + t] = v;
    if (LAST) cl.sync();                    // nobody leaves while its shared memory is read
}
__global__ void __cluster_dims__(2, 1, 1) xchg(unsigned* out) { body<true, true, true>(out); }
__global__ void __cluster_dims__(2, 1, 1) xchg_exit(unsigned* out) { body<true, false, false>(out); }  // BUG: leaves at once

__global__ void __cluster_dims__(2, 1, 1) xchg_reuse(unsigned* out)
{
    __shared__ unsigned s[32];
    cg::cluster_group cl = cg::this_cluster();
    unsigned t = threadIdx.x, r = cl.block_rank();
    const unsigned* peer = cl.map_shared_rank(s, r ^ 1);
    s[t] = 100 * r + t;
    cl.sync();
    unsigned v = peer[t];
    s[t] = v + 1000;                        // BUG: no cl.sync() between the peer's read and this write
    cl.sync();
    out[r * 32 + t] = v + peer[t];
    cl.sync();
}
