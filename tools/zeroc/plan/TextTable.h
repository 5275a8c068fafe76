//===- TextTable.h - Columns of text ----------------------------*- C++ -*-===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace mlir::zero {

struct TextColumn {
  std::string name;
  std::vector<std::string> cells = {}; ///< one for each row
  bool isText = false; ///< to the left; numbers are to the right
};

/// Prints the names, then a line for each of `rows` rows.
void printColumns(llvm::raw_ostream &os, const std::vector<TextColumn> &columns,
                  size_t rows);

/// "1,024 B"
std::string inBytes(int64_t bytes);

} // namespace mlir::zero
