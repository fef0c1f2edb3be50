// Partial sums of the CTAs; the CTA that draws the last ticket adds them up.
template <int PRE, int POST>
__device__ __forceinline__ void body(const unsigned* in, unsigned* partial, unsigned* count, unsigned* out)
{
    __shared__ unsigned s[64];
    __shared__ bool last;
    unsigned t = threadIdx.x, n = blockDim.x;
    s[t] = in[blockIdx.x * n + t];
    __syncthreads();
    for (unsigned d = n / 2; d > 0; d >>= 1) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) {
        partial[blockIdx.x] = s[0];
        if (PRE) __threadfence();                       // release side
        unsigned ticket = atomicAdd(count, 1u);
        if (POST) __threadfence();                      // acquire side
        last = ticket == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t == 0) {
        unsigned sum = 0;
        for (unsigned b = 0; b < gridDim.x; b++) sum += partial[b];
        *out = sum;
    }
}
extern "C" __global__ void lastblock(const unsigned* in, unsigned* partial, unsigned* count, unsigned* out)
{ body<1, 1>(in, partial, count, out); }
extern "C" __global__ void lastblock_nofence(const unsigned* in, unsigned* partial, unsigned* count, unsigned* out)
{ body<0, 0>(in, partial, count, out); }
// the well known sample: a fence before the ticket only
extern "C" __global__ void lastblock_onefence(const unsigned* in, unsigned* partial, unsigned* count, unsigned* out)
{ body<1, 0>(in, partial, count, out); }
