//===- Layout.h - Places the operands of kernels ----------------*- C++ -*-===//
//
// Each kernel is launched with separate bytes for all operands and results, and
// once more with results in the bytes of operands where it allows that
// (zero.in_place):
//
//   operands of all launches | results of all launches
//
// Gaps between them, and results before they are written, are 0xff.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Interpreter.h"

#include "abi/zrt.h"
#include "passes/codegen/gpu/EmitDeviceCode.h"

namespace mlir::zero {

/// A kernel that the judge accepted.
struct Case {
  std::string name;   ///< the name in the file
  KernelOp kernel;    ///< with tensor types
  std::string symbol; ///< the symbol of its code
  int64_t extent, grain;
  zrt_kernel_fn entry = nullptr;
  /// Its launches on a GPU, and their entries; empty without a GPU form.
  struct DeviceLaunch {
    DeviceKernel kernel;
    void (*entry)(void **params);
  };
  SmallVector<DeviceLaunch> device;
  SmallVector<Elements> operands, results;
  /// What is wrong with it; "" if nothing is.
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
  uint64_t operandBytes = 0;  ///< at the beginning of `bytes`

  void add(Case &of, bool inPlace);
  /// Places the results after all operands.
  void finish();
};

/// Draws small whole numbers of type `type`, whose sums and products are exact;
/// integers are below `integers`.
Elements drawElements(RankedTensorType type, uint64_t seed,
                      uint64_t integers = 3);

/// Converts `bytes` to elements of `type`.
Elements readElements(const uint8_t *bytes, RankedTensorType type);

/// Describes the first element whose distance from `expected` exceeds `errors`;
/// "" if there is none.
std::string compareWithin(const uint8_t *bytes, const Elements &expected,
                          const Elements &errors, RankedTensorType type);

/// Describes the first element that differs from `expected`; "" if there is
/// none.  Without `exact`, five digits must agree: functions of math are
/// approximated, and attention adds in another order.
std::string compare(const uint8_t *bytes, const Elements &expected,
                    RankedTensorType type, bool exact);

} // namespace mlir::zero
