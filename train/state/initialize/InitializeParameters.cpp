//===- InitializeParameters.cpp - Initializes parameters ------------------===//
//
// Values do not depend on each other, so threads take shares of all parameters
// in any order.  These are plain threads, because parallel regions belong to
// `compute`.
//
//===----------------------------------------------------------------------===//
#include "train/state/initialize/InitializeParameters.h"

#include "runtime/numbers/HalfFloats.h"
#include "runtime/plan/Vocabulary.h"
#include "runtime/system/StartThread.h"
#include "train/state/initialize/RandomFill.h"
#include "train/state/io/PackParameters.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

using namespace zrt;

namespace {

constexpr uint64_t kShare = uint64_t{1} << 18;

/// A unit of work for one thread.
struct Share {
  const Parameter *parameter;
  uint64_t first, count; ///< elements of the parameter
  zrt_ref at;
};

void fill(const Share &share, uint64_t seed, std::byte *values) {
  const Parameter &p = *share.parameter;
  if (p.dtype == ZRT_F64) {
    fillInitial(p.init, seed, p.name, share.first, share.count,
                reinterpret_cast<double *>(values));
    return;
  }
  if (p.packing != ZRT_UNPACKED) {
    packBytes(p, share.first,
              [&](uint64_t first, uint64_t count, float *to) {
                fillInitial(p.init, seed, p.name, first, count, to);
              },
              {values, share.count});
    return;
  }
  auto *drawn = reinterpret_cast<float *>(values);
  fillInitial(p.init, seed, p.name, share.first, share.count, drawn);
  narrowInPlace(p.dtype, drawn, share.count);
}

} // namespace

void zrt::initializeParameters(const std::vector<Parameter> &parameters,
                               uint64_t seed, int threads,
                               const ParameterMemory &memory) {
  std::vector<Share> shares;
  uint64_t largest = 0;
  for (const Parameter &parameter : parameters)
    for (const ParameterPiece &piece : parameter.pieces)
      for (uint64_t at = 0; piece.here() && at < piece.count; at += kShare) {
        const uint64_t count = std::min(kShare, piece.count - at);
        shares.push_back({&parameter, piece.first + at, count,
                          elementsOf(piece, parameter.dtype, at, count)});
        // Elements of 16 bits are drawn as f32.
        largest = std::max(
            {largest, shares.back().at.bytes, count * uint64_t{sizeof(float)}});
      }
  std::atomic<size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure; ///< of the first thread that fails
  const auto work = [&](std::byte *values) {
    try {
      for (size_t i = next++; i < shares.size(); i = next++) {
        fill(shares[i], seed, values);
        memory.write(shares[i].at, values);
      }
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex);
      if (!failure)
        failure = std::current_exception();
    }
  };
  const size_t helpers =
      std::min(shares.size(), static_cast<size_t>(std::max(threads, 1)));
  std::vector<std::vector<std::byte>> values;
  std::vector<std::jthread> team;
  try {
    for (size_t i = 0; i < helpers; ++i)
      values.emplace_back(largest);
    for (size_t i = 1; i < helpers; ++i)
      team.push_back(startThread<std::jthread>(
          fmt::format("thread {} of {} for initial values", i + 1, helpers),
          [&work, &mine = values[i]] { work(mine.data()); }));
  } catch (...) {
    next = shares.size();
    throw;
  }
  if (helpers > 0)
    work(values[0].data());
  team.clear(); // waits for all
  if (failure)
    std::rethrow_exception(failure);
}
