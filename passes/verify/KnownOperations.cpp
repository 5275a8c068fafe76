//===- KnownOperations.cpp - Operations known to the judge ----------------===//

#include "passes/verify/KnownOperations.h"

#include "dialect/nn/NN.h"
#include "dialect/zero/Zero.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

static constexpr uint32_t operator|(uint32_t a, Fact b) {
  return a | static_cast<uint32_t>(b);
}

/// The facts of all operations of a plan.
static const DenseMap<TypeID, uint32_t> &getFacts() {
  using enum Fact;
  constexpr uint32_t Name = uint32_t(NamesBytes), Call = uint32_t(Runs);
  static const DenseMap<TypeID, uint32_t> facts = {
      {TypeID::get<tensor::CollapseShapeOp>(), Name},
      {TypeID::get<tensor::ExpandShapeOp>(), Name},
      {TypeID::get<ViewOp>(), Name | KeepsElements},
      {TypeID::get<FlattenOp>(), Name | KeepsElements},
      {TypeID::get<JoinOp>(), Name | KeepsElements},
      {TypeID::get<SplitOp>(), Name | KeepsElements},
      {TypeID::get<RecordOp>(), Name | OrdersStreams},
      {TypeID::get<WaitOp>(), Name | OrdersStreams},
      {TypeID::get<ReturnOp>(), Name},

      {TypeID::get<nn::MatmulOp>(), Call | TakesPaddedRows},
      {TypeID::get<nn::GroupedMatmulOp>(), Call},
      {TypeID::get<nn::GroupedMatmulBackwardOp>(), Call},
      {TypeID::get<LaunchOp>(), Call | TakesPaddedRows},
      {TypeID::get<UnpackOp>(), Call},
      {TypeID::get<CopyOp>(), Call | KeepsValue},
      {TypeID::get<FetchOp>(), Call | KeepsValue | ChangesTier},
      {TypeID::get<SpillOp>(), Call | KeepsValue | ChangesTier},

      {TypeID::get<AllGatherOp>(), Call | Collective | ReadByPeers | OnBuckets |
                                       TakesBytes | TakesBlocks |
                                       KeepsElements | KeepsState},
      {TypeID::get<ReduceScatterOp>(),
       Call | Collective | ReadByPeers | OnBuckets | TakesBlocks |
           KeepsElements | SumsAsF32 | OnGradients},
      {TypeID::get<AllToAllOp>(),
       Call | Collective | ReadByPeers | KeepsElements},
      // Its few values are sent through the control plane.
      {TypeID::get<AllReduceOp>(), Call | Collective},
      {TypeID::get<QuantizeOp>(),
       Call | OnBuckets | ForCollective | KeepsState},
      {TypeID::get<DequantizeOp>(),
       Call | OnBuckets | TakesBlocks | ForCollective | KeepsState},

      {TypeID::get<AccumulateOp>(), Call | KeepsElements | SumsAsF32},
      {TypeID::get<AddLeafOp>(), Call | OnBuckets | AddsLeaves},
      {TypeID::get<SumLeavesOp>(), Call | OnBuckets | AddsLeaves},
      {TypeID::get<ClearOp>(),
       Call | OnBuckets | KeepsElements | GivesZeros | OnGradients},
      {TypeID::get<ZerosOp>(), Call | OnBuckets | GivesZeros | OnGradients},
      {TypeID::get<SumSquaresOp>(), Call | OnBuckets | SumsSquares},
      {TypeID::get<TotalOp>(), Call | SumsSquares},
      {TypeID::get<ClipOp>(), Call},
      {TypeID::get<UpdateOp>(), Call | OnBuckets},
  };
  return facts;
}

bool judge::has(Operation *op, Fact fact) {
  return (getFacts().lookup(op->getName().getTypeID()) &
          static_cast<uint32_t>(fact)) != 0;
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
      .Case([&](FlattenOp flatten) {
        auto bucket = symbols.lookupNearestSymbolFrom<BucketOp>(
            op, flatten.getBucketAttr());
        for (auto [i, member] :
             llvm::enumerate(bucket.getMembers().getAsRange<MemberAttr>()))
          add(StorageTie::OperandInResult, i, 0,
              member.getOffset() *
                  getElementBytes(flatten.getResult().getType()));
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
