//===- Layout.h - Where kernels find their operands -------------*- C++ -*-===//
//
// Each kernel is launched with bytes of its own, and once more with results in
// the bytes of operands where it allows that (zero.in_place):
//
//   operands of all launches | results of all launches
//
// Gaps between them, and results before they are written, are 0xff.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Interpreter.h"

#include "passes/codegen/gpu/EmitDeviceCode.h"
#include "runtime/zrt.h"

namespace mlir::zero {

/// A kernel that was accepted.
struct Case {
  std::string name;   ///< as its author calls it
  KernelOp kernel;    ///< on tensors
  std::string symbol; ///< of its code
  int64_t extent, grain;
  zrt_kernel_fn entry = nullptr;
  /// Its form for a GPU, if it has one: the launches, and their entries.
  struct DeviceLaunch {
    DeviceKernel kernel;
    void (*entry)(void **params);
  };
  SmallVector<DeviceLaunch> device;
  SmallVector<Elements> operands, results;
  /// Why it is wrong; nothing if it is not.
  std::string finding;
};

struct Launch {
  Case *of;
  bool inPlace;
  SmallVector<zrt_ref> args; ///< operands, then results
};

struct Layout {
  std::vector<Launch> launches;
  std::vector<uint8_t> bytes; ///< before the first launch
  uint64_t operandBytes = 0;  ///< at the beginning

  void add(Case &of, bool inPlace);
  /// Gives results their bytes, after all operands.
  void finish();
};

/// Small whole numbers of type `type`, whose sums and products are exact; of
/// integers the first `integers`.
Elements drawElements(RankedTensorType type, uint64_t seed,
                      uint64_t integers = 3);

/// The elements of `type` that `bytes` are.
Elements readElements(const uint8_t *bytes, RankedTensorType type);

/// Where `bytes` are farther from `expected` than `errors`, or nothing.
std::string compareWithin(const uint8_t *bytes, const Elements &expected,
                          const Elements &errors, RankedTensorType type);

/// Where `bytes` differ from `expected`, or nothing.  Functions of math are
/// approximated, and attention adds in another order: without `exact` in about
/// five digits.
std::string compare(const uint8_t *bytes, const Elements &expected,
                    RankedTensorType type, bool exact);

} // namespace mlir::zero
