//===- Locations.cpp - The names that users give --------------------------===//

#include "dialect/zero/Locations.h"

#include "dialect/zero/Storage.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include <set>

using namespace mlir;
using namespace mlir::zero;

/// The most names that a description lists; it only counts the others.
static constexpr size_t kMostNames = 2;

/// "mlp.mlir:47"; empty for a place without a line, such as a file's module.
static std::string describePlace(FileLineColRange place) {
  if (!place || place.getStartLine() == 0)
    return "";
  return (llvm::sys::path::filename(place.getFilename().getValue()) + ":" +
          Twine(place.getStartLine()))
      .str();
}

/// Distinct names, in the order in which they were added.
using Names = llvm::SetVector<std::string, std::vector<std::string>,
                              std::set<std::string>>;

static void collectNames(Location loc, Names &names) {
  if (auto fused = dyn_cast<FusedLoc>(loc)) {
    for (Location one : fused.getLocations())
      collectNames(one, names);
    return;
  }
  if (auto call = dyn_cast<CallSiteLoc>(loc)) {
    bool isKnown = !describeLocation(call.getCallee()).empty();
    return collectNames(isKnown ? call.getCallee() : call.getCaller(), names);
  }
  std::string text = describePlace(loc->findInstanceOf<FileLineColRange>());
  if (auto named = dyn_cast<NameLoc>(loc); named && !named.getName().empty()) {
    if (text.empty())
      text = getLocationName(named.getChildLoc());
    text = named.getName().str() + (text.empty() ? "" : " (" + text + ")");
  }
  if (!text.empty())
    names.insert(text);
}

std::string zero::describeLocation(Location loc) {
  Names names;
  collectNames(loc, names);
  std::string text;
  StringRef file;
  for (StringRef name : names.getArrayRef().take_front(kMostNames)) {
    // A second line in the same file adds only its number.
    auto [place, line] = name.rsplit(':');
    bool isLine = !line.empty() && llvm::all_of(line, llvm::isDigit);
    bool isSame = isLine && place == file;
    text += (text.empty() ? ""
             : isSame     ? ","
                          : ", ") +
            (isSame ? line : name).str();
    file = isLine ? place : StringRef();
  }
  if (names.size() > kMostNames)
    text += " and " + std::to_string(names.size() - kMostNames) + " more";
  return text;
}

StringRef zero::getLocationName(Location loc) {
  auto named = loc->findInstanceOf<NameLoc>();
  return named ? named.getName().getValue() : StringRef();
}

void zero::inheritLocation(Operation *op) {
  op->walk([&](Operation *inner) {
    inner->setLoc(op->getLoc());
    for (Region &region : inner->getRegions())
      for (BlockArgument argument : region.getArguments())
        argument.setLoc(op->getLoc());
  });
}

std::string zero::nameOperation(Operation *op) {
  StringRef what = op->getName().stripDialect();
  if (auto launch = dyn_cast<LaunchOp>(op))
    what = launch.getKernel();
  if (auto update = dyn_cast<UpdateOp>(op))
    what = update.getOptimizer();
  FlatSymbolRefAttr bucket = getBucketRef(op);
  std::string of =
      bucket ? bucket.getValue().str() : describeLocation(op->getLoc());
  std::string over;
  if (auto collective = dyn_cast<CollectiveOpInterface>(op))
    if (std::optional<Over> ranks = collective.getRanksOver())
      over = " over " + stringifyOver(*ranks).str();
  return what.str() + over + (of.empty() ? "" : " of " + of);
}
