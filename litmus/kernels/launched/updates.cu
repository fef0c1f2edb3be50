// Updates by compare-and-swap, made again until they succeed, and locks that wait by something else than that.
__global__ void greatest(const float* in, float* most)
{
    const float own = in[blockIdx.x * blockDim.x + threadIdx.x];
    int* word = (int*)most;
    int found = *(volatile int*)word, assumed;
    do {
        assumed = found;
        if (__int_as_float(assumed) >= own) break;
        found = atomicCAS(word, assumed, __float_as_int(own));
    } while (assumed != found);
}
__global__ void greatest_plain(const float* in, float* most)
{
    const float own = in[blockIdx.x * blockDim.x + threadIdx.x];
    if (*most < own) *most = own;          // BUG: no atomic
}
__global__ void bit(unsigned* locks, unsigned* counter)
{
    if (threadIdx.x == 0) {
        while (atomicOr(locks, 4u) & 4u) { }
        __threadfence();
    }
    __syncthreads();
    counter[threadIdx.x] += 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAnd(locks, ~4u);
    }
}
__global__ void tested(unsigned* lock, unsigned* counter)
{
    if (threadIdx.x == 0) {
        do {
            while (*(volatile unsigned*)lock != 0u) { }
        } while (atomicExch(lock, 1u) != 0u);
        __threadfence();
    }
    __syncthreads();
    counter[threadIdx.x] += 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicExch(lock, 0u);
    }
}
__global__ void tested_alone(unsigned* lock, unsigned* counter)
{
    if (threadIdx.x == 0) {
        while (*(volatile unsigned*)lock != 0u) { }
        *(volatile unsigned*)lock = 1u;    // BUG: another one may have found it free as well
        __threadfence();
    }
    __syncthreads();
    counter[threadIdx.x] += 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicExch(lock, 0u);
    }
}
