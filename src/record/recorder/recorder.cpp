// Records the launches of an application: a library that CUPTI's injection loads (CUDA_INJECTION64_PATH), built where
// the application runs. It writes to the folder PTX_LITMUS_RECORD; docs/record.md says what.
#include <cupti.h>
#include <pthread.h>
#include <time.h>

#include "launches.h"

namespace {

std::atomic<bool> isOver{false};

uint64_t nanosecondsNow() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return uint64_t(now.tv_sec) * 1000000000u + now.tv_nsec;
}

void link(Links& table, const void* key, const void* value) {
  std::lock_guard<std::mutex> hold(lock);
  table[key] = value;
}

void loaded(Ids& table, const void* handle, int image) {
  std::lock_guard<std::mutex> hold(lock);
  table[handle] = image;
}

/** Handles are used again. */
void unloaded() {
  std::lock_guard<std::mutex> hold(lock);
  functions.clear();
  kernelOfFunction.clear();
  libraryOfKernel.clear();
  moduleOfFunction.clear();
}

template <typename T>
std::string list(const T* numbers, unsigned count) {
  std::string text = "[";
  for (unsigned i = 0; numbers != nullptr && i < count; i++)
    text += (i == 0 ? "" : ",") + std::to_string((unsigned long long)numbers[i]);
  return text + "]";
}

constexpr size_t MOST_MAPS = 1 << 16;

/** A parameter that holds these 128 bytes is this map. */
void encoded(const void* bytes, uint64_t place, const std::string& shape) {
  Buffer buffer;
  if (!bufferOf(place, buffer)) buffer = {place, 0};
  const std::string key(static_cast<const char*>(bytes), sizeof(CUtensorMap));
  raw.add(Raw::tensorMaps, 1);
  std::lock_guard<std::mutex> hold(lock);
  const auto found = maps.find(key);
  // Where memory was freed, another allocation may be there now.
  const bool isSame = found != maps.end() && found->second.buffer.base == buffer.base;
  if (isSame && found->second.buffer.size == buffer.size) return;
  if (found == maps.end()) mapOrder.push_back(key);
  maps[key] = {nextMap++, shape, place, buffer};
  if (maps.size() <= MOST_MAPS) return;
  maps.erase(mapOrder.front());
  mapOrder.pop_front();
  static bool isTold = false;
  if (!isTold)
    raw.line("{\"kind\":\"problem\",\"text\":\"more than 65536 tensor maps were encoded: in a launch that uses one of "
             "the first there are numbers in its place\"}");
  isTold = true;
}

void encodedTiled(const cuTensorMapEncodeTiled_params& given) {
  const unsigned rank = given.tensorRank;
  encoded(given.tensorMap, uint64_t(given.globalAddress),
          ",\"form\":\"tiled\",\"type\":" + std::to_string(int(given.tensorDataType)) +
              ",\"dims\":" + list(given.globalDim, rank) + ",\"strides\":" + list(given.globalStrides, rank - 1) +
              ",\"box\":" + list(given.boxDim, rank) + ",\"elementStrides\":" + list(given.elementStrides, rank) +
              ",\"interleave\":" + std::to_string(int(given.interleave)) +
              ",\"swizzle\":" + std::to_string(int(given.swizzle)));
}

template <typename Params>
void launchedBySizes(const Params& given, Launch& one) {
  const unsigned grid[] = {given.gridDimX, given.gridDimY, given.gridDimZ};
  const unsigned block[] = {given.blockDimX, given.blockDimY, given.blockDimZ};
  memcpy(one.grid, grid, sizeof grid);
  memcpy(one.block, block, sizeof block);
  one.shared = given.sharedMemBytes;
  one.stream = given.hStream;
  one.function = given.f;
}

#define CBID(name) CUPTI_DRIVER_TRACE_CBID_##name

