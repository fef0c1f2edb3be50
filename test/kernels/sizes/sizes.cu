// Kernels of full size, as samples and libraries have them; NAME_broken lacks one barrier or fence.
using u32 = unsigned;

template <bool BROKEN>
__device__ __forceinline__ void barrier()
{
    if constexpr (!BROKEN)
        __syncthreads();
}

#define TWINS(name, parameters, arguments)                                            \
    extern "C" __global__ void name parameters { name##_body<false> arguments; }      \
    extern "C" __global__ void name##_broken parameters { name##_body<true> arguments; }

// C = A B, blocks of T x T threads, tile by tile.
template <int T, bool BROKEN>
__device__ __forceinline__ void matmul_tiles(const u32* a, const u32* b, u32* c, u32 tiles)
{
    __shared__ u32 sa[T][T], sb[T][T];
    u32 x = threadIdx.x, y = threadIdx.y, n = tiles * T;
    u32 row = blockIdx.y * T + y, column = blockIdx.x * T + x, sum = 0;
    for (u32 t = 0; t < tiles; t++) {
        sa[y][x] = a[row * n + t * T + x];
        sb[y][x] = b[(t * T + y) * n + column];
        __syncthreads();
        for (int k = 0; k < T; k++)
            sum += sa[y][k] * sb[k][x];
        barrier<BROKEN>();
    }
    c[row * n + column] = sum;
}
template <bool BROKEN>
__device__ __forceinline__ void matmul8_body(const u32* a, const u32* b, u32* c, u32 tiles)
{
    matmul_tiles<8, BROKEN>(a, b, c, tiles);
}
template <bool BROKEN>
__device__ __forceinline__ void matmul16_body(const u32* a, const u32* b, u32* c, u32 tiles)
{
    matmul_tiles<16, BROKEN>(a, b, c, tiles);
}
template <bool BROKEN>
__device__ __forceinline__ void matmul32_body(const u32* a, const u32* b, u32* c, u32 tiles)
{
    matmul_tiles<32, BROKEN>(a, b, c, tiles);
}
TWINS(matmul8, (const u32* a, const u32* b, u32* c, u32 tiles), (a, b, c, tiles))
TWINS(matmul16, (const u32* a, const u32* b, u32* c, u32 tiles), (a, b, c, tiles))
TWINS(matmul32, (const u32* a, const u32* b, u32* c, u32 tiles), (a, b, c, tiles))

// Inclusive sums, in log n steps (Hillis and Steele).
template <bool BROKEN>
__device__ __forceinline__ void scan_body(const u32* in, u32* out)
{
    __shared__ u32 s[1024];
    u32 t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (u32 d = 1; d < blockDim.x; d *= 2) {
        u32 add = t >= d ? s[t - d] : 0;
        barrier<BROKEN>();
        s[t] += add;
        __syncthreads();
    }
    out[t] = s[t];
}
TWINS(scan, (const u32* in, u32* out), (in, out))

template <bool BROKEN>
__device__ __forceinline__ void reduce_body(const u32* in, u32* out)
{
    __shared__ u32 s[1024];
    u32 t = threadIdx.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (u32 d = blockDim.x / 2; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        barrier<BROKEN>();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}
TWINS(reduce, (const u32* in, u32* out), (in, out))

template <bool BROKEN>
__device__ __forceinline__ void transpose_body(const u32* in, u32* out, u32 n)
{
    __shared__ u32 tile[32][33];
    u32 x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = in[(blockIdx.y * 32 + y) * n + blockIdx.x * 32 + x];
    barrier<BROKEN>();
    out[(blockIdx.x * 32 + y) * n + blockIdx.y * 32 + x] = tile[x][y];
}
TWINS(transpose, (const u32* in, u32* out, u32 n), (in, out, n))

template <bool BROKEN>
__device__ __forceinline__ void bitonic_body(u32* data)
{
    __shared__ u32 s[1024];
    u32 t = threadIdx.x;
    s[t] = data[t];
    __syncthreads();
    for (u32 k = 2; k <= blockDim.x; k *= 2)
        for (u32 j = k / 2; j > 0; j /= 2) {
            u32 other = t ^ j;
            if (other > t) {
                u32 low = s[t], high = s[other];
                if ((low > high) == ((t & k) == 0)) {
                    s[t] = high;
                    s[other] = low;
                }
            }
            barrier<BROKEN>();
        }
    __syncthreads();
    data[t] = s[t];
}
TWINS(bitonic, (u32* data), (data))

// Counts of bytes: in shared memory first, then for all blocks.
template <bool BROKEN>
__device__ __forceinline__ void histogram_body(const unsigned char* in, u32* bins, u32 each)
{
    __shared__ u32 s[256];
    u32 t = threadIdx.x;
    s[t] = 0;
    barrier<BROKEN>();
    for (u32 i = 0; i < each; i++)
        atomicAdd(&s[in[(blockIdx.x * each + i) * blockDim.x + t]], 1u);
    __syncthreads();
    atomicAdd(&bins[t], s[t]);
}
TWINS(histogram, (const unsigned char* in, u32* bins, u32 each), (in, bins, each))

// All blocks come together, twice: each thread takes what one of the next block has written.
template <bool BROKEN>
__device__ __forceinline__ void all_blocks(u32* count, u32 until)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        if constexpr (!BROKEN)
            __threadfence();
        atomicAdd(count, 1u);
        while (*(volatile u32*)count < until) { }
        __threadfence();
    }
    __syncthreads();
}
template <bool BROKEN>
__device__ __forceinline__ void gridbarrier_body(u32* data, u32* out, u32* count)
{
    u32 n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x, next = (i + blockDim.x) % n;
    data[i] = i;
    all_blocks<BROKEN>(count, gridDim.x);
    u32 found = data[next];
    all_blocks<BROKEN>(count, 2 * gridDim.x);
    data[i] = found;
    out[i] = found;
}
TWINS(gridbarrier, (u32* data, u32* out, u32* count), (data, out, count))

