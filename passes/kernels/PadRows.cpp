//===- PadRows.cpp - Rows of matrices at aligned addresses ----------------===//

#include "dialect/nn/NN.h"
#include "dialect/zero/Zero.h"
#include "passes/kernels/Passes.h"
#include "passes/model/ModelFunction.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "zero-pad-rows"

namespace mlir::zero {
#define GEN_PASS_DEF_PADROWS
#include "passes/kernels/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;

namespace {

/// Elements of a row that begin at an aligned address, if the row does.
constexpr int64_t kPitch = 64;
/// Bytes that a GPU loads at once.
constexpr int64_t kVectorBytes = 16;

/// The type with aligned rows, if those of `type` are not.
RankedTensorType withAlignedRows(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getRank() != 2 || !tensor.hasStaticShape() ||
      tensor.getEncoding() || !isa<FloatType>(tensor.getElementType()) ||
      tensor.getShape().back() * getElementBytes(tensor) % kVectorBytes == 0)
    return {};
  const int64_t pitch = llvm::alignTo<kPitch>(tensor.getShape().back());
  return RankedTensorType::get(tensor.getShape(), tensor.getElementType(),
                               PitchAttr::get(type.getContext(), pitch));
}

/// Whether values of a padded type may be operands or results of `op`.
bool canBePadded(Operation *op) {
  return isa<nn::MatmulOp, LaunchOp, KernelOp, linalg::LinalgOp,
             tensor::EmptyOp, tensor::ExtractOp, ReturnOp>(op);
}

struct PadRowsPass : zero::impl::PadRowsBase<PadRowsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    // Types of matrices of products, and whether all of their values can be
    // padded.
    llvm::MapVector<Type, bool> types;
    walkFunctions(module, [&](nn::MatmulOp op) {
      for (Type type : {Type(op.getA().getType()), Type(op.getB().getType()),
                        Type(op.getResult().getType())})
        if (withAlignedRows(type))
          types.insert({type, true});
    });
    if (types.empty())
      return;
    walkFunctions(module, [&](Operation *op) {
      if (canBePadded(op))
        return;
      auto forbid = [&](TypeRange all) {
        for (Type type : all)
          if (auto found = types.find(type); found != types.end())
            found->second = false;
      };
      forbid(op->getOperandTypes());
      forbid(op->getResultTypes());
      for (Region &region : op->getRegions())
        for (Block &block : region)
          forbid(block.getArgumentTypes());
    });
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](RankedTensorType type) -> std::optional<Type> {
      auto found = types.find(type);
      if (found == types.end() || !found->second)
        return std::nullopt;
      LDBG() << "pads rows of " << type;
      return withAlignedRows(type);
    });
    for (Operation &op : *module.getBody())
      if (!isa<ModuleOp>(op))
        replacer.recursivelyReplaceElementsIn(&op, /*replaceAttrs=*/true,
                                              /*replaceLocs=*/false,
                                              /*replaceTypes=*/true);
  }
};

} // namespace
