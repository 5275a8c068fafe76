//===- DocumentReader.h - The documents of a file ---------------*- C++ -*-===//
//
// A text file is one document.  A JSON file has one document per line, in a
// field of an object; its name ends with .jsonl, before a .gz.  Empty documents
// and empty lines are skipped.
//
// A long document is returned in pieces of about kPieceBytes, which end with a
// newline that has no space before or after it.  Byte-level tokenizers, such as
// those of GPT-2 and Llama 3, separate words there anyway, so the pieces have
// the tokens of the whole.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "tools/tokenize/TextFile.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace zrt {

struct Piece {
  std::string text;  ///< not empty
  std::string place; ///< of the document, for messages: "a.jsonl, line 3"
  bool endsDocument = true;
};

class DocumentReader {
public:
  static constexpr size_t kPieceBytes = size_t{256} << 10;
  /// The longest document that cannot be cut, and the longest line.
  static constexpr size_t kMaxBytes = size_t{256} << 20;

  /// Reads JSON if a field is given.  Pieces may end `anywhere` if no token is
  /// longer than a byte.  All functions throw zrt::Error.
  DocumentReader(const std::string &path,
                 const std::optional<std::string> &field, bool anywhere);

  /// Reads the next piece; returns false after the last.
  bool next(Piece &piece);

private:
  bool nextOfText(Piece &piece);
  bool nextLine();
  /// The document in `line`; "" if there is none.
  std::string textOfLine(std::string_view line) const;
  /// The end of the next piece of `rest`; npos if it cannot be cut.
  size_t findCut(std::string_view rest) const;
  std::string place() const;

  const std::string path;
  const std::optional<std::string> field;
  const bool anywhere;
  TextFile file;
  std::string buffer;      ///< read, but not yet returned
  size_t begun = 0;        ///< of the rest in `buffer`
  bool isAtEnd = false;    ///< of the file
  std::string document;    ///< JSON: the text that is returned in pieces
  size_t given = 0;        ///< bytes of `document` already returned
  uint64_t lineNumber = 0; ///< JSON only
};

} // namespace zrt
