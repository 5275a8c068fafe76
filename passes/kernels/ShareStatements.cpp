//===- ShareStatements.cpp - Equal statements are computed once -----------===//
//
// Like MLIR's elimination of common subexpressions, but for each body alone: a
// deep model has millions of operations in bodies, and a body has a few.
//
//===----------------------------------------------------------------------===//

#include "passes/kernels/ShareStatements.h"

#include "dialect/nn/NN.h"
#include "dialect/zero/Zero.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace {

/// Compares operations by kind, properties and operands.
struct ByValue : llvm::DenseMapInfo<Operation *> {
  static unsigned getHashValue(const Operation *op) {
    auto *same = const_cast<Operation *>(op);
    llvm::hash_code code =
        llvm::hash_combine(same->getName(), same->hashProperties());
    for (Value operand : same->getOperands())
      code = llvm::hash_combine(code, operand);
    return code;
  }
  static bool isEqual(const Operation *first, const Operation *second) {
    auto *a = const_cast<Operation *>(first);
    auto *b = const_cast<Operation *>(second);
    for (Operation *key : {a, b})
      if (key == getEmptyKey() || key == getTombstoneKey())
        return a == b;
    return a == b || (a->getName() == b->getName() &&
                      OperationEquivalence::isEquivalentTo(
                          a, b, OperationEquivalence::IgnoreLocations));
  }
};

/// Whether `op` lays out windows.  These are much larger than their source, so
/// the source is kept, and they are laid out again.
bool copiesWindows(Operation &op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return generic && llvm::hasSingleElement(*generic.getBody()) &&
         generic.getNumDpsInputs() == 1 &&
         !generic.getMatchingIndexingMap(generic.getDpsInputOperand(0))
              .isProjectedPermutation(/*allowZeroInResults=*/true);
}

/// Whether `op` computes logits of a chunk.  A loss of rows computes them again
/// for their gradient, so that they are not kept.
bool isOfChunk(Operation &op) {
  return isa<nn::MatmulOp>(op) &&
         op.getOperand(0).getDefiningOp<zero::SplitOp>() != nullptr;
}

void shareIn(Block &block) {
  llvm::SmallDenseSet<Operation *, 32, ByValue> known;
  known.reserve(block.getOperations().size());
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (op.hasTrait<OpTrait::IsTerminator>() || copiesWindows(op))
      continue;
    if (isOpTriviallyDead(&op)) {
      op.erase();
      continue;
    }
    if (zero::drops(op) || isOfChunk(op))
      continue;
    auto [first, isNew] = known.insert(&op);
    if (isNew || !isMemoryEffectFree(&op))
      continue;
    // Launches are named by locations.
    if (isa<UnknownLoc>((*first)->getLoc()))
      (*first)->setLoc(op.getLoc());
    op.replaceAllUsesWith(*first);
    op.erase();
  }
}

} // namespace

bool zero::drops(Operation &op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return generic && !generic.getBody()->getOps<arith::XOrIOp>().empty();
}

void zero::shareStatements(FunctionOpInterface function) {
  for (Block &block : function.getFunctionBody()) {
    for (Operation &op : block)
      op.walk([](Block *body) { shareIn(*body); });
    shareIn(block);
  }
}
