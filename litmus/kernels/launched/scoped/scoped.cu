// Nine ideas about scopes: is an atomic, a fence or a lock wide enough for those who meet at it?
// Each idea has a right kernel, NAME, and one with a small mistake, NAME_broken. Blocks are few: 2 of 1 to 4 threads.
#include <cuda/atomic>

using u32 = unsigned;
constexpr auto BLOCK = cuda::thread_scope_block;
constexpr auto DEVICE = cuda::thread_scope_device;

template <cuda::thread_scope S>
__device__ __forceinline__ void fence()
{
    if constexpr (S == BLOCK)
        __threadfence_block();
    else
        __threadfence();
}

template <cuda::thread_scope S>
__device__ __forceinline__ u32 add(u32* p, u32 n)
{
    if constexpr (S == BLOCK)
        return atomicAdd_block(p, n);
    else
        return atomicAdd(p, n);
}

// A spin lock: the scopes of its atomics, of the fence after taking it, and of the fence before giving it back.
template <cuda::thread_scope A, cuda::thread_scope F>
__device__ __forceinline__ void take(u32* lock)
{
    if constexpr (A == BLOCK)
        while (atomicCAS_block(lock, 0u, 1u) != 0u) { }
    else
        while (atomicCAS(lock, 0u, 1u) != 0u) { }
    fence<F>();
}

template <cuda::thread_scope A, cuda::thread_scope F>
__device__ __forceinline__ void give(u32* lock)
{
    fence<F>();
    if constexpr (A == BLOCK)
        atomicExch_block(lock, 0u);
    else
        atomicExch(lock, 0u);
}

// 1. A log that all blocks append to, under one lock of the device: where an entry goes is read under the lock.
__device__ __forceinline__ void append(u32* next, u32* log, u32 entry)
{
    u32 i = *next;
    log[i] = entry;
    *next = i + 1;
}

extern "C" __global__ void lock_gpu(u32* lock, u32* next, u32* log)
{
    take<DEVICE, DEVICE>(lock);
    append(next, log, 5 + blockIdx.x);
    give<DEVICE, DEVICE>(lock);
}

extern "C" __global__ void lock_gpu_broken(u32* lock, u32* next, u32* log)
{
    take<DEVICE, DEVICE>(lock);
    append(next, log, 5 + blockIdx.x);
    give<DEVICE, BLOCK>(lock);                 // BUG: only this block is told what was appended
}

// 2. A lock and a sum for each block: block scope is enough for the threads of one block.
__device__ __forceinline__ void add_locked(u32* lock, u32* sum, u32 n)
{
    take<BLOCK, BLOCK>(lock);
    *sum += n;
    give<BLOCK, BLOCK>(lock);
}

extern "C" __global__ void lock_block(u32* locks, u32* sums)
{
    u32 mine = blockIdx.x;
    add_locked(&locks[mine], &sums[mine], 1 + threadIdx.x);
}

extern "C" __global__ void lock_block_broken(u32* locks, u32* sums)
{
    u32 mine = blockIdx.x / 2;                 // BUG: two blocks share a lock that is of one block
    add_locked(&locks[mine], &sums[mine], 1 + threadIdx.x);
}

// 3. A counter for each block, by block-scope atomics; one thread then adds it to that of the device.
template <cuda::thread_scope S>
__device__ __forceinline__ void count(const u32* in, u32* of_block, u32* total)
{
    if (in[blockIdx.x * blockDim.x + threadIdx.x] != 0)
        atomicAdd_block(&of_block[blockIdx.x], 1u);
    __syncthreads();
    if (threadIdx.x == 0)
        add<S>(total, of_block[blockIdx.x]);
}

extern "C" __global__ void counter(const u32* in, u32* of_block, u32* total)
{
    count<DEVICE>(in, of_block, total);
}

extern "C" __global__ void counter_broken(const u32* in, u32* of_block, u32* total)
{
    count<BLOCK>(in, of_block, total);         // BUG: the total is of all blocks
}

// 4. Volatile beside atomics: the flag is set by atomicExch, and polled by a load.
__device__ __forceinline__ void produce(u32* data, u32* flag)
{
    data[0] = 10;
    data[1] = 11;
    __threadfence();
    atomicExch(flag, 1u);
}

extern "C" __global__ void poll(u32* data, u32* flag, u32* out)
{
    if (blockIdx.x == 0) {
        produce(data, flag);
    } else {
        while (*(volatile u32*)flag == 0) { }
        __threadfence();
        *out = data[0] + data[1];
    }
}

extern "C" __global__ void poll_broken(u32* data, u32* flag, u32* out)
{
    if (blockIdx.x == 0) {
        produce(data, flag);
    } else {
        while (__ldcg(flag) == 0) { }          // BUG: past the L1 cache, and still a weak load
        __threadfence();
        *out = data[0] + data[1];
    }
}

// 5. Handing on: thread 0 of block 0 to thread 1 of it, and that to block 1. Only the second hop leaves the block.
template <cuda::thread_scope First, cuda::thread_scope Second>
__device__ __forceinline__ void hand_on(u32* data, u32* first, u32* second, u32* out)
{
    cuda::atomic_ref<u32, First> a(*first);
    cuda::atomic_ref<u32, Second> b(*second);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        *data = 7;
        a.store(1, cuda::memory_order_release);
    } else if (blockIdx.x == 0) {
        while (a.load(cuda::memory_order_acquire) == 0) { }
        b.store(1, cuda::memory_order_release);
    } else if (threadIdx.x == 0) {
        while (b.load(cuda::memory_order_acquire) == 0) { }
        *out = *data;
    }
}

