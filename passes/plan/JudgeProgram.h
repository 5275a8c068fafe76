//===- JudgeProgram.h - Judge one program of a plan -----------------------===//
//
// The judge's state: what every byte holds, who wrote and read it last, and how
// far each stream is known to be.  VerifyPlan.cpp has the rules.
//
//===----------------------------------------------------------------------===//
#ifndef PASSES_PLAN_JUDGEPROGRAM_H
#define PASSES_PLAN_JUDGEPROGRAM_H

#include "dialect/zero/Storage.h"
#include "dialect/zero/Zero.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <map>
#include <vector>

namespace mlir::zero::judge {

constexpr int kStreams = 8, kTiers = 3;

struct Clock {
  unsigned over[kStreams] = {};
};

/// A use of bytes by an operation: its number on its stream.
struct Use {
  Operation *op = nullptr;
  Stream stream = Stream::Compute;
  unsigned number = 0;
};

/// Bytes [begin, end) of one version.
struct Piece {
  int64_t begin, end;
  unsigned version;
};

/// What a run of bytes holds, and who has read it.
struct Content {
  int64_t end;
  unsigned version;
  SmallVector<Use, 1> readers;
};

/// The bytes of one tier; runs are keyed by where they begin, and do not
/// overlap.
class Bytes {
public:
  /// Splits runs so that [begin, end) is made of whole ones.
  void isolate(int64_t begin, int64_t end) {
    for (int64_t at : {begin, end}) {
      auto next = runs.upper_bound(at);
      if (next == runs.begin())
        continue;
      auto run = std::prev(next);
      if (run->first < at && at < run->second.end) {
        runs.emplace(at, run->second);
        run->second.end = at;
      }
    }
  }
  void overwrite(int64_t begin, int64_t end, unsigned version) {
    runs.erase(runs.lower_bound(begin), runs.lower_bound(end));
    if (begin < end)
      runs[begin] = {end, version, {}};
  }
  auto in(int64_t begin, int64_t end) {
    return llvm::make_range(runs.lower_bound(begin), runs.lower_bound(end));
  }

private:
  std::map<int64_t, Content> runs;
};

/// Replays one program.
class Judge {
public:
  Judge(func::FuncOp step, ArrayRef<int64_t> arena, int64_t exported)
      : step(step), arena(arena), exported(exported) {}
  LogicalResult run();

private:
  LogicalResult judgeArguments();
  LogicalResult judgeOperation(Operation *op);
  LogicalResult judgeWait(WaitOp wait);
  LogicalResult judgeRange(Operation *op, Value value, Attribute attribute);
  LogicalResult judgeTies(Operation *op, ArrayRef<StorageTie> ties);
  LogicalResult judgeOverlaps(Operation *op, ArrayRef<StorageTie> ties);
  LogicalResult judgeCollective(Operation *op);
  LogicalResult judgeRead(Operation *op, Value value);
  LogicalResult judgeWrite(Operation *op, OpResult result);
  LogicalResult judgeReturn(Operation *op);
  LogicalResult judgePresent(Operation *op, Value value, StringRef rule);
  void takeOver(Operation *op, ArrayRef<StorageTie> ties);

  bool isOver(const Use &use, Stream on) const {
    return !use.op || use.stream == on ||
           clocks[int(on)].over[int(use.stream)] >= use.number;
  }
  Bytes &bytesOf(BytesAttr range) { return tiers[int(range.getTier())]; }
  unsigned addVersion(Use writer) {
    writers.push_back(writer);
    return writers.size() - 1;
  }

  func::FuncOp step;
  ArrayRef<int64_t> arena;
  int64_t exported;
  Bytes tiers[kTiers];
  Clock clocks[kStreams];
  std::vector<Use> writers; // by version; those of arguments have no operation
  DenseMap<Value, Clock> events;
  DenseMap<Value, BytesAttr> ranges;
  DenseMap<Value, SmallVector<Piece>> values;
};

// Words for messages.
bool isBytes(Value value);
std::string describe(Value value);
std::string describe(Tier tier, int64_t begin, int64_t end);
std::string describe(BytesAttr range);

} // namespace mlir::zero::judge

#endif // PASSES_PLAN_JUDGEPROGRAM_H
