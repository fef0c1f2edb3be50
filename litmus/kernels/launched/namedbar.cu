// Warp 0 produces, warp 1 consumes; named barriers 1 (full) and 2 (empty), block 64, 3 rounds.
__device__ __forceinline__ void sync_(int id)   { asm volatile("bar.sync %0, 64;" :: "r"(id) : "memory"); }
__device__ __forceinline__ void arrive_(int id) { asm volatile("bar.arrive %0, 64;" :: "r"(id) : "memory"); }

__global__ void named(unsigned* out)
{
    __shared__ unsigned s[32];
    unsigned t = threadIdx.x & 31;
    if (threadIdx.x < 32) {
        for (unsigned i = 0; i < 3; i++) {
            if (i > 0) sync_(2);
            s[t] = 100 * i + t;
            arrive_(1);
        }
    } else {
        for (unsigned i = 0; i < 3; i++) {
            sync_(1);
            out[i * 32 + t] = s[(t + 1) & 31];
            if (i < 2) arrive_(2);
        }
    }
}
__global__ void named_noempty(unsigned* out)
{
    __shared__ unsigned s[32];
    unsigned t = threadIdx.x & 31;
    if (threadIdx.x < 32) {
        for (unsigned i = 0; i < 3; i++) {
            s[t] = 100 * i + t;        // BUG: does not wait until the consumer has read the previous round
            sync_(1);
        }
    } else {
        for (unsigned i = 0; i < 3; i++) {
            sync_(1);
            out[i * 32 + t] = s[(t + 1) & 31];
        }
    }
}
__global__ void named_missing(unsigned* out)
{
    __shared__ unsigned s[32];
    unsigned t = threadIdx.x & 31;
    if (threadIdx.x < 32) {
        for (unsigned i = 0; i < 3; i++) {
            if (i > 0) sync_(2);       // waits for ever in round 2
            s[t] = 100 * i + t;
            arrive_(1);
        }
    } else {
        for (unsigned i = 0; i < 3; i++) {
            sync_(1);
            out[i * 32 + t] = s[(t + 1) & 31];
            if (i < 1) arrive_(2);     // BUG: one arrival too few
        }
    }
}
