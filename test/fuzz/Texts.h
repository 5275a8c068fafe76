//===- Texts.h - Mutations of MLIR text -------------------------*- C++ -*-===//
//
// A mutation keeps most of a text as it was, and what it changes are words:
// numbers, names, types.  So it is often valid still, and reaches the passes.
//
//===----------------------------------------------------------------------===//
#ifndef TEST_FUZZ_TEXTS_H
#define TEST_FUZZ_TEXTS_H

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace fuzz {

/// Numbers that are the same on every machine.
class Dice {
public:
  explicit Dice(uint64_t seed) : engine(seed) {}
  /// From 0 to `count` - 1.
  size_t below(size_t count) { return count ? engine() % count : 0; }

private:
  std::mt19937_64 engine;
};

/// One of `seeds`, changed at one to four places.
std::string mutate(const std::vector<std::string> &seeds, Dice &dice);

} // namespace fuzz

#endif // TEST_FUZZ_TEXTS_H
