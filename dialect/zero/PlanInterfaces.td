//===- PlanInterfaces.td - Interfaces of operations --------*- tablegen -*-===//
//
// Passes query a plan's operations through these interfaces instead of knowing
// them by name: which values share bytes and what these are for, which bucket
// they use, how much of it, whether they change its format or tier, whether they
// may run early, on which streams, at what cost.  A new operation implements
// them, has a lowering, and a row in the judge's table of operations
// (passes/verify/KnownOperations.cpp), which asks the interfaces for nothing but
// the bucket of a transfer: what plans are made from proves nothing about them.
//
//===----------------------------------------------------------------------===//
#ifndef ZERO_PLAN_INTERFACES
#define ZERO_PLAN_INTERFACES

include "mlir/IR/OpBase.td"

def Zero_PlanOpInterface : OpInterface<"PlanOpInterface"> {
  let description = [{
    An operation of a plan.  Symbols are looked up in the enclosing module,
    whose tables `symbols` keeps.  Its values lie in one tier, unless
    crossesTiers().
  }];
  let cppNamespace = "::mlir::zero";
  let verify = [{ return ::mlir::cast<::mlir::zero::PlanOpInterface>($_op).crossesTiers()
        ? ::mlir::success() : ::mlir::zero::detail::verifyOneTier($_op); }];
  let methods = [
    InterfaceMethod<"Whether it only names bytes (view, flatten) and runs nothing.",
      "bool", "movesNothing", (ins), "", "return false;">,
    InterfaceMethod<"Whether it moves a value to another tier.",
      "bool", "crossesTiers", (ins), "", "return false;">,
    InterfaceMethod<"Whether its first result has the elements of its first operand in another format.",
      "bool", "changesFormat", (ins), "", "return false;">,
    InterfaceMethod<"Whether it brings state to its use, in bytes of its own, and may run ahead of it as soon as its first operand is there.",
      "bool", "bringsState", (ins), "", "return false;">,
    InterfaceMethod<"What the bytes of its results are for, as long as they hold these.",
      "::mlir::zero::BytesUse", "getBytesUse", (ins), "",
      "return $_op.changesFormat() ? ::mlir::zero::BytesUse::Communication : ::mlir::zero::BytesUse::Activations;">,
    InterfaceMethod<"The pairs of values that share bytes; by default results are apart.",
      "::llvm::SmallVector<::mlir::zero::StorageTie>", "getStorageTies",
      (ins "::mlir::SymbolTableCollection &":$symbols), "", "(void)symbols; return {};">,
    InterfaceMethod<"The bucket whose layout its flat values have: by default its attribute `bucket`, null without one.",
      "::mlir::FlatSymbolRefAttr", "getBucketRef", (ins), "", [{
        if constexpr (requires { $_op.getBucketAttr(); })
          return $_op.getBucketAttr();
        else
          return {};
      }]>,
    InterfaceMethod<"How much it reads of an operand, or writes of a result.",
      "::mlir::zero::Extent", "getExtent", (ins "::mlir::Value":$value), "",
      "return ::mlir::zero::getTypeExtent(value.getType(), $_op.getBucketRef() != nullptr);">,
    InterfaceMethod<"The stream that it is issued to by default.",
      "::mlir::zero::Stream", "getPreferredStream", (ins), "",
      "return ::mlir::zero::Stream::Compute;">
  ];
}

def Zero_FlopsOpInterface : OpInterface<"FlopsOpInterface"> {
  let description = [{
    An operation of a plan or in a kernel that counts its floating-point
    operations.
  }];
  let cppNamespace = "::mlir::zero";
  let methods = [
    InterfaceMethod<"Floating-point operations on a rank; a multiply-add is two.",
      "int64_t", "getFlops", (ins "::mlir::SymbolTableCollection &":$symbols)>,
    InterfaceMethod<"Adds its work beside calls and bytes (Work.h); by default there is none.",
      "void", "addWork", (ins "::mlir::SymbolTableCollection &":$symbols, "::mlir::zero::Work &":$work), "",
      "(void)symbols, (void)work;">,
    InterfaceMethod<"Elements of the first result that it writes, if that may replace an operand.",
      "int64_t", "getWrittenElements", (ins), "",
      "return ::mlir::cast<::mlir::ShapedType>($_op->getResult(0).getType()).getNumElements();">
  ];
}

def Zero_CollectiveOpInterface : OpInterface<"CollectiveOpInterface", [Zero_PlanOpInterface]> {
  let description = [{
    A collective between the ranks of an axis.  All ranks issue the same ones in
    the same order.
  }];
  let cppNamespace = "::mlir::zero";
  let methods = [
    InterfaceMethod<"What the ranks have afterwards.",
      "::mlir::zero::CollectiveKind", "getKind", (ins)>,
    InterfaceMethod<"The ranks that take part; null if the plan has no such axis.",
      "::mlir::FlatSymbolRefAttr", "getAxisRef",
      (ins "::mlir::SymbolTableCollection &":$symbols), "",
      "return ::mlir::zero::detail::getAxisOf($_op, $_op.getBucketAttr(), symbols);">,
    InterfaceMethod<"The members of a group, or the groups, that it is between; none: all ranks.",
      "::std::optional<::mlir::zero::Over>", "getRanksOver", (ins), "", [{
        if constexpr (requires { $_op.getOver(); })
          return $_op.getOver();
        else
          return ::std::nullopt;
      }]>,
    InterfaceMethod<"The value with all ranks' parts: the scattered, or gathered one.",
      "::mlir::Value", "getWhole", (ins)>,
    InterfaceMethod<"Bytes that a rank receives from peers, if `ranks` take part and exchange `bytes`.",
      "int64_t", "getWireBytes", (ins "int64_t":$ranks, "int64_t":$bytes), "", [{
        // Every peer's slice, or its part of the rank's slice.
        return bytes / ranks * (ranks - 1);
      }]>,
    InterfaceMethod<"The operands that peers read while it runs; they lie in exported bytes.",
      "::llvm::SmallVector<unsigned>", "getExportedOperands", (ins), "", "return {0};">,
    InterfaceMethod<"The factor that the sum over ranks is multiplied with: by default its attribute `scale`, 1 without one.",
      "double", "getFactor", (ins), "", [{
        if constexpr (requires { $_op.getScale(); })
          return $_op.getScale().convertToDouble();
        else
          return 1.0;
      }]>
  ];
}

#endif
