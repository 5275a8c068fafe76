//===- EmulatedKernels.h - Runs kernels on an emulated GPU ------*- C++ -*-===//
#pragma once

#include "passes/codegen/gpu/EmitDeviceCode.h"
#include "test/emulator/Emulator.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"

#include <span>
#include <string>
#include <vector>

/// Kernels compiled as by zeroc --target=cuda --cuda-arch=emulated, run in this
/// process.
class EmulatedKernels {
public:
  /// Compiles the device kernels of the plan `text`, and the sums of squares
  /// and over ranks.  Ends the test program on failure.
  explicit EmulatedKernels(const std::string &text);

  /// A memory range that a kernel may access.
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

  /// Launches the kernel `name`, of one launch or several, on `units` of its
  /// units; `count` is its last parameter.  Returns the kernel's error, or "".
  std::string launch(const std::string &name, std::span<const Operand> operands,
                     int64_t units, int64_t count, uint64_t seed = 1);

private:
  std::vector<mlir::zero::DeviceKernel> kernels;
  std::unique_ptr<llvm::orc::LLJIT> code;
};
