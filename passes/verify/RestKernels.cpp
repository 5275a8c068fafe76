//===- RestKernels.cpp - Kernels of the other results of a kernel ---------===//

#include "passes/verify/RestKernels.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

/// Matches values of two kernels, from what they return up to their operands.
class RestMatch {
public:
  RestMatch(Block &rest, Value given) : rest(rest), given(given) {}

  bool match(Value here, Value there) {
    if (auto known = matched.find(here); known != matched.end())
      return known->second == there;
    if (there == given || here == rest.getArgument(0))
      return there == given && here == rest.getArgument(0);
    auto argument = dyn_cast<BlockArgument>(here);
    if (argument && argument.getOwner() == &rest) {
      auto other = dyn_cast<BlockArgument>(there);
      if (!other || other.getOwner() != given.getParentBlock() ||
          here.getType() != there.getType())
        return false;
      matched[here] = there;
      return true;
    }
    auto mine = dyn_cast<OpResult>(here), theirs = dyn_cast<OpResult>(there);
    return mine && theirs &&
           mine.getResultNumber() == theirs.getResultNumber() &&
           mine.getOwner()->getBlock() == &rest &&
           theirs.getOwner()->getBlock() == given.getParentBlock() &&
           OperationEquivalence::isEquivalentTo(
               mine.getOwner(), theirs.getOwner(),
               [&](Value a, Value b) { return success(match(a, b)); },
               [&](Value a, Value b) { matched[a] = b; },
               OperationEquivalence::IgnoreLocations);
  }

  /// The operand of the whole kernel that `argument` is.
  std::optional<unsigned> find(BlockArgument argument) const {
    auto found = matched.find(argument);
    if (found == matched.end())
      return std::nullopt;
    return cast<BlockArgument>(found->second).getArgNumber();
  }

private:
  Block &rest;
  Value given;
  DenseMap<Value, Value> matched;
};

} // namespace

std::optional<SmallVector<unsigned>>
judge::matchRestOfKernel(KernelOp rest, KernelOp whole, unsigned given,
                         ArrayRef<unsigned> results) {
  if (rest.isExternal() || whole.isExternal() || rest.getNumArguments() == 0 ||
      rest.getNumResults() != results.size() ||
      rest.getKind() != whole.getKind() || rest.getSpace() != whole.getSpace())
    return std::nullopt;
  Block &body = rest.getBody().front();
  ValueRange here = body.getTerminator()->getOperands(),
             there = whole.getBody().front().getTerminator()->getOperands();
  Value known = there[given];
  if (!known.getDefiningOp() ||
      body.getArgument(0).getType() != known.getType())
    return std::nullopt;
  RestMatch match(body, known);
  for (auto [value, number] : llvm::zip_equal(here, results))
    if (!match.match(value, there[number]))
      return std::nullopt;
  SmallVector<unsigned> operands;
  for (BlockArgument argument : body.getArguments().drop_front()) {
    std::optional<unsigned> operand = match.find(argument);
    if (!operand)
      return std::nullopt;
    operands.push_back(*operand);
  }
  return operands;
}
