// Launches the kernels of one test of a bundle once, and prints what is in memory afterwards.
//
//   launch [--timeout S] launches.txt NAME
//
// A process for each test: an error of the GPU stays with the process, and a checker reports of one. Ends with 0, with
// 1 where a call fails ("FAILED ..."), 2 for wrong arguments, 3 where the kernels do not end ("HUNG NAME"), 4 where
// there is no GPU. All threads of a launch run, whatever its run clause says. Needs the CUDA toolkit alone.
#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#define CUDA(call)                                                                     \
  do {                                                                                 \
    cudaError_t status_ = (call);                                                      \
    if (status_ != cudaSuccess)                                                        \
      throw std::runtime_error(std::string(#call) + ": " + cudaGetErrorName(status_)); \
  } while (0)

// Bytes that are written into a buffer before the launches.
struct Bytes {
  size_t at;
  std::vector<uint8_t> values;
};
// The address of a place in another buffer.
struct Pointer {
  size_t at;
  std::string buffer;
  int64_t offset;
};
// An allocation of exactly this size, so that a checker sees where it ends; or a variable of a module.
struct Buffer {
  size_t size = 0, alignment = 1;
  std::string cubin;
  bool uninitialized = false;
  std::vector<Bytes> bytes;
  std::vector<Pointer> pointers;
  uint8_t *memory = nullptr;
};
struct Map {
  std::string type, tensor, swizzle;
  std::vector<uint64_t> dimensions, strides;
  std::vector<uint32_t> box;
  CUtensorMap descriptor = {};
};
// Of a parameter: numbers, the address of a buffer, or a tensor map.
struct Field {
  char kind;
  size_t at;
  std::vector<uint8_t> values;
  std::string name;
  int64_t offset;
};
struct Argument {
  size_t size;
  std::vector<Field> fields;
};
struct Launch {
  std::string name, cubin, entry;
  uint32_t grid[3], block[3], cluster[3];
  uint32_t shared = 0, cooperative = 0, stream = 0, dependent = 0;
  std::vector<std::string> after;
  std::vector<Argument> arguments;
};
struct Observed {
  std::string name;
  uint32_t bytes;
};
struct Test {
  std::string name;
  std::vector<std::string> notes;
  std::map<std::string, Buffer> buffers;
  std::map<std::string, Map> maps;
  std::vector<Launch> launches;
  std::vector<Observed> observed;
};

static std::vector<uint8_t> bytesOf(const std::string &hex) {
  std::vector<uint8_t> bytes(hex.size() / 2);
  for (size_t i = 0; i < bytes.size(); i++) bytes[i] = (uint8_t)std::stoul(hex.substr(2 * i, 2), nullptr, 16);
  return bytes;
}

// Unknown contents: words that count from 1 in each buffer. As good as anything, and not far away as indices.
static std::vector<uint8_t> unknownBytes(size_t at, size_t count) {
  std::vector<uint8_t> bytes(count);
  for (size_t i = 0; i < count; i++) bytes[i] = (uint8_t)(((at + i) / 4 + 1) >> (8 * ((at + i) % 4)));
  return bytes;
}

static void readFact(Test &test, const std::string &word, std::istringstream &words) {
  std::string name, text;
  if (word == "note") {
    std::getline(words >> std::ws, text);
    test.notes.push_back(text);
  } else if (word == "buffer") {
    words >> name;
    words >> test.buffers[name].size >> test.buffers[name].alignment;
  } else if (word == "variable") {
    words >> name;
    words >> test.buffers[name].size >> test.buffers[name].cubin;
  } else if (word == "uninitialized") {
    words >> name;
    test.buffers[name].uninitialized = true;
  } else if (word == "bytes" || word == "unknown") {
    Bytes bytes;
    words >> name >> bytes.at >> text;
    bytes.values = word == "bytes" ? bytesOf(text) : unknownBytes(bytes.at, std::stoul(text));
    test.buffers[name].bytes.push_back(bytes);
  } else if (word == "pointer") {
    words >> name;
    Pointer pointer;
    words >> pointer.at >> pointer.buffer >> pointer.offset;
    test.buffers[name].pointers.push_back(pointer);
  } else if (word == "map") {
    size_t rank = 0;
    words >> name;
    Map &map = test.maps[name];
    words >> map.type >> map.tensor >> map.swizzle >> rank;
    map.dimensions.resize(rank);
    map.strides.resize(rank > 0 ? rank - 1 : 0);
    map.box.resize(rank);
    for (uint64_t &one : map.dimensions) words >> one;
    for (uint64_t &one : map.strides) words >> one;
    for (uint32_t &one : map.box) words >> one;
  } else if (word == "launch") {
    test.launches.emplace_back();
    Launch &launch = test.launches.back();
    words >> launch.name >> launch.cubin >> launch.entry;
  } else if (word == "observe") {
    test.observed.emplace_back();
    words >> test.observed.back().name >> test.observed.back().bytes;
  } else if (!test.launches.empty()) {
    Launch &launch = test.launches.back();
    if (word == "shape") {
      for (uint32_t *sizes : {launch.grid, launch.block, launch.cluster})
        for (int i = 0; i < 3; i++) words >> sizes[i];
      words >> launch.shared >> launch.cooperative >> launch.stream >> launch.dependent;
    } else if (word == "after") {
      words >> name;
      launch.after.push_back(name);
    } else if (word == "argument") {
      launch.arguments.emplace_back();
      words >> launch.arguments.back().size;
    } else if (word == "value" || word == "address" || word == "descriptor") {
      Field field = {word[0], 0, {}, "", 0};
      words >> field.at >> text;
      if (word == "value") field.values = bytesOf(text);
      else field.name = text;
      if (word == "address") words >> field.offset;
      launch.arguments.back().fields.push_back(field);
    }
  }
}

static Test readTest(const char *path, const std::string &wanted) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error(std::string("cannot read ") + path);
  Test test;
  std::string line, word;
  bool isIt = false;
  while (std::getline(in, line)) {
    std::istringstream words(line);
    if (!(words >> word)) continue;
    if (word == "test") {
      std::string name;
      words >> name;
      isIt = name == wanted;
      if (isIt) test.name = name;
    } else if (isIt) {
      readFact(test, word, words);
    }
  }
  if (test.name.empty()) throw std::runtime_error(std::string(path) + " has no test " + wanted);
  return test;
}

// One test on the GPU.
class Running {
 public:
  explicit Running(Test &test) : test(test) {}

  void prepare() {
    for (const Launch &launch : test.launches) library(launch.cubin);
    for (auto &[name, buffer] : test.buffers) {
      if (buffer.cubin.empty()) {
        if (buffer.alignment > 256) throw std::runtime_error(name + ": cudaMalloc aligns to 256 bytes");
        CUDA(cudaMalloc((void **)&buffer.memory, buffer.size));
      } else {
        size_t size = 0;
        CUDA(cudaLibraryGetGlobal((void **)&buffer.memory, &size, library(buffer.cubin), name.c_str()));
        if (size != buffer.size) throw std::runtime_error(name + ": the module has it in another size");
      }
    }
    for (auto &[name, map] : test.maps) encode(name, map);
    for (auto &[name, buffer] : test.buffers) fill(buffer);
    CUDA(cudaDeviceSynchronize());
  }

  void run() {
    std::map<std::string, cudaEvent_t> ended;
    for (const Launch &launch : test.launches)
      for (const std::string &name : launch.after)
        if (ended.count(name) == 0) CUDA(cudaEventCreateWithFlags(&ended[name], cudaEventDisableTiming));
    for (const Launch &launch : test.launches) {
      cudaStream_t stream = streamOf(launch.stream);
      for (const std::string &name : launch.after) CUDA(cudaStreamWaitEvent(stream, ended[name], 0));
      start(launch, stream);
      if (ended.count(launch.name) != 0) CUDA(cudaEventRecord(ended[launch.name], stream));
    }
    CUDA(cudaDeviceSynchronize());
  }

  void print() {
    for (const Observed &one : test.observed) {
      const Buffer &buffer = test.buffers[one.name];
      std::vector<uint8_t> bytes(buffer.size);
      CUDA(cudaMemcpy(bytes.data(), buffer.memory, buffer.size, cudaMemcpyDeviceToHost));
      printf("%s =", one.name.c_str());
      for (size_t at = 0; at + one.bytes <= bytes.size(); at += one.bytes) {
        unsigned long long value = 0;
        memcpy(&value, &bytes[at], one.bytes < 8 ? one.bytes : 8);
        printf(" %llu", value);
      }
      printf("\n");
    }
  }

 private:
  Test &test;
  std::map<std::string, cudaLibrary_t> libraries;
  std::map<uint32_t, cudaStream_t> streams;

  cudaLibrary_t library(const std::string &cubin) {
    if (libraries.count(cubin) == 0) {
      if (!std::ifstream(cubin)) throw std::runtime_error(cubin + " is not there: refused.txt has what ptxas said");
      CUDA(cudaLibraryLoadFromFile(&libraries[cubin], cubin.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    }
    return libraries[cubin];
  }

  cudaStream_t streamOf(uint32_t number) {
    if (streams.count(number) == 0) CUDA(cudaStreamCreateWithFlags(&streams[number], cudaStreamNonBlocking));
    return streams[number];
  }

  void fill(Buffer &buffer) {
    if (buffer.uninitialized) return;
    std::vector<uint8_t> bytes(buffer.size, 0);
    for (const Bytes &run : buffer.bytes)
      if (!run.values.empty()) memcpy(&bytes.at(run.at), run.values.data(), run.values.size());
    for (const Pointer &pointer : buffer.pointers) {
      uint8_t *address = addressOf(pointer.buffer) + pointer.offset;
      memcpy(&bytes.at(pointer.at), &address, sizeof address);
    }
    CUDA(cudaMemcpy(buffer.memory, bytes.data(), buffer.size, cudaMemcpyHostToDevice));
  }

  // A kernel that is handed the address of a tensor map finds it in global memory.
  uint8_t *addressOf(const std::string &name) {
    if (test.maps.count(name) != 0 && test.buffers.count(name) == 0) {
      Buffer &buffer = test.buffers[name];
      buffer.size = sizeof(CUtensorMap);
      buffer.uninitialized = true;
      CUDA(cudaMalloc((void **)&buffer.memory, buffer.size));
      CUDA(cudaMemcpy(buffer.memory, &test.maps[name].descriptor, buffer.size, cudaMemcpyHostToDevice));
    }
    return test.buffers.at(name).memory;
  }

  void encode(const std::string &name, Map &map) {
    static const std::map<std::string, CUtensorMapDataType> TYPES = {
        {"UINT8", CU_TENSOR_MAP_DATA_TYPE_UINT8},     {"UINT16", CU_TENSOR_MAP_DATA_TYPE_UINT16},
        {"UINT32", CU_TENSOR_MAP_DATA_TYPE_UINT32},   {"INT32", CU_TENSOR_MAP_DATA_TYPE_INT32},
        {"UINT64", CU_TENSOR_MAP_DATA_TYPE_UINT64},   {"INT64", CU_TENSOR_MAP_DATA_TYPE_INT64},
        {"FLOAT16", CU_TENSOR_MAP_DATA_TYPE_FLOAT16}, {"FLOAT32", CU_TENSOR_MAP_DATA_TYPE_FLOAT32},
        {"FLOAT64", CU_TENSOR_MAP_DATA_TYPE_FLOAT64}};
    static const std::map<std::string, CUtensorMapSwizzle> SWIZZLES = {{"NONE", CU_TENSOR_MAP_SWIZZLE_NONE},
                                                                       {"32B", CU_TENSOR_MAP_SWIZZLE_32B},
                                                                       {"64B", CU_TENSOR_MAP_SWIZZLE_64B},
                                                                       {"128B", CU_TENSOR_MAP_SWIZZLE_128B}};
    // By the runtime, so that nothing is linked with the library of the driver.
    decltype(&cuTensorMapEncodeTiled) encodeTiled = nullptr;
    cudaDriverEntryPointQueryResult found;
    CUDA(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encodeTiled, 12000, cudaEnableDefault,
                                          &found));
    if (found != cudaDriverEntryPointSuccess) throw std::runtime_error("the driver has no cuTensorMapEncodeTiled");
    std::vector<uint32_t> elements(map.dimensions.size(), 1);
    CUresult result = encodeTiled(&map.descriptor, TYPES.at(map.type), (uint32_t)map.dimensions.size(),
                                  addressOf(map.tensor), (const cuuint64_t *)map.dimensions.data(),
                                  (const cuuint64_t *)map.strides.data(), map.box.data(), elements.data(),
                                  CU_TENSOR_MAP_INTERLEAVE_NONE, SWIZZLES.at(map.swizzle),
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (result != CUDA_SUCCESS)
      throw std::runtime_error("cuTensorMapEncodeTiled for " + name + ": CUresult " + std::to_string(result));
  }

  void start(const Launch &launch, cudaStream_t stream) {
    cudaKernel_t kernel;
    CUDA(cudaLibraryGetKernel(&kernel, library(launch.cubin), launch.entry.c_str()));
    const void *function = (const void *)kernel;
    if (launch.shared > 0)
      CUDA(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)launch.shared));
    uint32_t cluster = launch.cluster[0] * launch.cluster[1] * launch.cluster[2];
    if (cluster > 8) CUDA(cudaFuncSetAttribute(function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    std::vector<cudaLaunchAttribute> attributes;
    auto add = [&](cudaLaunchAttributeID id) -> cudaLaunchAttributeValue & {
      attributes.emplace_back();
      attributes.back().id = id;
      return attributes.back().val;
    };
    if (cluster > 1) {
      cudaLaunchAttributeValue &value = add(cudaLaunchAttributeClusterDimension);
      value.clusterDim.x = launch.cluster[0];
      value.clusterDim.y = launch.cluster[1];
      value.clusterDim.z = launch.cluster[2];
    }
    if (launch.cooperative) add(cudaLaunchAttributeCooperative).cooperative = 1;
    if (launch.dependent)
      add(cudaLaunchAttributeProgrammaticStreamSerialization).programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(launch.grid[0], launch.grid[1], launch.grid[2]);
    config.blockDim = dim3(launch.block[0], launch.block[1], launch.block[2]);
    config.dynamicSmemBytes = launch.shared;
    config.stream = stream;
    config.attrs = attributes.data();
    config.numAttrs = (unsigned)attributes.size();
    std::vector<std::vector<uint8_t>> values;
    for (const Argument &argument : launch.arguments) values.push_back(valueOf(argument));
    std::vector<void *> given;
    for (std::vector<uint8_t> &value : values) given.push_back(value.data());
    CUDA(cudaLaunchKernelExC(&config, function, given.data()));
  }

  std::vector<uint8_t> valueOf(const Argument &argument) {
    std::vector<uint8_t> bytes(argument.size, 0);
    auto put = [&](size_t at, const void *from, size_t count) {
      if (at + count > bytes.size()) throw std::runtime_error("launches.txt: a field leaves its parameter");
      memcpy(&bytes[at], from, count);
    };
    for (const Field &field : argument.fields) {
      if (field.kind == 'v') put(field.at, field.values.data(), field.values.size());
      if (field.kind == 'd') put(field.at, &test.maps.at(field.name).descriptor, sizeof(CUtensorMap));
      if (field.kind == 'a') {
        uint8_t *address = addressOf(field.name) + field.offset;
        put(field.at, &address, sizeof address);
      }
    }
    return bytes;
  }
};

int main(int argc, char **argv) {
  double timeout = 10;
  std::vector<const char *> names;
  for (int i = 1; i < argc; i++) {
    if (std::string(argv[i]) == "--timeout" && i + 1 < argc) timeout = std::atof(argv[++i]);
    else names.push_back(argv[i]);
  }
  if (names.size() != 2 || timeout <= 0) {
    fprintf(stderr, "launch [--timeout S] launches.txt NAME\n");
    return 2;
  }
  try {
    Test test = readTest(names[0], names[1]);
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
      fprintf(stderr, "there is no GPU here: the bundle is built, and runs on a machine that has one\n");
      return 4;
    }
    CUDA(cudaSetDevice(0));
    Running running(test);
    running.prepare();
    for (const std::string &note : test.notes) printf("note: %s\n", note.c_str());
    fflush(stdout);
    // Under a checker a launch itself waits for its kernel: whoever counts the time is another thread.
    std::thread([timeout, name = test.name] {
      std::this_thread::sleep_for(std::chrono::duration<double>(timeout));
      printf("HUNG %s: not ended after %g s\n", name.c_str(), timeout);
      fflush(stdout);
      _Exit(3);
    }).detach();
    running.run();
    running.print();
    printf("ENDED %s\n", test.name.c_str());
    fflush(stdout);
    // What a checker has to say comes when the process ends in the ordinary way.
    return 0;
  } catch (const std::exception &thrown) {
    printf("FAILED %s\n", thrown.what());
    return 1;
  }
}
