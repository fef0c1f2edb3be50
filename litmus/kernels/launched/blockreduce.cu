// Block reduction in shared memory. Block size: a power of two, at most 128.
__global__ void sum_right(const unsigned* in, unsigned* out)
{
    __shared__ unsigned s[128];
    unsigned t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (unsigned d = blockDim.x / 2; d > 0; d >>= 1) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) *out = s[0];
}

__global__ void sum_broken(const unsigned* in, unsigned* out)
{
    __shared__ unsigned s[128];
    unsigned t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (unsigned d = blockDim.x / 2; d > 0; d >>= 1) {
        if (t < d) s[t] += s[t + d];    // BUG: no __syncthreads() between the steps
    }
    if (t == 0) *out = s[0];
}
