// Launches of each kind that a recorder must see, by the runtime API. What it prints does not differ from run to run.
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#include <chrono>
#include <vector>

namespace cg = cooperative_groups;

#define CHECK(call)                                                                      \
  do {                                                                                   \
    const cudaError_t error = (call);                                                    \
    if (error != cudaSuccess) {                                                          \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));     \
      exit(1);                                                                           \
    }                                                                                    \
  } while (0)

template <typename T>
__global__ void scale(T* data, T factor, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = data[i] * factor;
}

struct View {
  const float* in;
  float* out;
  int n;
  float shift;
};
__global__ void shifted(View view) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < view.n) view.out[i] = view.in[i] + view.shift;
}

__global__ void cluster_sums(const int* in, int* out) {
  __shared__ int sum;
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, in[blockIdx.x * blockDim.x + threadIdx.x]);
  cluster.sync();
  if (cluster.block_rank() == 0 && threadIdx.x == 0)
    out[blockIdx.x / cluster.num_blocks()] = sum + *cluster.map_shared_rank(&sum, 1);
  cluster.sync();
}

__global__ void grid_sums(int* data, int* total) {
  cg::grid_group grid = cg::this_grid();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = i;
  grid.sync();
  if (i == 0) {
    int sum = 0;
    for (int k = 0; k < int(gridDim.x * blockDim.x); k++) sum += data[k];
    *total = sum;
  }
}

__global__ void first_of_two(int* data) {
  data[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}
__global__ void second_of_two(const int* data, int* out) {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = data[i] + 1;
}

__global__ void load_tile(const __grid_constant__ CUtensorMap map, unsigned* out) {
  __shared__ alignas(128) unsigned tile[8 * 32];
  __shared__ alignas(8) unsigned long long bar;
  const unsigned to = unsigned(__cvta_generic_to_shared(tile)), on = unsigned(__cvta_generic_to_shared(&bar));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(on) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
        ::"r"(to), "l"(&map), "r"(0), "r"(int(blockIdx.x) * 8), "r"(on)
        : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(on), "r"(int(sizeof tile)) : "memory");
  }
  asm volatile(
      "{\n.reg .pred p;\nwait:\nmbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n@!p bra wait;\n}" ::"r"(on)
      : "memory");
  for (int i = threadIdx.x; i < 8 * 32; i += blockDim.x) out[blockIdx.x * 8 * 32 + i] = tile[i];
}

__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

// A row for each CTA: how far it goes is in memory.
__global__ void row_sums(const int* offsets, const float* values, float* sums) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  const int end = offsets[blockIdx.x + 1];
  for (int i = offsets[blockIdx.x] + threadIdx.x; i < end; i += blockDim.x) atomicAdd(&sum, values[i]);
  __syncthreads();
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

__global__ void tick(int* count) {
  if (threadIdx.x == 0) atomicAdd(count, 1);
}

template <typename T>
T* filled(int n, T value) {
  T* data;
  CHECK(cudaMalloc(&data, n * sizeof(T)));
  const std::vector<T> host(n, value);
  CHECK(cudaMemcpy(data, host.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  return data;
}
template <typename T>
void print(const char* name, const T* data, int n) {
  std::vector<T> host(n);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), data, n * sizeof(T), cudaMemcpyDeviceToHost));
  double sum = 0;
  for (const T one : host) sum += double(one);
  printf("%s %.3f\n", name, sum);
}

template <typename... Parameters, typename... Given>
void launch(cudaLaunchAttribute attribute, int grid, int block, void (*kernel)(Parameters...), Given... given) {
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.attrs = &attribute;
  config.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&config, kernel, given...));
}

void tensorMap(unsigned* rows, unsigned* out) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result;
  CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &result));
  CUtensorMap map;
  const cuuint64_t dims[] = {32, 32}, strides[] = {32 * 4};
  const cuuint32_t box[] = {32, 8}, steps[] = {1, 1};
  const auto encode = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(found);
  if (result != cudaDriverEntryPointSuccess ||
      encode(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, rows, dims, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
             CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) !=
          CUDA_SUCCESS) {
    fprintf(stderr, "there is no tensor map here\n");
    exit(1);
  }
  load_tile<<<4, 64>>>(map, out);
  CHECK(cudaGetLastError());
}

void graph(float* data, cudaStream_t stream) {
  cudaGraph_t made;
  cudaGraphExec_t ready;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  scale<float><<<2, 128, 0, stream>>>(data, 0.5f, 256);
  add<<<2, 128, 0, stream>>>(data, data, data, 256);
  CHECK(cudaStreamEndCapture(stream, &made));
  CHECK(cudaGraphInstantiate(&ready, made, 0));
  for (int i = 0; i < 3; i++) CHECK(cudaGraphLaunch(ready, stream));
  CHECK(cudaStreamSynchronize(stream));
}

int main() {
  float* values = filled<float>(256, 1.5f);
  float* more = filled<float>(256, 2.f);
  int* numbers = filled<int>(256, 3);
  int* out = filled<int>(256, 0);

  scale<float><<<2, 128>>>(values, 2.f, 256);
  scale<int><<<2, 128>>>(numbers, 3, 250);
  shifted<<<2, 128>>>(View{values, more, 256, 0.25f});
  print("shifted", more, 256);

  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {2, 1, 1};
  launch(cluster, 4, 64, cluster_sums, numbers, out);
  print("cluster", out, 2);

  void* given[] = {&numbers, &out};
  CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(grid_sums), 4, 64, given));
  print("cooperative", out, 1);

  first_of_two<<<2, 128>>>(numbers);
  cudaLaunchAttribute dependent = {};
  dependent.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  dependent.val.programmaticStreamSerializationAllowed = 1;
  launch(dependent, 2, 128, second_of_two, numbers, out);
  print("dependent", out, 256);

  unsigned* rows = filled<unsigned>(32 * 32, 7);
  unsigned* tiles = filled<unsigned>(32 * 32, 0);
  tensorMap(rows, tiles);
  print("tensor map", tiles, 32 * 32);

  // Two buffers that are one: wholly, and in part.
  add<<<2, 128>>>(values, values, more, 256);
  add<<<1, 64>>>(values, values + 64, values + 128, 64);
  print("alias", values, 256);

  const int ends[] = {0, 1, 40, 40, 64};
  int* offsets = filled<int>(5, 0);
  CHECK(cudaMemcpy(offsets, ends, sizeof ends, cudaMemcpyHostToDevice));
  row_sums<<<4, 32>>>(offsets, values, more);
  print("rows", more, 4);

  cudaStream_t streams[2];
  for (auto& stream : streams) CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  scale<float><<<1, 128, 0, streams[0]>>>(values, 0.5f, 128);
  scale<float><<<1, 128, 0, streams[1]>>>(more, 0.5f, 128);
  CHECK(cudaDeviceSynchronize());
  graph(values, streams[0]);
  print("graph", values, 256);

  int* count = filled<int>(1, 0);
  tick<<<1, 32>>>(count);
  CHECK(cudaDeviceSynchronize());
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 1000; i++) tick<<<1, 32>>>(count);
  const auto issued = std::chrono::steady_clock::now();
  CHECK(cudaDeviceSynchronize());
  print("ticks", count, 1);
  const double microseconds = std::chrono::duration<double, std::micro>(issued - begin).count();
  fprintf(stderr, "a launch takes %.2f us of the host\n", microseconds / 1000);
  return 0;
}
