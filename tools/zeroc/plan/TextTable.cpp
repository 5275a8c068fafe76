//===- TextTable.cpp - Columns of text ------------------------------------===//

#include "tools/zeroc/plan/TextTable.h"

#include "passes/certify/Certificate.h"
#include "llvm/Support/Format.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::zero;
using llvm::StringRef;

std::string zero::inBytes(int64_t bytes) { return groupDigits(bytes) + " B"; }

void zero::printColumns(llvm::raw_ostream &os,
                        const std::vector<TextColumn> &columns, size_t rows) {
  std::vector<std::string> lines(rows + 1);
  for (const TextColumn &column : columns) {
    auto cell = [&](size_t i) -> StringRef {
      return i == 0 ? StringRef(column.name) : column.cells[i - 1];
    };
    size_t width = 0;
    for (size_t i = 0; i <= rows; ++i)
      width = std::max(width, cell(i).size());
    for (size_t i = 0; i <= rows; ++i) {
      llvm::raw_string_ostream out(lines[i]);
      out << "  ";
      if (column.isText)
        out << llvm::left_justify(cell(i), width);
      else
        out << llvm::right_justify(cell(i), width);
    }
  }
  for (StringRef line : lines)
    os << line.rtrim() << '\n';
}
