//===- CompiledKernel.h - A kernel as zeroc compiles it ---------*- C++ -*-===//
//
// The object code of a kernel, made by the same functions as in zeroc and
// called in this process.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ExecutionEngine/Orc/LLJIT.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// The computation of a kernel.
struct Body {
  std::string text;        ///< one operation on %x, with $T for its type
  bool derivative = false; ///< uses the derivative of nn.gelu instead
};

class CompiledKernel {
public:
  /// Compiles `body` over rows x columns of f32, for a CPU by LLVM's name or
  /// "native".  Ends the test program on failure.
  CompiledKernel(const Body &body, int64_t rows, int64_t columns,
                 const char *cpu = "native");

  /// Compiles the kernel `name` of the plan `text`, whose kernels may already
  /// be formed.
  CompiledKernel(const std::string &text, const std::string &name,
                 const char *cpu = "native");

  /// Returns y for x, row by row; only for the first constructor.
  std::vector<float> operator()(const std::vector<float> &x) const;
  /// Calls the kernel as the runtime does.
  void call(void *const *buffers, int64_t begin, int64_t end) const {
    entry(buffers, begin, end);
  }

private:
  void compile(const std::string &text, bool derivative,
               const std::string &name, const char *cpu);

  int64_t rows = 0, columns = 0;
  std::unique_ptr<llvm::orc::LLJIT> code;
  void (*entry)(void *const *buffers, int64_t begin, int64_t end);
};
