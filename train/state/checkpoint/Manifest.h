//===- Manifest.h - The description of a checkpoint -------------*- C++ -*-===//
//
// manifest.json lies beside the ranks' files and is written last.  It contains
// the position of the run, the file of each tensor, and a hash of every block
// of every file; its last member is a hash of the text before it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zrt {

constexpr std::string_view kManifestName = "manifest.json";

/// The position of a run between two steps.
struct RunPosition {
  int64_t step = 0;    ///< steps done
  int64_t skipped = 0; ///< steps among them without an update
  int64_t skippedInRow = 0;
  uint64_t sequences = 0;        ///< samples that all ranks have read
  uint64_t skippedSequences = 0; ///< samples of the skipped steps among them
  uint64_t begunWith = 0;        ///< samples of a step when the run began
  /// These determine the order of samples and the random numbers of a step.
  bool shuffles = false;
  uint64_t seed = 0;
  std::vector<uint64_t> weights; ///< of the sources of --data-weights, or empty
  /// Size and hash of --data, and of all files of --input.
  uint64_t dataBytes = 0, dataHash = 0, inputBytes = 0, inputHash = 0;
  /// LossScale::State, for a plan with fp16.
  struct LossScale {
    double value = 0;
    bool moves = true;
    int64_t hysteresis = 0;
    int64_t sinceOverflow = 0;
  };
  std::optional<LossScale> lossScale;
  /// For --spike-guard: the values of the last steps, oldest first.
  struct Guard {
    std::vector<double> losses, norms;
    int64_t spikes = 0;
  };
  std::optional<Guard> guard;
  /// For --keep-best and --patience: the best evaluation so far.
  struct Best {
    int64_t step = -1; ///< steps done before it; -1: there is none yet
    double loss = std::numeric_limits<double>::infinity();
    int64_t since = 0; ///< evaluations after it
    /// Whether its weights are kept, and a hash of what was evaluated.
    bool kept = false;
    uint64_t data = 0;
  };
  std::optional<Best> best;
  /// A pending update, whose gradients are in slot "grad".
  struct Pending {
    int64_t step = 0; ///< the step of the gradients
    int64_t update = 0;
    float lr = 0, clip = 1, lossScale = 1;
    uint64_t rounding = 0;
  };
  std::optional<Pending> pending;
  /// Rank and scale of the adapters, as PEFT's adapter_config.json, or "".
  std::string adapters;
  /// What the model computes (zrt_plan.function), or "".
  std::string function;
  /// Names and values of options, to print differences on a resume.
  std::vector<std::pair<std::string, std::string>> options;
};

/// The file of one rank.
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
  uint32_t file = 0; ///< index in Manifest::files
};

struct ParameterRecord {
  std::string name;
  std::vector<int64_t> shape;
  bool frozen = false; ///< in slot "param" only
  /// ZRT_NF4, ...: for a frozen parameter whose elements are bytes.
  uint32_t packing = ZRT_UNPACKED;
  /// The tensor of the base that has its elements, or "" if files of the
  /// checkpoint have them; and the type in which the run kept them.
  std::string tensor = {};
  zrt_dtype dtype = 0;
};

/// The files from which the run read frozen parameters (Base.h).
struct BaseRecord {
  std::string path; ///< a file, or the folder of all; absolute
  /// Without a header of their own: all bytes are in blocks.
  std::vector<FileRecord> files;
};

struct Manifest {
  RunPosition run;
  uint32_t worldSize = 1;
  std::vector<ParameterRecord> parameters; ///< sorted by name
  std::optional<BaseRecord> base;          ///< of parameters with a `tensor`
  std::vector<FileRecord> files;
  std::vector<TensorRecord> tensors;
};

/// The number of blocks that are hashed of so many bytes.
uint64_t hashedBlocks(uint64_t bytes);

/// A hash of the names and shapes.
uint64_t modelFingerprint(const std::vector<ParameterRecord> &parameters);

std::string manifestText(const Manifest &manifest);

/// Throws zrt::Error for a text that is damaged, of another version, or
/// inconsistent, for example with tensors that overlap or leave a gap.
Manifest parseManifest(const std::string &text);

} // namespace zrt
