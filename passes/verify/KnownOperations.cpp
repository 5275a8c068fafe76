//===- KnownOperations.cpp - Operations known to the judge ----------------===//

#include "passes/verify/KnownOperations.h"

#include "dialect/nn/NN.h"
#include "dialect/zero/Zero.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::zero;

bool judge::namesBytes(Operation *op) {
  return isa<ViewOp, PackOp, JoinOp, SplitOp, tensor::CollapseShapeOp,
             tensor::ExpandShapeOp, RecordOp, WaitOp, ReturnOp>(op);
}

bool judge::isExchange(Operation *op) {
  return isa<AllGatherOp, ReduceScatterOp, AllReduceOp>(op);
}

bool judge::isTransfer(Operation *op) { return isa<FetchOp, SpillOp>(op); }

bool judge::runs(Operation *op) {
  return isa<LaunchOp, nn::MatmulOp, nn::GroupedMatmulOp,
             nn::GroupedMatmulBackwardOp, DequantizeOp, NarrowOp, WidenOp,
             CopyOp, UpdateOp, AccumulateOp, AddLeafOp, SumLeavesOp, ClearOp,
             ZerosOp, SumSquaresOp, TotalOp, ClipOp>(op) ||
         isExchange(op) || isTransfer(op);
}

SmallVector<StorageTie> judge::getTies(Operation *op,
                                       SymbolTableCollection &symbols) {
  SmallVector<StorageTie> ties;
  auto add = [&](StorageTie::Relation relation, unsigned operand,
                 unsigned result, int64_t offset = 0) {
    ties.push_back({relation, operand, result, offset});
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
          [&](Operation *) { add(StorageTie::ResultInOperand, 0, 0); })
      .Case([&](ViewOp view) {
        auto bucket =
            symbols.lookupNearestSymbolFrom<BucketOp>(op, view.getBucketAttr());
        MemberAttr member =
            bucket ? bucket.lookup(view.getMember()) : MemberAttr();
        add(StorageTie::ResultInOperand, 0, 0,
            member
                ? member.getOffset() * getElementBytes(view.getFlat().getType())
                : 0);
      })
      .Case([&](PackOp pack) {
        auto bucket =
            symbols.lookupNearestSymbolFrom<BucketOp>(op, pack.getBucketAttr());
        for (auto [i, member] :
             llvm::enumerate(bucket.getMembers().getAsRange<MemberAttr>()))
          add(StorageTie::OperandInResult, i, 0,
              member.getOffset() * getElementBytes(pack.getResult().getType()));
      })
      .Case([&](JoinOp join) {
        int64_t offset = 0;
        for (auto [i, piece] : llvm::enumerate(join.getPieces())) {
          add(StorageTie::OperandInResult, i, 0, offset);
          offset += getByteSize(piece.getType());
        }
      })
      .Case([&](SplitOp split) {
        int64_t rows =
            cast<RankedTensorType>(split.getWhole().getType()).getDimSize(0);
        int64_t rowBytes = getByteSize(split.getWhole().getType()) / rows;
        add(StorageTie::ResultInOperand, 0, 0, split.getRow() * rowBytes);
      })
      .Case([&](AllGatherOp gather) {
        if (gather.isInPlace())
          add(StorageTie::MustReplace, 0, 0);
      })
      .Case([&](ReduceScatterOp reduce) {
        if (reduce.isInPlace())
          add(StorageTie::MustReplace, 0, 0);
        else if (reduce.getInto())
          add(StorageTie::MustReplace, 1, 0);
      })
      .Case<AccumulateOp, ClearOp>(
          [&](Operation *) { add(StorageTie::MustReplace, 0, 0); })
      .Case([&](AddLeafOp leaf) {
        for (unsigned i = 0; i != leaf->getNumResults(); ++i)
          add(StorageTie::MustReplace, 1 + i, i);
      })
      .Case([&](NarrowOp narrow) {
        if (narrow.getResidual())
          add(StorageTie::MustReplace, 1, 1);
      })
      .Case([&](SumLeavesOp) { add(StorageTie::MustReplace, 1, 0); })
      .Case([&](UpdateOp update) {
        // Operands: the parameter, if any; the gradient; the slots; the master.
        unsigned next = 1;
        if (update.getParam())
          add(StorageTie::MustReplace, next++ - 1, 0);
        unsigned kept = update.getSlots().size() + (update.getMaster() ? 1 : 0);
        for (unsigned i = 0; i != kept; ++i)
          add(StorageTie::MustReplace, next + i, 1 + i);
      })
      .Case<FetchOp, SpillOp>([&](auto transfer) {
        if (transfer.getInto())
          add(StorageTie::MustReplace, 1, 0);
      })
      .Case([&](nn::MatmulOp matmul) {
        if (matmul.getInit())
          add(StorageTie::MustReplace, op->getNumOperands() - 1, 0);
      })
      .Case([&](LaunchOp launch) {
        auto kernel = symbols.lookupNearestSymbolFrom<KernelOp>(
            op, launch.getKernelAttr());
        if (!kernel)
          return;
        for (unsigned r = 0, e = kernel.getNumResults(); r != e; ++r) {
          if (std::optional<unsigned> operand = kernel.getMustReplace(r))
            add(StorageTie::MustReplace, *operand, r);
          for (int64_t operand : kernel.getMayReplace(r))
            add(StorageTie::MayReplace, operand, r);
        }
      });
  return ties;
}

SmallVector<unsigned> judge::getPeerReads(Operation *op) {
  // The few values of an all_reduce are sent through the control plane.
  if (isa<AllGatherOp, ReduceScatterOp>(op))
    return {0};
  return {};
}
