//===- Diagnostics.cpp - Descriptions of values and operations in errors --===//

#include "passes/verify/Diagnostics.h"

#include "dialect/zero/Locations.h"
#include "dialect/zero/Storage.h"

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

bool judge::isInArena(Value value) { return holdsBytes(value.getType()); }

std::string judge::describe(Value value) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto program = cast<ProgramOp>(argument.getOwner()->getParentOp());
    unsigned i = argument.getArgNumber();
    if (auto state = program.getState(i))
      os << "state " << state.getBucket() << ' ' << state.getSlot();
    else if (auto cache = program.getCache(i))
      os << "cache " << cache;
    else
      os << "argument " << i;
  } else if (!getLocationName(value.getLoc()).empty()) {
    os << '\'' << describeLocation(value.getLoc()) << '\'';
  } else {
    os << "a result of '" << value.getDefiningOp()->getName() << '\'';
  }
  return text;
}

std::string judge::describe(Tier tier, int64_t begin, int64_t end) {
  return (stringifyTier(tier) + " bytes [" + Twine(begin) + ", " + Twine(end) +
          ")")
      .str();
}

std::string judge::describe(BytesAttr range) {
  return describe(range.getTier(), range.getOffset(), range.getEnd());
}

std::string judge::describe(Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << op->getName();
  for (StringRef called : {"kernel", "optimizer"})
    if (auto name = op->getAttrOfType<FlatSymbolRefAttr>(called))
      os << ' ' << name;
  if (auto bucket = getBucketRef(op))
    os << " of " << bucket;
  if (auto over = op->getAttrOfType<OverAttr>("over"))
    os << " over " << stringifyOver(over.getValue());
  return text;
}

std::string judge::describe(StreamOfRank where) {
  std::string text = ("stream " + stringifyStream(where.stream)).str();
  if (where.rank >= 0)
    text += " of rank " + std::to_string(where.rank);
  if (where.group >= 0)
    text += " in group " + std::to_string(where.group);
  return text;
}
