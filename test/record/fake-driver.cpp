// The recorder without a GPU: built with FAKE_DRIVER, a library in the place of the driver; without, an application
// that tells the recorder of calls as CUPTI does. Kernels are numbers; memory is where `allocations` says.
#include <cuda.h>
#include <string.h>

#ifdef FAKE_DRIVER

#define OURS extern "C" __attribute__((visibility("default"))) CUresult

static const struct {
  CUdeviceptr base;
  size_t size;
} allocations[] = {
    {0x700000000000, 1024}, {0x700000010000, 1024}, {0x700000020000, 64}, {0x700000200000, 2 << 20},
    {0x700000400000, 4096}, {0x700000500000, 4096}, {0x700000600000, 20},   {0x700000700000, 16},
    {0x700000800000, 3 << 20},
};
static const struct {
  const char* name;
  size_t sizes[4], count;
} kernels[] = {
    {"_Z5scaleIfEvPT_S0_i", {8, 4, 4}, 3}, {"_Z7shifted4View", {24}, 1},
    {"_Z12cluster_sumsPKiPi", {8, 8}, 2},  {"_Z9grid_sumsPiS_", {8, 8}, 2},
    {"_Z12first_of_twoPi", {8}, 1},        {"_Z13second_of_twoPKiPi", {8, 8}, 2},
    {"_Z9load_tile14CUtensorMap_stPj", {128, 8}, 2}, {"_Z3addPKfS0_Pfi", {8, 8, 8, 4}, 4},
    {"_Z8row_sumsPKiPKfPf", {8, 8, 8}, 3}, {"nvjet_sm90_\"quoted\"\n\xff", {8}, 1},
};

OURS cuMemGetAddressRange_v2(CUdeviceptr* base, size_t* size, CUdeviceptr at) {
  for (const auto& one : allocations)
    if (one.base <= at && at < one.base + one.size) return *base = one.base, *size = one.size, CUDA_SUCCESS;
  return CUDA_ERROR_NOT_FOUND;
}
OURS cuFuncGetName(const char**, CUfunction) { return CUDA_ERROR_INVALID_HANDLE; }
OURS cuKernelGetName(const char** name, CUkernel kernel) {
  return *name = kernels[reinterpret_cast<size_t>(kernel) - 1].name, CUDA_SUCCESS;
}
OURS cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t* offset, size_t* size) {
  const auto& one = kernels[reinterpret_cast<size_t>(kernel) - 1];
  if (index >= one.count) return CUDA_ERROR_INVALID_VALUE;
  size_t at = 0;
  for (size_t i = 0; i <= index; i++) {
    at = (at + 7) / 8 * 8;
    if (one.sizes[i] == 4 && i > 0 && one.sizes[i - 1] == 4) at -= 4;
    *offset = at;
    at += one.sizes[i];
  }
  return *size = one.sizes[index], CUDA_SUCCESS;
}
OURS cuKernelGetLibrary(CUlibrary* library, CUkernel kernel) {
  const bool isLast = reinterpret_cast<size_t>(kernel) == sizeof kernels / sizeof kernels[0];
  return *library = reinterpret_cast<CUlibrary>(isLast ? 2 : 1), CUDA_SUCCESS;
}
OURS cuStreamIsCapturing(CUstream, CUstreamCaptureStatus* status) {
  return *status = CU_STREAM_CAPTURE_STATUS_NONE, CUDA_SUCCESS;
}
OURS cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, size_t size, CUstream) {
  if (from == 0x700000700000) return *static_cast<CUdeviceptr*>(to) = 0x700000010000, CUDA_SUCCESS;
  for (size_t i = 0; i < size / 4; i++) {
    const int value = from == 0x700000600000 ? int(i) * 8 : int(i);
    memcpy(static_cast<char*>(to) + 4 * i, &value, 4);
  }
  return CUDA_SUCCESS;
}
OURS cuStreamSynchronize(CUstream) { return CUDA_SUCCESS; }
OURS cuCtxGetDevice(CUdevice* device) { return *device = 0, CUDA_SUCCESS; }

#else

#include "../../src/record/recorder/recorder.cpp"

static CUpti_CallbackFunc callback;
extern "C" CUptiResult cuptiSubscribe(CUpti_SubscriberHandle*, CUpti_CallbackFunc function, void*) {
  return callback = function, CUPTI_SUCCESS;
}
extern "C" CUptiResult cuptiEnableCallback(uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain, CUpti_CallbackId) {
  return CUPTI_SUCCESS;
}
extern "C" CUptiResult cuptiGetResultString(CUptiResult, const char** text) { return *text = "", CUPTI_SUCCESS; }

template <typename Params>
static void call(CUpti_CallbackId id, const char* name, const Params& given) {
  CUresult result = CUDA_SUCCESS;
  CUpti_CallbackData data = {};
  data.functionName = name;
  data.functionParams = &given;
  data.functionReturnValue = &result;
  for (const auto site : {CUPTI_API_ENTER, CUPTI_API_EXIT}) {
    data.callbackSite = site;
    callback(nullptr, CUPTI_CB_DOMAIN_DRIVER_API, id, &data);
  }
}