/** What is heard before the driver does it. */
const CUpti_CallbackId HEARD_BEFORE[] = {
    CBID(cuLaunchKernel), CBID(cuLaunchKernel_ptsz), CBID(cuLaunchKernelEx), CBID(cuLaunchKernelEx_ptsz),
    CBID(cuLaunchCooperativeKernel), CBID(cuLaunchCooperativeKernel_ptsz), CBID(cuGraphLaunch),
    CBID(cuGraphLaunch_ptsz), CBID(cuGraphAddKernelNode), CBID(cuGraphAddKernelNode_v2), CBID(cuGraphAddNode),
    CBID(cuGraphAddNode_v2), CBID(cuLaunchCooperativeKernelMultiDevice), CBID(cuLaunch), CBID(cuLaunchGrid),
    CBID(cuLaunchGridAsync), CBID(cuModuleUnload), CBID(cuLibraryUnload)};
/** What is heard when it is done. */
const CUpti_CallbackId HEARD_AFTER[] = {
    CBID(cuModuleLoad), CBID(cuModuleLoadData), CBID(cuModuleLoadDataEx), CBID(cuModuleLoadFatBinary),
    CBID(cuLibraryLoadData), CBID(cuLibraryLoadFromFile), CBID(cuModuleGetFunction), CBID(cuLibraryGetKernel),
    CBID(cuLibraryGetModule), CBID(cuKernelGetFunction), CBID(cuTensorMapEncodeTiled), CBID(cuTensorMapEncodeIm2col),
    CBID(cuTensorMapEncodeIm2colWide), CBID(cuStreamBeginCapture), CBID(cuStreamBeginCapture_ptsz),
    CBID(cuStreamBeginCapture_v2), CBID(cuStreamBeginCapture_v2_ptsz), CBID(cuStreamBeginCaptureToGraph),
    CBID(cuStreamBeginCaptureToGraph_ptsz), CBID(cuStreamEndCapture), CBID(cuStreamEndCapture_ptsz)};

/** A capture ends, also one that has failed. */
void captureEnded() {
  if (raw.count(Raw::capturing) > 0) raw.add(Raw::capturing, uint64_t(-1));
}

void entered(CUpti_CallbackId id, const CUpti_CallbackData* data) {
  const void* given = data->functionParams;
  Launch one;
  one.call = data->functionName;
  switch (id) {
    case CBID(cuLaunchKernel_ptsz):
      one.isPerThread = true;
      [[fallthrough]];
    case CBID(cuLaunchKernel): {
      const auto& call = *static_cast<const cuLaunchKernel_params*>(given);
      launchedBySizes(call, one);
      return launched(one, call.kernelParams, call.extra, data->symbolName, data->context);
    }
    case CBID(cuLaunchCooperativeKernel_ptsz):
      one.isPerThread = true;
      [[fallthrough]];
    case CBID(cuLaunchCooperativeKernel): {
      const auto& call = *static_cast<const cuLaunchCooperativeKernel_params*>(given);
      launchedBySizes(call, one);
      one.isCooperative = true;
      return launched(one, call.kernelParams, nullptr, data->symbolName, data->context);
    }
    case CBID(cuLaunchKernelEx_ptsz):
      one.isPerThread = true;
      [[fallthrough]];
    case CBID(cuLaunchKernelEx): {
      const auto& call = *static_cast<const cuLaunchKernelEx_params*>(given);
      if (call.config == nullptr) return;
      launchedByConfig(*call.config, one);
      one.function = call.f;
      return launched(one, call.kernelParams, call.extra, data->symbolName, data->context);
    }
    case CBID(cuGraphLaunch):
    case CBID(cuGraphLaunch_ptsz):
      return raw.add(Raw::graphLaunches, 1);
    case CBID(cuGraphAddKernelNode):
    case CBID(cuGraphAddKernelNode_v2):
      return raw.add(Raw::graphNodes, 1);
    case CBID(cuGraphAddNode): {
      const auto* node = static_cast<const cuGraphAddNode_params*>(given)->nodeParams;
      if (node != nullptr && node->type == CU_GRAPH_NODE_TYPE_KERNEL) raw.add(Raw::graphNodes, 1);
      return;
    }
    case CBID(cuGraphAddNode_v2): {
      const auto* node = static_cast<const cuGraphAddNode_v2_params*>(given)->nodeParams;
      if (node != nullptr && node->type == CU_GRAPH_NODE_TYPE_KERNEL) raw.add(Raw::graphNodes, 1);
      return;
    }
    case CBID(cuModuleUnload):
    case CBID(cuLibraryUnload):
      return unloaded();
    default:
      return raw.add(Raw::otherLaunches, 1);
  }
}

