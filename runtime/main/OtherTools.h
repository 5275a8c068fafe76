//===- OtherTools.h - Options of other trainers, and what they are here ---===//
#pragma once

#include <string>
#include <string_view>

namespace zrt {

struct OtherTool {
  /// What has the option: zeroc, zeroc import, what zeroc makes, zeroc tokenize.
  enum class Program { Compile, Import, Train, Tokenize };
  std::string_view name;
  Program program;
  std::string_view here; ///< "--precision=bf16"
};

/// Of the option `name`, without "--" and with "-" or "_"; nullptr for one that is
/// none of theirs.
const OtherTool *findOtherTool(std::string name);

} // namespace zrt
