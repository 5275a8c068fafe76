//===- Positions.cpp - Reads at places that the data says -----------------===//
//
// The judge follows the interval of every integer (Intervals.h), from inputs to
// positions, through every launch of a kernel: what a kernel is launched on, in
// any program, is what its body is judged with.  An input holds what the host
// lets pass: zero.ignored, or what lies in [0, zero.vocab), and any value of
// its type without the latter.
//
// Positions are the operands of tensor.extract and tensor.insert, the ids of
// tables, and the offsets of slices.  An operation that takes a tensor and a
// position that is not constant, and is none of these, has positions that the
// judge does not know.
//
// The arithmetic that leads there is defined, and divides by nothing that may be
// 0: IntegerTraps.h.
//
//===----------------------------------------------------------------------===//

#include "passes/verify/Positions.h"

#include "dialect/nn/NN.h"
#include "dialect/zero/InputBound.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "passes/verify/IntegerTraps.h"
#include "passes/verify/Intervals.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

namespace {
using RangeList = SmallVector<IntegerValueRange>;

class Positions {
public:
  LogicalResult judgeInputs(FunctionOpInterface function);
  LogicalResult judgeRule(OptimizerOp rule) {
    Intervals intervals; // of numbers that may be any
    return judgeBlock(rule.getBody().front(), intervals);
  }

private:
  /// The intervals of the results of `function`, which has one block.
  FailureOr<RangeList> judge(FunctionOpInterface function,
                             const RangeList &arguments);
  LogicalResult judgeBlock(Block &block, Intervals &intervals);
  LogicalResult judgeLaunch(LaunchOp launch, Intervals &intervals);
  LogicalResult judgeOperation(Operation *op, const Intervals &intervals);

  /// What each kernel gives for what it was launched on already.
  DenseMap<Operation *, SmallVector<std::pair<RangeList, RangeList>>> launched;
};
} // namespace

/// Whether a position is one of the first `size` of dimension `dim`.
static LogicalResult judgePosition(Operation *op,
                                   const IntegerValueRange &range, int64_t dim,
                                   int64_t size) {
  APInt first = range.getValue().smin(), last = range.getValue().smax();
  if (first.isNonNegative() && last.slt(size))
    return success();
  auto number = [](const APInt &value) {
    return std::to_string(value.getSExtValue());
  };
  return op->emitOpError("may be at positions ") // (S8)
         << number(first) << " to " << number(last) << " of " << size
         << " in dimension " << dim
         << " (S8); bound the input that they come from by zero.vocab, or "
            "clamp them by arith.maxsi and arith.minsi";
}

/// A slice of `size` elements, `stride` apart, from a place that is computed.
static LogicalResult judgeSlice(OffsetSizeAndStrideOpInterface op,
                                ArrayRef<int64_t> container,
                                const Intervals &intervals) {
  for (auto [dim, offset, size, stride] : llvm::enumerate(
           op.getMixedOffsets(), op.getMixedSizes(), op.getMixedStrides())) {
    auto place = dyn_cast<Value>(offset);
    std::optional<int64_t> count = getConstantIntValue(size),
                           step = getConstantIntValue(stride);
    if (!count || !step || *count < 0 || *step < 0) // (S8)
      return op->emitOpError("takes a slice of a size or stride that is not "
                             "known (S8); both are constants");
    if (!place || *count == 0)
      continue;
    // How far the last element lies from the first; of no known place if the
    // numbers are too large, or the container's size is not known.
    std::optional<int64_t> reach = llvm::checkedMul(*count - 1, *step);
    int64_t places =
        reach && *reach < container[dim] ? container[dim] - *reach : 0;
    if (failed(judgePosition(op, intervals.of(place), dim, places)))
      return failure();
  }
  return success();
}

