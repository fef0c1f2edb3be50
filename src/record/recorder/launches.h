// What is read of a launch, and what tells launches apart. No lock is held while the driver is called.
#pragma once
#include <stdint.h>
#include <string.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "parameters.h"

namespace {

size_t contentsLimit = 0;
/** What the recorder does itself is not recorded. */
thread_local bool isInside = false;

struct Function {
  std::string name;
  std::vector<std::pair<size_t, size_t>> parameters;
  bool hasParameters = false;
  int image = -1;
};
auto& functions = *new std::unordered_map<const void*, std::shared_ptr<const Function>>();

struct Launch {
  const void* function = nullptr;
  unsigned grid[3], block[3], shared = 0, cluster[3] = {0, 0, 0};
  bool isCooperative = false, isDependent = false, isCaptured = false, hasExtra = false, isUnread = false;
  CUstream stream = nullptr;
  bool isPerThread = false;
  int device = -1;
  const char* call = "";
  std::string attributes;
  std::shared_ptr<const Function> of;
  std::vector<Parameter> parameters;
};

auto& known = *new std::unordered_map<std::string, int>();
struct StreamState {
  int number = 0;
  int last = -1;
  std::vector<Parameter> parameters;
};
auto& streams = *new std::map<std::pair<const void*, const void*>, StreamState>();
using Ids = std::unordered_map<const void*, int>;
auto& modules = *new Ids();
auto& libraries = *new Ids();
using Links = std::unordered_map<const void*, const void*>;
auto& kernelOfFunction = *new Links();
auto& libraryOfModule = *new Links();
auto& libraryOfKernel = *new Links();
auto& moduleOfFunction = *new Links();
int nextStream = 0;

// ---- Functions, and the images that they come from

int imageOf(const void* handle, bool isKernel) {
  std::lock_guard<std::mutex> hold(lock);
  const auto in = [](const auto& table, const void* key) {
    const auto found = table.find(key);
    return found == table.end() ? -1 : found->second;
  };
  return in(isKernel ? libraries : modules, handle);
}

const void* linked(const Links& table, const void* key) {
  std::lock_guard<std::mutex> hold(lock);
  const auto found = table.find(key);
  return found == table.end() ? nullptr : found->second;
}

/** The image of a function or kernel: as the driver says it, or as was seen when it was loaded. */
int imageOfHandle(const void* handle, bool isFunction) {
  CUmodule module = nullptr;
  if (isFunction && driver.functionModule != nullptr) driver.functionModule(&module, (CUfunction)handle);
  if (module == nullptr) module = (CUmodule)linked(moduleOfFunction, handle);
  if (module != nullptr) {
    const int image = imageOf(module, false);
    if (image >= 0) return image;
    const void* library = linked(libraryOfModule, module);
    if (library != nullptr) return imageOf(library, true);
  }
  const void* kernel = isFunction ? linked(kernelOfFunction, handle) : handle;
  if (kernel == nullptr) return -1;
  CUlibrary library = nullptr;
  if (driver.kernelLibrary != nullptr) driver.kernelLibrary(&library, (CUkernel)kernel);
  if (library == nullptr) library = (CUlibrary)linked(libraryOfKernel, kernel);
  return library == nullptr ? -1 : imageOf(library, true);
}

std::shared_ptr<const Function> functionOf(const void* handle, const char* symbol) {
  {
    std::lock_guard<std::mutex> hold(lock);
    const auto found = functions.find(handle);
    if (found != functions.end()) return found->second;
  }
  Function made;
  const char* name = nullptr;
  const bool isFunction =
      driver.functionName != nullptr && driver.functionName(&name, (CUfunction)handle) == CUDA_SUCCESS;
  if (!isFunction && driver.kernelName != nullptr) driver.kernelName(&name, (CUkernel)handle);
  made.name = name != nullptr ? name : symbol != nullptr ? symbol : "";
  for (size_t i = 0;; i++) {
    size_t offset = 0, size = 0;
    CUresult result = CUDA_ERROR_NOT_FOUND;
    if (isFunction && driver.functionParameter != nullptr)
      result = driver.functionParameter((CUfunction)handle, i, &offset, &size);
    else if (!isFunction && driver.kernelParameter != nullptr)
      result = driver.kernelParameter((CUkernel)handle, i, &offset, &size);
    else break;
    // Behind the last one the index is no value.
    made.hasParameters = result == CUDA_SUCCESS || result == CUDA_ERROR_INVALID_VALUE;
    if (result != CUDA_SUCCESS) break;
    made.parameters.push_back({offset, size});
  }
  made.image = imageOfHandle(handle, isFunction);
  std::lock_guard<std::mutex> hold(lock);
  return functions[handle] = std::make_shared<const Function>(made);
}

// ---- Launches

/** What tells launches apart: the entry, the shape, the scalars, and which buffers are the same. */
class Key {
 public:
  std::string text;
  void add(const std::vector<Parameter>& parameters) {
    for (const Parameter& one : parameters) {
      std::string bytes = one.bytes;
      for (const auto& [at, buffer] : one.pointers) {
        memset(&bytes[at], 0, 8);
        place(wordAt(one, at), buffer);
      }
      for (const auto& [at, map] : one.tensorMaps) {
        memset(&bytes[at], 0, 128);
        text += map.shape;
        place(map.address, map.buffer);
      }
      text += bytes;
      text += '|';
    }
  }

