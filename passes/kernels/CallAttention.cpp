//===- CallAttention.cpp - Attention by a library of the device -----------===//
//
// The forward of a backward is the operation that makes its `lse`.  Its result
// is read once more then, and the sums that were made from it are dead.
//
//===----------------------------------------------------------------------===//

#include "dialect/nn/LibraryAttention.h"
#include "dialect/zero/Locations.h"
#include "passes/kernels/Passes.h"
#include "passes/model/ModelFunction.h"

namespace mlir::zero {
#define GEN_PASS_DEF_CALLATTENTION
#include "passes/kernels/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;

namespace {

struct CallAttentionPass : zero::impl::CallAttentionBase<CallAttentionPass> {
  using CallAttentionBase::CallAttentionBase;

  void runOnOperation() override {
    SmallVector<nn::AttentionOp> forwards;
    SmallVector<nn::AttentionBackwardOp> backwards;
    walkFunctions(getOperation(),
                  [&](nn::AttentionOp op) { forwards.push_back(op); });
    walkFunctions(getOperation(),
                  [&](nn::AttentionBackwardOp op) { backwards.push_back(op); });
    // Backwards first, while their forwards are there.
    bool isRefused = false;
    for (nn::AttentionBackwardOp op : backwards)
      isRefused |= failed(check(op)) || failed(call(op));
    if (isRefused)
      return signalPassFailure();
    for (nn::AttentionOp op : forwards)
      if (failed(check(op)))
        return signalPassFailure();
      else
        call(op);
  }

private:
  /// Fails with an error if the library does not compute `op`.
  template <typename OpT>
  LogicalResult check(OpT op) {
    RankedTensorType q = op.getQ().getType();
    const int64_t columns = q.getDimSize(3);
    auto refuse = [&](const Twine &why, const Twine &fix = "") {
      std::string name = describeLocation(op.getLoc());
      return op->emitError()
             << (name.empty() ? "attention" : "attention of " + name) << why
             << "; " << fix << "drop --attention=cudnn";
    };
    auto number = [](const APFloat &value) {
      SmallString<16> text;
      value.toString(text, /*FormatPrecision=*/6);
      return std::string(text);
    };
    if (!q.getElementType().isBF16() && !q.getElementType().isF16())
      return refuse(" multiplies f32, and cuDNN's bf16 or f16",
                    "add --precision=bf16 or ");
    if (columns % 8 != 0 || columns > width)
      return refuse(" has heads of " + Twine(columns) +
                    " columns, and cuDNN's multiples of 8 up to " +
                    Twine(width));
    if (op.getStarts())
      return refuse(" stays within documents, and cuDNN's does not");
    if (op.getKeys())
      return refuse(" has dropout of " + number(*op.getRate()) +
                    ", and cuDNN's has other random numbers");
    if (op.getSoftCap())
      return refuse(" has scores that are capped at " +
                    number(*op.getSoftCap()) + ", and cuDNN's are not");
    return success();
  }

  void call(nn::AttentionOp op) {
    OpBuilder b(op);
    auto library = nn::LibraryAttentionOp::create(
        b, op.getLoc(), op.getResult().getType(),
        op.getLse() ? op.getLse().getType() : Type(),
        nn::getLibraryRoom(op.getQ().getType(), op.getK().getType(),
                           std::nullopt),
        op.getQ(), op.getK(), op.getV(), op.getScaleAttr(), op.getCausalAttr(),
        op.getWindowAttr());
    op.getResult().replaceAllUsesWith(library.getResult());
    if (op.getLse())
      op.getLse().replaceAllUsesWith(library.getLse());
    op.erase();
  }

  LogicalResult call(nn::AttentionBackwardOp op) {
    auto forward = op.getLse().getDefiningOp<nn::AttentionOp>();
    if (!forward)
      return op.emitOpError("reads statistics that no nn.attention makes");
    OpBuilder b(op);
    RankedTensorType q = op.getQ().getType(), k = op.getK().getType();
    const int64_t atOnce = nn::getBatchesAtOnce(q, k);
    auto library = nn::LibraryAttentionBackwardOp::create(
        b, op.getLoc(), op.getDq().getType(), op.getDk().getType(),
        op.getDv().getType(), nn::getLibraryRoom(q, k, atOnce), op.getGrad(),
        op.getQ(), op.getK(), op.getV(), forward.getResult(), op.getLse(),
        b.getI64IntegerAttr(atOnce), op.getScaleAttr(), op.getCausalAttr(),
        op.getWindowAttr());
    op->replaceAllUsesWith(library->getResults().drop_back());
    op.erase();
    return success();
  }
};

} // namespace
