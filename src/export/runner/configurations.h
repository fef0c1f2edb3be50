// Kinds of stress, and the search for those under which the controls show what they must.
#pragma once
#include <cstdint>
#include <random>
#include <string>

// The frame of each test has the same bits (src/export/disturbance.ts).
enum { PRECACHE = 1, JAM = 2, ATOMICS = 4, SPREAD = 8, SCATTER = 16, LINES = 8 };

// Where the location of an instance is, among those of all: by the same factors as in the frame.
inline uint32_t scatteringOf(uint32_t location) { return (0x9e3779b1u + 0x61c88646u * location) | 1; }

struct Configuration {
  uint32_t flags = 0;
  // Clock cycles by which threads begin later, at most; one less than a power of two.
  uint32_t delay = 0;
  // CTAs that only disturb, and CTAs in use, in percent of those that a GPU can hold.
  uint32_t stress = 0, share = 100;
  // CTAs are not launched as a cluster where the test does not ask for it.
  bool isApart = false;

  std::string text() const {
    std::string words = "delay=" + std::to_string(delay) + ",share=" + std::to_string(share);
    if (flags & PRECACHE) words += ",precache";
    if (flags & JAM) words += ",jam";
    if (flags & SCATTER) words += ",scatter";
    if (isApart) words += ",apart";
    if (stress == 0) return words;
    words += ",stress=" + std::to_string(stress) + ",lines=" + std::to_string(1u << (flags >> LINES & 255));
    if (flags & ATOMICS) words += ",atomics";
    if (flags & SPREAD) words += ",spread";
    return words;
  }
};

inline Configuration configuration(uint32_t flags, uint32_t delay, uint32_t stress, uint32_t share, bool isApart) {
  Configuration one;
  one.flags = flags;
  one.delay = delay;
  one.stress = stress;
  one.share = share;
  one.isApart = isApart;
  return one;
}

// Each test runs under these, and under what the search keeps.
inline const Configuration FIXED[] = {
    configuration(0, 0, 0, 100, false),
    configuration(PRECACHE, 255, 0, 25, true),
    configuration(PRECACHE | JAM | 2 << LINES, 255, 40, 100, true),
    configuration(SCATTER, 63, 0, 50, false),
};

inline Configuration randomConfiguration(std::mt19937 &random) {
  auto below = [&](uint32_t n) { return (uint32_t)(random() % n); };
  const uint32_t delays[] = {0, 15, 63, 255, 1023, 4095};
  const uint32_t shares[] = {6, 12, 25, 50, 100};
  const uint32_t stresses[] = {0, 10, 25, 50, 75};
  uint32_t flags = below(2) * PRECACHE | below(2) * JAM | below(4) / 3 * ATOMICS | below(2) * SPREAD |
                   below(2) * SCATTER;
  flags |= below(8) << LINES;
  return configuration(flags, delays[below(6)], stresses[below(5)], shares[below(5)], below(2) == 1);
}