extern "C" __global__ void relay(u32* data, u32* first, u32* second, u32* out)
{
    hand_on<BLOCK, DEVICE>(data, first, second, out);
}

extern "C" __global__ void relay_broken(u32* data, u32* first, u32* second, u32* out)
{
    hand_on<DEVICE, BLOCK>(data, first, second, out);   // BUG: the wide scope is at the wrong hop
}

// 6. Rule 110, two generations. The cells at the border between the blocks are told of by a flag for each block.
__device__ __forceinline__ u32 rule110(const u32* cells, u32 i, u32 n)
{
    u32 left = i > 0 ? cells[i - 1] : 0;
    u32 right = i + 1 < n ? cells[i + 1] : 0;
    return (110u >> (left * 4 + cells[i] * 2 + right)) & 1u;
}

__device__ __forceinline__ void publish(u32* ready)
{
    __threadfence();
    atomicExch(&ready[blockIdx.x], 1u);
}

__device__ __forceinline__ void await_other(u32* ready)
{
    while (*(volatile u32*)&ready[blockIdx.x ^ 1] == 0) { }
    __threadfence();
}

extern "C" __global__ void automaton(const u32* a, u32* b, u32* c, u32* ready)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    u32 n = gridDim.x * blockDim.x;
    b[i] = rule110(a, i, n);
    __syncthreads();
    if (threadIdx.x == 0) {
        publish(ready);
        await_other(ready);
    }
    __syncthreads();
    c[i] = rule110(b, i, n);
}

extern "C" __global__ void automaton_broken(const u32* a, u32* b, u32* c, u32* ready)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    u32 n = gridDim.x * blockDim.x;
    b[i] = rule110(a, i, n);
    if (threadIdx.x == 0)
        publish(ready);                        // BUG: the other threads may not have written their cells yet
    __syncthreads();
    if (threadIdx.x == 0)
        await_other(ready);
    __syncthreads();
    c[i] = rule110(b, i, n);
}

// 7. Reduction: block-scope atomics into a sum for each block; the block that comes last adds these up.
template <cuda::thread_scope S>
__device__ __forceinline__ void sum(const u32* in, u32* part, u32* arrived, u32* out)
{
    atomicAdd_block(&part[blockIdx.x], in[blockIdx.x * blockDim.x + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        if (atomicAdd(arrived, 1u) == gridDim.x - 1) {
            fence<S>();
            u32 total = 0;
            #pragma unroll 1
            for (u32 b = 0; b < gridDim.x; ++b)
                total += part[b];
            *out = total;
        }
    }
}

extern "C" __global__ void reduce(const u32* in, u32* part, u32* arrived, u32* out)
{
    sum<DEVICE>(in, part, arrived, out);
}

extern "C" __global__ void reduce_broken(const u32* in, u32* part, u32* arrived, u32* out)
{
    sum<BLOCK>(in, part, arrived, out);        // BUG: the parts are of other blocks
}

// 8. Convolution with three taps, by scattering: cells that two blocks reach take atomics of the device, all others
// those of the block. Cells below first + 2 are reached from the left, those from first + blockDim.x on lie right.
__device__ __forceinline__ void scatter(u32* cell, u32 n, bool reached_by_two)
{
    if (reached_by_two)
        atomicAdd(cell, n);
    else
        atomicAdd_block(cell, n);
}

extern "C" __global__ void convolve(const u32* in, const u32* tap, u32* out)
{
    u32 first = blockIdx.x * blockDim.x;
    u32 i = first + threadIdx.x;
    for (u32 k = 0; k < 3; ++k) {
        u32 cell = i + k;
        scatter(&out[cell], in[i] * tap[k], cell < first + 2 || cell >= first + blockDim.x);
    }
}

extern "C" __global__ void convolve_broken(const u32* in, const u32* tap, u32* out)
{
    u32 first = blockIdx.x * blockDim.x;
    u32 i = first + threadIdx.x;
    for (u32 k = 0; k < 3; ++k) {
        u32 cell = i + k;                      // BUG: > for >=, the first cell on the right is left out
        scatter(&out[cell], in[i] * tap[k], cell < first + 2 || cell > first + blockDim.x);
    }
}

// 9. Matrix product C += A B, 2 by 2, with the inner dimension split over the blocks. A block adds its part to C
// while its thread 0 has the lock; barriers hand the lock to the other threads and back.
template <cuda::thread_scope Taking>
__device__ __forceinline__ void product(const u32* a, const u32* b, u32* c, u32* lock, u32 inner)
{
    u32 row = threadIdx.x / 2;
    u32 column = threadIdx.x % 2;
    u32 half = inner / gridDim.x;
    u32 part = 0;
    for (u32 k = blockIdx.x * half; k < (blockIdx.x + 1) * half; ++k)
        part += a[row * inner + k] * b[k * 2 + column];
    if (threadIdx.x == 0)
        take<Taking, DEVICE>(lock);
    __syncthreads();
    c[threadIdx.x] += part;
    __syncthreads();
    if (threadIdx.x == 0)
        give<DEVICE, DEVICE>(lock);
}

extern "C" __global__ void matmul(const u32* a, const u32* b, u32* c, u32* lock, u32 inner)
{
    product<DEVICE>(a, b, c, lock, inner);
}

extern "C" __global__ void matmul_broken(const u32* a, const u32* b, u32* c, u32* lock, u32 inner)
{
    product<BLOCK>(a, b, c, lock, inner);      // BUG: atomicCAS_block keeps out no other block
}
