// What is read of the parameters of a launch: bytes, and the pointers and tensor maps in them.
#pragma once
#include <stdint.h>
#include <string.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "driver.h"
#include "raw.h"

namespace {

// ---- What is known, behind one lock. It is never freed: the driver is called until the very end.

Raw& raw = *new Raw();
std::mutex& lock = *new std::mutex();

struct Buffer {
  uint64_t base = 0;
  uint64_t size = 0;
};
struct Map {
  int id = 0;
  std::string shape;
  uint64_t address = 0;
  /** Without a size: the driver knows no memory there. */
  Buffer buffer;
};
/** By their bytes, the last ones that were encoded; and which are written down. */
auto& maps = *new std::unordered_map<std::string, Map>();
auto& mapOrder = *new std::deque<std::string>();
auto& writtenMaps = *new std::set<int>();
int nextMap = 0;

/** A parameter that is read: its bytes, and what is in them. */
struct Parameter {
  size_t offset = 0;
  std::string bytes;
  std::vector<std::pair<size_t, Buffer>> pointers;
  std::vector<std::pair<size_t, Map>> tensorMaps;
};

/** The allocation that an address lies in. What is no address of the driver's is no pointer. */
bool bufferOf(uint64_t address, Buffer& buffer) {
  if (address < (uint64_t(1) << 32) || address >= (uint64_t(1) << 57)) return false;
  CUdeviceptr base = 0;
  size_t size = 0;
  if (driver.addressRange(&base, &size, address) != CUDA_SUCCESS || size == 0) {
    // Memory that is mapped by hand, and memory of the host.
    base = 0, size = 0;
    CUpointer_attribute names[] = {CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, CU_POINTER_ATTRIBUTE_RANGE_SIZE};
    void* values[] = {&base, &size};
    if (driver.pointerAttributes == nullptr) return false;
    if (driver.pointerAttributes(2, names, values, address) != CUDA_SUCCESS || base == 0 || size == 0) return false;
  }
  buffer = {uint64_t(base), uint64_t(size)};
  // One behind the end is a pointer too, but into what lies behind.
  return address - buffer.base < buffer.size;
}

void readParameter(const char* bytes, size_t size, size_t offset, bool hasMaps, Parameter& read) {
  read.offset = offset;
  read.bytes.assign(bytes, size);
  std::vector<bool> isMap(size, false);
  // A tensor map is aligned to 64 bytes, in the memory of parameters.
  for (size_t at = 0; hasMaps && at + 128 <= size; at += 64) {
    std::lock_guard<std::mutex> hold(lock);
    const auto found = maps.find(read.bytes.substr(at, 128));
    if (found == maps.end()) continue;
    read.tensorMaps.push_back({at, found->second});
    std::fill(isMap.begin() + at, isMap.begin() + at + 128, true);
  }
  for (size_t at = (8 - offset % 8) % 8; at + 8 <= size; at += 8) {
    if (isMap[at]) continue;
    uint64_t word;
    memcpy(&word, bytes + at, 8);
    Buffer buffer;
    if (bufferOf(word, buffer)) read.pointers.push_back({at, buffer});
  }
}

uint64_t wordAt(const Parameter& parameter, size_t at) {
  uint64_t word;
  memcpy(&word, parameter.bytes.data() + at, 8);
  return word;
}

std::string parametersJson(const std::vector<Parameter>& parameters) {
  std::string text = "[";
  for (const Parameter& one : parameters) {
    text += text == "[" ? "{" : ",{";
    text += "\"offset\":" + std::to_string(one.offset) + ",\"size\":" + std::to_string(one.bytes.size());
    text += ",\"bytes\":\"" + hex(one.bytes) + "\",\"pointers\":[";
    for (size_t i = 0; i < one.pointers.size(); i++) {
      const auto& [at, buffer] = one.pointers[i];
      text += std::string(i == 0 ? "" : ",") + "{\"at\":" + std::to_string(at) + ",\"base\":" + address(buffer.base) +
              ",\"size\":" + std::to_string(buffer.size) +
              ",\"offset\":" + std::to_string(wordAt(one, at) - buffer.base) + "}";
    }
    text += "],\"maps\":[";
    for (size_t i = 0; i < one.tensorMaps.size(); i++)
      text += std::string(i == 0 ? "" : ",") + "{\"at\":" + std::to_string(one.tensorMaps[i].first) +
              ",\"map\":" + std::to_string(one.tensorMaps[i].second.id) + "}";
    text += "]}";
  }
  return text + "]";
}

/** Writes the maps of a launch, each once. */
void writeMaps(const std::vector<Parameter>& parameters) {
  for (const Parameter& one : parameters)
    for (const auto& [at, map] : one.tensorMaps) {
      if (!writtenMaps.insert(map.id).second) continue;
      std::string text = "{\"kind\":\"map\",\"id\":" + std::to_string(map.id) + ",\"address\":" + address(map.address);
      if (map.buffer.size > 0)
        text += ",\"buffer\":{\"base\":" + address(map.buffer.base) + ",\"size\":" + std::to_string(map.buffer.size) +
                ",\"offset\":" + std::to_string(map.address - map.buffer.base) + "}";
      raw.line(text + map.shape + "}");
    }
}

}  // namespace
