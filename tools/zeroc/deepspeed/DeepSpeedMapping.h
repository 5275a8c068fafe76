//===- DeepSpeedMapping.h - Maps keys to options --------------------------===//
#pragma once

#include "tools/zeroc/deepspeed/DeepSpeed.h"
#include "tools/zeroc/deepspeed/DeepSpeedFile.h"

namespace mlir::zero::deepspeed {

/// Maps one file: runs the rules of DeepSpeedKeys.def, row by row.
class Mapping {
public:
  Mapping(File &aFile, const Given &aGiven, Config &aConfig)
      : file(aFile), given(aGiven), config(aConfig) {}

  void run();

  using Rule = void(const Key &key);
  /// Of many rows.  `number`: as it is; `words`: the word of a switch, and one
  /// without a word for "off" does then what zeroc does anyway; `bytes`: of so
  /// many elements of parameters; `searched`: where times are predicted, zeroc
  /// chooses for "auto"; `part`: the rule of another row reads the key.
  Rule number, words, bytes, searched, part;
  /// Of one row, or of a few together.
  Rule precision, lossScale, gradientTypes, batches, ranksOfGroup, liveBytes,
      persistence, oldTier, tier, drives, ratio, optimizer, betas, decay, peak,
      schedule, warmupShape, finalRate, totalSteps, logFile;

  bool adaptsScale() const;
  bool shards() const { return stage() > 0; }
  bool isStage3() const { return stage() == 3; }
  /// One rank exchanges nothing.
  bool exchanges() const { return isStage3() && given.worldSize > 1; }
  /// What is gathered is brought as what is fetched of parameters.
  bool fetches() const;
  bool moves() const;
  bool movesState() const { return isOffloaded("--offload-optimizer"); }
  bool hasOptimizer() const { return !rule.empty(); }
  bool isAdam() const { return rule == "adam" || rule == "adamw"; }
  bool hasMoments() const { return isAdam() || rule == "lion"; }
  bool isSgd() const { return rule == "sgd"; }
  bool hasSchedule() const { return file.hasSection("scheduler"); }
  bool isLinear() const { return scheduler() == "WarmupDecayLR"; }
  bool isCosine() const { return scheduler() == "WarmupCosineLR"; }
  bool decaysRate() const { return isLinear() || isCosine(); }

private:
  /// Makes the option of a row, with its note.
  void emit(const Key &key, const llvm::Twine &value);
  /// Adds the option of zeroc for the value of a key.
  void add(llvm::StringRef option, const llvm::Twine &value,
           llvm::StringRef path);
  /// Adds DeepSpeed's default for a missing key.
  void addDefault(const Key &key, llvm::StringRef value);
  void train(llvm::StringRef option, const llvm::Twine &value = "");
  void setTier(const Key &key, llvm::StringRef value);

  /// The option, if the file has it so far.
  Config::Option *find(llvm::StringRef option) const;
  bool isOffloaded(llvm::StringRef option) const;
  int64_t stage() const {
    return file.count("zero_optimization.stage").value_or(0);
  }
  std::string scheduler() const {
    return hasSchedule() ? file.text("scheduler.type").value_or("") : "";
  }
  /// Returns the bytes of `elements` elements of parameters.
  int64_t bytesOf(int64_t elements) const;

  File &file;
  const Given &given;
  Config &config;
  /// fp32, bf16 or fp16, from the file or otherwise from the command line.
  std::string type = "fp32";
  /// The optimizer, and DeepSpeed's default of its decay.
  std::string rule;
  double usualDecay = 0;
  /// The learning rate.
  std::optional<double> rate;
};

} // namespace mlir::zero::deepspeed
