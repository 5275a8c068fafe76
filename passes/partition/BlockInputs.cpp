//===- BlockInputs.cpp - The one value that a block begins with -----------===//

#include "passes/partition/BlockInputs.h"

#include "dialect/zero/Storage.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::zero;

/// The values of a kernel that `value` is computed of, where `given` is known:
/// those up to it.
static llvm::SmallDenseSet<Value> findNeeded(Value value, Value given) {
  llvm::SmallDenseSet<Value> seen;
  SmallVector<Value> open = {value};
  while (!open.empty()) {
    Value next = open.pop_back_val();
    Operation *op = next.getDefiningOp();
    if (!seen.insert(next).second || !op || next == given)
      continue;
    llvm::append_range(open, op->getOperands());
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    llvm::append_range(open, captured);
  }
  return seen;
}

/// Whether `value` is computed in an earlier block, and outside of that only
/// `launch` reads it in the forward.
bool BlockInputs::isSummand(Value value, LaunchOp launch) const {
  Operation *op = value.getDefiningOp();
  return op && forward.isForward(op) &&
         forward.getBlock(op) != forward.getBlock(launch) &&
         !forward.isBetween(op) && !forward.leavesBlock(value, launch);
}

/// The result of `launch` that takes the place of the most bytes of summands,
/// if these are more than its own and those of results that need them.
std::optional<BlockInput> BlockInputs::inputOf(LaunchOp launch) const {
  auto kernel =
      symbols.lookupNearestSymbolFrom<KernelOp>(launch, launch.getKernelAttr());
  if (!kernel || kernel.isExternal() || launch->getNumResults() < 2 ||
      !launch->getDiscardableAttrs().empty())
    return std::nullopt;
  std::optional<BlockInput> best;
  int64_t most = 0;
  Block &body = kernel.getBody().front();
  ValueRange returned = body.getTerminator()->getOperands();
  for (auto [i, value] : llvm::enumerate(returned)) {
    if (!value.getDefiningOp())
      continue;
    BlockInput input{kernel, unsigned(i), {}, {}};
    llvm::SmallDenseSet<Value> needed;
    int64_t gain = -getByteSize(value.getType());
    for (auto [o, other] : llvm::enumerate(returned)) {
      llvm::SmallDenseSet<Value> mine = findNeeded(other, value);
      if (o == i)
        continue;
      if (mine.contains(value)) {
        input.others.push_back(o);
        needed.insert(mine.begin(), mine.end());
      } else {
        gain -= getByteSize(other.getType());
      }
    }
    bool holds = !input.others.empty();
    for (BlockArgument argument : body.getArguments()) {
      Value operand = getReshaped(launch->getOperand(argument.getArgNumber()));
      if (needed.contains(argument))
        input.rest.push_back(argument.getArgNumber());
      else if (operand.getDefiningOp())
        gain += getByteSize(operand.getType());
      holds &= needed.contains(argument) || isa<BlockArgument>(operand) ||
               isSummand(operand, launch);
    }
    if (holds && gain > most) {
      most = gain;
      best = input;
    }
  }
  return best;
}

BlockInputs::BlockInputs(func::FuncOp step, const ForwardBlocks &forward,
                         SymbolTableCollection &symbols)
    : forward(forward), symbols(symbols) {
  for (auto launch : step.getBody().front().getOps<LaunchOp>()) {
    if (!forward.isForward(launch))
      break;
    std::optional<BlockInput> input = inputOf(launch);
    if (!input)
      continue;
    for (OpOperand &operand : launch->getOpOperands())
      if (!llvm::is_contained(input->rest, operand.getOperandNumber()))
        summands.insert(getReshaped(operand.get()));
    inputs.try_emplace(launch, std::move(*input));
  }
}

KernelOp BlockInputs::getRest(const BlockInput &input) {
  KernelOp &rest = rests[{input.kernel, input.result}];
  if (rest)
    return rest;
  KernelOp whole = input.kernel;
  OpBuilder b(whole);
  rest = cast<KernelOp>(b.clone(*whole));
  rest.setName((whole.getName() + ".rest").str());
  for (StringRef attribute : {rest.getArgAttrsAttrName().getValue(),
                              rest.getResAttrsAttrName().getValue()})
    rest->removeAttr(attribute);
  Block &body = rest.getBody().front();
  Operation *returned = body.getTerminator();
  Value value = returned->getOperand(input.result);
  SmallVector<Value> others =
      llvm::map_to_vector(input.others, [&](unsigned other) {
        return returned->getOperand(other);
      });
  returned->setOperands(others);
  value.replaceAllUsesWith(
      body.insertArgument(0u, value.getType(), value.getLoc()));
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (&op != returned && op.use_empty())
      op.erase();
  body.eraseArguments([](BlockArgument argument) {
    return argument.getArgNumber() > 0 && argument.use_empty();
  });
  rest.setFunctionType(
      b.getFunctionType(body.getArgumentTypes(), returned->getOperandTypes()));
  SmallVector<Attribute> of = {FlatSymbolRefAttr::get(whole.getSymNameAttr()),
                               b.getI64IntegerAttr(input.result)};
  for (unsigned other : input.others)
    of.push_back(b.getI64IntegerAttr(other));
  rest->setAttr(kRestOfAttr, b.getArrayAttr(of));
  auto module = whole->getParentOfType<ModuleOp>();
  rest->remove();
  symbols.getSymbolTable(module).insert(rest,
                                        std::next(Block::iterator(whole)));
  return rest;
}

bool BlockInputs::isKept(Value value) const {
  const BlockInput *input = find(value.getDefiningOp());
  return input && !llvm::is_contained(input->others,
                                      cast<OpResult>(value).getResultNumber());
}

void BlockInputs::cloneRest(OpBuilder &b, Operation *op, IRMapping &map) {
  const BlockInput &input = inputs.at(op);
  SmallVector<Value> operands = {op->getResult(input.result)};
  for (unsigned argument : input.rest)
    operands.push_back(map.lookupOrDefault(op->getOperand(argument)));
  SmallVector<Value> results =
      llvm::map_to_vector(input.others, [&](unsigned other) -> Value {
        return op->getResult(other);
      });
  auto launch = LaunchOp::create(
      b, op->getLoc(), ValueRange(results).getTypes(),
      FlatSymbolRefAttr::get(getRest(input).getSymNameAttr()), operands);
  map.map(results, launch->getResults());
}
