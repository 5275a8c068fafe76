//===- OtherTools.h - Maps options of other trainers to ours ----*- C++ -*-===//
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace zrt {

struct OtherTool {
  /// The program with our option: zeroc, zeroc import, a program that zeroc
  /// makes, zeroc tokenize, or zeroc finetune.
  enum class Program { Compile, Import, Train, Tokenize, Finetune, None };
  std::string_view names; ///< "bf16 bfloat16"
  Program program;
  std::string_view here; ///< "--precision=bf16"; of None the reason
};

inline constexpr OtherTool kOtherTools[] = {
#define OTHER(NAMES, PROGRAM, HERE) {NAMES, OtherTool::Program::PROGRAM, HERE},
#include "abi/OtherTools.def"
};

/// Finds the option `name`, without "--" and with "-" or "_"; nullptr for an
/// unknown name.
inline const OtherTool *findOtherTool(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  for (const OtherTool &one : kOtherTools)
    if ((" " + std::string(one.names) + " ").find(" " + name + " ") !=
        std::string::npos)
      return &one;
  return nullptr;
}

} // namespace zrt