void imageLoaded(CUpti_CallbackId id, const CUpti_CallbackData* data) {
  const void* given = data->functionParams;
  const char* call = data->functionName;
  switch (id) {
    case CBID(cuModuleLoad): {
      const auto& of = *static_cast<const cuModuleLoad_params*>(given);
      return loaded(modules, *of.module, raw.imageFile(of.fname, call));
    }
    case CBID(cuModuleLoadData): {
      const auto& of = *static_cast<const cuModuleLoadData_params*>(given);
      return loaded(modules, *of.module, raw.image(of.image, call));
    }
    case CBID(cuModuleLoadDataEx): {
      const auto& of = *static_cast<const cuModuleLoadDataEx_params*>(given);
      return loaded(modules, *of.module, raw.image(of.image, call));
    }
    case CBID(cuModuleLoadFatBinary): {
      const auto& of = *static_cast<const cuModuleLoadFatBinary_params*>(given);
      return loaded(modules, *of.module, raw.image(of.fatCubin, call));
    }
    case CBID(cuLibraryLoadFromFile): {
      const auto& of = *static_cast<const cuLibraryLoadFromFile_params*>(given);
      return loaded(libraries, *of.library, raw.imageFile(of.fileName, call));
    }
    default: {
      const auto& of = *static_cast<const cuLibraryLoadData_params*>(given);
      return loaded(libraries, *of.library, raw.image(of.code, call));
    }
  }
}

void left(CUpti_CallbackId id, const CUpti_CallbackData* data) {
  const void* given = data->functionParams;
  switch (id) {
    case CBID(cuModuleGetFunction): {
      const auto& of = *static_cast<const cuModuleGetFunction_params*>(given);
      return link(moduleOfFunction, *of.hfunc, of.hmod);
    }
    case CBID(cuLibraryGetKernel): {
      const auto& of = *static_cast<const cuLibraryGetKernel_params*>(given);
      return link(libraryOfKernel, *of.pKernel, of.library);
    }
    case CBID(cuLibraryGetModule): {
      const auto& of = *static_cast<const cuLibraryGetModule_params*>(given);
      return link(libraryOfModule, *of.pMod, of.library);
    }
    case CBID(cuKernelGetFunction): {
      const auto& of = *static_cast<const cuKernelGetFunction_params*>(given);
      return link(kernelOfFunction, *of.pFunc, of.kernel);
    }
    case CBID(cuTensorMapEncodeTiled):
      return encodedTiled(*static_cast<const cuTensorMapEncodeTiled_params*>(given));
    case CBID(cuTensorMapEncodeIm2col): {
      const auto& of = *static_cast<const cuTensorMapEncodeIm2col_params*>(given);
      return encoded(of.tensorMap, uint64_t(of.globalAddress), ",\"form\":\"im2col\"");
    }
    case CBID(cuTensorMapEncodeIm2colWide): {
      const auto& of = *static_cast<const cuTensorMapEncodeIm2colWide_params*>(given);
      return encoded(of.tensorMap, uint64_t(of.globalAddress), ",\"form\":\"im2col\"");
    }
    case CBID(cuStreamBeginCapture):
    case CBID(cuStreamBeginCapture_ptsz):
    case CBID(cuStreamBeginCapture_v2):
    case CBID(cuStreamBeginCapture_v2_ptsz):
    case CBID(cuStreamBeginCaptureToGraph):
    case CBID(cuStreamBeginCaptureToGraph_ptsz):
      raw.add(Raw::captures, 1);
      return raw.add(Raw::capturing, 1);
    default:
      return imageLoaded(id, data);
  }
}

void resource(CUpti_CallbackId id, const CUpti_ResourceData* data) {
  if (id == CUPTI_CBID_RESOURCE_MODULE_LOADED) return raw.add(Raw::modulesLoaded, 1);
  if (id != CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING) return;
  // Its handle is used again, for another stream.
  std::lock_guard<std::mutex> hold(lock);
  streams.erase({data->context, data->resourceHandle.stream});
}

