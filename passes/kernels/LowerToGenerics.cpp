//===- LowerToGenerics.cpp - Turns the rest into linalg.generic -----------===//
//
// 1. nn operations without a kernel of their own -> their linalg form, whose
//    views and concatenations move 16 bits, not f32 (MoveConversions.cpp).
// 2. arith and math on tensors -> linalg; pad and concat -> fills and inserts.
// 3. Recompute comparisons in readers that read the operands anyway, and widen
//    16-bit values in each of their readers, so that their f32 is never stored.
// 4. Fuse elementwise chains, so that each value that is used once is never
//    stored.  Generics look through reshapes that add or drop ones at the end
//    of a shape: the mean of a row may be [B, T] or [B, T, 1].
//
// A producer is fused into its consumer only when that is its one use: a value
// that is read twice is cheaper to keep than to compute twice, and so is one
// that is read through windows.  A producer that overwrites its input, as a
// loss's gradient overwrites exponentials, is not fused either: it would write
// to a copy that nobody reads.
//
//===----------------------------------------------------------------------===//

#include "passes/kernels/FuseSiblings.h"
#include "passes/kernels/MoveConversions.h"
#include "passes/kernels/Passes.h"
#include "passes/kernels/ShareStatements.h"

#include "dialect/nn/NN.h"
#include "dialect/nn/Precision.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#define DEBUG_TYPE "zero-lower-to-generics"

