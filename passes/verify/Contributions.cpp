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

#include "dialect/zero/Zero.h"
#include "passes/verify/Words.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

namespace {
struct Count {
  int before = 0, own = 0, updates = 0;
  bool operator==(const Count &other) const {
    return before == other.before && own == other.own &&
           updates == other.updates;
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
  add(count.updates, "an update");
  return text.empty() ? "nothing" : text;
}

class Contributions {
public:
  Contributions(func::FuncOp program, StringRef name)
      : program(program), name(name) {}

  LogicalResult run() {
    for (BlockArgument argument : program.getArguments())
      if (auto state = stateOf(argument); state && state.getSlot() == "grad") {
        counts[argument].before = 1;
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

  void add(Value result, Value operand) {
    Count &sum = counts[result];
    Count more = counts.lookup(operand);
    sum.before += more.before;
    sum.own += more.own;
    sum.updates += more.updates;
  }

  LogicalResult visitUpdate(UpdateOp op) {
    Count gradient;
    gradient.own = 1;
    gradient.before = summed.contains(op.getBucketAttr().getAttr());
    if (failed(expect(op, op.getGrad(), gradient)) ||
        failed(expect(op, op.getParam(), {})))
      return failure();
    for (Value slot : op.getSlots())
      if (failed(expect(op, slot, {})))
        return failure();
    for (Value next : op.getNext())
      counts[next].updates = 1;
    return success();
  }

  /// The norm is of all buckets, in order.
  LogicalResult visitSum(Operation *op, ValueRange partials) {
    SmallVector<StringRef> found, expected;
    for (Value partial : partials) {
      auto squares = partial.getDefiningOp<SumSquaresOp>();
      if (!squares)
        return success(); // a total, or its exchange
      found.push_back(squares.getBucket());
      Count gradient;
      gradient.own = 1;
      gradient.before = summed.contains(squares.getBucketAttr().getAttr());
      if (failed(expect(squares, squares.getFlat(), gradient)))
        return failure();
    }
    for (auto bucket : program->getParentOfType<ModuleOp>().getOps<BucketOp>())
      expected.push_back(bucket.getSymName());
    for (size_t i = 0; i < std::max(found.size(), expected.size()); ++i) {
      auto at = [&](ArrayRef<StringRef> list) {
        return i < list.size() ? ("@" + list[i]).str() : std::string("nothing");
      };
      if (at(found) != at(expected)) // (V13)
        return op->emitOpError("adds squares of ")
               << at(found) << " in place " << i << ", where those of "
               << at(expected)
               << " belong (V13); the norm is of all buckets, each once, in "
                  "the "
                  "order of the module";
    }
    return success();
  }

  LogicalResult visitReturn(Operation *op) {
    unsigned next = 0;
    for (BlockArgument argument : program.getArguments()) {
      StateAttr state = stateOf(argument);
      if (!state || next >= op->getNumOperands())
        continue;
      Count expected = counts.lookup(argument);
      bool sum = state.getSlot() == "grad";
      if (name == "micro")
        expected.own += sum;
      if (name == "step")
        expected = {0, 0, sum ? 0 : 1};
      if (failed(expect(op, op->getOperand(next++), expected)))
        return failure();
    }
    return success();
  }

  LogicalResult visit(Operation *op) {
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](PackOp pack) {
          counts[pack.getResult()].own = 1;
          return success();
        })
        .Case<AllGatherOp, CopyOp>([&](auto same) {
          add(same.getResult(), same.getSource());
          return success();
        })
        .Case([&](ReduceScatterOp reduce) {
          add(reduce.getResult(), reduce.getSource());
          if (reduce.getInto())
            add(reduce.getResult(), reduce.getInto());
          return success();
        })
        .Case([&](AccumulateOp sum) {
          add(sum.getResult(), sum.getSum());
          add(sum.getResult(), sum.getFlat());
          return success();
        })
        .Case([&](ViewOp view) {
          Count asBefore = counts.lookup(view.getFlat());
          asBefore.updates = 0;
          return expect(op, view.getFlat(), asBefore);
        })
        .Case([&](UpdateOp update) { return visitUpdate(update); })
        .Case<TotalOp, ClipOp>(
            [&](auto sum) { return visitSum(op, sum.getPartials()); })
        .Case([&](func::ReturnOp) { return visitReturn(op); })
        .Default([](Operation *) { return success(); });
  }

  func::FuncOp program;
  StringRef name;
  DenseMap<Value, Count> counts;
  DenseSet<Attribute> summed; ///< buckets with sums over micro-steps
};
} // namespace

LogicalResult judge::judgeContributions(func::FuncOp program, StringRef name) {
  return Contributions(program, name).run();
}
