//===- ByteMap.h - What the bytes of a tier hold, and who reads them ------===//
#pragma once

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"
#include <map>
#include <memory>

namespace mlir::zero::judge {

/// A use of bytes by an operation.
struct Use {
  Operation *op = nullptr; ///< none: the bytes were there before the program
  int stream = 0;
  unsigned number = 0; ///< of the operation on its stream
  bool byPeers = false;
};

/// Of each stream the last use: it stands for those before it.
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

/// Reads of a value that is made of many runs, told once for all of them: a
/// join of n pieces that is read n times costs n, not n x n.
struct WholeReads {
  LastUses writers, readers;
  bool isIntact = true; ///< no run of it was overwritten since
};

/// What a run of bytes holds, and who has read it.
struct Content {
  int64_t end;
  unsigned version;
  LastUses readers;
  SmallVector<std::shared_ptr<WholeReads>, 1> wholeReads;
};

/// The bytes of one tier; runs are keyed by where they begin, and do not
/// overlap.
class ByteMap {
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