template <bool BROKEN>
__device__ __forceinline__ void lastblock_body(const u32* in, u32* part, u32* count, u32* out)
{
    __shared__ u32 s[1024];
    __shared__ bool isLast;
    u32 t = threadIdx.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (u32 d = blockDim.x / 2; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) {
        part[blockIdx.x] = s[0];
        if constexpr (!BROKEN)
            __threadfence();
        isLast = atomicAdd(count, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (isLast && t == 0) {
        __threadfence();
        u32 sum = 0;
        for (u32 i = 0; i < gridDim.x; i++)
            sum += part[i];
        *out = sum;
    }
}
TWINS(lastblock, (const u32* in, u32* part, u32* count, u32* out), (in, part, count, out))

// The same with all threads of the last block.
template <bool BROKEN>
__device__ __forceinline__ void lastblock_all_body(const u32* in, u32* part, u32* count, u32* out)
{
    __shared__ u32 s[1024];
    __shared__ bool isLast;
    u32 t = threadIdx.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (u32 d = blockDim.x / 2; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) {
        part[blockIdx.x] = s[0];
        __threadfence();
        isLast = atomicAdd(count, 1u) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (!isLast)
        return;
    s[t] = t < gridDim.x ? part[t] : 0;
    barrier<BROKEN>();
    for (u32 d = blockDim.x / 2; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        *out = s[0];
}
TWINS(lastblock_all, (const u32* in, u32* part, u32* count, u32* out), (in, part, count, out))

// Inclusive sums of all blocks in one launch: each looks back to what those before it have.
template <bool BROKEN>
__device__ __forceinline__ void lookback_body(const u32* in, u32* flag, u32* sums, u32* prefixes, u32* out)
{
    __shared__ u32 s[1024];
    __shared__ u32 before;
    u32 b = blockIdx.x, t = threadIdx.x, n = blockDim.x;
    s[t] = in[b * n + t];
    __syncthreads();
    for (u32 d = 1; d < n; d *= 2) {
        u32 add = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += add;
        __syncthreads();
    }
    if (t == 0) {
        u32 sum = s[n - 1], all = 0;
        if (b > 0) {
            sums[b] = sum;
            if constexpr (!BROKEN)
                __threadfence();
            *(volatile u32*)(flag + b) = 1;
            for (int i = (int)b - 1; i >= 0; i--) {
                u32 found;
                while ((found = *(volatile u32*)(flag + i)) == 0) { }
                __threadfence();
                if (found == 2) {
                    all += prefixes[i];
                    break;
                }
                all += sums[i];
            }
        }
        prefixes[b] = all + sum;
        __threadfence();
        *(volatile u32*)(flag + b) = 2;
        before = all;
    }
    __syncthreads();
    out[b * n + t] = before + s[t];
}
TWINS(lookback, (const u32* in, u32* flag, u32* sums, u32* prefixes, u32* out), (in, flag, sums, prefixes, out))

// All blocks add to the same words, one after the other.
template <bool BROKEN>
__device__ __forceinline__ void ticketlock_body(u32* next, u32* serving, u32* data)
{
    __shared__ u32 own;
    u32 t = threadIdx.x;
    if (t == 0) {
        own = atomicAdd(next, 1u);
        while (*(volatile u32*)serving != own) { }
        __threadfence();
    }
    __syncthreads();
    data[t] += own + t;
    __syncthreads();
    if (t == 0) {
        if constexpr (!BROKEN)
            __threadfence();
        *(volatile u32*)serving = own + 1;
    }
}
TWINS(ticketlock, (u32* next, u32* serving, u32* data), (next, serving, data))
