//===- PrintModel.cpp - Prints a model as readable text -------------------===//
//
// The upstream printer writes most locations as numbers, with a table at the
// end, and all arguments of a function on one line.  Both are corrected in the
// text, which remains the same MLIR:
//
//   func.func @loss(%w: tensor<4xf32> loc("w"), %x: tensor<4xf32> loc("x"))
//     %y = arith.mulf %w, %x : tensor<4xf32> loc(#loc2)
//   #loc2 = loc("y"("mlp.mlir":7:8))
//   =>
//   func.func @loss(
//       %w: tensor<4xf32> loc("w"),
//       %x: tensor<4xf32> loc("x"))
//     %y = arith.mulf %w, %x : tensor<4xf32> loc("y"("mlp.mlir":7:8))
//
// Only long locations (of nested calls, or of many fused operations) stay in
// the table.
//
// Locations without information are omitted: those of modules, programs and
// buckets, of arguments inside operations, and of operations with the location
// of their kernel.  Before printing they are replaced by a marker location,
// which is then removed from the text.
//
//===----------------------------------------------------------------------===//
#include "frontend/PrintModel.h"

#include "dialect/zero/Zero.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

/// The file name of the marker location.
static constexpr llvm::StringLiteral kLeftOut = "left out";
/// The marker as it is printed.
static constexpr llvm::StringLiteral kLeftOutText = "\"left out\":0:0";
/// The longest location that is printed in place, in characters.
static constexpr size_t kMostInPlace = 120;

/// Replaces the locations that the text omits by the marker.
static void leaveOutLocations(ModuleOp module) {
  Location none = FileLineColLoc::get(module.getContext(), kLeftOut, 0, 0);
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    bool inherits = isa<zero::KernelOp, zero::OptimizerOp>(op);
    Location own = op->getLoc();
    if (isa<ModuleOp, zero::ProgramOp, zero::BucketOp, zero::AxisOp>(op))
      op->setLoc(none);
    if (!inherits && (isa<FunctionOpInterface, ModuleOp>(op)))
      return WalkResult::advance();
    op->walk([&](Operation *inner) {
      if (inherits && inner != op && inner->getLoc() == own)
        inner->setLoc(none);
      for (Region &region : inner->getRegions())
        for (Block &block : region)
          for (BlockArgument argument : block.getArguments())
            argument.setLoc(none);
    });
    return WalkResult::skip();
  });
}

namespace {

/// The printer's table of locations.
class LocationTable {
public:
  explicit LocationTable(StringRef text) {
    for (StringRef rest = text; !rest.empty();) {
      auto [line, after] = rest.split('\n');
      rest = after;
      if (isEntry(line)) {
        auto [name, location] = line.split(" = loc(");
        bodies[name] = location.drop_back();
      }
    }
  }

  static bool isEntry(StringRef line) {
    return line.starts_with("#loc") && line.contains(" = loc(");
  }

  /// Returns `line` with numbered locations replaced by their text.
  std::string resolve(StringRef line) {
    std::string result;
    bool isQuoted = false;
    while (!line.empty()) {
      // The printer writes quotes inside strings as \22.
      isQuoted ^= line.front() == '"';
      if (isQuoted || !consumeReference(line, result)) {
        result += line.front();
        line = line.drop_front();
      }
    }
    return result;
  }

  /// The table of the locations that are still referred to.
  std::string rest() {
    std::string text;
    for (size_t i = 0; i < kept.size(); ++i) // resolve may append to it
      text += "#loc" + std::to_string(i + 1) + " = loc(" +
              resolve(bodies.lookup(kept[i])) + ")\n";
    return text;
  }

private:
  /// Removes a numbered location from `line`, and appends the text it refers
  /// to.
  bool consumeReference(StringRef &line, std::string &result) {
    if (line.consume_front((" loc(" + kLeftOutText + ")").str()))
      return true;
    StringRef name = line;
    bool isWhole = name.consume_front(" loc(");
    if (!name.starts_with("#loc"))
      return false;
    name =
        name.take_until([](char c) { return !llvm::isAlnum(c) && c != '#'; });
    StringRef location = expand(name);
    line = line.drop_front((isWhole ? 5 : 0) + name.size());
    if (isWhole && location == kLeftOutText) {
      line = line.drop_front(); // its parenthesis
      return true;
    }
    result += isWhole ? " loc(" : "";
    result += location.size() > kMostInPlace ? keep(name) : location.str();
    return true;
  }

  /// Renumbers a location in the order of first use.
  std::string keep(StringRef name) {
    auto [entry, isNew] = numbers.try_emplace(name, kept.size() + 1);
    if (isNew)
      kept.push_back(name.str());
    return "#loc" + std::to_string(entry->second);
  }

  StringRef expand(StringRef name) {
    auto [entry, isNew] = expanded.try_emplace(name);
    if (isNew) {
      std::string text = resolve(bodies.lookup(name));
      return expanded[name] = text;
    }
    return entry->second;
  }

  llvm::StringMap<StringRef> bodies;
  llvm::StringMap<std::string> expanded;
  llvm::StringMap<size_t> numbers;
  std::vector<std::string> kept; ///< printer's names, by number
};

} // namespace

/// Breaks the line before each argument, outside of strings.
static void printSignature(StringRef line, raw_ostream &out) {
  size_t indent = line.size() - line.ltrim().size() + 4;
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    char c = line[i];
    quoted ^= c == '"';
    StringRef rest = line.drop_front(i + 1);
    bool opens = c == '(' && rest.starts_with("%");
    bool separates = c == ',' && rest.starts_with(" %");
    out << c;
    if (!quoted && (opens || separates))
      (out << '\n').indent(indent - (separates ? 1 : 0));
  }
  out << "\n";
}

std::string frontend::printModel(ModuleOp module) {
  leaveOutLocations(module);
  std::string text;
  llvm::raw_string_ostream printed(text);
  // A buffer: without one, each of millions of words would be appended singly.
  printed.SetBufferSize(1 << 16);
  module.print(printed, OpPrintingFlags()
                            .enableDebugInfo()
                            .printNameLocAsPrefix()
                            .assumeVerified());
  printed.flush();
  LocationTable locations(text);

  std::string result;
  llvm::raw_string_ostream out(result);
  for (StringRef rest = text; !rest.empty();) {
    auto [line, after] = rest.split('\n');
    rest = after;
    if (LocationTable::isEntry(line))
      continue;
    std::string resolved = locations.resolve(line);
    StringRef word = StringRef(resolved).ltrim();
    if (word.starts_with("func.func @") || word.starts_with("zero.program @"))
      printSignature(resolved, out);
    else
      out << resolved << "\n";
  }
  out << locations.rest() << "// written by zeroc\n";
  return result;
}
