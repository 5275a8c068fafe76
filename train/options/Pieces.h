//===- Pieces.h - The texts of a tokenizer's tokens -------------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace zrt {

/// The bytes of each token, and the tokens that end a text.  The file is
/// safetensors: `bytes` U8 [n], all pieces one after the other; `ends` I64
/// [tokens], where each ends; `stops` I64 [m].
class Pieces {
public:
  /// Throws zrt::Error for a file that is not as above.
  explicit Pieces(const std::string &path);

  /// The text of tokens; one without a piece is <|ID|>.
  std::string textOf(const std::vector<int64_t> &ids) const;
  bool stops(int64_t id) const { return ending.contains(id); }

private:
  std::string bytes;
  std::vector<int64_t> ends;
  std::set<int64_t> ending;
};

} // namespace zrt
