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

/// What is printed is read in terminals of so many columns.
constexpr size_t kLineWidth = 100;

/// Prints the names, then `rows` rows.  Where they are wider than a line, names
/// and texts take several lines; where that is not enough, the last columns
/// follow in a further table, which begins with the first `keys` columns, too.
void printColumns(llvm::raw_ostream &os, const std::vector<TextColumn> &columns,
                  size_t rows, size_t keys = 1);

/// Splits a text at spaces; an unsplit word may be wider than `width`.
std::vector<std::string> wrapWords(llvm::StringRef text, size_t width);

/// Prints a text in lines that end with `ending` but for the last; `indent`
/// stands before each line, and two more spaces before all but the first.
void printWrapped(llvm::raw_ostream &os, llvm::StringRef text,
                  llvm::StringRef indent = "", llvm::StringRef ending = "");

/// "1,024 B"
std::string inBytes(int64_t bytes);
/// "36.83 GB", of 10^9 bytes, as options have it.
std::string inShort(int64_t bytes);

} // namespace mlir::zero
