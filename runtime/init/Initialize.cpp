//===- Initialize.cpp - Initial values of a model -------------------------===//
//
// Values do not depend on each other, so threads take pieces of any parameter
// as they come.  These are plain threads: parallel regions belong to `compute`.
//
//===----------------------------------------------------------------------===//
#include "runtime/init/Initialize.h"

#include "runtime/init/RandomFill.h"

#include <algorithm>
#include <atomic>
#include <thread>

using namespace zrt;

namespace {

constexpr uint64_t kPiece = uint64_t{1} << 18;

struct Piece {
  const Parameter *parameter;
  uint64_t first, count;
};

void fillPiece(const Piece &piece, uint64_t seed) {
  const Parameter &p = *piece.parameter;
  const zrt_init &init = p.member->init;
  if (p.dtype == ZRT_F32)
    fillInitial(init, seed, p.member->name, piece.first, piece.count,
                reinterpret_cast<float *>(p.data) + piece.first);
  else
    fillInitial(init, seed, p.member->name, piece.first, piece.count,
                reinterpret_cast<double *>(p.data) + piece.first);
}

} // namespace

void zrt::initializeParameters(const std::vector<Parameter> &parameters,
                               uint64_t seed, int threads) {
  std::vector<Piece> pieces;
  for (const Parameter &parameter : parameters)
    for (uint64_t first = 0; first < parameter.member->count; first += kPiece)
      pieces.push_back({&parameter, first,
                        std::min(kPiece, parameter.member->count - first)});
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t i = next++; i < pieces.size(); i = next++)
      fillPiece(pieces[i], seed);
  };
  const size_t helpers =
      std::min(pieces.size(), static_cast<size_t>(std::max(threads, 1)));
  std::vector<std::thread> team;
  for (size_t i = 1; i < helpers; ++i)
    team.emplace_back(work);
  work();
  for (std::thread &thread : team)
    thread.join();
}
