//===- Contributions.cpp - Each gradient reaches the update, once ---------===//
//
// What a step is for: every bucket is updated once, by the gradients of all
// micro-steps.  (V13) counts, for each value of a bucket, the micro-steps
// before and the program's own gradient that are in it, and the updates behind
// it:
//
//   state "grad"       {before: 1}      a pack            {own: 1}
//   sums               both             clear             {}
//   update             {updates: 1}     gather, reduce    as they are
//
//   @count   state stays as it is
//   @micro   sums end as {before: 1, own: 1}; the rest stays as it is
//   @step    an update takes {own: 1}, and {before: 1} where there are sums;
//            parameters and moments end as {updates: 1}, sums as {}
//
// The model reads parameters before their update, and the norm is that of all
// buckets, each once, in the order of the module: f64 sums depend on it.
//
//===----------------------------------------------------------------------===//

#include "passes/verify/Meaning.h"

#include "dialect/zero/BucketUse.h"
#include "dialect/zero/Programs.h"
#include "dialect/zero/Storage.h"
#include "dialect/zero/Zero.h"
#include "passes/verify/Words.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

namespace {
struct Count {
  int before = 0, own = 0, reduced = 0, updates = 0;
  bool operator==(const Count &other) const {
    return before == other.before && own == other.own &&
           reduced == other.reduced && updates == other.updates;
  }
};

std::string describe(const Count &count) {
  std::string text;
  auto add = [&](int n, StringRef what) {
    if (n)
      text += (text.empty() ? "" : " and ") + std::to_string(n) + " x " +
              what.str();
  };
  add(count.before, "the sum of earlier micro-steps");
  add(count.own, "this micro-step's gradient");
  add(count.reduced, "a reduction over ranks");
  add(count.updates, "an update");
  return text.empty() ? "nothing" : text;
}

class Contributions {
public:
  Contributions(func::FuncOp program, StringRef name, int64_t ranks)
      : program(program), name(name), ranks(ranks) {}

  LogicalResult run() {
    for (BlockArgument argument : program.getArguments())
      if (auto state = stateOf(argument); state && state.getSlot() == "grad") {
        counts[argument].before = 1;
        counts[argument].reduced = zero::detail::isSlice(argument.getType());
        summed.insert(state.getBucket().getAttr());
      }
    for (Operation &op : program.front())
      if (failed(visit(&op)))
        return failure();
    return success();
  }

private:
  StateAttr stateOf(BlockArgument argument) {
    return program.getArgAttrOfType<StateAttr>(argument.getArgNumber(),
                                               kStateAttr);
  }

  LogicalResult expect(Operation *op, Value value, Count expected) {
    Count found = counts.lookup(value);
    if (found == expected)
      return success();
    InFlightDiagnostic error = op->emitOpError("takes "); // (V13)
    error << judge::describe(value) << ", in which there is " << describe(found)
          << ", where it needs " << describe(expected) << " (V13)";
    if (Operation *def = value.getDefiningOp())
      error.attachNote(def->getLoc())
          << "made by '" << judge::describe(def) << '\'';
    return error;
  }

  /// All of the gradient of `bucket`.
  Count whole(FlatSymbolRefAttr bucket) {
    return {summed.contains(bucket.getAttr()), 1, ranks > 1, 0};
  }

  /// sum + more, which are reduced alike.
  LogicalResult visitSum(Operation *op, Value sum, Value more) {
    Count a = counts.lookup(sum), b = counts.lookup(more);
    counts[op->getResult(0)] = {a.before + b.before, a.own + b.own, b.reduced,
                                a.updates + b.updates};
    a.reduced = b.reduced;
    return expect(op, sum, a);
  }

  LogicalResult visitReduce(ReduceScatterOp op) {
    Count count = counts.lookup(op.getSource()), unreduced = count;
    unreduced.reduced = 0;
    if (failed(expect(op, op.getSource(), unreduced)))
      return failure();
    ++count.reduced;
    counts[op.getResult()] = count;
    if (!op.getInto())
      return success();
    Count into = counts.lookup(op.getInto());
    counts[op.getResult()].before += into.before;
    counts[op.getResult()].own += into.own;
    into.reduced = 1;
    return expect(op, op.getInto(), into);
  }