LogicalResult Positions::judgeOperation(Operation *op,
                                        const Intervals &intervals) {
  auto judgeAll = [&](ValueRange positions, RankedTensorType type) {
    for (auto [dim, position] : llvm::enumerate(positions))
      if (failed(judgePosition(op, intervals.of(position), dim,
                               type.getDimSize(dim))))
        return failure();
    return success();
  };
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return judgeAll(extract.getIndices(), extract.getTensor().getType());
  if (auto insert = dyn_cast<tensor::InsertOp>(op))
    return judgeAll(insert.getIndices(), insert.getDest().getType());
  if (auto lookup = dyn_cast<nn::EmbeddingOp>(op))
    return judgeAll(lookup.getTokens(), lookup.getTable().getType());
  if (auto scatter = dyn_cast<nn::EmbeddingBackwardOp>(op))
    return judgeAll(scatter.getTokens(), scatter.getInit().getType());
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return judgeSlice(slice, slice.getSourceType().getShape(), intervals);
  if (auto slice = dyn_cast<tensor::InsertSliceOp>(op))
    return judgeSlice(slice, slice.getDestType().getShape(), intervals);
  if (auto slice = dyn_cast<tensor::ParallelInsertSliceOp>(op))
    return judgeSlice(slice, slice.getDestType().getShape(), intervals);
  if (isa<linalg::LinalgOp, LoopLikeOpInterface, tensor::DimOp>(op))
    return success();
  bool hasTensor =
      llvm::any_of(op->getOperandTypes(), llvm::IsaPred<TensorType>);
  bool hasPosition = llvm::any_of(op->getOperands(), [](Value operand) {
    return operand.getType().isIndex() && !getConstantIntValue(operand);
  });
  if ((hasTensor && hasPosition) ||
      isa<CallOpInterface, tensor::GatherOp, tensor::ScatterOp>(op)) // (S8)
    return op->emitOpError("reads or writes at positions that the judge does "
                           "not know (S8); write it with tensor.extract");
  return success();
}

LogicalResult Positions::judgeLaunch(LaunchOp launch, Intervals &intervals) {
  auto kernel = SymbolTable::lookupNearestSymbolFrom<KernelOp>(
      launch, launch.getKernelAttr());
  if (kernel.isExternal())
    return success();
  RangeList arguments;
  for (Value operand : launch.getOperands())
    arguments.push_back(intervals.of(operand));
  auto &known = launched[kernel];
  auto *found = llvm::find_if(
      known, [&](auto &entry) { return entry.first == arguments; });
  if (found == known.end()) {
    FailureOr<RangeList> results = judge(kernel, arguments);
    if (failed(results))
      return failure();
    known.push_back({arguments, *results});
    found = std::prev(known.end());
  }
  for (auto [result, range] :
       llvm::zip_equal(launch.getResults(), found->second))
    intervals.set(result, range);
  return success();
}

LogicalResult Positions::judgeBlock(Block &block, Intervals &intervals) {
  for (Operation &op : block) {
    if (auto launch = dyn_cast<LaunchOp>(op)) {
      if (failed(judgeLaunch(launch, intervals)))
        return failure();
      continue;
    }
    if (failed(judgeOperation(&op, intervals)) ||
        failed(judgeArithmetic(&op, intervals)))
      return failure();
    intervals.enter(&op);
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        if (failed(judgeBlock(inner, intervals)))
          return failure();
    intervals.follow(&op);
  }
  return success();
}

FailureOr<RangeList> Positions::judge(FunctionOpInterface function,
                                      const RangeList &arguments) {
  Intervals intervals;
  for (auto [argument, range] :
       llvm::zip_equal(function.getArguments(), arguments))
    intervals.set(argument, range);
  if (failed(judgeBlock(function.getFunctionBody().front(), intervals)))
    return failure();
  RangeList results;
  for (Value value :
       function.getFunctionBody().front().getTerminator()->getOperands())
    results.push_back(intervals.of(value));
  return results;
}

/// What the host lets pass of an input.
static IntegerValueRange rangeOfInput(FunctionOpInterface function,
                                      BlockArgument argument) {
  InputBound bound = getInputBound(function, argument.getArgNumber());
  IntegerValueRange all = IntegerValueRange::getMaxRange(argument);
  if (all.isUninitialized() || bound.vocab < 1)
    return all;
  APInt most = all.getValue().smax();
  unsigned width = most.getBitWidth();
  auto number = [&](int64_t value) {
    return APInt(width, value, /*isSigned=*/true, /*implicitTrunc=*/true);
  };
  // A bound beyond the type bounds nothing.
  if (most.sge(bound.vocab))
    most = number(bound.vocab - 1);
  return ConstantIntRanges::fromSigned(APInt::getZero(width), most)
      .rangeUnion(ConstantIntRanges::constant(number(bound.ignored)));
}

LogicalResult Positions::judgeInputs(FunctionOpInterface function) {
  RangeList arguments;
  for (BlockArgument argument : function.getArguments())
    arguments.push_back(function.getArgAttr(argument.getArgNumber(), kInputAttr)
                            ? rangeOfInput(function, argument)
                            : IntegerValueRange::getMaxRange(argument));
  return judge(function, arguments);
}

LogicalResult judge::judgePositions(ModuleOp module,
                                    ArrayRef<FunctionOpInterface> functions) {
  Positions positions;
  for (auto rule : module.getOps<OptimizerOp>())
    if (failed(positions.judgeRule(rule)))
      return failure();
  for (FunctionOpInterface function : functions)
    if (failed(positions.judgeInputs(function)))
      return failure();
  return success();
}
