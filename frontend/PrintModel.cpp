//===- PrintModel.cpp - A model as text for people ------------------------===//
//
// The upstream printer puts all arguments of a function on one line, and an
// alias for each of their locations before the module although it writes those
// locations in full.  Both are mended on the text, which stays the same MLIR:
//
//   #loc2 = loc("w")
//   module {
//     func.func @loss(%w: tensor<4xf32> loc("w"), %x: tensor<4xf32> loc("x"))
//   =>
//   module {
//     func.func @loss(
//         %w: tensor<4xf32> loc("w"),
//         %x: tensor<4xf32> loc("x"))
//
//===----------------------------------------------------------------------===//
#include "frontend/PrintModel.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

/// Every alias that a location of `text` refers to.
static llvm::StringSet<> findUsedAliases(StringRef text) {
  llvm::StringSet<> used;
  while (true) {
    size_t at = text.find("(#loc");
    if (at == StringRef::npos)
      return used;
    text = text.drop_front(at + 1);
    used.insert(text.take_until([](char c) { return c == ')'; }));
  }
}

/// Breaks the line before each argument, outside of strings.
static void printSignature(StringRef line, raw_ostream &out) {
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    char c = line[i];
    // Quotes inside of strings are printed as \22.
    quoted ^= c == '"';
    StringRef rest = line.drop_front(i + 1);
    bool separates = !quoted && ((c == '(' && rest.starts_with("%")) ||
                                 (c == ',' && rest.starts_with(" %")));
    out << c;
    if (separates)
      out << "\n     " << (c == '(' ? " " : "");
  }
  out << "\n";
}

std::string frontend::printModel(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream printed(text);
  module.print(printed,
               OpPrintingFlags().enableDebugInfo().printNameLocAsPrefix());
  llvm::StringSet<> used = findUsedAliases(text);

  std::string result;
  llvm::raw_string_ostream out(result);
  for (StringRef rest = text; !rest.empty();) {
    auto [line, after] = rest.split('\n');
    rest = after;
    bool isAlias = line.starts_with("#loc");
    if (isAlias && !used.contains(line.split(' ').first))
      continue;
    if (line.starts_with("  func.func @"))
      printSignature(line, out);
    else
      out << line << "\n";
  }
  return result;
}
