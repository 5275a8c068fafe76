//===- NamePatternTest.cpp - Names that Python's expressions match --------===//
//
// patterns.txt has the results of Python, and patterns.py makes it.
//
//===----------------------------------------------------------------------===//

#include "passes/model/NamePattern.h"

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

using namespace mlir;
using mlir::zero::findFullMatches;

namespace {

std::string errorOf(StringRef pattern) {
  auto found = findFullMatches(pattern, {"a"});
  return found ? "" : llvm::toString(found.takeError());
}

TEST(NamePattern, AgreesWithPython) {
  auto file = llvm::MemoryBuffer::getFile(ZERO_PATTERNS);
  ASSERT_TRUE(file);
  SmallVector<StringRef> names, lines;
  (*file)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  size_t counts[2] = {};
  for (StringRef line : lines) {
    SmallVector<StringRef> words;
    line.split(words, '\t');
    if (words[0] == "name") {
      names.push_back(words[1]);
      continue;
    }
    ++counts[words[0] == "refused"];
    auto found = findFullMatches(words[1], names);
    if (words[0] == "refused") {
      EXPECT_FALSE(found) << words[1].str();
      EXPECT_TRUE(StringRef(llvm::toString(found.takeError()))
                      .contains(" at position "))
          << words[1].str();
      continue;
    }
    ASSERT_TRUE(bool(found))
        << words[1].str() << ": " << llvm::toString(found.takeError());
    std::string indices;
    for (auto [i, name] : llvm::enumerate(names))
      if (found->contains(name))
        indices += (indices.empty() ? "" : " ") + std::to_string(i);
    EXPECT_EQ(indices, words[2].str()) << words[1].str();
  }
  EXPECT_GT(counts[0], 300u);
  EXPECT_GT(counts[1], 100u);
}

TEST(NamePattern, Positions) {
  for (auto [pattern, error] :
       {std::pair("h.(0", "missing ), unterminated subpattern at position 2"),
        {"a)", "unbalanced parenthesis at position 1"},
        {"ab\\h", "bad escape \\h at position 2"},
        {"é**", "multiple repeat at position 2"}, // of characters
        {"+", "nothing to repeat at position 0"},
        {"a[b", "unterminated character set at position 1"},
        {"(?<n>a)", "unknown extension at position 1"},
        {"a|(?i)b", "global flags not at the start of the expression at "
                    "position 2"},
        {"(?P=n)", "unknown group name 'n' at position 4"},
        {"(?P<1a>x)", "bad character in group name '1a' at position 4"},
        {"(?P=1a)", "bad character in group name '1a' at position 4"},
        {"a(?#b", "missing ), unterminated comment at position 1"},
        {"(?i-:a)", "missing flag at position 4"},
        {"(?i-m)", "missing : at position 5"},
        {"(a\\1)", "cannot refer to an open group at position 3"},
        // What is Python's, but not taken.
        {"(?x)a", "unsupported flag x at position 2"},
        {"(?ia)a", "unsupported flag a at position 3"},
        {"a\\07", "unsupported escape \\07 at position 1"},
        {"(a)(?(1)a|b)", "unsupported conditional group at position 3"},
        {"\\N{DOT}", "unsupported escape \\N at position 0"},
        // Errors of the engine are of the expression as it was given.
        {"é[b-a]", "range out of order in character class at position 1"}})
    EXPECT_EQ(errorOf(pattern), error) << pattern;
}

TEST(NamePattern, GivesUp) {
  std::string name = std::string(40, 'a') + "bc";
  auto found = findFullMatches("(a*)*b", {name});
  ASSERT_FALSE(found);
  EXPECT_EQ(llvm::toString(found.takeError()), "it cannot be compared with \"" +
                                                   name +
                                                   "\": match limit exceeded");
}

} // namespace
