//===- OtherTools.h - Maps options of other trainers to ours ----*- C++ -*-===//
#pragma once

#include <string>
#include <string_view>

namespace zrt {

struct OtherTool {
  /// The program with our option: zeroc, zeroc import, a program that zeroc
  /// makes, or zeroc tokenize.
  enum class Program { Compile, Import, Train, Tokenize };
  std::string_view names; ///< "bf16 bfloat16"
  Program program;
  std::string_view here; ///< "--precision=bf16"
};

/// Finds the option `name`, without "--" and with "-" or "_"; nullptr for an
/// unknown name.
const OtherTool *findOtherTool(std::string name);

} // namespace zrt
