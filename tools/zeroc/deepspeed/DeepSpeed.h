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
  /// Ranks that share a sequence.
  int64_t context = 1;
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

    /// Why it does not go with `typed` of the command line.
    std::string contradict(llvm::StringRef typed) const {
      return source + " is " + name + "=" + value +
             ", and the command line has " + typed.str() + "; drop one of them";
    }
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
  /// Why it is not taken, a sentence per key; all else is then of no use.
  std::vector<std::string> refusals;
  /// Other notes on keys, one per line.
  std::string notes;
  std::string path;

  /// A report of the file's effects.
  std::string report() const;
  /// Its options alone, by who takes them: {"compile": ["--stage=3"], "import":
  /// ["--batch=2"], "train": []}.
  std::string toJson() const;
  /// The refusals as an error message.
  std::string explainRefusals() const;
};

/// Reads the file and maps all its keys.  A file that cannot be read, or is no
/// JSON, is an error; a refusal names the key, its value and the fix.
llvm::Expected<Config> readConfig(const std::string &path, const Given &given);

/// Returns true if two texts are the same option value: 1 and 1.0, 64KiB and
/// 65536.
bool isEqualValue(llvm::StringRef a, llvm::StringRef b);

} // namespace mlir::zero::deepspeed
