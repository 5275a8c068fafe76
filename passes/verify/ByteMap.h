//===- ByteMap.h - Contents and readers of the bytes of a tier ------------===//
#pragma once

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"
#include <map>
#include <memory>

namespace mlir::zero::judge {

/// A use of bytes by an operation.
struct Use {
  Operation *op = nullptr; ///< null: the bytes were there before the program
  int stream = 0;
  unsigned number = 0; ///< the operation's position on its stream
  bool byPeers = false;
};

/// The last use on each stream; it stands for all earlier uses there.
class LastUses {
public:
  void add(const Use &use) {
    for (Use &last : uses)
      if (last.stream == use.stream) {
        if (last.number <= use.number)
          last = use;
        return;
      }
    uses.push_back(use);
  }
  auto begin() const { return uses.begin(); }
  auto end() const { return uses.end(); }

private:
  SmallVector<Use, 1> uses;
};

/// The reads of a value that consists of many runs, recorded once for all of
/// them: reading a join of n pieces n times costs n, not n x n.
struct WholeReads {
  LastUses writers, readers;
  bool isIntact = true; ///< no run of it has been overwritten since
};

/// The content of a run of bytes, and its readers.
struct Content {
  int64_t end;
  unsigned version;
  LastUses readers;
  SmallVector<std::shared_ptr<WholeReads>, 1> wholeReads;
};

/// The bytes of one tier, as disjoint runs keyed by their first byte.
class ByteMap {
public:
  /// Splits the runs that cross `begin` or `end`.
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
  auto in(int64_t begin, int64_t end) {
    return llvm::make_range(runs.lower_bound(begin), runs.lower_bound(end));
  }
  void overwrite(int64_t begin, int64_t end, unsigned version) {
    for (auto &[at, content] : in(begin, end))
      for (auto &reads : content.wholeReads)
        reads->isIntact = false;
    runs.erase(runs.lower_bound(begin), runs.lower_bound(end));
    if (begin < end)
      runs[begin] = {end, version, {}, {}};
  }

private:
  std::map<int64_t, Content> runs;
};

} // namespace mlir::zero::judge
