//===- Work.cpp - What an operation reads and writes on a rank ------------===//

#include "passes/verify/Work.h"

#include "passes/verify/Words.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

static Spans allOf(Value value) {
  int64_t size = getByteSize(value.getType());
  return size ? Spans{{0, size}} : Spans{};
}

namespace {
class Description {
public:
  Description(Operation *op, const Layouts &layouts, int64_t rank)
      : op(op), layouts(layouts), rank(rank) {}

  Work run() {
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](AllGatherOp gather) { describe(gather); })
        .Case([&](ReduceScatterOp reduce) { describe(reduce); })
        .Case([&](UpdateOp update) { describe(update); })
        .Case([&](AccumulateOp add) {
          StringRef bucket = add.getBucket();
          reads(0, members(bucket, add.getSum()));
          reads(1, members(bucket, add.getFlat()));
          writes(0, allOf(add.getResult()), members(bucket, add.getResult()));
        })
        .Case([&](ClearOp clear) {
          writes(0, allOf(clear.getResult()),
                 members(clear.getBucket(), clear.getResult()));
        })
        .Case([&](SumSquaresOp squares) {
          reads(0, members(squares.getBucket(), squares.getFlat(), true));
          writes(0, allOf(squares.getPartials()), allOf(squares.getPartials()));
        })
        .Case([&](CopyOp copy) {
          reads(0, allOf(copy.getSource()));
          work.reads.back().asItIs = true;
          // The replay knows what the source holds.
          writes(0, allOf(copy.getResult()), {});
        })
        .Default([&](Operation *) {
          for (OpOperand &operand : op->getOpOperands())
            if (isBytes(operand.get()))
              reads(operand.getOperandNumber(), allOf(operand.get()));
          for (OpResult result : op->getResults())
            if (isBytes(result))
              writes(result.getResultNumber(), allOf(result), allOf(result));
        });
    return std::move(work);
  }

private:
  Spans members(StringRef bucket, Value value, bool slice = false) {
    return layouts.membersIn(bucket, value.getType(), slice, rank);
  }
  void reads(unsigned operand, Spans bytes) {
    work.reads.push_back({operand, std::move(bytes)});
  }
  void writes(unsigned result, Spans written, Spans defined) {
    work.writes.push_back(
        {result, std::move(written), std::move(defined), {}, 0});
  }

  void describe(AllGatherOp op) {
    StringRef bucket = op.getBucket();
    reads(0, members(bucket, op.getSource(), /*slice=*/true));
    work.reads.back().byPeers = true;
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
    work.writes.back().kept = members(bucket, op.getResult(), /*slice=*/true);
  }

  void describe(ReduceScatterOp op) {
    StringRef bucket = op.getBucket();
    reads(0, members(bucket, op.getSource()));
    work.reads.back().byPeers = true;
    if (op.getInto())
      reads(1, members(bucket, op.getInto()));
    Spans written =
        op.isInPlace()
            ? Spans{layouts.sliceOf(bucket, op.getResult().getType(), rank)}
            : allOf(op.getResult());
    writes(0, std::move(written),
           members(bucket, op.getResult(), /*slice=*/true));
  }

  void describe(UpdateOp op) {
    StringRef bucket = op.getBucket();
    bool slice = op.isSliced();
    SmallVector<Value> flats = {op.getParam(), op.getGrad()};
    llvm::append_range(flats, op.getSlots());
    for (auto [i, flat] : llvm::enumerate(flats))
      reads(i, members(bucket, flat, slice));
    for (auto [i, scalar] : llvm::enumerate(op.getScalars()))
      reads(flats.size() + i, allOf(scalar));
    for (OpResult next : op->getResults()) {
      Spans bytes = members(bucket, next, slice);
      writes(next.getResultNumber(), bytes, bytes);
    }
  }

  Operation *op;
  const Layouts &layouts;
  int64_t rank;
  Work work;
};
} // namespace

Work judge::describeWork(Operation *op, const Layouts &layouts, int64_t rank) {
  return Description(op, layouts, rank).run();
}
