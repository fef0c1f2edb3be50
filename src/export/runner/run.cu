// Runs the tests of a bundle on a GPU, and prints what each was seen to end with as a log of litmus7.
//
//   run [--from N] [--seconds S] [--search S] [--limit S] [--seed N] [--states FILE] [--controls FILE] manifest.txt
//
// First it looks for kinds of stress by chance (configurations.h), for so many seconds, and keeps for each control the
// one under which that shows its weak outcome most; FILE of --controls says which, and is read again where it is there.
// Then each test runs under all that are kept, for so many seconds each; what was seen under which goes to FILE of
// --states. A test that does not come back ends the process with 3 after a line "HUNG number name"; run.sh goes on
// behind it. After the seconds of --limit no other test begins. Needs the CUDA toolkit alone.
#include <cuda_runtime.h>
#include <cudaTypedefs.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <thread>

#include "configurations.h"
#include "manifest.h"
#include "tensor-maps.h"

#define CUDA(call)                                                                       \
  do {                                                                                   \
    cudaError_t status_ = (call);                                                        \
    if (status_ != cudaSuccess)                                                          \
      throw std::runtime_error(std::string(#call) + ": " + cudaGetErrorName(status_));   \
  } while (0)

const int MOST_OBSERVED = 24;
const size_t MOST_STATES = 1000;
const uint32_t SLOTS = 4096;
const uint32_t LAUNCHES_PER_ROUND = 1;
const uint32_t MOST_INSTANCES = 1 << 20;
// Each tensor map is made by the host.
const uint32_t MOST_WITH_TENSORS = 1 << 13;
const uint32_t MOST_ITERATIONS = 64;
const uint32_t MOST_CTAS = 4096;
const uint32_t JAMMING = 256;
const size_t SCRATCH = 128 * 256 + 4096;
// In bytes, of all instances together.
const size_t MOST_MEMORY = 1ull << 29;
// In seconds.
const double LONGEST_ROUND = 4;

// A final state, and how often it was seen.
struct Slot {
  unsigned long long key, count;
  unsigned long long values[MOST_OBSERVED];
};
struct Counts {
  unsigned long long unfinished, full;
};
// Where an instance leaves a value: a word of its results, or bytes of an array with a place for each instance.
struct Where {
  const uint8_t *array;
  uint32_t size, factor, at, bytes;
};

// What a location of each instance holds before a launch.
__global__ void fill(uint4 *memory, const uint4 *image, uint32_t quads, size_t all) {
  for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < all; i += (size_t)gridDim.x * blockDim.x)
    memory[i] = image[i % quads];
}

__device__ unsigned long long loaded(const uint8_t *from, uint32_t bytes) {
  unsigned long long value = 0;
  for (uint32_t i = 0; i < bytes; i++) value |= (unsigned long long)from[i] << (8 * i);
  return value;
}

// Counts how the instances ended, in a table by the hash of their values.
__global__ void collect(const uint8_t *results, uint32_t instances, uint32_t span, bool isScattered, uint32_t words,
                        uint32_t threads, const Where *wheres, uint32_t count, Slot *slots, Counts *counts) {
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
    size_t place = (instance * (isScattered ? where.factor : 1)) & (span - 1);
    unsigned long long value = where.array != nullptr ? loaded(where.array + place * where.size + where.at, where.bytes)
                                                      : *(const unsigned long long *)(own + 8 * where.at);
    if (where.bytes < 8) value &= (1ull << (8 * where.bytes)) - 1;
    values[i] = value;
    key = (key ^ value) * 0x100000001b3ull;
    key ^= key >> 29;
  }
  key |= 1;
  // Lanes with the same values count together.
  uint32_t alike = __match_any_sync(__activemask(), key);
  if ((threadIdx.x & 31) != __ffs(alike) - 1) return;
  for (uint32_t probe = 0; probe < SLOTS; probe++) {
    Slot *slot = &slots[(key + probe) % SLOTS];
    unsigned long long before = *(volatile unsigned long long *)&slot->key;
    if (before == 0) before = atomicCAS(&slot->key, 0ull, key);
    if (before == 0)
      for (uint32_t i = 0; i < count; i++) slot->values[i] = values[i];
    if (before == 0 || before == key) {
      atomicAdd(&slot->count, (unsigned long long)__popc(alike));
      return;
    }
  }
  atomicAdd(&counts->full, (unsigned long long)__popc(alike));
}