namespace mlir::zero {
#define GEN_PASS_DEF_LOWERTOGENERICS
#include "passes/kernels/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;

namespace {

bool hasOwnKernel(Operation *op) {
  return nn::isPlanMatmul(op) || isa<nn::OwnKernelOpInterface>(op);
}

/// Whether `op` reads single elements at computed places, not rows.  Such an
/// operation is not moved further back, where its operands would have to live
/// longer.
bool gathersElements(Operation *op) {
  return op
      ->walk([](tensor::ExtractOp extract) {
        bool isRow =
            !extract.getIndices().empty() &&
            extract.getIndices().back().getDefiningOp<linalg::IndexOp>();
        return isRow ? WalkResult::advance() : WalkResult::interrupt();
      })
      .wasInterrupted();
}

/// Whether `op` reads the value that it overwrites.
bool overwritesInput(Operation *op) {
  auto generic = dyn_cast<linalg::LinalgOp>(op);
  return generic &&
         llvm::any_of(generic.getDpsInitsMutable(), [&](OpOperand &init) {
           return generic.payloadUsesValueFromOperand(&init);
         });
}

/// Whether `use` may read an element more than once, as overlapping windows do:
/// after fusion, each read would compute the element.
bool readsWindows(OpOperand &use) {
  auto reader = dyn_cast<linalg::LinalgOp>(use.getOwner());
  return reader && !reader.getMatchingIndexingMap(&use).isProjectedPermutation(
                       /*allowZeroInResults=*/true);
}

/// Recomputes a comparison in each reader, if all of them read its operands
/// anyway, as those do that keep a zero adjoint zero.  Then its bits are never
/// stored.
void repeatComparison(linalg::GenericOp op) {
  Operation *last =
      op.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  if (op.getNumResults() != 1 || !isa_and_present<arith::CmpFOp>(last) ||
      last != &op.getBody()->front())
    return;
  auto readsAll = [&](Operation *reader) {
    return isa<linalg::GenericOp>(reader) &&
           llvm::all_of(op.getDpsInputs(), [&](Value input) {
             return llvm::is_contained(reader->getOperands(), input) ||
                    matchPattern(input, m_Constant());
           });
  };
  if (!llvm::all_of(op->getUsers(), readsAll))
    return;
  OpBuilder b(op);
  for (OpOperand &use :
       llvm::make_early_inc_range(llvm::drop_begin(op->getUses())))
    use.set(b.clone(*op)->getResult(0));
}

/// Whether `op` does nothing but widen 16 bits.
bool isWidening(linalg::GenericOp op) {
  return op && op.getNumResults() == 1 && op.getNumDpsInputs() == 1 &&
         op.getNumReductionLoops() == 0 && llvm::hasNItems(*op.getBody(), 2) &&
         isa<arith::ExtFOp>(op.getBody()->front()) &&
         op.getMatchingIndexingMap(op.getDpsInputOperand(0)).isIdentity() &&
         nn::isHalf(op.getDpsInputs()[0].getType());
}

/// Widens the value again for each reader.
void repeatWidening(linalg::GenericOp op) {
  if (!isWidening(op))
    return;
  Type wide = getElementTypeOrSelf(op.getResult(0).getType());
  for (OpOperand &use : llvm::make_early_inc_range(op->getUses())) {
    OpBuilder b(use.getOwner());
    if (auto extract = dyn_cast<tensor::ExtractOp>(use.getOwner())) {
      Value element = tensor::ExtractOp::create(
          b, extract.getLoc(), op.getDpsInputs()[0], extract.getIndices());
      extract.replaceAllUsesWith(
          arith::ExtFOp::create(b, extract.getLoc(), wide, element)
              .getResult());
      extract.erase();
    } else if (isa<linalg::GenericOp>(use.getOwner()) && !op->hasOneUse()) {
      b.setInsertionPointAfter(op);
      use.set(b.clone(*op)->getResult(0));
    }
  }
}

/// The shape without the ones at its end.
ArrayRef<int64_t> withoutLastOnes(ArrayRef<int64_t> shape) {
  while (!shape.empty() && shape.back() == 1)
    shape = shape.drop_back();
  return shape;
}

/// Reads the source of a reshape that adds or drops ones at the end.  Its rows
/// are the same, so reader and producer may share a kernel.
struct ReadThroughLastOnes : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    for (OpOperand *operand : op.getDpsInputOperands()) {
      Operation *reshape = operand->get().getDefiningOp();
      if (!isa_and_present<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
              reshape))
        continue;
      Value source = reshape->getOperand(0);
      auto from = cast<RankedTensorType>(source.getType());
      auto type = cast<RankedTensorType>(operand->get().getType());
      ArrayRef<int64_t> kept = withoutLastOnes(type.getShape());
      if (!type.hasStaticShape() || kept != withoutLastOnes(from.getShape()))
        continue;
      SmallVector<AffineMap> maps = op.getIndexingMapsArray();
      AffineMap &map = maps[operand->getOperandNumber()];
      SmallVector<AffineExpr> places(map.getResults().take_front(kept.size()));
      places.resize(from.getRank(), rewriter.getAffineConstantExpr(0));
      map = AffineMap::get(map.getNumDims(), 0, places, op.getContext());
      // Keeps an operand that alone determines the extent of a loop.
      if (!inversePermutation(concatAffineMaps(maps, op.getContext())))
        continue;
      rewriter.modifyOpInPlace(op, [&] {
        operand->set(source);
        op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
      });
      return success();
    }
    return failure();
  }
};

/// Makes a fill independent of the value that it overwrites.
void fillFromEmpty(linalg::FillOp fill) {
  OpOperand &init = fill.getDpsInitsMutable()[0];
  if (init.get().getDefiningOp<tensor::EmptyOp>())
    return;
  OpBuilder b(fill);
  auto type = cast<RankedTensorType>(init.get().getType());
  init.set(tensor::EmptyOp::create(b, fill.getLoc(), type.getShape(),
                                   type.getElementType()));
}

/// Calls `visit` for all operations except those in bodies of linalg, of which
/// a deep model has millions.
void visitStatements(ModuleOp module,
                     llvm::function_ref<void(Operation *)> visit) {
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    visit(op);
    return isa<linalg::LinalgOp>(op) || (op != module && isa<ModuleOp>(op))
               ? WalkResult::skip()
               : WalkResult::advance();
  });
}

/// Moves constants before everything else, so that bodies share them.
void hoistConstants(FunctionOpInterface function) {
  Block &body = function.getFunctionBody().front();
  function.walk([&](Operation *op) {
    if (op->hasTrait<OpTrait::ConstantLike>())
      op->moveBefore(&body, body.begin());
  });
}

