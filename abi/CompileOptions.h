//===- CompileOptions.h - The uses of zeroc's options -----------*- C++ -*-===//
#pragma once

#include <string_view>

namespace zrt {

/// An option of the compiler, beside what abi/PlanOptions.def says of it.
struct CompileOption {
  /// What it is for.
  enum Use : unsigned {
    Other = 0,
    Update = 1,      ///< the values of an update
    Training = 2,    ///< what only a program that trains has
    Choice = 4,      ///< predicted times, and programs beside the step
    Tier = 8,        ///< a tier, or what needs one
    Processors = 16, ///< what programs for GPUs do not have
    Printed = 32     ///< #zero.options has it, or what it stands for
  };
  std::string_view name; ///< "--betas"
  unsigned uses;
  /// Of an option of --lora, what that makes: "adapters"; else "".
  std::string_view ofLora;

  bool is(unsigned use) const { return (uses & use) != 0; }
};

inline constexpr CompileOption kCompileOptions[] = {
#define COMPILE_OPTION(NAME, USES, OF_LORA)                                    \
  {NAME,                                                                       \
   [] {                                                                        \
     using enum CompileOption::Use;                                            \
     return unsigned(USES);                                                    \
   }(),                                                                        \
   OF_LORA},
#include "abi/CompileOptions.def"
};

/// Finds the option `name`, "--betas"; nullptr if it is not in the list.
constexpr const CompileOption *findCompileOption(std::string_view name) {
  for (const CompileOption &one : kCompileOptions)
    if (one.name == name)
      return &one;
  return nullptr;
}

} // namespace zrt
