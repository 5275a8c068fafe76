//===- Manifest.h - What a checkpoint says of itself ------------*- C++ -*-===//
//
// manifest.json lies beside the ranks' files and is written last.  It says where
// the run stood, which tensors are in which file, and a hash of every block of
// every file; its last member is a hash of the text before it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/zrt.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zrt {

constexpr std::string_view kManifestName = "manifest.json";

/// Where a run stands between two steps.
struct RunPosition {
  int64_t step = 0;    ///< steps that are done
  int64_t skipped = 0; ///< of them, without an update
  int64_t skippedInRow = 0;
  uint64_t sequences = 0; ///< samples that all ranks have read
  /// The order of samples, and what is random in a step.
  bool shuffles = false;
  uint64_t seed = 0;
  std::vector<uint64_t> weights; ///< of sources that are mixed, if any are
  /// Size and hash of --data, and of all files of --input.
  uint64_t dataBytes = 0, dataHash = 0, inputBytes = 0, inputHash = 0;
  /// Of a plan with fp16.
  struct LossScale {
    double value = 0;
    bool moves = true;
    int hysteresis = 0;
    int64_t sinceOverflow = 0;
  };
  std::optional<LossScale> lossScale;
  /// Of a run with --spike-guard: the steps that it compares with, oldest first.
  struct Guard {
    std::vector<double> losses, norms;
    int64_t spikes = 0;
  };
  std::optional<Guard> guard;
  /// An update that the last step has left, by the gradients in slot "grad".
  struct Pending {
    int64_t step = 0; ///< whose it is
    int64_t update = 0;
    float lr = 0, clip = 1, lossScale = 1;
    uint64_t rounding = 0;
  };
  std::optional<Pending> pending;
  /// For people, and to say what is another now: name and value.
  std::vector<std::pair<std::string, std::string>> options;
};

/// Of one rank.
struct FileRecord {
  std::string name;
  uint64_t bytes = 0;
  uint64_t headerBytes = 0, headerHash = 0;
  std::vector<uint64_t> blocks; ///< hashes of kCheckpointBlock bytes each
};

/// Elements [first, first + count) of a parameter in a slot.
struct TensorRecord {
  std::string slot, parameter;
  uint64_t first = 0, count = 0;
  zrt_dtype dtype = 0;
  uint32_t file = 0; ///< of Manifest::files
};

struct ParameterRecord {
  std::string name;
  std::vector<int64_t> shape;
  bool frozen = false; ///< in slot "param" alone
  /// ZRT_NF4, ...: of a frozen one whose elements are bytes.
  uint32_t packing = ZRT_UNPACKED;
};

struct Manifest {
  RunPosition run;
  uint32_t worldSize = 1;
  std::vector<ParameterRecord> parameters; ///< by name
  std::vector<FileRecord> files;
  std::vector<TensorRecord> tensors;
};

/// A hash of names and shapes.
uint64_t modelFingerprint(const std::vector<ParameterRecord> &parameters);

std::string manifestText(const Manifest &manifest);

/// Throws zrt::Error for a text that is damaged, or of another version, or that
/// contradicts itself: tensors that overlap or leave a hole, say.
Manifest parseManifest(const std::string &text);

} // namespace zrt
