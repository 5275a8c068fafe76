//===- DeepSpeedMapping.h - Maps keys to options --------------------------===//
#pragma once

#include "tools/zeroc/deepspeed/DeepSpeed.h"
#include "tools/zeroc/deepspeed/DeepSpeedFile.h"

namespace mlir::zero::deepspeed {

/// Maps one file.  Each function reads a group of keys and adds the resulting
/// options.
class Mapping {
public:
  Mapping(File &aFile, const Given &aGiven, Config &aConfig)
      : file(aFile), given(aGiven), config(aConfig) {}

  void run();

private:
  void mapPrecision();
  void mapLossScale();
  void mapGradientTypes();
  void mapBatches();
  void mapState();
  void mapTiers();
  void mapTier(llvm::StringRef section, llvm::StringRef deprecated,
               llvm::StringRef option);
  void mapRatio();
  void mapTransfers();
  void mapActivations();
  void mapOptimizer();
  void mapScheduler();
  void mapLogs();

  /// Adds the option of zeroc for the value of a key.
  void add(llvm::StringRef option, const llvm::Twine &value,
           llvm::StringRef path);
  /// Adds the number of a key, or DeepSpeed's default for a missing one.
  void addNumber(llvm::StringRef option, llvm::StringRef path,
                 double otherwise);
  /// Returns whether a switch is on; one that is off is what zeroc does anyway.
  bool isOn(llvm::StringRef path);
  /// Adds DeepSpeed's default for a missing key.
  void addDefault(llvm::StringRef option, llvm::StringRef value,
                  llvm::StringRef path);
  void train(llvm::StringRef option, const llvm::Twine &value = "");
  /// Returns the bytes of `elements` elements of parameters.
  int64_t bytesOf(int64_t elements) const;

  File &file;
  const Given &given;
  Config &config;
  /// fp32, bf16 or fp16, from the file or otherwise from the command line.
  std::string precision = "fp32";
  std::vector<std::string> nvmePaths;
};

} // namespace mlir::zero::deepspeed
