// Tensor maps of the instances of a test.
#pragma once
#include <cuda.h>
#include <cuda_runtime.h>

#include <map>

#include "manifest.h"

inline CUtensorMapDataType tensorTypeOf(const std::string &type) {
  static const std::map<std::string, CUtensorMapDataType> types = {
      {"u8", CU_TENSOR_MAP_DATA_TYPE_UINT8},    {"b8", CU_TENSOR_MAP_DATA_TYPE_UINT8},
      {"s8", CU_TENSOR_MAP_DATA_TYPE_UINT8},    {"u16", CU_TENSOR_MAP_DATA_TYPE_UINT16},
      {"b16", CU_TENSOR_MAP_DATA_TYPE_UINT16},  {"s16", CU_TENSOR_MAP_DATA_TYPE_UINT16},
      {"f16", CU_TENSOR_MAP_DATA_TYPE_FLOAT16}, {"u32", CU_TENSOR_MAP_DATA_TYPE_UINT32},
      {"b32", CU_TENSOR_MAP_DATA_TYPE_UINT32},  {"s32", CU_TENSOR_MAP_DATA_TYPE_INT32},
      {"f32", CU_TENSOR_MAP_DATA_TYPE_FLOAT32}, {"u64", CU_TENSOR_MAP_DATA_TYPE_UINT64},
      {"b64", CU_TENSOR_MAP_DATA_TYPE_UINT64},  {"s64", CU_TENSOR_MAP_DATA_TYPE_INT64},
      {"f64", CU_TENSOR_MAP_DATA_TYPE_FLOAT64}};
  auto found = types.find(type);
  if (found == types.end()) throw std::runtime_error("no tensor map has elements of " + type);
  return found->second;
}

// The driver writes what a map is; without a link to it, so that the bundle is built where there is none.
inline CUtensorMap encoded(const TensorMap &map, void *target) {
  static PFN_cuTensorMapEncodeTiled_v12000 encode = nullptr;
  if (encode == nullptr) {
    cudaDriverEntryPointQueryResult found;
    cudaError_t status = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000,
                                                          cudaEnableDefault, &found);
    if (status != cudaSuccess || found != cudaDriverEntryPointSuccess)
      throw std::runtime_error("the driver has no cuTensorMapEncodeTiled");
  }
  CUtensorMap result;
  std::vector<cuuint32_t> ones(map.box.size(), 1);
  std::vector<cuuint64_t> dimensions(map.dimensions.begin(), map.dimensions.end());
  std::vector<cuuint64_t> strides(map.strides.begin(), map.strides.end());
  // None is needed of one dimension, and a null pointer is refused all the same.
  if (strides.empty()) strides.push_back(16);
  CUresult status =
      encode(&result, tensorTypeOf(map.type), (cuuint32_t)dimensions.size(), target, dimensions.data(), strides.data(),
             map.box.data(), ones.data(), CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
             CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (status != CUDA_SUCCESS)
    throw std::runtime_error("cuTensorMapEncodeTiled refuses a tensor map: " + std::to_string(status));
  return result;
}
