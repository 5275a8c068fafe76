//===- RuntimeKernels.h - Kernels that the runtime calls --------*- C++ -*-===//
//
// Kernels of an image that are not kernels of a plan: the runtime finds them by
// their names (abi/DeviceEntries.h) for operations of other kinds than
// ZRT_LAUNCH.  abi/ZrtStructs.def (zrt_device_kernel) says what each computes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include <functional>

namespace mlir::zero {

enum class Packing : uint32_t;

/// The arguments of a kernel's function: the operands' first elements, the
/// thread of the group or block, and the memory that its threads share; then
/// the elements [begin, end), or, if blocks share a unit, the unit and the
/// part.
struct RuntimeArguments {
  ValueRange operands;
  Value thread, shared, begin, end;
  Value unit() const { return begin; }
  Value part() const { return end; }
};

/// A kernel, and how its units are distributed: the attributes of BlockCode.h
/// and HalfWarpBuffers.h with their numbers.
struct RuntimeKernel {
  std::string entry;
  SmallVector<Type> operands; ///< types of their elements
  SmallVector<std::pair<StringRef, int64_t>> units;
  std::function<void(OpBuilder &, Location, const RuntimeArguments &)> build;

  bool operator==(const RuntimeKernel &other) const {
    return entry == other.entry;
  }
};

/// Adds the kernel's function to `module`, in which the functions of Shuffle.h
/// are declared.
void emitRuntimeKernel(ModuleOp module, const RuntimeKernel &kernel);

/// Sums of squares of a gradient of this type.
RuntimeKernel getSquaresKernel(Type element);
/// Sums over ranks of contributions of type `from`; results have type `to`.
RuntimeKernel getRankedSumKernel(Type from, Type to);
/// Packed weights as elements of type `to`: f32, bf16 or f16.
RuntimeKernel getUnpackKernel(Packing packing, Type to);
/// Numbers of 16 bits as f32.
RuntimeKernel getWidenKernel(Type narrow);

/// A zrt_grouped_desc (abi/ZrtStructs.def) without its rows: y = x W[g], or
/// with `sums` W[g] = x^T y.
struct GroupedMatmul {
  bool sums, transW;
  Type from, to; ///< of operands and result: f32, bf16 or f16
  int64_t groups, n, k;
};
RuntimeKernel getGroupedKernel(const GroupedMatmul &product);

} // namespace mlir::zero