void CUPTIAPI heard(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  if (isInside || isOver) return;
  isInside = true;
  const uint64_t from = nanosecondsNow();
  // What goes wrong here is not the application's.
  try {
    if (domain == CUPTI_CB_DOMAIN_RESOURCE) resource(id, static_cast<const CUpti_ResourceData*>(data));
    else if (domain == CUPTI_CB_DOMAIN_DRIVER_API) {
      const auto* call = static_cast<const CUpti_CallbackData*>(data);
      const bool isEntry = call->callbackSite == CUPTI_API_ENTER;
      const bool isOfEntry = std::find(std::begin(HEARD_BEFORE), std::end(HEARD_BEFORE), id) != std::end(HEARD_BEFORE);
      const bool isEnd = id == CBID(cuStreamEndCapture) || id == CBID(cuStreamEndCapture_ptsz);
      if (isEntry && isOfEntry) entered(id, call);
      else if (!isEntry && isEnd) captureEnded();
      else if (!isEntry && !isOfEntry && *static_cast<const CUresult*>(call->functionReturnValue) == CUDA_SUCCESS)
        left(id, call);
    }
  } catch (...) {
    raw.line("{\"kind\":\"problem\",\"text\":\"the recorder ran out of memory\"}");
  }
  raw.add(Raw::nanoseconds, nanosecondsNow() - from);
  isInside = false;
}

void end() {
  if (isOver.exchange(true)) return;
  raw.add(Raw::isEnded, 1);
  raw.line("{\"kind\":\"end\"}");
}

int problem(const char* what, CUptiResult result) {
  const char* text = nullptr;
  cuptiGetResultString(result, &text);
  const std::string told = std::string(what) + ": " + (text == nullptr ? "an unknown error" : text);
  raw.line("{\"kind\":\"problem\",\"text\":" + quoted(told) + "}");
  fprintf(stderr, "ptx-litmus recorder: %s; nothing is recorded\n", told.c_str());
  return 1;
}

int begin() {
  const char* folder = getenv("PTX_LITMUS_RECORD");
  const char* contents = getenv("PTX_LITMUS_CONTENTS");
  if (folder == nullptr || !raw.begin(folder)) {
    fprintf(stderr, "ptx-litmus recorder: the folder PTX_LITMUS_RECORD cannot be written; nothing is recorded\n");
    return 1;
  }
  contentsLimit = contents == nullptr ? 0 : strtoul(contents, nullptr, 10);
  raw.line("{\"kind\":\"recorder\",\"version\":1,\"process\":" + std::to_string(getpid()) +
           ",\"contents\":" + std::to_string(contentsLimit) + ",\"cuda\":" + std::to_string(CUDA_VERSION) + "}");
  if (!findDriver()) {
    raw.line("{\"kind\":\"problem\",\"text\":\"there is no driver in the process\"}");
    return 1;
  }
  static CUpti_SubscriberHandle subscriber;
  const CUptiResult subscribed = cuptiSubscribe(&subscriber, heard, nullptr);
  if (subscribed != CUPTI_SUCCESS) return problem("CUPTI cannot be subscribed to", subscribed);
  const auto hear = [&](CUpti_CallbackDomain domain, CUpti_CallbackId id) {
    const CUptiResult result = cuptiEnableCallback(1, subscriber, domain, id);
    if (result != CUPTI_SUCCESS) problem("a callback cannot be enabled", result);
  };
  for (const CUpti_CallbackId id : HEARD_BEFORE) hear(CUPTI_CB_DOMAIN_DRIVER_API, id);
  for (const CUpti_CallbackId id : HEARD_AFTER) hear(CUPTI_CB_DOMAIN_DRIVER_API, id);
  hear(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED);
  hear(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING);
  // A process that is forked has no driver, and these files are not its own.
  pthread_atfork(nullptr, nullptr, [] { isOver = true; });
  atexit(end);
  return 1;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjection(void) { return begin(); }