  LogicalResult visitUpdate(UpdateOp op) {
    if (failed(expect(op, op.getGrad(), whole(op.getBucketAttr()))) ||
        failed(expect(op, op.getParam(), {})))
      return failure();
    for (Value slot : op.getSlots())
      if (failed(expect(op, slot, {})))
        return failure();
    for (Value next : op.getNext())
      counts[next].updates = 1;
    return success();
  }

  /// The squares of all buckets, in order.
  LogicalResult judgeSquares(Operation *op, ValueRange partials) {
    SmallVector<std::string> found, expected;
    for (Value partial : partials) {
      auto squares = partial.getDefiningOp<SumSquaresOp>();
      found.push_back(squares ? ("@" + squares.getBucket()).str()
                              : judge::describe(partial));
    }
    for (auto bucket : program->getParentOfType<ModuleOp>().getOps<BucketOp>())
      expected.push_back(("@" + bucket.getSymName()).str());
    for (size_t i = 0; i < std::max(found.size(), expected.size()); ++i) {
      auto at = [&](ArrayRef<std::string> list) {
        return i < list.size() ? list[i] : std::string("nothing");
      };
      if (at(found) != at(expected)) // (V13)
        return op->emitOpError("adds squares of ")
               << at(found) << " in place " << i << ", where those of "
               << at(expected)
               << " belong (V13); the norm is of all buckets, each once, in "
                  "the order of the module";
    }
    return success();
  }

  LogicalResult visitClip(ClipOp op) {
    if (ranks == 1)
      return judgeSquares(op, op.getPartials());
    auto all = op.getPartials().front().getDefiningOp<AllReduceOp>();
    if (all && op.getPartials().size() == 1 &&
        all.getValue().getDefiningOp<TotalOp>())
      return success();
    return op.emitOpError("takes ") // (V13)
           << judge::describe(op.getPartials().front())
           << " (V13); on several ranks the norm is of one zero.all_reduce of "
              "the zero.total";
  }

  /// The gradient of a pack is none that is in a bucket already.
  LogicalResult visitPack(PackOp op) {
    counts[op.getResult()].own = 1;
    for (Value member : op.getMembers())
      if (failed(expect(op, member, {})))
        return failure();
    return success();
  }

  LogicalResult visitReturn(Operation *op) {
    for (auto &[argument, state, next] : findNextStates(program)) {
      Count expected = counts.lookup(argument);
      bool sum = state.getSlot() == "grad";
      if (name == "micro")
        expected.own += sum;
      if (name == "step")
        expected = {0, 0, 0, !sum};
      if (next && failed(expect(op, next, expected)))
        return failure();
    }
    return success();
  }

  /// Nobody computes with what is updated; a part has what the whole has.
  LogicalResult visitOther(Operation *op) {
    for (Value operand : op->getOperands()) {
      Count count = counts.lookup(operand);
      if (movesNothing(op) && op->getNumResults())
        counts[op->getResult(0)] = count;
      count.updates = 0;
      if (failed(expect(op, operand, count)))
        return failure();
    }
    return success();
  }

  LogicalResult visit(Operation *op) {
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](PackOp pack) { return visitPack(pack); })
        .Case<AllGatherOp, CopyOp>([&](auto same) {
          counts[same.getResult()] = counts.lookup(same.getSource());
          return success();
        })
        .Case([&](ReduceScatterOp reduce) { return visitReduce(reduce); })
        .Case([&](AccumulateOp sum) {
          return visitSum(op, sum.getSum(), sum.getFlat());
        })
        .Case<ClearOp>([](auto) { return success(); }) // nothing is in it
        .Case([&](UpdateOp update) { return visitUpdate(update); })
        .Case([&](SumSquaresOp squares) {
          return expect(op, squares.getFlat(), whole(squares.getBucketAttr()));
        })
        .Case([&](TotalOp total) {
          return judgeSquares(op, total.getPartials());
        })
        .Case([&](ClipOp clip) { return visitClip(clip); })
        .Case([&](func::ReturnOp) { return visitReturn(op); })
        .Default([&](Operation *) { return visitOther(op); });
  }

  func::FuncOp program;
  StringRef name;
  int64_t ranks;
  DenseMap<Value, Count> counts;
  DenseSet<Attribute> summed; ///< buckets with sums over micro-steps
};
} // namespace

LogicalResult judge::judgeContributions(func::FuncOp program, StringRef name,
                                        int64_t ranks) {
  return Contributions(program, name, ranks).run();
}