using Clock = std::chrono::steady_clock;
static double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

using States = std::map<std::vector<unsigned long long>, unsigned long long>;

// One test on the GPU, from loading it to what it was seen to end with.
class Running {
 public:
  explicit Running(const Test &test) : test(test), gpus(test.gpus()) {
    CUDA(cudaSetDevice(0));
    CUDA(cudaLibraryLoadFromFile(&library, test.module.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CUDA(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
    kernels.resize(test.grids.size());
    streams.resize(test.grids.size());
    done.resize(test.grids.size());
    for (size_t i = 0; i < test.grids.size(); i++) {
      CUDA(cudaLibraryGetKernel(&kernels[i], library, test.grids[i].entry.c_str()));
      CUDA(cudaSetDevice(test.grids[i].gpu));
      CUDA(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
      CUDA(cudaEventCreateWithFlags(&done[i], cudaEventDisableTiming));
    }
    CUDA(cudaSetDevice(0));
    most = mostInstances();
    CUDA(cudaMalloc((void **)&image, std::max<size_t>(16, test.size())));
    CUDA(cudaMalloc((void **)&memory, std::max<size_t>(16, most * test.size())));
    size_t before = 0;
    for (const Location &location : test.locations) {
      CUDA(cudaMemcpy(image + before, location.image.data(), location.size, cudaMemcpyHostToDevice));
      before += location.size;
    }
    if (!test.tensors.empty())
      CUDA(cudaMalloc((void **)&maps, test.tensors.size() * most * sizeof(CUtensorMap)));
    CUDA(cudaMalloc((void **)&results, most * 8 * (test.words + 1)));
    CUDA(cudaMalloc((void **)&control, 4 * (MOST_CTAS + 1)));
    CUDA(cudaMalloc((void **)&scratch, SCRATCH));
    CUDA(cudaMemset(scratch, 0, SCRATCH));
    CUDA(cudaMalloc((void **)&slots, SLOTS * sizeof(Slot)));
    CUDA(cudaMalloc((void **)&counts, sizeof(Counts)));
    CUDA(cudaMalloc((void **)&wheres, MOST_OBSERVED * sizeof(Where)));
  }

  ~Running() {
    cudaSetDevice(0);
    for (uint8_t *one : {image, memory, maps, results, control, scratch, slots, counts, wheres}) cudaFree(one);
    if (stream != nullptr) cudaStreamDestroy(stream);
    if (ready != nullptr) cudaEventDestroy(ready);
    for (cudaStream_t one : streams)
      if (one != nullptr) cudaStreamDestroy(one);
    for (cudaEvent_t one : done)
      if (one != nullptr) cudaEventDestroy(one);
    if (library != nullptr) cudaLibraryUnload(library);
  }

  // False where the GPU does not come back.
  bool run(Configuration configuration, double seconds, uint32_t &seed, States &states, Counts &all,
           unsigned long long &samples) {
    // A map and what it describes have the same place in their arrays.
    if (!test.tensors.empty()) configuration.flags &= ~SCATTER;
    const Plan plan = planOf(configuration);
    std::vector<Where> where = wheresOf(plan.span);
    CUDA(cudaMemcpy(wheres, where.data(), where.size() * sizeof(Where), cudaMemcpyHostToDevice));
    makeMaps(plan.instances, plan.span);
    CUDA(cudaMemset(slots, 0, SLOTS * sizeof(Slot)));
    CUDA(cudaMemset(counts, 0, sizeof(Counts)));
    Clock::time_point start = Clock::now();
    do {
      for (uint32_t i = 0; i < LAUNCHES_PER_ROUND; i++) launch(plan, configuration, ++seed);
      samples += (unsigned long long)plan.instances * LAUNCHES_PER_ROUND;
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
  // How many groups of CTAs have instances, each one for every lane and iteration; CTAs of the first grid that disturb.
  struct Plan {
    uint32_t groups, disturbing, iterations, instances;
    // A power of two: the places in the array of a location.
    uint32_t span;
  };

  const Test &test;
  const uint32_t gpus;
  size_t most = 0;
  cudaLibrary_t library = nullptr;
  std::vector<cudaKernel_t> kernels;
  cudaStream_t stream = nullptr;
  cudaEvent_t ready = nullptr;
  std::vector<cudaStream_t> streams;
  std::vector<cudaEvent_t> done;
  uint8_t *image = nullptr, *memory = nullptr, *maps = nullptr, *results = nullptr, *control = nullptr;
  uint8_t *scratch = nullptr, *slots = nullptr, *counts = nullptr, *wheres = nullptr;

  uint32_t blockOf(const Grid &grid, const Configuration &configuration) const {
    bool isJammed = test.isJammed && (configuration.flags & JAM);
    return isJammed ? (grid.block + 31) / 32 * 32 + JAMMING : grid.block;
  }

  static uint32_t clusterOf(const Grid &grid, const Configuration &configuration) {
    return configuration.isApart ? grid.cluster : grid.together;
  }

  // Instances of an iteration are all there at once; the memory of all is bounded.
  size_t mostInstances() const {
    size_t fitting = 1;
    size_t bound = test.tensors.empty() ? MOST_INSTANCES : MOST_WITH_TENSORS;
    while (2 * fitting <= bound && 2 * fitting * test.size() <= MOST_MEMORY) fitting *= 2;
    return fitting;
  }

  // Where the places of each location begin, for one instance.
  std::vector<size_t> locationBegins() const {
    std::vector<size_t> begins(1, 0);
    for (const Location &location : test.locations) begins.push_back(begins.back() + location.size);
    return begins;
  }

  void makeMaps(uint32_t instances, uint32_t span) const {
    std::vector<size_t> begins = locationBegins();
    std::vector<CUtensorMap> made(instances);
    for (size_t i = 0; i < test.tensors.size(); i++) {
      const TensorMap &map = test.tensors[i];
      uint8_t *first = memory + begins[map.target] * span;
      for (uint32_t k = 0; k < instances; k++)
        made[k] = encoded(map, first + (size_t)k * test.locations[map.target].size);
      CUDA(cudaMemcpy(maps + i * most * sizeof(CUtensorMap), made.data(), instances * sizeof(CUtensorMap),
                      cudaMemcpyHostToDevice));
    }
  }

  void placeMaps(const Plan &plan) const {
    std::vector<size_t> begins = locationBegins();
    for (size_t i = 0; i < test.tensors.size(); i++) {
      const TensorMap &map = test.tensors[i];
      CUDA(cudaMemcpy2DAsync(memory + begins[map.location] * plan.span + map.at, test.locations[map.location].size,
                             maps + i * most * sizeof(CUtensorMap), sizeof(CUtensorMap), sizeof(CUtensorMap),
                             plan.instances, cudaMemcpyDeviceToDevice, stream));
    }
  }

  std::vector<Where> wheresOf(uint32_t span) const {
    std::vector<size_t> begins = locationBegins();
    std::vector<Where> where;
    for (const Observed &one : test.observed) {
      if (one.from == 'w') where.push_back({nullptr, 0, 1, one.at, one.bytes});
      else
        where.push_back({memory + begins[one.location] * span, test.locations[one.location].size,
                         scatteringOf(one.location), one.at, one.bytes});
    }
    return where;
  }

  cudaLaunchConfig_t shape(size_t number, cudaLaunchAttribute *attributes, uint32_t ctas,
                           const Configuration &configuration) const {
    const Grid &grid = test.grids[number];
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(ctas);
    config.blockDim = dim3(blockOf(grid, configuration));
    config.stream = streams[grid.stream];
    config.attrs = attributes;
    uint32_t cluster = clusterOf(grid, configuration);
    if (cluster > 1) {
      attributes->id = cudaLaunchAttributeClusterDimension;
      attributes->val.clusterDim.x = cluster;
      attributes->val.clusterDim.y = attributes->val.clusterDim.z = 1;
      attributes++;
      config.numAttrs++;
    }
    if (grid.isDependent) {
      attributes->id = cudaLaunchAttributeProgrammaticStreamSerialization;
      attributes->val.programmaticStreamSerializationAllowed = 1;
      config.numAttrs++;
    }
    return config;
  }

  // All CTAs of a launch must be there at once: those of an instance wait for each other.
  uint32_t residentCtas(size_t number, const Configuration &configuration) const {
    const Grid &grid = test.grids[number];
    const void *function = (const void *)kernels[number];
    CUDA(cudaSetDevice(grid.gpu));
    uint32_t cluster = clusterOf(grid, configuration), resident = 0;
    if (cluster > 8) CUDA(cudaFuncSetAttribute(function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    if (cluster > 1) {
      cudaLaunchAttribute attributes[2];
      cudaLaunchConfig_t config = shape(number, attributes, cluster, configuration);
      int clusters = 0;
      CUDA(cudaOccupancyMaxActiveClusters(&clusters, function, &config));
      resident = std::max(1, clusters) * cluster;
    } else {
      int blocks = 0, multiprocessors = 0;
      CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, grid.gpu));
      CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, blockOf(grid, configuration), 0));
      resident = std::max(1, blocks) * multiprocessors;
    }
    CUDA(cudaSetDevice(0));
    return std::min(resident, MOST_CTAS);
  }

  Plan planOf(const Configuration &configuration) const {
    // The part of a GPU that one group takes.
    std::vector<double> taken(gpus, 0);
    for (size_t i = 0; i < test.grids.size(); i++)
      taken[test.grids[i].gpu] += (double)test.grids[i].ctas / residentCtas(i, configuration);
    double part = *std::max_element(taken.begin(), taken.end());
    double used = configuration.share / 100.0;
    uint32_t groups = (uint32_t)(used * (100 - configuration.stress) / 100 / part + 1e-6);
    groups = std::max(1u, std::min<uint32_t>(groups, (uint32_t)(most / test.lanes)));
    uint32_t cluster = clusterOf(test.grids[0], configuration);
    uint32_t disturbing = (uint32_t)(used * configuration.stress / 100 * residentCtas(0, configuration));
    uint32_t iterations = 1;
    if (test.isRepeated)
      iterations = (uint32_t)std::min<size_t>(MOST_ITERATIONS, std::max<size_t>(1, most / (groups * test.lanes)));
    uint32_t instances = groups * test.lanes * iterations, span = 1;
    while (span < instances) span *= 2;
    return {groups, disturbing / cluster * cluster, iterations, instances, span};
  }

  void launch(const Plan &plan, const Configuration &configuration, uint32_t seed) {
    size_t before = 0;
    for (const Location &location : test.locations) {
      uint32_t quads = location.size / 16;
      fill<<<1024, 256, 0, stream>>>((uint4 *)(memory + before * plan.span), (const uint4 *)(image + before), quads,
                                     (size_t)plan.span * quads);
      before += location.size;
    }
    placeMaps(plan);
    CUDA(cudaMemsetAsync(results, 0, (size_t)plan.instances * 8 * (test.words + 1), stream));
    CUDA(cudaMemsetAsync(control, 0, 4 * (MOST_CTAS + 1), stream));
    CUDA(cudaEventRecord(ready, stream));
    uint32_t groups = plan.groups, iterations = plan.iterations, span = plan.span;
    uint32_t flags = configuration.flags, delay = configuration.delay;
    void *given[] = {&memory, &results, &control, &scratch, &groups, &iterations, &span, &seed, &flags, &delay};
    for (size_t i = 0; i < test.grids.size(); i++) {
      const Grid &grid = test.grids[i];
      CUDA(cudaSetDevice(grid.gpu));
      if (grid.stream == i) CUDA(cudaStreamWaitEvent(streams[i], ready, 0));
      for (uint32_t on : grid.waits) CUDA(cudaStreamWaitEvent(streams[grid.stream], done[on], 0));
      cudaLaunchAttribute attributes[2];
      uint32_t clusters = clusterOf(grid, configuration);
      uint32_t ctas = (groups * grid.ctas + clusters - 1) / clusters * clusters + (i == 0 ? plan.disturbing : 0);
      cudaLaunchConfig_t config = shape(i, attributes, ctas, configuration);
      CUDA(cudaLaunchKernelExC(&config, (const void *)kernels[i], given));
      CUDA(cudaEventRecord(done[grid.stream], streams[grid.stream]));
    }
    CUDA(cudaSetDevice(0));
    for (size_t i = 0; i < test.grids.size(); i++)
      if (test.grids[i].stream == i) CUDA(cudaStreamWaitEvent(stream, done[i], 0));
    collect<<<(plan.instances + 127) / 128, 128, 0, stream>>>(
        results, plan.instances, plan.span, configuration.flags & SCATTER, test.words, test.threads,
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

static std::string stateText(const Test &test, const std::vector<unsigned long long> &values) {
  std::string text;
  for (size_t i = 0; i < values.size(); i++) text += test.observed[i].name + "=" + std::to_string(values[i]) + ";";
  return text;
}

static void printLog(const Test &test, const States &states, const Counts &counts, unsigned long long samples,
                     double seconds) {
  printf("Test %s Allowed\nHistogram (%zu states)\n", test.name.c_str(), states.size());
  for (const auto &[values, count] : states) {
    printf("%llu :>", count);
    for (size_t i = 0; i < values.size(); i++) printf("%s=%llu; ", test.observed[i].name.c_str(), values[i]);
    printf("\n");
  }
  printf("Ok\nWitnesses\nSamples %llu\nUnfinished %llu\nTable full %llu\nTime %s %.2f\n\n", samples, counts.unfinished,
         counts.full, test.name.c_str(), seconds);
  fflush(stdout);
}

// A control with the configuration under which it showed most.
struct Kept {
  const Test *control;
  Configuration configuration;
  unsigned long long weak = 0, samples = 1;
  double rate() const { return (double)weak / samples; }
};

static std::vector<Kept> search(const std::vector<Test> &tests, double seconds, uint32_t &seed) {
  std::vector<Kept> kept;
  std::vector<std::unique_ptr<Running>> running;
  for (const Test &test : tests)
    if (!test.control.empty() && test.gpus() == 1) {
      Kept one;
      one.control = &test;
      kept.push_back(one);
      running.push_back(std::make_unique<Running>(test));
    }
  std::mt19937 random(seed);
  Clock::time_point start = Clock::now();
  for (uint32_t round = 0; since(start) < seconds && !kept.empty(); round++) {
    Configuration tried = round < std::size(FIXED) ? FIXED[round] : randomConfiguration(random);
    for (size_t i = 0; i < kept.size(); i++) {
      States states;
      Counts counts = {0, 0};
      Kept one = kept[i];
      one.configuration = tried;
      one.weak = 0;
      one.samples = 0;
      if (!running[i]->run(tried, 0.004, seed, states, counts, one.samples)) {
        fprintf(stderr, "%s: a control that does not come back\n", kept[i].control->name.c_str());
        _Exit(1);
      }
      for (const auto &[values, count] : states)
        if (stateText(*one.control, values) == one.control->control) one.weak += count;
      if (one.rate() > kept[i].rate() || round == 0) kept[i] = one;
    }
  }
  return kept;
}

static std::vector<Configuration> configurationsOf(const std::vector<Kept> &kept) {
  std::vector<Configuration> all(std::begin(FIXED), std::end(FIXED));
  for (const Kept &one : kept) {
    bool isKnown = std::any_of(all.begin(), all.end(), [&](const Configuration &other) {
      return other.text() == one.configuration.text();
    });
    if (one.weak > 0 && !isKnown) all.push_back(one.configuration);
  }
  return all;
}

struct Arguments {
  size_t from = 0;
  double seconds = 0.05, search = 10, limit = 1e9;
  uint32_t seed = 1;
  const char *manifest = nullptr, *states = nullptr, *controls = "controls.tsv";
};

static Arguments argumentsOf(int argc, char **argv) {
  Arguments given;
  for (int i = 1; i < argc; i++) {
    std::string word = argv[i];
    bool hasValue = i + 1 < argc;
    if (word == "--from" && hasValue) given.from = std::strtoul(argv[++i], nullptr, 10);
    else if (word == "--seconds" && hasValue) given.seconds = std::atof(argv[++i]);
    else if (word == "--search" && hasValue) given.search = std::atof(argv[++i]);
    else if (word == "--seed" && hasValue) given.seed = (uint32_t)std::strtoul(argv[++i], nullptr, 10);
    else if (word == "--limit" && hasValue) given.limit = std::atof(argv[++i]);
    else if (word == "--states" && hasValue) given.states = argv[++i];
    else if (word == "--controls" && hasValue) given.controls = argv[++i];
    else given.manifest = argv[i];
  }
  return given;
}

// Nothing is freed: that waits for the GPU, which does not come back.
[[noreturn]] static void leaveHung(size_t number, const Test &test) {
  printf("HUNG %zu %s\n", number, test.name.c_str());
  fflush(stdout);
  _Exit(3);
}

// One test under all configurations.
static void runTest(size_t number, const Test &test, const std::vector<Configuration> &configurations,
                    const Arguments &given, uint32_t &seed, std::ofstream &statesFile) {
  States states;
  Counts counts = {0, 0};
  unsigned long long samples = 0;
  Clock::time_point start = Clock::now();
  Running running(test);
  for (const Configuration &configuration : configurations) {
    States own;
    if (!running.run(configuration, given.seconds, seed, own, counts, samples)) leaveHung(number, test);
    for (const auto &[values, count] : own) {
      states[values] += count;
      if (statesFile.is_open())
        statesFile << test.name << '\t' << configuration.text() << '\t' << count << '\t' << stateText(test, values)
                   << '\n';
    }
  }
  if (states.size() > MOST_STATES)
    fprintf(stderr, "%s: %zu states, which say nothing by their number\n", test.name.c_str(), states.size());
  else
    printLog(test, states, counts, samples, since(start));
}

// What a run of the search leaves for those that go on behind a test that failed.
static void writeControls(const char *path, const std::vector<Kept> &kept) {
  std::ofstream out(path);
  for (const Kept &one : kept) {
    const Configuration &of = one.configuration;
    out << one.control->name << '\t' << (one.control->mustShow ? "must" : "must-not") << '\t' << one.weak << '\t'
        << one.samples << '\t' << of.text() << '\t' << of.flags << ' ' << of.delay << ' ' << of.stress << ' '
        << of.share << ' ' << of.isApart << '\n';
  }
}

static std::vector<Kept> readControls(const char *path, const std::vector<Test> &tests) {
  std::vector<Kept> kept;
  std::ifstream in(path);
  std::string name, how, text;
  Kept one;
  Configuration &of = one.configuration;
  while (in >> name >> how >> one.weak >> one.samples >> text >> of.flags >> of.delay >> of.stress >> of.share >>
         of.isApart)
    for (const Test &test : tests)
      if (test.name == name) {
        one.control = &test;
        kept.push_back(one);
      }
  return kept;
}

static void printMachine(const Arguments &given, int devices) {
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  int driver = 0, clock = 0;
  cudaDriverGetVersion(&driver);
  cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, 0);
  printf("GPU %s (%d of them), sm_%d%d, %d multiprocessors, %d kHz, driver %d, runtime %d, seed %u, %g s a "
         "configuration\n",
         properties.name, devices, properties.major, properties.minor, properties.multiProcessorCount, clock, driver,
         CUDART_VERSION, given.seed, given.seconds);
}

// How many GPUs reach the memory of the first.
static uint32_t reachingGpus(int devices) {
  uint32_t reaching = 1;
  for (int i = 1; i < devices; i++) {
    int can = 0;
    if (cudaDeviceCanAccessPeer(&can, i, 0) != cudaSuccess || !can) break;
    if (cudaSetDevice(i) != cudaSuccess || cudaDeviceEnablePeerAccess(0, 0) != cudaSuccess) break;
    reaching++;
  }
  cudaSetDevice(0);
  return reaching;
}

static int runAll(const Arguments &given) {
  Clock::time_point start = Clock::now();
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    fprintf(stderr, "there is no GPU here: the bundle is built, and runs on a machine that has one\n");
    return 4;
  }
  CUDA(cudaSetDevice(0));
  CUDA(cudaFree(nullptr));
  uint32_t gpus = reachingGpus(devices);
  std::vector<Test> tests = readManifest(given.manifest);
  uint32_t seed = given.seed;
  if (given.from == 0) {
    printMachine(given, devices);
    writeControls(given.controls, search(tests, given.search, seed));
  }
  std::vector<Configuration> configurations = configurationsOf(readControls(given.controls, tests));
  if (given.from == 0) {
    for (const Configuration &one : configurations) printf("Configuration %s\n", one.text().c_str());
    printf("\n");
  }
  std::ofstream statesFile;
  if (given.states != nullptr) statesFile.open(given.states, given.from == 0 ? std::ios::trunc : std::ios::app);
  for (size_t number = given.from; number < tests.size(); number++) {
    const Test &test = tests[number];
    if (since(start) > given.limit) {
      fprintf(stderr, "%zu tests are left: %g s are over\n", tests.size() - number, given.limit);
      break;
    }
    if (test.observed.size() > MOST_OBSERVED) {
      fprintf(stderr, "%s: more than %d values are asked for\n", test.name.c_str(), MOST_OBSERVED);
      continue;
    }
    if (test.gpus() > gpus) {
      fprintf(stderr, "%s: it needs %u GPUs that reach the memory of the first, and there are %u\n", test.name.c_str(),
              test.gpus(), gpus);
      continue;
    }
    try {
      runTest(number, test, configurations, given, seed, statesFile);
    } catch (const std::exception &thrown) {
      fprintf(stderr, "%s: %s\n", test.name.c_str(), thrown.what());
      // An error of the GPU stays with the process.
      if (cudaDeviceSynchronize() != cudaSuccess) {
        printf("FAILED %zu %s\n", number, test.name.c_str());
        fflush(stdout);
        _Exit(3);
      }
    }
    statesFile.flush();
  }
  return 0;
}

int main(int argc, char **argv) {
  Arguments given = argumentsOf(argc, argv);
  if (given.manifest == nullptr) {
    fprintf(stderr, "run [--from N] [--seconds S] [--search S] [--limit S] [--seed N] [--states FILE] "
                    "[--controls FILE] manifest.txt\n");
    return 2;
  }
  try {
    return runAll(given);
  } catch (const std::exception &thrown) {
    fprintf(stderr, "%s\n", thrown.what());
    return 1;
  }
}
