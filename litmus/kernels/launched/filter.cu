// What is less than a limit is written to places that threads take by counting: who gets which one is open.
extern "C" __global__ void filter(const unsigned* in, unsigned* out, unsigned* count, unsigned limit)
{
    unsigned value = in[blockIdx.x * blockDim.x + threadIdx.x];
    if (value < limit)
        out[atomicAdd(count, 1u)] = value;
}

// BUG: the place is read before it is taken, so that several threads may read the same.
extern "C" __global__ void filter_early(const unsigned* in, unsigned* out, unsigned* count, unsigned limit)
{
    unsigned value = in[blockIdx.x * blockDim.x + threadIdx.x];
    if (value < limit) {
        unsigned place = *(volatile unsigned*)count;
        atomicAdd(count, 1u);
        out[place] = value;
    }
}
