//===- Accesses.cpp - Bytes that operations read and write on a rank ------===//

#include "passes/verify/Accesses.h"

#include "dialect/zero/BucketUse.h"
#include "passes/verify/Diagnostics.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

static Spans allOf(Value value) {
  int64_t size = getByteSize(value.getType());
  return size ? Spans{{0, size}} : Spans{};
}

namespace {
class AccessCollector {
public:
  AccessCollector(Operation *op, const BucketLayouts &layouts, int64_t rank)
      : op(op), layouts(layouts), rank(rank) {}

  Accesses run() {
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](AllGatherOp gather) { collect(gather); })
        .Case([&](ReduceScatterOp reduce) { collect(reduce); })
        .Case([&](UpdateOp update) { collect(update); })
        .Case<FetchOp, SpillOp>(
            [&](auto transfer) { collectTransfer(transfer); })
        .Case([&](AccumulateOp add) {
          StringRef bucket = add.getBucket();
          reads(0, members(bucket, add.getSum()));
          reads(1, members(bucket, add.getFlat()));
          writes(0, allOf(add.getResult()), members(bucket, add.getResult()));
        })
        .Case<ClearOp, ZerosOp>([&](auto clear) {
          writes(0, allOf(clear.getResult()),
                 members(clear.getBucket(), clear.getResult()));
        })
        .Case([&](SumSquaresOp squares) {
          reads(0, members(squares.getBucket(), squares.getFlat(), true));
          writes(0, allOf(squares.getPartials()), allOf(squares.getPartials()));
        })
        .Case([&](CopyOp copy) {
          reads(0, allOf(copy.getSource()));
          accesses.reads.back().asItIs = true;
          // The replay adds the bytes that the source holds.
          writes(0, allOf(copy.getResult()), {});
        })
        .Default([&](Operation *) {
          for (OpResult result : op->getResults())
            if (isInArena(result))
              writes(result.getResultNumber(), allOf(result), allOf(result));
        });
    readOthers();
    return std::move(accesses);
  }

private:
  Spans members(StringRef bucket, Value value, bool slice = false) {
    return layouts.membersIn(bucket, value.getType(), slice, rank);
  }
  void reads(unsigned operand, Spans bytes) {
    accesses.reads.push_back({operand, std::move(bytes)});
  }
  void writes(unsigned result, Spans written, Spans defined) {
    accesses.writes.push_back(
        {result, std::move(written), std::move(defined), {}, 0});
  }

  /// Returns true if `op` replaces `operand` without reading it.
  bool isOnlyReplaced(OpOperand &operand) {
    if (isa<ClearOp>(op))
      return true;
    if (isa<FetchOp, SpillOp>(op))
      return operand.getOperandNumber() == 1;
    return false;
  }

  /// Reads the remaining operands whole.
  void readOthers() {
    for (OpOperand &operand : op->getOpOperands()) {
      unsigned i = operand.getOperandNumber();
      bool isKnown = llvm::any_of(accesses.reads, [&](const ReadAccess &read) {
        return read.operand == i;
      });
      if (!isKnown && isInArena(operand.get()) && !isOnlyReplaced(operand))
        reads(i, allOf(operand.get()));
    }
  }

  void collect(AllGatherOp op) {
    StringRef bucket = op.getBucket();
    reads(0, members(bucket, op.getSource(), /*slice=*/true));
    accesses.reads.back().byPeers = true;
    if (!op.isInPlace())
      return writes(0, allOf(op.getResult()), members(bucket, op.getResult()));
    Type type = op.getResult().getType();
    Span own = layouts.sliceOf(bucket, type, rank);
    Spans written, defined;
    auto add = [](Spans &to, int64_t begin, int64_t end) {
      if (begin < end)
        to.push_back({begin, end});
    };
    add(written, 0, own.begin);
    add(written, own.end, getByteSize(type));
    for (Span member : members(bucket, op.getResult())) {
      add(defined, member.begin, std::min(member.end, own.begin));
      add(defined, std::max(member.begin, own.end), member.end);
    }
    writes(0, std::move(written), std::move(defined));
    accesses.writes.back().kept =
        members(bucket, op.getResult(), /*slice=*/true);
  }

  void collect(ReduceScatterOp op) {
    StringRef bucket = op.getBucket();
    reads(0, members(bucket, op.getSource()));
    accesses.reads.back().byPeers = true;
    if (op.getInto())
      reads(1, members(bucket, op.getInto()));
    Spans written =
        op.isInPlace()
            ? Spans{layouts.sliceOf(bucket, op.getResult().getType(), rank)}
            : allOf(op.getResult());
    writes(0, std::move(written),
           members(bucket, op.getResult(), /*slice=*/true));
  }

  void collect(UpdateOp op) {
    StringRef bucket = op.getBucket();
    bool slice = op.isSliced();
    SmallVector<Value> flats;
    if (op.getParam())
      flats.push_back(op.getParam());
    flats.push_back(op.getGrad());
    llvm::append_range(flats, op.getSlots());
    if (op.getMaster())
      flats.push_back(op.getMaster());
    for (auto [i, flat] : llvm::enumerate(flats))
      reads(i, members(bucket, flat, slice));
    // readOthers() adds the scalars and the random bits.
    for (OpResult next : op->getResults()) {
      Spans bytes = members(bucket, next, slice);
      writes(next.getResultNumber(), bytes, bytes);
    }
  }

  template <typename TransferOp>
  void collectTransfer(TransferOp op) {
    if (!op.getBucket()) {
      reads(0, allOf(op.getSource()));
      return writes(0, allOf(op.getResult()), allOf(op.getResult()));
    }
    StringRef bucket = *op.getBucket();
    bool slice = zero::detail::isSlice(op.getSource().getType()) ||
                 zero::detail::isSlice(op.getResult().getType());
    reads(0, members(bucket, op.getSource(), slice));
    Type type = op.getResult().getType();
    writes(0,
           slice && !zero::detail::isSlice(type)
               ? Spans{layouts.sliceOf(bucket, type, rank)}
               : allOf(op.getResult()),
           members(bucket, op.getResult(), slice));
  }

  Operation *op;
  const BucketLayouts &layouts;
  int64_t rank;
  Accesses accesses;
};
} // namespace

Accesses judge::findAccesses(Operation *op, const BucketLayouts &layouts,
                             int64_t rank) {
  return AccessCollector(op, layouts, rank).run();
}
