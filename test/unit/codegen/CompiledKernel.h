//===- CompiledKernel.h - A row kernel as zeroc compiles it -----*- C++ -*-===//
//
// The object code of a kernel, made by the same functions as in zeroc and
// called in this process.
//
//===----------------------------------------------------------------------===//
#ifndef TEST_UNIT_CODEGEN_COMPILEDKERNEL_H
#define TEST_UNIT_CODEGEN_COMPILEDKERNEL_H

#include "llvm/ExecutionEngine/Orc/LLJIT.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// What a kernel computes.
struct Body {
  std::string text;        ///< one operation on %x, with $T for its type
  bool derivative = false; ///< of nn.gelu: its derivative in its place
};

class CompiledKernel {
public:
  /// Compiles `body` over rows x columns of f32, for a CPU by LLVM's name or
  /// "native".  Ends the test program where that fails.
  CompiledKernel(const Body &body, int64_t rows, int64_t columns,
                 const char *cpu = "native");

  /// y of x, row by row.
  std::vector<float> operator()(const std::vector<float> &x) const;

private:
  int64_t rows, columns;
  std::unique_ptr<llvm::orc::LLJIT> code;
  void (*entry)(void *const *buffers, int64_t begin, int64_t end);
};

#endif // TEST_UNIT_CODEGEN_COMPILEDKERNEL_H
