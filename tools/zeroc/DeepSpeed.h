//===- DeepSpeed.h - --ds-config: options from a DeepSpeed config ---------===//
#pragma once

#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace mlir::zero::deepspeed {

/// What the command line says beside the file.
struct Given {
  int64_t worldSize = 1;
  std::optional<int64_t> accumulate;
  std::optional<std::string> precision;
};

struct Config {
  /// An option of zeroc, such as {"--stage", "3", ...}.
  struct Option {
    std::string name, value;
    /// The key and its value, for messages.
    std::string source;
    /// Whether it is DeepSpeed's default, which the command line may change.
    bool isDefault = false;
  };
  std::vector<Option> options;
  /// Of the training binary, such as "--lr=0.0003".
  std::vector<std::string> train;
  /// The batch that the model file must have; 0: any.
  int64_t microBatch = 0;
  /// Where that comes from.
  std::string microBatchSource;
  /// What else is told of keys, in lines.
  std::string notes;
  std::string path;

  /// All that the file became.
  std::string report() const;
};

/// Reads the file and maps every key of it.  The error names the file, the key,
/// its value and the fix.
llvm::Expected<Config> readConfig(const std::string &path, const Given &given);

/// Whether two texts of an option are one value: 1 and 1.0, 64KiB and 65536.
bool isEqualValue(llvm::StringRef a, llvm::StringRef b);

} // namespace mlir::zero::deepspeed
