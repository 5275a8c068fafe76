//===- Positions.cpp - Data-dependent indices are in bounds ---------------===//
//
// The judge follows the interval of every integer (Intervals.h) from inputs to
// positions, through every launch: a kernel's body is judged with the intervals
// of the operands of each launch, in any program.  An input holds the values
// that the host accepts: zero.ignored or [0, zero.vocab), and any value of its
// type if there is no zero.vocab.
//
// Positions are the index operands of tensor.extract and tensor.insert, the ids
// of embedding tables, and the offsets of slices.  The judge refuses any other
// operation that takes a tensor and an index that is not constant.
//
// The arithmetic on the way must be defined, and must not divide by a value
// that may be 0 (IntegerTraps.cpp).
//
//===----------------------------------------------------------------------===//

#include "passes/verify/Rules.h"

#include "dialect/nn/NN.h"
#include "dialect/zero/InputBound.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
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
    Intervals intervals; // any number is possible
    return judgeBlock(rule.getBody().front(), intervals);
  }

private:
  /// The intervals of the results of `function`, which has one block.
  FailureOr<RangeList> judge(FunctionOpInterface function,
                             const RangeList &arguments);
  LogicalResult judgeBlock(Block &block, Intervals &intervals);
  LogicalResult judgeLaunch(LaunchOp launch, Intervals &intervals);
  LogicalResult judgeOperation(Operation *op, const Intervals &intervals);

  /// For each kernel, the intervals of its results by those of its operands.
  DenseMap<Operation *, SmallVector<std::pair<RangeList, RangeList>>> launched;
};
} // namespace

/// Checks that all positions in `range` are below `size`, in dimension `dim`.
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

/// Checks that slices with computed offsets are in bounds.
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
    // The distance from the first element to the last.  If the numbers are too
    // large or the container's size is unknown, no position is valid.
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

/// The values that the host accepts for an input.
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
  // A bound above the maximum of the type has no effect.
  if (most.sge(bound.vocab))
    most = number(bound.vocab - 1);
  return ConstantIntRanges::fromSigned(APInt::getZero(width), most)
      .rangeUnion(ConstantIntRanges::constant(number(bound.ignored)));
}

/// The numbers of ranks that share a sequence.
static IntegerValueRange rangeOfContext(FunctionOpInterface function) {
  auto plan = function->getParentOfType<ModuleOp>();
  return ConstantIntRanges::fromSigned(APInt(64, 0),
                                       APInt(64, getContextSize(plan) - 1));
}

LogicalResult Positions::judgeInputs(FunctionOpInterface function) {
  RangeList arguments;
  for (BlockArgument argument : function.getArguments()) {
    const unsigned i = argument.getArgNumber();
    auto scalar = function.getArgAttrOfType<StringAttr>(i, kScalarAttr);
    arguments.push_back(function.getArgAttr(i, kInputAttr)
                            ? rangeOfInput(function, argument)
                        : scalar && scalar == kContext
                            ? rangeOfContext(function)
                            : IntegerValueRange::getMaxRange(argument));
  }
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
