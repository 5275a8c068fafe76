//===- DocumentReader.h - The documents of a file ---------------*- C++ -*-===//
//
// A text is one document.  A file of JSON has one in each line, in a field of an
// object; its name ends with .jsonl, before a .gz.  Empty documents, and empty
// lines, are left out.
//
// A long document comes in pieces of about kPieceBytes.  They end with a newline
// that has no space before or after it: tokenizers of bytes separate words there
// anyway, as those of GPT-2 and Llama 3 do, so the pieces have the tokens of the
// whole.
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
  std::string place; ///< of its document, for messages: "a.jsonl, line 3"
  bool endsDocument = true;
};

class DocumentReader {
public:
  static constexpr size_t kPieceBytes = size_t{256} << 10;
  /// The most of a document that is held where it cannot be cut; and of a line.
  static constexpr size_t kMaxBytes = size_t{256} << 20;

  /// A file of JSON if there is a field.  Pieces end `anywhere` if a token is
  /// never longer than a byte.  All throw zrt::Error.
  DocumentReader(const std::string &path,
                 const std::optional<std::string> &field, bool anywhere);

  /// The next piece; false after the last.
  bool next(Piece &piece);

private:
  bool nextOfText(Piece &piece);
  bool nextLine();
  /// Of the line that was read; "" where there is none.
  std::string textOfLine(std::string_view line) const;
  /// Where the next piece of `rest` ends; npos if it cannot be cut.
  size_t findCut(std::string_view rest) const;
  std::string place() const;

  const std::string path;
  const std::optional<std::string> field;
  const bool anywhere;
  TextFile file;
  std::string buffer;      ///< what was read and not yet given
  size_t begun = 0;        ///< of `buffer`: what comes next
  bool isAtEnd = false;    ///< of the file
  std::string document;    ///< of JSON: the text that is given in pieces
  size_t given = 0;        ///< of `document`
  uint64_t lineNumber = 0; ///< of JSON
};

} // namespace zrt
