//===- DeepSpeedMapping.h - From keys to options --------------------------===//
#pragma once

#include "tools/zeroc/DeepSpeed.h"
#include "tools/zeroc/DeepSpeedFile.h"

namespace mlir::zero::deepspeed {

/// What maps one file.  Each function reads a group of keys and adds what they
/// become.
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
  void mapActivations();
  void mapOptimizer();
  void mapScheduler();
  void mapLogs();

  /// The option of zeroc that the value of a key becomes.
  void add(llvm::StringRef option, const llvm::Twine &value,
           llvm::StringRef path);
  /// What DeepSpeed does where the key is not there.
  void addDefault(llvm::StringRef option, llvm::StringRef value,
                  llvm::StringRef path);
  void train(llvm::StringRef option, const llvm::Twine &value = "");
  /// Bytes of so many elements of parameters.
  int64_t bytesOf(int64_t elements) const;

  File &file;
  const Given &given;
  Config &config;
  /// fp32, bf16 or fp16, of the file or else of the command line.
  std::string precision = "fp32";
  std::vector<std::string> nvmePaths;
};

} // namespace mlir::zero::deepspeed