 private:
  std::vector<std::pair<uint64_t, Buffer>> seen;
  void place(uint64_t address, Buffer buffer) {
    const bool isOfBlock = Raw::isBlock(buffer.size);
    for (size_t i = 0; i < seen.size(); i++) {
      const auto distance = int64_t(address - seen[i].first);
      // How far apart parts of a block lie is the allocator's matter; where it begins none, another one goes on.
      const bool isBeside = seen[i].second.base == buffer.base && (!isOfBlock || distance % Raw::part != 0);
      if (distance != 0 && !isBeside) continue;
      text += "p" + std::to_string(i) + "+" + std::to_string(distance) + ";";
      return;
    }
    text += "n" + std::to_string(address % 16) + ";";
    // Where less is behind the pointer, a test of the other launch would say too much. Of large ones there is none.
    if (!isOfBlock && buffer.size <= Raw::mostLocation)
      text += std::to_string(buffer.size) + "@" + std::to_string(address - buffer.base) + ";";
    seen.push_back({address, buffer});
  }
};

std::string three(const unsigned size[3]) {
  return "[" + std::to_string(size[0]) + "," + std::to_string(size[1]) + "," + std::to_string(size[2]) + "]";
}

std::string shapeJson(const Launch& one) {
  std::string text = ",\"grid\":" + three(one.grid) + ",\"block\":" + three(one.block);
  text += ",\"shared\":" + std::to_string(one.shared);
  if (one.cluster[0] > 0) text += ",\"cluster\":" + three(one.cluster);
  if (one.isCooperative) text += ",\"cooperative\":true";
  if (one.isDependent) text += ",\"dependent\":true";
  if (one.isCaptured) text += ",\"captured\":true";
  if (one.hasExtra) text += ",\"unread\":\"extra\"";
  else if (one.isUnread) text += ",\"unread\":\"parameters\"";
  return text + ",\"attributes\":[" + one.attributes + "]";
}

/** Bytes before the launch: behind what its stream has done so far, and not while anything is captured. */
std::vector<std::pair<uint64_t, std::string>> contentsBefore(const Launch& one,
                                                             const std::vector<Parameter>& parameters) {
  std::vector<std::pair<uint64_t, std::string>> found;
  const auto copy = one.isPerThread ? driver.copyToHostPerThread : driver.copyToHost;
  const auto wait = one.isPerThread ? driver.synchronizePerThread : driver.synchronize;
  if (contentsLimit == 0 || one.isCaptured || raw.count(Raw::capturing) > 0 || !copy || !wait) return found;
  std::map<uint64_t, uint64_t> ends;
  for (const Parameter& parameter : parameters)
    for (const auto& [at, buffer] : parameter.pointers) {
      const uint64_t from = Raw::isBlock(buffer.size) ? wordAt(parameter, at) : buffer.base;
      ends[from] = buffer.base + buffer.size;
    }
  for (auto next = ends.begin(); next != ends.end();) {
    const auto [from, limit] = *next++;
    const uint64_t end = next == ends.end() ? limit : std::min(limit, next->first);
    if (end - from > contentsLimit) continue;
    std::string bytes(end - from, '\0');
    if (copy(&bytes[0], from, bytes.size(), one.stream) == CUDA_SUCCESS && wait(one.stream) == CUDA_SUCCESS)
      found.push_back({from, bytes});
  }
  return found;
}

/** Where in such bytes addresses stand, if there are any: as numbers they would lead nowhere. */
std::string addressesJson(uint64_t from, const std::string& bytes) {
  Parameter found;
  readParameter(bytes.data(), bytes.size(), from, false, found);
  std::string text;
  for (const auto& [at, buffer] : found.pointers) text += (text.empty() ? "" : ",") + std::to_string(at);
  return text.empty() ? text : ",\"addresses\":[" + text + "]";
}

void record(Launch& one, const void* context) {
  raw.add(Raw::launches, 1);
  if (one.isCaptured) raw.add(Raw::captured, 1);
  std::unique_lock<std::mutex> hold(lock);
  // The default stream of a thread is that of the thread: its handle is none.
  const void* stream = one.stream;
  const bool isDefault = stream == nullptr || stream == CU_STREAM_PER_THREAD || stream == CU_STREAM_LEGACY;
  if (stream == CU_STREAM_PER_THREAD || (stream == nullptr && one.isPerThread)) stream = &isInside;
  else if (isDefault) stream = nullptr;
  StreamState& state = streams.try_emplace({context, stream}, StreamState{nextStream, -1, {}}).first->second;
  if (state.number == nextStream) nextStream += 1;
  Key key;
  key.text = one.of->name + "|" + std::to_string(one.of->image) + shapeJson(one) + "|";
  if (one.isDependent) {
    key.text += std::to_string(state.last) + "|";
    key.add(state.parameters);
  }
  key.add(one.parameters);
  const auto found = known.find(key.text);
  int id = found == known.end() ? -1 : found->second;
  const bool isNew = id < 0 && known.size() < Raw::mostLaunches && raw.hasRoom();
  if (id < 0 && !isNew) raw.add(Raw::leftOut, 1);
  if (isNew) {
    id = int(known.size());
    known[key.text] = id;
    std::string text = "{\"kind\":\"launch\",\"id\":" + std::to_string(id);
    text += ",\"order\":" + std::to_string(raw.count(Raw::launches)) + ",\"stream\":" + std::to_string(state.number);
    if (isDefault) text += ",\"defaultStream\":true";
    text += ",\"device\":" + std::to_string(one.device) + ",\"call\":" + quoted(one.call);
    text += ",\"entry\":" + quoted(one.of->name) + ",\"image\":" + std::to_string(one.of->image) + shapeJson(one);
    if (one.isDependent && state.last >= 0)
      text += ",\"previous\":{\"id\":" + std::to_string(state.last) +
              ",\"parameters\":" + parametersJson(state.parameters) + "}";
    if (one.isDependent) writeMaps(state.parameters);
    writeMaps(one.parameters);
    raw.line(text + ",\"parameters\":" + parametersJson(one.parameters) + "}");
  }
  if (id >= 0) raw.add(Raw::named + id, 1);
  raw.sequence(state.number, id);
  state.last = id;
  const auto kept = isNew ? one.parameters : std::vector<Parameter>();
  state.parameters.swap(one.parameters);
  hold.unlock();
  if (!isNew) return;
  raw.keepImage(one.of->image);
  for (const auto& [from, bytes] : contentsBefore(one, kept))
    raw.line("{\"kind\":\"contents\",\"launch\":" + std::to_string(id) + ",\"from\":" + address(from) +
             ",\"bytes\":\"" + hex(bytes) + "\"" + addressesJson(from, bytes) + "}");
}

/** Reads what does not differ from call to call, and records the launch. */
void launched(Launch& one, void** parameters, void** extra, const char* symbol, const void* context) {
  if (driver.device == nullptr || driver.device(&one.device) != CUDA_SUCCESS) one.device = -1;
  const auto capturing = one.isPerThread ? driver.isCapturingPerThread : driver.isCapturing;
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  if (capturing != nullptr && capturing(one.stream, &status) == CUDA_SUCCESS)
    one.isCaptured = status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
  one.of = functionOf(one.function, symbol);
  one.hasExtra = parameters == nullptr && extra != nullptr;
  one.isUnread = !one.of->hasParameters || (parameters == nullptr && !one.of->parameters.empty());
  const bool hasMaps = [] {
    std::lock_guard<std::mutex> hold(lock);
    return !maps.empty();
  }();
  for (size_t i = 0; parameters != nullptr && i < one.of->parameters.size(); i++) {
    const auto [offset, size] = one.of->parameters[i];
    readParameter(static_cast<const char*>(parameters[i]), size, offset, hasMaps, one.parameters.emplace_back());
  }
  record(one, context);
}

void launchedByConfig(const CUlaunchConfig& config, Launch& one) {
  const unsigned grid[] = {config.gridDimX, config.gridDimY, config.gridDimZ};
  const unsigned block[] = {config.blockDimX, config.blockDimY, config.blockDimZ};
  memcpy(one.grid, grid, sizeof grid);
  memcpy(one.block, block, sizeof block);
  one.shared = config.sharedMemBytes;
  one.stream = config.hStream;
  for (unsigned i = 0; i < config.numAttrs; i++) {
    const CUlaunchAttribute& attribute = config.attrs[i];
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_IGNORE) continue;
    one.attributes += (one.attributes.empty() ? "" : ",") + std::to_string(int(attribute.id));
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) one.isCooperative = attribute.value.cooperative != 0;
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
      one.isDependent = attribute.value.programmaticStreamSerializationAllowed != 0;
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
      const auto& [x, y, z] = attribute.value.clusterDim;
      one.cluster[0] = x, one.cluster[1] = y, one.cluster[2] = z;
    }
  }
}

}  // namespace
