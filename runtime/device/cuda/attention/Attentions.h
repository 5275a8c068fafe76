//===- Attentions.h - Attention that cuDNN computes -------------*- C++ -*-===//
//
// With --attention=cudnn some launches of a plan have no kernel in its image:
// cuDNN computes them (AttentionGraph.h).  It is loaded if a plan has any.
//
// The engine of each is the first one of cuDNN's heuristic that gives equal
// bits in equal runs; the engine decides the bits.  It has run once before the
// first program, so that nothing is loaded in a step, and its workspace is
// checked against the room that the plan has for it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"
#include "runtime/device/cuda/driver/Gpu.h"

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>

namespace zrt::cuda {
class Attentions {
public:
  Attentions(const Gpu &gpu, const zrt_plan &plan);
  ~Attentions();

  /// Returns true if cuDNN computes launches of `fn`.
  bool has(zrt_kernel_fn fn) const { return plans.contains(fn); }
  /// Chooses an engine and runs it, if this was not done for such a launch:
  /// its operands, at `addresses`, are zeros, and its results are zeros again
  /// afterwards.  Throws zrt::Error.
  void prepare(CUstream stream, const zrt_launch_desc &desc,
               std::span<const uint64_t> addresses);
  /// Issues a launch that was prepared.
  void run(CUstream stream, const zrt_launch_desc &desc,
           std::span<const uint64_t> addresses) const;

  /// Returns the library and its version: "cuDNN 91900"; "" if it is not used.
  std::string version() const;
  /// Returns the engine of each attention that was prepared, as texts.
  std::map<std::string, std::string> engines() const;
  /// Gives an attention of engines() another engine, to be prepared again.
  /// Throws zrt::Error if cuDNN does not have it.
  void take(const std::string &attention, const std::string &engine);

private:
  struct Library;
  struct Plan;
  Library &library();

  const Gpu &gpu;
  std::mutex mutex; ///< guards `loaded` and the plans while they are prepared
  std::unique_ptr<Library> loaded;
  std::map<zrt_kernel_fn, std::unique_ptr<Plan>> plans;
};

} // namespace zrt::cuda
