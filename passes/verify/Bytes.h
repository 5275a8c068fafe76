//===- Bytes.h - What the bytes of a tier hold, and who reads them --------===//
#ifndef PASSES_VERIFY_BYTES_H
#define PASSES_VERIFY_BYTES_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"
#include <map>

namespace mlir::zero::judge {

/// A use of bytes by an operation.
struct Use {
  Operation *op = nullptr; ///< none: the bytes were there before the program
  int stream = 0;
  unsigned number = 0; ///< of the operation on its stream
  bool byPeers = false;
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

} // namespace mlir::zero::judge

#endif // PASSES_VERIFY_BYTES_H
