//===- Accesses.cpp - Bytes that operations read and write on a rank ------===//

#include "passes/verify/Accesses.h"

#include "passes/verify/Diagnostics.h"
#include "passes/verify/KnownOperations.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

static Spans allOf(Value value) {
  int64_t size = getByteSize(value.getType());
  return size ? Spans{{0, size}} : Spans{};
}

namespace {
/// What a rank contributes to a collective or keeps of it, and what all ranks
/// of the collective have together.
struct Portions {
  explicit Portions(std::optional<Over> over)
      : own(over == Over::Members ? Portion::Part : Portion::Slice),
        all(over == Over::Groups ? Portion::Part : Portion::Whole) {}
  Portion own, all;
};

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
        .Case<AddLeafOp, SumLeavesOp>([&](auto sum) {
          for (unsigned i = 0; i <= sum.getSums().size(); ++i)
            reads(i, members(sum.getBucket(), op->getOperand(i)));
          for (OpResult result : op->getResults())
            writes(result.getResultNumber(), allOf(result),
                   members(sum.getBucket(), result));
        })
        .Case<ClearOp, ZerosOp>([&](auto clear) {
          writes(0, allOf(clear.getResult()),
                 members(clear.getBucket(), clear.getResult()));
        })
        .Case([&](SumSquaresOp squares) {
          reads(0, members(squares.getBucket(), squares.getFlat(),
                           Portion::Slice));
          writes(0, allOf(squares.getPartials()), allOf(squares.getPartials()));
        })
        .Case<QuantizeOp, DequantizeOp>([&](auto same) {
          reads(0, members(same.getBucket(), same.getSource()));
          writes(0, allOf(same.getResult()),
                 members(same.getBucket(), same.getResult()));
        })
        .Case([&](CopyOp copy) {
          reads(0, allOf(copy.getSource()));
          accesses.reads.back().asItIs = true;
          // The replay adds the bytes that the source holds.
          writes(0, allOf(copy.getResult()), {});
        })
        .Case([&](AllToAllOp exchange) {
          reads(0, allOf(exchange.getSource()));
          accesses.reads.back().byPeers = true;
          writes(0, allOf(exchange.getResult()), allOf(exchange.getResult()));
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
  Spans members(StringRef bucket, Value value,
                Portion portion = Portion::Whole) {
    return layouts.membersIn(bucket, value.getType(), portion, rank);
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
    if (isTransfer(op))
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
    const Portions portions(op.getOver());
    reads(0, members(bucket, op.getSource(), portions.own));
    accesses.reads.back().byPeers = true;
    if (!op.isInPlace())
      return writes(0, allOf(op.getResult()), members(bucket, op.getResult()));
    // The result may have room for more than `all`; the rest of it then holds
    // nothing.
    Type type = op.getResult().getType();
    const Span own = layouts.portionIn(bucket, type, portions.own, rank),
               all = layouts.portionIn(bucket, type, portions.all, rank);
    Spans written, defined;
    auto add = [](Spans &to, int64_t begin, int64_t end) {
      if (begin < end)
        to.push_back({begin, end});
    };
    add(written, all.begin, own.begin);
    add(written, own.end, all.end);
    for (Span member : members(bucket, op.getResult(), portions.all)) {
      add(defined, member.begin, std::min(member.end, own.begin));
      add(defined, std::max(member.begin, own.end), member.end);
    }
    writes(0, std::move(written), std::move(defined));
    accesses.writes.back().kept = members(bucket, op.getResult(), portions.own);
  }

  void collect(ReduceScatterOp op) {
    StringRef bucket = op.getBucket();
    const Portions portions(op.getOver());
    reads(0, members(bucket, op.getSource(), portions.all));
    accesses.reads.back().byPeers = true;
    if (op.getInto())
      reads(1, members(bucket, op.getInto()));
    writes(0,
           Spans{layouts.portionIn(bucket, op.getResult().getType(),
                                   portions.own, rank)},
           members(bucket, op.getResult(), portions.own));
  }

  void collect(UpdateOp op) {
    StringRef bucket = op.getBucket();
    const Portion portion = op.isSliced() ? Portion::Slice : Portion::Whole;
    SmallVector<Value> flats;
    if (op.getParam())
      flats.push_back(op.getParam());
    flats.push_back(op.getGrad());
    llvm::append_range(flats, op.getSlots());
    if (op.getMaster())
      flats.push_back(op.getMaster());
    for (auto [i, flat] : llvm::enumerate(flats))
      reads(i, members(bucket, flat, portion));
    // readOthers() adds the scalars and the random bits.
    for (OpResult next : op->getResults()) {
      Spans bytes = members(bucket, next, portion);
      writes(next.getResultNumber(), bytes, bytes);
    }
  }

  template <typename TransferOp>
  void collectTransfer(TransferOp op) {
    std::optional<StringRef> of = op.getBucket();
    if (!of) {
      reads(0, allOf(op.getSource()));
      return writes(0, allOf(op.getResult()), allOf(op.getResult()));
    }
    StringRef bucket = *of;
    Type type = op.getResult().getType();
    const Portion less =
        std::min(portionOf(op.getSource().getType()), portionOf(type));
    reads(0, members(bucket, op.getSource(), less));
    writes(0, Spans{layouts.portionIn(bucket, type, less, rank)},
           members(bucket, op.getResult(), less));
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
