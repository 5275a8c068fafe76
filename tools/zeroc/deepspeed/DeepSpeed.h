//===- DeepSpeed.h - Options from a DeepSpeed config ----------------------===//
#pragma once

#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace mlir::zero::deepspeed {

/// The command line's values that the mapping needs.
struct Given {
  int64_t worldSize = 1;
  std::optional<int64_t> accumulate;
  std::optional<std::string> precision;
  /// Whether sizes that are "auto" are chosen by predicted time.
  bool choosesByTime = false;
};

struct Config {
  /// An option of zeroc, such as {"--stage", "3", ...}.
  struct Option {
    std::string name, value;
    /// The key and its value, for messages.
    std::string source;
    /// True for DeepSpeed's default, which the command line may change.
    bool isDefault = false;
  };
  std::vector<Option> options;
  /// Options of the training binary, such as "--lr=0.0003".
  std::vector<std::string> train;
  /// The required batch of the model file; 0 for any.
  int64_t microBatch = 0;
  /// The origin of that number, for messages.
  std::string microBatchSource;
  /// Whether --max-live is DeepSpeed's, which one operation may exceed.
  bool raisesLive = false;
  /// Other notes on keys, one per line.
  std::string notes;
  std::string path;

  /// A report of the file's effects.
  std::string report() const;
};

/// Reads the file and maps all its keys.  An error names the file, the key, its
/// value and the fix.
llvm::Expected<Config> readConfig(const std::string &path, const Given &given);

/// Returns true if two texts are the same option value: 1 and 1.0, 64KiB and
/// 65536.
bool isEqualValue(llvm::StringRef a, llvm::StringRef b);

} // namespace mlir::zero::deepspeed