struct LowerToGenericsPass
    : zero::impl::LowerToGenericsBase<LowerToGenericsPass> {
  void runOnOperation() override {
    SmallVector<Operation *> forms;
    visitStatements(getOperation(), [&](Operation *op) {
      if (isa<nn::LinalgFormOpInterface>(op) && !hasOwnKernel(op))
        forms.push_back(op);
    });
    for (Operation *op : forms) {
      OpBuilder b(op);
      // Kernels are named by the operations they came from.
      auto named = cast<nn::LinalgFormOpInterface>(op);
      SmallVector<Value> values = named.emitLinalgForm(b);
      op->replaceAllUsesWith(values);
      op->erase();
    }
    moveConversions(getOperation());

    visitStatements(getOperation(), [](Operation *op) {
      if (auto fill = dyn_cast<linalg::FillOp>(op))
        fillFromEmpty(fill);
    });

    MLIRContext *ctx = &getContext();
    // Visits the operations that each pattern is for, and new ones.
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    SmallVector<Operation *> onTensors;
    visitStatements(getOperation(), [&](Operation *op) {
      if (isa<tensor::PadOp, tensor::ConcatOp>(op) ||
          (OpTrait::hasElementwiseMappableTraits(op) &&
           llvm::any_of(op->getResultTypes(), llvm::IsaPred<TensorType>)))
        onTensors.push_back(op);
    });
    RewritePatternSet patterns(ctx);
    linalg::populateElementwiseToLinalgConversionPatterns(patterns);
    linalg::populateDecomposePadPatterns(patterns);
    tensor::populateDecomposeTensorConcatPatterns(patterns);
    if (failed(applyOpPatternsGreedily(onTensors, std::move(patterns), config)))
      return signalPassFailure();

    SmallVector<FunctionOpInterface> functions;
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      if (!function.isExternal())
        functions.push_back(function);
    for (FunctionOpInterface function : functions) {
      hoistConstants(function);
      shareStatements(function);
    }
    visitStatements(getOperation(), [](Operation *op) {
      if (auto generic = dyn_cast<linalg::GenericOp>(op))
        repeatComparison(generic);
    });
    SmallVector<linalg::GenericOp> generics;
    visitStatements(getOperation(), [&](Operation *op) {
      if (auto generic = dyn_cast<linalg::GenericOp>(op))
        generics.push_back(generic);
    });
    llvm::for_each(generics, repeatWidening);

    auto fuse = [&](llvm::function_ref<bool(Operation *)> mayFuse) {
      RewritePatternSet fusion(ctx);
      linalg::populateElementwiseOpsFusionPatterns(fusion, [&](OpOperand *use) {
        Operation *producer = use->get().getDefiningOp();
        return producer && producer->hasOneUse() && mayFuse(producer) &&
               !readsWindows(*use);
      });
      linalg::populateEraseUnusedOperandsAndResultsPatterns(fusion);
      linalg::GenericOp::getCanonicalizationPatterns(fusion, ctx);
      fusion.add<ReadThroughLastOnes>(ctx);
      SmallVector<Operation *> statements;
      for (FunctionOpInterface function : functions)
        for (Operation &op : function.getFunctionBody().front())
          statements.push_back(&op);
      return applyOpPatternsGreedily(statements, std::move(fusion), config);
    };
    if (failed(fuse([](Operation *producer) {
          return !gathersElements(producer) && !overwritesInput(producer);
        })))
      return signalPassFailure();
    // A separate run: while chains are fused, a widened value also has dead
    // readers.
    if (failed(fuse([](Operation *producer) {
          return isWidening(dyn_cast<linalg::GenericOp>(producer));
        })))
      return signalPassFailure();
    llvm::for_each(functions, repeatActivations);
    llvm::for_each(functions, fuseSiblings);
    if (failed(fuse([](Operation *) { return false; }))) // shares operands
      return signalPassFailure();
    llvm::for_each(functions, shareStatements);
  }
};

} // namespace
