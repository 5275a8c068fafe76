//===- InitializeParameters.cpp - Initial values of a model ---------------===//
//
// Values do not depend on each other, so threads take shares of any parameter
// as they come.  These are plain threads: parallel regions belong to `compute`.
//
//===----------------------------------------------------------------------===//
#include "runtime/initialize/InitializeParameters.h"

#include "runtime/StartThread.h"
#include "runtime/Vocabulary.h"
#include "runtime/initialize/RandomFill.h"

#include <algorithm>
#include <atomic>
#include <thread>

using namespace zrt;

namespace {

constexpr uint64_t kShare = uint64_t{1} << 18;

/// What one thread takes at once.
struct Share {
  const Parameter *parameter;
  uint64_t first, count; ///< elements of the parameter
  std::byte *data;
};

void fill(const Share &share, uint64_t seed) {
  const Parameter &p = *share.parameter;
  if (p.dtype == ZRT_F32)
    fillInitial(p.init, seed, p.name, share.first, share.count,
                reinterpret_cast<float *>(share.data));
  else
    fillInitial(p.init, seed, p.name, share.first, share.count,
                reinterpret_cast<double *>(share.data));
}

} // namespace

void zrt::initializeParameters(const std::vector<Parameter> &parameters,
                               uint64_t seed, int threads) {
  std::vector<Share> shares;
  for (const Parameter &parameter : parameters)
    for (const ParameterPiece &piece : parameter.pieces)
      for (uint64_t at = 0; piece.data && at < piece.count; at += kShare)
        shares.push_back({&parameter, piece.first + at,
                          std::min(kShare, piece.count - at),
                          piece.data + at * dtypeBytes(parameter.dtype)});
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t i = next++; i < shares.size(); i = next++)
      fill(shares[i], seed);
  };
  const size_t helpers =
      std::min(shares.size(), static_cast<size_t>(std::max(threads, 1)));
  std::vector<std::thread> team;
  const auto end = [&] {
    for (std::thread &thread : team)
      thread.join();
  };
  try {
    for (size_t i = 1; i < helpers; ++i)
      team.push_back(startThread(
          fmt::format("thread {} of {} for initial values", i + 1, helpers),
          work));
  } catch (...) {
    next = shares.size();
    end();
    throw;
  }
  work();
  end();
}
