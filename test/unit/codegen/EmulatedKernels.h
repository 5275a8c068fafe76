//===- EmulatedKernels.h - Kernels as threads of a GPU do them --*- C++ -*-===//
#pragma once

#include "passes/codegen/gpu/EmitDeviceCode.h"
#include "test/emulator/Emulator.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"

#include <span>
#include <string>
#include <vector>

/// What zeroc --target=cuda --cuda-arch=emulated compiles, run in this process.
class EmulatedKernels {
public:
  /// The kernels on the device of the plan `text`, and its sums of squares and over
  /// ranks.  Ends the test program where that fails.
  explicit EmulatedKernels(const std::string &text);

  /// Memory that a kernel is given.
  struct Operand {
    void *address;
    uint64_t bytes;
    bool isWritten;
  };
  template <typename T>
  static Operand read(const std::vector<T> &values) {
    return {const_cast<T *>(values.data()), values.size() * sizeof(T), false};
  }
  template <typename T>
  static Operand write(std::vector<T> &values) {
    return {values.data(), values.size() * sizeof(T), true};
  }

  /// Launches the kernel `name` on `units` of its units; `count` is its last
  /// parameter.  What it did wrong, or "".
  std::string launch(const std::string &name, std::span<const Operand> operands,
                     int64_t units, int64_t count, uint64_t seed = 1);

private:
  std::vector<mlir::zero::DeviceKernel> kernels;
  std::unique_ptr<llvm::orc::LLJIT> code;
};
