//===- TextTable.cpp - Columns of text ------------------------------------===//

#include "tools/zeroc/plan/TextTable.h"

#include "passes/certify/Certificate.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::zero;
using llvm::ArrayRef;
using llvm::MutableArrayRef;
using llvm::StringRef;

std::string zero::inBytes(int64_t bytes) { return groupDigits(bytes) + " B"; }

std::string zero::inShort(int64_t bytes) {
  static constexpr const char *kUnits[] = {"KB", "MB", "GB", "TB", "PB", "EB"};
  if (bytes < 1000)
    return std::to_string(bytes) + " B";
  double value = double(bytes) / 1000;
  size_t unit = 0;
  for (; value >= 999.995 && unit + 1 < std::size(kUnits); ++unit)
    value /= 1000;
  return llvm::formatv("{0:f2} {1}", value, kUnits[unit]);
}

std::vector<std::string> zero::wrapWords(StringRef text, size_t width) {
  std::vector<std::string> lines(1);
  SmallVector<StringRef> words;
  text.split(words, ' ');
  for (size_t i = 0; i < words.size(); ++i) {
    std::string word = words[i].str();
    // An output stays beside its option.
    if (word == "-o" && i + 1 < words.size())
      word += " " + words[++i].str();
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width)
      lines.emplace_back();
    else if (!lines.back().empty())
      lines.back() += ' ';
    lines.back() += word;
  }
  return lines;
}

void zero::printWrapped(llvm::raw_ostream &os, StringRef text, StringRef indent,
                        StringRef ending) {
  const size_t width = kLineWidth - indent.size() - 2 - ending.size();
  const std::vector<std::string> lines = wrapWords(text, width);
  for (const auto &[i, line] : llvm::enumerate(lines))
    os << indent << (i ? "  " : "") << line
       << (i + 1 < lines.size() ? ending : "") << '\n';
}

namespace {

/// A column with its width; its cells are lines of at most that.
struct Laid {
  const TextColumn &column;
  size_t width;

  std::vector<std::string> linesOf(size_t row) const {
    return wrapWords(row ? column.cells[row - 1] : column.name, width);
  }
};

} // namespace

/// The columns with cells of one line, and names of so many lines.
static std::vector<Laid> layOut(const std::vector<TextColumn> &columns,
                                size_t lines) {
  std::vector<Laid> laid;
  for (const TextColumn &column : columns) {
    size_t width = 1;
    while (wrapWords(column.name, width).size() > lines)
      ++width;
    for (StringRef word : wrapWords(column.name, width))
      width = std::max(width, word.size());
    for (StringRef cell : column.cells)
      width = std::max(width, cell.size());
    laid.push_back({column, width});
  }
  return laid;
}

static size_t widthOf(ArrayRef<Laid> columns) {
  size_t width = 0;
  for (const Laid &one : columns)
    width += 2 + one.width;
  return width;
}

/// Narrows the widest text, one after the other, until all fit; returns false
/// if they cannot.
static bool narrow(MutableArrayRef<Laid> columns) {
  constexpr size_t kLeast = 24;
  while (widthOf(columns) > kLineWidth) {
    Laid *widest = nullptr;
    for (Laid &one : columns)
      if (one.column.isText && one.width > kLeast &&
          (!widest || one.width > widest->width))
        widest = &one;
    if (!widest)
      return false;
    --widest->width;
  }
  return true;
}

static void printTable(llvm::raw_ostream &os, ArrayRef<Laid> columns,
                       size_t rows) {
  for (size_t row = 0; row <= rows; ++row) {
    size_t height = 1;
    for (const Laid &one : columns)
      height = std::max(height, one.linesOf(row).size());
    for (size_t i = 0; i < height; ++i) {
      std::string line;
      llvm::raw_string_ostream out(line);
      for (const Laid &one : columns) {
        std::vector<std::string> lines = one.linesOf(row);
        // Names stand above what they name.
        const size_t skipped = row ? 0 : height - lines.size();
        StringRef text = i >= skipped && i - skipped < lines.size()
                             ? StringRef(lines[i - skipped])
                             : StringRef();
        out << "  ";
        if (one.column.isText)
          out << llvm::left_justify(text, one.width);
        else
          out << llvm::right_justify(text, one.width);
      }
      os << StringRef(line).rtrim() << '\n';
    }
  }
}

void zero::printColumns(llvm::raw_ostream &os,
                        const std::vector<TextColumn> &columns, size_t rows,
                        size_t keys) {
  std::vector<Laid> all = layOut(columns, 1);
  if (widthOf(all) <= kLineWidth)
    return printTable(os, all, rows);
  all = layOut(columns, 2);
  std::vector<Laid> narrowed = all;
  if (narrow(narrowed))
    return printTable(os, narrowed, rows);
  // Half of the line is for the keys.
  for (size_t i = 0; i < keys; ++i)
    all[i].width = std::min(all[i].width, kLineWidth / 2 - 4);
  for (size_t next = keys; next < all.size();) {
    std::vector<Laid> part(all.begin(), all.begin() + ptrdiff_t(keys));
    do
      part.push_back(all[next++]);
    while (next < all.size() &&
           widthOf(part) + 2 + all[next].width <= kLineWidth);
    printTable(os, part, rows);
    if (next < all.size())
      os << '\n';
  }
}
