// A barrier of the grid by sense, as textbooks have it: whoever comes last lets the others go on, who wait beside that.
template <bool EARLY, bool FENCE>
__device__ __forceinline__ void sense_barrier(unsigned* count, unsigned* sense, unsigned& mine)
{
    mine = 1 - mine;
    __syncthreads();
    if (threadIdx.x == 0) {
        if (FENCE) __threadfence();
        if (atomicAdd(count, 1u) == gridDim.x - 1) {
            if (EARLY) *(volatile unsigned*)sense = mine;
            *(volatile unsigned*)count = 0;
            if (FENCE) __threadfence();
            if (!EARLY) *(volatile unsigned*)sense = mine;
        } else {
            while (*(volatile unsigned*)sense != mine) __nanosleep(20);
        }
        if (FENCE) __threadfence();
    }
    __syncthreads();
}
template <bool EARLY, bool FENCE>
__device__ __forceinline__ void body(unsigned* a, unsigned* count, unsigned* sense, unsigned* out)
{
    unsigned n = gridDim.x * blockDim.x, g = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned peer = (g + blockDim.x) % n, mine = 0;
    a[g] = g + 1;
    sense_barrier<EARLY, FENCE>(count, sense, mine);
    unsigned v = a[peer];
    sense_barrier<EARLY, FENCE>(count, sense, mine);
    a[g] = v;
    out[g] = v;
}
extern "C" __global__ void exchange(unsigned* a, unsigned* count, unsigned* sense, unsigned* out)
{ body<false, true>(a, count, sense, out); }
extern "C" __global__ void exchange_early(unsigned* a, unsigned* count, unsigned* sense, unsigned* out)
{ body<true, true>(a, count, sense, out); }    // BUG: the others may arrive again before the count is 0
extern "C" __global__ void exchange_nofence(unsigned* a, unsigned* count, unsigned* sense, unsigned* out)
{ body<false, false>(a, count, sense, out); }  // BUG: nothing orders what is exchanged