static CUfunction kernel(size_t number) { return reinterpret_cast<CUfunction>(number); }
template <typename... Given>
static void launch(size_t number, unsigned grid, unsigned block, size_t stream, Given... given) {
  void* all[] = {&given...};
  call(CBID(cuLaunchKernel), "cuLaunchKernel",
       cuLaunchKernel_params{kernel(number), grid, 1, 1, block, 1, 1, 0, CUstream(stream), all, nullptr});
}
template <typename... Given>
static void launchEx(CUlaunchAttribute attribute, size_t number, unsigned grid, unsigned block, Given... given) {
  void* all[] = {&given...};
  CUlaunchConfig config = {};
  config.gridDimX = grid, config.blockDimX = block;
  config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.attrs = &attribute, config.numAttrs = 1;
  call(CBID(cuLaunchKernelEx), "cuLaunchKernelEx", cuLaunchKernelEx_params{&config, kernel(number), all, nullptr});
}

int main(int count, char** words) {
  InitializeInjection();
  // The module in which the kernels are, and whether to crash.
  static std::string text;
  if (FILE* file = fopen(words[1], "r")) {
    for (int letter; (letter = getc(file)) != EOF;) text += char(letter);
    fclose(file);
  }
  const CUdeviceptr a = 0x700000000000, b = 0x700000010000, small = 0x700000020000, block = 0x700000200000;
  const CUdeviceptr rows = 0x700000400000, tiles = 0x700000500000, offsets = 0x700000600000;
  const char cubin[sizeof(Elf64_Ehdr)] = {0x7f, 'E', 'L', 'F'};
  CUlibrary library = CUlibrary(1), other = CUlibrary(2);
  call(CBID(cuLibraryLoadData), "cuLibraryLoadData", cuLibraryLoadData_params{&library, text.c_str(), 0, 0, 0, 0, 0, 0});
  std::string copied(cubin, sizeof cubin);
  call(CBID(cuLibraryLoadData), "cuLibraryLoadData", cuLibraryLoadData_params{&other, &copied[0], 0, 0, 0, 0, 0, 0});
  copied.assign(copied.size(), '?');

  for (int i = 0; i < 3; i++) launch(1, 2, 128, 0, a, 2.5f, 250);
  const struct { CUdeviceptr in, out; int n; float shift; } view = {a, b, 256, 0.25f};
  launch(2, 2, 128, 0, view);
  CUlaunchAttribute cluster = {}, dependent = {};
  cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  cluster.value.clusterDim = {2, 1, 1};
  launchEx(cluster, 3, 4, 64, a, small);
  CUdeviceptr sums[] = {a, small};
  void* given[] = {&sums[0], &sums[1]};
  call(CBID(cuLaunchCooperativeKernel), "cuLaunchCooperativeKernel",
       cuLaunchCooperativeKernel_params{kernel(4), 4, 1, 1, 64, 1, 1, 0, nullptr, given});
  launch(5, 2, 128, 0, a);
  dependent.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  dependent.value.programmaticStreamSerializationAllowed = 1;
  launchEx(dependent, 6, 2, 128, a, b);
  alignas(64) CUtensorMap map;
  memset(&map, 7, sizeof map);
  const auto encode = [&](CUdeviceptr at) {
    const cuuint64_t dims[] = {32, 32}, strides[] = {128};
    const cuuint32_t box[] = {32, 8}, steps[] = {1, 1};
    const cuTensorMapEncodeTiled_params given = {
        &map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, (void*)at, dims, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
        CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE};
    call(CBID(cuTensorMapEncodeTiled), "cuTensorMapEncodeTiled", given);
  };
  encode(rows);
  launch(7, 4, 64, 0, map, tiles);
  // The same buffer twice, parts of one, and parts of a block.
  launch(8, 2, 128, 0, a, a, b, 256);
  launch(8, 1, 64, 0, a, a + 256, a + 512, 64);
  launch(8, 2, 128, 0x1000, block, block + 1024, block + 4096, 256);
  launch(8, 2, 128, 0x2000, block + 65536, block + 131072, block + 262144, 256);
  launch(9, 4, 32, 0, offsets, a, b);
  launch(10, 1, 32, 0, a);
  char buffer[8] = {};
  size_t size = sizeof buffer;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  call(CBID(cuLaunchKernel), "cuLaunchKernel",
       cuLaunchKernel_params{kernel(5), 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, extra});
  call(CBID(cuGraphLaunch), "cuGraphLaunch", cuGraphLaunch_params{nullptr, nullptr});
  const std::string more = count > 2 ? words[2] : "";
  if (more == "crash") abort();
  if (more != "apart") return 0;
  // Each is another one: less memory, less of it behind the pointer, another distance, a view in a block; but the last.
  const CUdeviceptr large = 0x700000800000, table = 0x700000700000;
  launch(1, 2, 128, 0, small, 2.5f, 250);
  launch(1, 2, 128, 0, a + 512, 2.5f, 250);
  launch(8, 2, 128, 0, large, large, large + 4096, 256);
  launch(8, 2, 128, 0, large, large, large + 64, 256);
  launch(8, 2, 128, 0, block, block + 1040, block + 4096, 256);
  launch(8, 2, 128, 0, block, block + 2064, block + 4096, 256);
  launch(5, 2, 128, 0, table);
  launch(8, 2, 128, 0x1000, block, block + 2048, block + 8192, 256);
  // A map for each launch: the last ones are known, and only those that are launched are written down.
  for (int i = 0; i < 5000; i++) memcpy(&map, &i, sizeof i), encode(tiles);
  launch(7, 2, 64, 0, map, rows);
  return 0;
}

#endif
