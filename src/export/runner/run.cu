// Runs the tests of a bundle on a GPU, and prints what each was seen to end with as a log of litmus7.
//
//   run [--from N] [--seconds S] [--seed N] [--states FILE] manifest.txt > log
//
// A test runs under several kinds of stress (CONFIGURATIONS), each for so many seconds; what was seen under which goes
// to FILE. A test that does not come back ends the process with 3 after a line "HUNG number name"; run.sh goes on
// behind it. Needs the CUDA toolkit alone.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#define CUDA(call)                                                                       \
  do {                                                                                   \
    cudaError_t status_ = (call);                                                        \
    if (status_ != cudaSuccess)                                                          \
      throw std::runtime_error(std::string(#call) + ": " + cudaGetErrorName(status_));   \
  } while (0)

// A value of a final state: a word that a thread has stored, or bytes of the memory of the instance.
struct Observed {
  std::string name;
  char from;
  uint32_t at, bytes;
};

struct Test {
  std::string name, module, entry;
  uint32_t ctas = 1, block = 1, cluster = 1, threads = 1, words = 0, lanes = 1, stride = 128;
  std::vector<uint8_t> image;
  std::vector<Observed> observed;
};

// The frame of each test has the same (instance-frame.ts).
enum { PRECACHE = 1 };
struct Configuration {
  const char *name;
  uint32_t flags, delay;
  // CTAs that only disturb, in percent of all.
  uint32_t stress;
};
const Configuration CONFIGURATIONS[] = {
    {"plain", 0, 0, 0},
    {"delay.63", 0, 63, 0},
    {"delay.511", 0, 511, 0},
    {"precache.delay.127", PRECACHE, 127, 0},
    {"stress.delay.127", 0, 127, 40},
    {"precache.stress.delay.511", PRECACHE, 511, 40},
};

const int MOST_OBSERVED = 24;
const size_t MOST_STATES = 1000;
const uint32_t SLOTS = 4096;
const uint32_t LAUNCHES_PER_ROUND = 32;
// In seconds.
const double LONGEST_ROUND = 2;

// A final state, and how often it was seen.
struct Slot {
  unsigned long long key, count;
  unsigned long long values[MOST_OBSERVED];
};
struct Counts {
  unsigned long long unfinished, full;
};
struct Where {
  uint32_t isMemory, at, bytes;
};

__device__ unsigned long long loaded(const uint8_t *from, uint32_t bytes) {
  unsigned long long value = 0;
  for (uint32_t i = 0; i < bytes; i++) value |= (unsigned long long)from[i] << (8 * i);
  return value;
}

// Counts how the instances ended, in a table by the hash of their values.
__global__ void collect(const uint8_t *memory, const uint8_t *results, uint32_t instances, uint32_t stride,
                        uint32_t words, uint32_t threads, const Where *wheres, uint32_t count, Slot *slots,
                        Counts *counts) {
  uint32_t instance = blockIdx.x * blockDim.x + threadIdx.x;
  if (instance >= instances) return;
  const uint8_t *own = results + (size_t)instance * 8 * (words + 1);
  if (*(const uint32_t *)(own + 8 * words) != threads) {
    atomicAdd(&counts->unfinished, 1ull);
    return;
  }
  unsigned long long values[MOST_OBSERVED];
  unsigned long long key = 0xcbf29ce484222325ull;
  for (uint32_t i = 0; i < count; i++) {
    Where where = wheres[i];
    unsigned long long value = where.isMemory ? loaded(memory + (size_t)instance * stride + where.at, where.bytes)
                                              : *(const unsigned long long *)(own + 8 * where.at);
    if (where.bytes < 8) value &= (1ull << (8 * where.bytes)) - 1;
    values[i] = value;
    key = (key ^ value) * 0x100000001b3ull;
    key ^= key >> 29;
  }
  key |= 1;
  for (uint32_t probe = 0; probe < SLOTS; probe++) {
    Slot *slot = &slots[(key + probe) % SLOTS];
    unsigned long long before = atomicCAS(&slot->key, 0ull, key);
    if (before == 0)
      for (uint32_t i = 0; i < count; i++) slot->values[i] = values[i];
    if (before == 0 || before == key) {
      atomicAdd(&slot->count, 1ull);
      return;
    }
  }
  atomicAdd(&counts->full, 1ull);
}

static std::vector<Test> readManifest(const char *path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error(std::string("cannot read ") + path);
  std::vector<Test> tests;
  std::string line, word;
  while (std::getline(in, line)) {
    std::istringstream words(line);
    words >> word;
    if (word == "test") {
      tests.emplace_back();
      words >> tests.back().name;
      continue;
    }
    if (tests.empty()) continue;
    Test &test = tests.back();
    if (word == "module") words >> test.module >> test.entry;
    if (word == "shape") words >> test.ctas >> test.block >> test.cluster >> test.threads >> test.words >> test.lanes;
    if (word == "memory") {
      std::string hex;
      words >> test.stride >> hex;
      test.image.assign(test.stride, 0);
      for (size_t i = 0; 2 * i + 1 < hex.size(); i++)
        test.image[i] = (uint8_t)std::stoul(hex.substr(2 * i, 2), nullptr, 16);
    }
    if (word == "observe") {
      Observed one;
      words >> one.name >> one.from >> one.at >> one.bytes;
      test.observed.push_back(one);
    }
  }
  return tests;
}

using Clock = std::chrono::steady_clock;
static double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

using States = std::map<std::vector<unsigned long long>, unsigned long long>;

// One test on the GPU, from loading it to what it was seen to end with.
class Running {
 public:
  Running(const Test &test, int multiprocessors) : test(test) {
    CUDA(cudaLibraryLoadFromFile(&library, test.module.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    CUDA(cudaLibraryGetKernel(&kernel, library, test.entry.c_str()));
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    uint32_t resident = residentCtas(multiprocessors);
    uint32_t unit = test.ctas;
    ctas = std::max(unit, std::min(resident, MOST_CTAS) / unit * unit);
    size_t instances = (size_t)ctas / unit * test.lanes;
    std::vector<uint8_t> images(instances * test.stride);
    for (size_t i = 0; i < instances; i++) memcpy(&images[i * test.stride], test.image.data(), test.stride);
    CUDA(cudaMalloc((void **)&image, images.size()));
    CUDA(cudaMemcpy(image, images.data(), images.size(), cudaMemcpyHostToDevice));
    CUDA(cudaMalloc((void **)&memory, images.size()));
    CUDA(cudaMalloc((void **)&results, instances * 8 * (test.words + 1)));
    CUDA(cudaMalloc((void **)&control, instances * 4));
    CUDA(cudaMalloc((void **)&scratch, 4096));
    CUDA(cudaMemset(scratch, 0, 4096));
    CUDA(cudaMalloc((void **)&slots, SLOTS * sizeof(Slot)));
    CUDA(cudaMalloc((void **)&counts, sizeof(Counts)));
    std::vector<Where> where;
    for (const Observed &one : test.observed) where.push_back({one.from == 'm', one.at, one.bytes});
    CUDA(cudaMalloc((void **)&wheres, std::max<size_t>(1, where.size()) * sizeof(Where)));
    if (!where.empty()) CUDA(cudaMemcpy(wheres, where.data(), where.size() * sizeof(Where), cudaMemcpyHostToDevice));
  }

  ~Running() {
    for (uint8_t *one : {image, memory, results, control, scratch, slots, counts, wheres}) cudaFree(one);
    if (stream != nullptr) cudaStreamDestroy(stream);
    if (library != nullptr) cudaLibraryUnload(library);
  }

  // False where the GPU does not come back.
  bool run(const Configuration &configuration, double seconds, uint32_t &seed, States &states, Counts &all,
           unsigned long long &samples) {
    uint32_t disturbing = ctas * configuration.stress / 100 / test.ctas * test.ctas;
    if (disturbing >= ctas) disturbing = 0;
    // CTAs, or groups of them, each with an instance for every lane.
    uint32_t groups = (ctas - disturbing) / test.ctas;
    CUDA(cudaMemset(slots, 0, SLOTS * sizeof(Slot)));
    CUDA(cudaMemset(counts, 0, sizeof(Counts)));
    Clock::time_point start = Clock::now();
    do {
      for (uint32_t i = 0; i < LAUNCHES_PER_ROUND; i++) launch(groups, configuration, ++seed);
      samples += (unsigned long long)groups * test.lanes * LAUNCHES_PER_ROUND;
      if (!comesBack()) return false;
    } while (since(start) < seconds);
    std::vector<Slot> seen(SLOTS);
    Counts counted;
    CUDA(cudaMemcpy(seen.data(), slots, SLOTS * sizeof(Slot), cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(&counted, counts, sizeof(Counts), cudaMemcpyDeviceToHost));
    all.unfinished += counted.unfinished;
    all.full += counted.full;
    for (const Slot &slot : seen)
      if (slot.count > 0)
        states[std::vector<unsigned long long>(slot.values, slot.values + test.observed.size())] += slot.count;
    return true;
  }

 private:
  static const uint32_t MOST_CTAS = 4096;
  const Test &test;
  uint32_t ctas = 0;
  cudaLibrary_t library = nullptr;
  cudaKernel_t kernel = nullptr;
  cudaStream_t stream = nullptr;
  uint8_t *image = nullptr, *memory = nullptr, *results = nullptr, *control = nullptr, *scratch = nullptr;
  uint8_t *slots = nullptr, *counts = nullptr, *wheres = nullptr;

  cudaLaunchConfig_t shape(cudaLaunchAttribute *attribute, uint32_t grid) {
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(grid);
    config.blockDim = dim3(test.block);
    config.stream = stream;
    if (test.cluster > 1) {
      attribute->id = cudaLaunchAttributeClusterDimension;
      attribute->val.clusterDim.x = test.cluster;
      attribute->val.clusterDim.y = attribute->val.clusterDim.z = 1;
      config.attrs = attribute;
      config.numAttrs = 1;
    }
    return config;
  }

  // All CTAs of a launch must be there at once: those of an instance wait for each other.
  uint32_t residentCtas(int multiprocessors) {
    const void *function = (const void *)kernel;
    if (test.cluster > 8) CUDA(cudaFuncSetAttribute(function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    if (test.cluster > 1) {
      cudaLaunchAttribute attribute;
      cudaLaunchConfig_t config = shape(&attribute, test.cluster);
      int clusters = 0;
      CUDA(cudaOccupancyMaxActiveClusters(&clusters, function, &config));
      return (uint32_t)std::max(1, clusters) * test.cluster;
    }
    int blocks = 0;
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, test.block, 0));
    return (uint32_t)std::max(1, blocks) * multiprocessors;
  }

  void launch(uint32_t groups, const Configuration &configuration, uint32_t seed) {
    size_t all = (size_t)ctas / test.ctas * test.lanes;
    uint32_t instances = groups * test.lanes;
    uint32_t flags = configuration.flags, delay = configuration.delay;
    CUDA(cudaMemcpyAsync(memory, image, all * test.stride, cudaMemcpyDeviceToDevice, stream));
    CUDA(cudaMemsetAsync(results, 0, all * 8 * (test.words + 1), stream));
    CUDA(cudaMemsetAsync(control, 0, all * 4, stream));
    void *given[] = {&memory, &results, &control, &scratch, &groups, &seed, &flags, &delay};
    cudaLaunchAttribute attribute;
    cudaLaunchConfig_t config = shape(&attribute, ctas);
    CUDA(cudaLaunchKernelExC(&config, (const void *)kernel, given));
    collect<<<(instances + 127) / 128, 128, 0, stream>>>(
        memory, results, instances, test.stride, test.words, test.threads,
        (const Where *)wheres, (uint32_t)test.observed.size(), (Slot *)slots, (Counts *)counts);
  }

  bool comesBack() {
    Clock::time_point start = Clock::now();
    for (;;) {
      cudaError_t result = cudaStreamQuery(stream);
      if (result == cudaSuccess) return true;
      if (result != cudaErrorNotReady) CUDA(result);
      if (since(start) > LONGEST_ROUND) return false;
      std::this_thread::yield();
    }
  }
};

static void printLog(const Test &test, const States &states, const Counts &counts, unsigned long long samples) {
  printf("Test %s Allowed\nHistogram (%zu states)\n", test.name.c_str(), states.size());
  for (const auto &[values, count] : states) {
    printf("%llu :>", count);
    for (size_t i = 0; i < values.size(); i++) printf("%s=%llu; ", test.observed[i].name.c_str(), values[i]);
    printf("\n");
  }
  printf("Ok\nWitnesses\nSamples %llu\nUnfinished %llu\nTable full %llu\n\n", samples, counts.unfinished, counts.full);
  fflush(stdout);
}

int main(int argc, char **argv) {
  size_t from = 0;
  double seconds = 0.05;
  uint32_t seed = 1;
  const char *manifest = nullptr, *statesPath = nullptr;
  for (int i = 1; i < argc; i++) {
    std::string word = argv[i];
    if (word == "--from" && i + 1 < argc) from = std::strtoul(argv[++i], nullptr, 10);
    else if (word == "--seconds" && i + 1 < argc) seconds = std::atof(argv[++i]);
    else if (word == "--seed" && i + 1 < argc) seed = (uint32_t)std::strtoul(argv[++i], nullptr, 10);
    else if (word == "--states" && i + 1 < argc) statesPath = argv[++i];
    else manifest = argv[i];
  }
  if (manifest == nullptr) {
    fprintf(stderr, "run [--from N] [--seconds S] [--seed N] [--states FILE] manifest.txt\n");
    return 2;
  }
  size_t number = from;
  try {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
      fprintf(stderr, "there is no GPU here: the bundle is built, and runs on a machine that has one\n");
      return 4;
    }
    cudaSetDevice(0);
    cudaFree(nullptr);
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    int driver = 0, clock = 0;
    cudaDriverGetVersion(&driver);
    cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, 0);
    std::vector<Test> tests = readManifest(manifest);
    if (from == 0)
      printf("GPU %s, sm_%d%d, %d multiprocessors, %d kHz, driver %d, runtime %d, seed %u, %g s a configuration\n\n",
             properties.name, properties.major, properties.minor, properties.multiProcessorCount, clock, driver,
             CUDART_VERSION, seed, seconds);
    std::ofstream statesFile;
    if (statesPath != nullptr) statesFile.open(statesPath, from == 0 ? std::ios::trunc : std::ios::app);
    for (; number < tests.size(); number++) {
      const Test &test = tests[number];
      if (test.observed.size() > MOST_OBSERVED) {
        fprintf(stderr, "%s: more than %d values are asked for\n", test.name.c_str(), MOST_OBSERVED);
        continue;
      }
      States states;
      Counts counts = {0, 0};
      unsigned long long samples = 0;
      try {
        Running running(test, properties.multiProcessorCount);
        for (const Configuration &configuration : CONFIGURATIONS) {
          States own;
          if (!running.run(configuration, seconds, seed, own, counts, samples)) {
            printf("HUNG %zu %s\n", number, test.name.c_str());
            fflush(stdout);
            _Exit(3);
          }
          for (const auto &[values, count] : own) {
            states[values] += count;
            if (!statesFile.is_open()) continue;
            statesFile << test.name << '\t' << configuration.name << '\t' << count << '\t';
            for (size_t i = 0; i < values.size(); i++) statesFile << test.observed[i].name << '=' << values[i] << ';';
            statesFile << '\n';
          }
        }
        if (states.size() > MOST_STATES)
          fprintf(stderr, "%s: %zu states, which say nothing by their number\n", test.name.c_str(), states.size());
        else
          printLog(test, states, counts, samples);
        statesFile.flush();
      } catch (const std::exception &thrown) {
        fprintf(stderr, "%s: %s\n", test.name.c_str(), thrown.what());
        // An error of the GPU stays with the process.
        if (cudaDeviceSynchronize() != cudaSuccess) {
          printf("FAILED %zu %s\n", number, test.name.c_str());
          fflush(stdout);
          _Exit(3);
        }
      }
    }
  } catch (const std::exception &thrown) {
    fprintf(stderr, "%s\n", thrown.what());
    return 1;
  }
  return 0;
}
