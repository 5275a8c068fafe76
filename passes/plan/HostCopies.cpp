//===- HostCopies.cpp - Copies of NVMe parameters on the host -------------===//

#include "passes/plan/HostCopies.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::zero;

HostCopies::HostCopies(ProgramOp program) {
  DenseMap<Operation *, unsigned> positions;
  for (Operation &op : program.front())
    positions.try_emplace(&op, positions.size());
  for (auto fetch : program.front().getOps<FetchOp>()) {
    if (getTier(fetch.getSource().getType()) != Tier::Nvme ||
        !isa<BlockArgument>(fetch.getSource()) || fetch.getInto())
      continue;
    SmallVector<Operation *> readers(fetch->getUsers());
    if (readers.size() < 2 || !llvm::all_of(readers, llvm::IsaPred<FetchOp>))
      continue;
    llvm::sort(readers, [&](Operation *a, Operation *b) {
      return positions.lookup(a) < positions.lookup(b);
    });
    unsigned wait =
        positions.lookup(readers.back()) - positions.lookup(readers.front());
    copies.push_back({fetch, std::move(readers), wait});
  }
  llvm::stable_sort(
      copies, [](const Copy &a, const Copy &b) { return a.wait > b.wait; });
}

std::optional<size_t>
HostCopies::findAcross(llvm::function_ref<bool(Operation *)> isBefore) const {
  const Copy *found = llvm::find_if(copies, [&](const Copy &copy) {
    return isBefore(copy.readers.front()) && !isBefore(copy.readers.back());
  });
  if (found == copies.end())
    return std::nullopt;
  return found - copies.begin();
}

void HostCopies::fetchAgain(size_t copy) {
  for (Operation *reader : ArrayRef(copies[copy].readers).drop_front()) {
    auto clone = cast<FetchOp>(OpBuilder(reader).clone(*copies[copy].fetch));
    reader->setOperand(0, clone.getResult());
  }
  copies.erase(copies.begin() + copy);
}
