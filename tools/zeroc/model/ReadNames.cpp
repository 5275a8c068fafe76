//===- ReadNames.cpp - Reads the names of values from the text ------------===//
//
// The parser discards the names of values.  It keeps, for each operation, the
// position of its name in the text, and for each argument its own position:
//
//     %y = math.tanh %x        (%x: tensor<8xf32>)
//          ^                    ^
//
//===----------------------------------------------------------------------===//
#include "tools/zeroc/model/Messages.h"

#include "dialect/zero/Locations.h"
#include "dialect/zero/Zero.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "passes/Pipeline.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

class Text {
public:
  explicit Text(const llvm::MemoryBuffer &buffer)
      : file(buffer.getBufferIdentifier()) {
    buffer.getBuffer().split(lines, '\n');
  }

  /// Returns `loc` named by the operation's first result, if the text names
  /// one.
  Location nameResult(Location loc) {
    auto [before, after] = split(loc);
    before = before.trim();
    return before.consume_back("=") ? named(loc, before) : loc;
  }
  Location nameArgument(Location loc) { return named(loc, split(loc).second); }

private:
  StringRef file;
  SmallVector<StringRef> lines;

  /// Returns the line of `loc`, split at that position.
  std::pair<StringRef, StringRef> split(Location loc) {
    auto place = dyn_cast<FileLineColLoc>(loc);
    if (!place || place.getFilename() != file || place.getLine() == 0 ||
        place.getLine() > lines.size())
      return {};
    StringRef line = lines[place.getLine() - 1];
    size_t column = std::min<size_t>(
        line.size(), std::max<unsigned>(place.getColumn(), 1) - 1);
    return {line.take_front(column), line.drop_front(column)};
  }

  /// Returns `loc`, named by the value at the beginning of `text`.
  static Location named(Location loc, StringRef text) {
    if (!text.consume_front("%"))
      return loc;
    StringRef name = text.take_while([](char c) {
      return llvm::isAlnum(c) || StringRef("_.$-").contains(c);
    });
    if (llvm::all_of(name, llvm::isDigit))
      return loc;
    return NameLoc::get(StringAttr::get(loc.getContext(), name), loc);
  }
};

} // namespace

void zero::readNames(ModuleOp module, const llvm::MemoryBuffer &buffer) {
  // The module is not at a line.
  module->setLoc(FileLineColLoc::get(
      module.getContext(), buffer.getBufferIdentifier(), /*line=*/0, 0));
  Text text(buffer);
  std::optional<Level> level = getLevel(module);
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    op->setLoc(text.nameResult(op->getLoc()));
    if (isa<KernelOp>(op) ||
        (isa<OptimizerOp>(op) && level && *level >= Level::Partitioned)) {
      inheritLocation(op);
      return WalkResult::skip();
    }
    if (auto function = dyn_cast<FunctionOpInterface>(op))
      for (BlockArgument argument : function.getArguments())
        argument.setLoc(text.nameArgument(argument.getLoc()));
    return WalkResult::advance();
  });
}
