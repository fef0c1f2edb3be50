// A barrier of the grid by hand: one counter, two uses.
template <bool FENCE>
__device__ __forceinline__ void grid_barrier(unsigned* count, unsigned target)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        if (FENCE) __threadfence();
        atomicAdd(count, 1u);
        while (*(volatile unsigned*)count < target) { }
        if (FENCE) __threadfence();
    }
    __syncthreads();
}
template <bool FENCE, int EXTRA>
__device__ __forceinline__ void body(unsigned* a, unsigned* count, unsigned* out)
{
    unsigned n = gridDim.x * blockDim.x, g = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned peer = (g + blockDim.x) % n;
    a[g] = g + 1;
    grid_barrier<FENCE>(count, gridDim.x + EXTRA);
    unsigned v = a[peer];
    grid_barrier<FENCE>(count, 2 * (gridDim.x + EXTRA));
    a[g] = v;
    out[g] = v;
}
extern "C" __global__ void exchange(unsigned* a, unsigned* count, unsigned* out)
{ body<true, 0>(a, count, out); }
extern "C" __global__ void exchange_nofence(unsigned* a, unsigned* count, unsigned* out)
{ body<false, 0>(a, count, out); }
extern "C" __global__ void exchange_count(unsigned* a, unsigned* count, unsigned* out)
{ body<true, 1>(a, count, out); }          // BUG: waits for gridDim.x + 1 arrivals
