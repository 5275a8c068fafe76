//===- FunctionKeys.h - Lists what a model computes -------------*- C++ -*-===//
#pragma once

#include "frontend/Decoder.h"
#include "frontend/GPT2.h"
#include "frontend/families/HuggingFace.h"

#include <map>
#include <string>

namespace mlir::frontend {

/// Keys of config.json and options of zeroc import, with the values that the
/// model has, given or by default.  Two models of equal parameters compute the
/// same if these are equal; only the rates of dropout ("--dropout") may differ
/// within one training.
using FunctionKeys = std::map<std::string, std::string>;

FunctionKeys functionKeys(const GPT2Config &config);
FunctionKeys functionKeys(const DecoderConfig &config, StringRef modelType);

/// Sets zero.function of an imported module.
void setFunction(ModuleOp module, const FunctionKeys &keys);

} // namespace mlir::frontend
