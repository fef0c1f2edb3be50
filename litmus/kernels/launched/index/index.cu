// Ten ideas about indices and barriers: does each thread touch what is its own between two barriers?
// Each idea has a right kernel, NAME, and one with a small mistake, NAME_broken. Blocks have 4, 8 or 16 threads.
using u32 = unsigned;

// 1. Strides: each thread writes a pair of its own.
extern "C" __global__ void stride(const u32* in, u32* out)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    out[2 * i] = in[i];
    out[2 * i + 1] = in[i] + 100;
}

extern "C" __global__ void stride_broken(const u32* in, u32* out)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    out[2 * i] = in[i];
    out[2 * i + 2] = in[i] + 100;              // BUG: off by one, the first of the next pair
}

// 2. Modulo: 3 and 8 have no common divisor, so 3 i mod 8 is a permutation.
extern "C" __global__ void modulo(const u32* in, u32* out)
{
    u32 n = blockDim.x;
    out[(3 * threadIdx.x) % n] = in[threadIdx.x];
}

extern "C" __global__ void modulo_broken(const u32* in, u32* out)
{
    u32 n = blockDim.x - 1;                    // BUG: modulo 7 threads 0 and 7 come to the same element
    out[(3 * threadIdx.x) % n] = in[threadIdx.x];
}

// 3. Bit tricks: a bitonic merge. A pair differs in one bit, and belongs to the thread without it.
__device__ __forceinline__ void order(u32* a, u32* b)
{
    u32 x = *a;
    u32 y = *b;
    *a = min(x, y);
    *b = max(x, y);
}

extern "C" __global__ void merge(u32* data)
{
    __shared__ u32 s[8];
    u32 t = threadIdx.x;
    s[t] = data[t];
    __syncthreads();
    for (u32 d = 4; d > 0; d >>= 1) {
        if ((t & d) == 0)
            order(&s[t], &s[t + d]);
        __syncthreads();
    }
    data[t] = s[t];
}

extern "C" __global__ void merge_broken(u32* data)
{
    __shared__ u32 s[8];
    u32 t = threadIdx.x;
    s[t] = data[t];
    __syncthreads();
    for (u32 d = 4; d > 0; d >>= 1) {
        if (t + d < 8)                         // BUG: in the second round t + d also leads a pair
            order(&s[t], &s[t + d]);
        __syncthreads();
    }
    data[t] = s[t];
}

// 4. A barrier missing in a loop: smoothing in one buffer takes one after the reads and one after the writes.
extern "C" __global__ void smooth(const u32* in, u32* out, u32 rounds)
{
    __shared__ u32 s[8];
    u32 t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (u32 r = 0; r < rounds; ++r) {
        u32 v = s[t] + s[(t + 1) & 7];
        __syncthreads();
        s[t] = v;
        __syncthreads();
    }
    out[t] = s[t];
}

extern "C" __global__ void smooth_broken(const u32* in, u32* out, u32 rounds)
{
    __shared__ u32 s[8];
    u32 t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (u32 r = 0; r < rounds; ++r) {
        u32 v = s[t] + s[(t + 1) & 7];
        __syncthreads();
        s[t] = v;                              // BUG: no barrier before the next round reads it
    }
    out[t] = s[t];
}

// 5. Reads and writes in a loop: prefix sums. With two buffers in turn, one barrier a round is enough.
template <bool Flip>
__device__ __forceinline__ void prefix(const u32* in, u32* out)
{
    __shared__ u32 s[2][8];
    u32 t = threadIdx.x;
    u32 now = 0;
    s[now][t] = in[t];
    __syncthreads();
    for (u32 d = 1; d < 8; d *= 2) {
        u32 v = s[now][t];
        if (t >= d)
            v += s[now][t - d];
        if (Flip)
            now ^= 1;
        s[now][t] = v;
        __syncthreads();
    }
    out[t] = s[now][t];
}

