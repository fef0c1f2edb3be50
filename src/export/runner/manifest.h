// What a bundle says of its tests (src/export/bundle.ts writes it).
#pragma once
#include <cstdint>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

// A value of a final state: a word that a thread has stored, or bytes of a location.
struct Observed {
  std::string name;
  char from;
  uint32_t at, bytes, location = 0;
};

// Of an instance, with what it holds before a launch.
struct Location {
  uint32_t size = 0;
  std::vector<uint8_t> image;
};

// A tensor map, with what cuTensorMapEncodeTiled asks for.
struct TensorMap {
  uint32_t location = 0, at = 0, target = 0;
  std::string type;
  std::vector<uint64_t> dimensions, strides;
  std::vector<uint32_t> box;
};

struct Grid {
  std::string entry;
  uint32_t ctas = 1, block = 1, cluster = 1, together = 1, gpu = 0, stream = 0, isDependent = 0;
  std::vector<uint32_t> waits;
};

struct Test {
  std::string name, module;
  std::vector<Grid> grids;
  uint32_t threads = 1, words = 0, lanes = 1, isRepeated = 0, isJammed = 0;
  std::vector<Location> locations;
  std::vector<TensorMap> tensors;
  std::vector<Observed> observed;
  // Of a control: what it must show, or must not.
  std::string control;
  bool mustShow = false;

  // In bytes, of all locations of an instance.
  size_t size() const {
    size_t sum = 0;
    for (const Location &location : locations) sum += location.size;
    return sum;
  }

  uint32_t gpus() const {
    uint32_t most = 0;
    for (const Grid &grid : grids) most = grid.gpu > most ? grid.gpu : most;
    return most + 1;
  }
};

inline std::vector<Test> readManifest(const char *path) {
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
    if (word == "module") words >> test.module;
    if (word == "control") words >> test.mustShow >> test.control;
    if (word == "shape") words >> test.threads >> test.words >> test.lanes >> test.isRepeated >> test.isJammed;
    if (word == "grid") {
      Grid grid;
      words >> grid.entry >> grid.ctas >> grid.block >> grid.cluster >> grid.together >> grid.gpu >> grid.stream >>
          grid.isDependent;
      for (uint32_t stream; words >> stream;) grid.waits.push_back(stream);
      test.grids.push_back(grid);
    }
    if (word == "location") {
      Location location;
      std::string hex;
      words >> location.size >> hex;
      location.image.assign(location.size, 0);
      for (size_t i = 0; 2 * i + 1 < hex.size(); i++)
        location.image[i] = (uint8_t)std::stoul(hex.substr(2 * i, 2), nullptr, 16);
      test.locations.push_back(location);
    }
    if (word == "tensor") {
      TensorMap map;
      uint32_t rank = 0;
      words >> map.location >> map.at >> map.target >> map.type >> rank;
      map.dimensions.resize(rank);
      map.strides.resize(rank - 1);
      map.box.resize(rank);
      for (uint64_t &one : map.dimensions) words >> one;
      for (uint64_t &one : map.strides) words >> one;
      for (uint32_t &one : map.box) words >> one;
      test.tensors.push_back(map);
    }
    if (word == "observe") {
      Observed one;
      words >> one.name >> one.from >> one.at >> one.bytes;
      if (one.from == 'm') words >> one.location;
      test.observed.push_back(one);
    }
  }
  return tests;
}
