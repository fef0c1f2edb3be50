// The functions of the driver that the recorder calls, found in the process: an application may have loaded the driver
// for itself alone.
#pragma once
#include <cuda.h>
#include <dlfcn.h>

#include <type_traits>

namespace {

struct Driver {
  CUresult (*addressRange)(CUdeviceptr*, size_t*, CUdeviceptr);
  CUresult (*pointerAttributes)(unsigned, CUpointer_attribute*, void**, CUdeviceptr);
  CUresult (*functionName)(const char**, CUfunction);
  CUresult (*kernelName)(const char**, CUkernel);
  CUresult (*functionParameter)(CUfunction, size_t, size_t*, size_t*);
  CUresult (*kernelParameter)(CUkernel, size_t, size_t*, size_t*);
  CUresult (*functionModule)(CUmodule*, CUfunction);
  CUresult (*kernelLibrary)(CUlibrary*, CUkernel);
  CUresult (*isCapturing)(CUstream, CUstreamCaptureStatus*);
  CUresult (*isCapturingPerThread)(CUstream, CUstreamCaptureStatus*);
  CUresult (*exchangeCaptureMode)(CUstreamCaptureMode*);
  CUresult (*copyToHost)(void*, CUdeviceptr, size_t, CUstream);
  CUresult (*copyToHostPerThread)(void*, CUdeviceptr, size_t, CUstream);
  CUresult (*synchronize)(CUstream);
  CUresult (*synchronizePerThread)(CUstream);
  CUresult (*device)(CUdevice*);
} driver;

bool findDriver() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr) return false;
  const auto find = [&](auto& entry, const char* name) {
    entry = reinterpret_cast<std::remove_reference_t<decltype(entry)>>(dlsym(library, name));
  };
  find(driver.addressRange, "cuMemGetAddressRange_v2");
  find(driver.pointerAttributes, "cuPointerGetAttributes");
  find(driver.functionName, "cuFuncGetName");
  find(driver.kernelName, "cuKernelGetName");
  find(driver.functionParameter, "cuFuncGetParamInfo");
  find(driver.kernelParameter, "cuKernelGetParamInfo");
  find(driver.functionModule, "cuFuncGetModule");
  find(driver.kernelLibrary, "cuKernelGetLibrary");
  find(driver.isCapturing, "cuStreamIsCapturing");
  find(driver.isCapturingPerThread, "cuStreamIsCapturing_ptsz");
  find(driver.exchangeCaptureMode, "cuThreadExchangeStreamCaptureMode");
  find(driver.copyToHost, "cuMemcpyDtoHAsync_v2");
  find(driver.copyToHostPerThread, "cuMemcpyDtoHAsync_v2_ptsz");
  find(driver.synchronize, "cuStreamSynchronize");
  find(driver.synchronizePerThread, "cuStreamSynchronize_ptsz");
  find(driver.device, "cuCtxGetDevice");
  return driver.addressRange != nullptr;
}

}  // namespace