extern "C" __global__ void scan(const u32* in, u32* out)
{
    prefix<true>(in, out);
}

extern "C" __global__ void scan_broken(const u32* in, u32* out)
{
    prefix<false>(in, out);                    // BUG: in place, with the barrier of two buffers
}

// 6. Transposing in place: of the two threads of a pair, the one above the diagonal swaps.
__device__ __forceinline__ void swap(u32* a, u32* b)
{
    u32 x = *a;
    *a = *b;
    *b = x;
}

extern "C" __global__ void transpose(u32* m)
{
    u32 x = threadIdx.x;
    u32 y = threadIdx.y;
    if (x > y)
        swap(&m[y * blockDim.x + x], &m[x * blockDim.x + y]);
}

extern "C" __global__ void transpose_broken(u32* m)
{
    u32 x = threadIdx.x;
    u32 y = threadIdx.y;
    if (x != y)                                // BUG: both threads of a pair swap
        swap(&m[y * blockDim.x + x], &m[x * blockDim.x + y]);
}

// 7. Barrier divergence: 8 threads go over 12 elements, so that the second round is only half full.
extern "C" __global__ void rounds(const u32* in, u32* out, u32* last, u32 n)
{
    __shared__ u32 s[8];
    u32 t = threadIdx.x;
    for (u32 base = 0; base < n; base += blockDim.x) {
        u32 i = base + t;
        if (i < n)
            s[t] = in[i];
        __syncthreads();
        if (i < n)
            out[i] = s[t ^ 1];
        __syncthreads();
    }
    __syncthreads();
    if (t == 4)
        *last = s[3];
}

extern "C" __global__ void rounds_broken(const u32* in, u32* out, u32* last, u32 n)
{
    __shared__ u32 s[8];
    u32 t = threadIdx.x;
    for (u32 i = t; i < n; i += blockDim.x) {  // BUG: threads 4 to 7 leave the loop a round early
        s[t] = in[i];
        __syncthreads();
        out[i] = s[t ^ 1];
        __syncthreads();
    }
    __syncthreads();
    if (t == 4)
        *last = s[3];
}

// 8. Aliasing: right where the two arguments are different arrays. The mistake is in the launch.
extern "C" __global__ void shift(const u32* in, u32* out)
{
    u32 i = threadIdx.x;
    out[i] = in[i + 1];
}

// 9. Writing the same: has any thread found the key?
extern "C" __global__ void find(const u32* in, u32 key, u32* found)
{
    int any = __syncthreads_or(in[threadIdx.x] == key);
    if (threadIdx.x == 0)
        *found = any;
}

extern "C" __global__ void find_broken(const u32* in, u32 key, u32* found)
{
    if (in[threadIdx.x] == key)
        *found = 1;                            // BUG: by several threads, though all write 1
}

// 10. Races between blocks: each block tells its sum, and then reads that of the next one.
__device__ __forceinline__ void tell(const u32* in, u32* sums)
{
    __shared__ u32 s[4];
    u32 t = threadIdx.x;
    s[t] = in[blockIdx.x * 4 + t];
    __syncthreads();
    if (t == 0)
        sums[blockIdx.x] = s[0] + s[1] + s[2] + s[3];
}

__device__ __forceinline__ void use(const u32* sums, u32* out)
{
    u32 next = (blockIdx.x + 1) % gridDim.x;
    out[blockIdx.x * blockDim.x + threadIdx.x] = sums[next] + threadIdx.x;
}

extern "C" __global__ void groups_tell(const u32* in, u32* sums)
{
    tell(in, sums);
}

extern "C" __global__ void groups_use(const u32* sums, u32* out)
{
    use(sums, out);
}

extern "C" __global__ void groups_broken(const u32* in, u32* sums, u32* out)
{
    tell(in, sums);
    __syncthreads();                           // BUG: a barrier of one block, where the kernel has to end
    use(sums, out);
}
