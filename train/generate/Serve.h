//===- Serve.h - Answers lines of requests ----------------------*- C++ -*-===//
#pragma once

#include "train/generate/Decoder.h"

#include <functional>
#include <string>
#include <vector>

namespace zrt {

/// Where requests come from.
class Lines {
public:
  virtual ~Lines() = default;
  /// Appends the lines that have come since the last call, without newlines;
  /// waits so many milliseconds for one or the end, or as long as it takes with
  /// -1.  Returns false once no line will come any more.
  virtual bool read(std::vector<std::string> &lines, int wait) = 0;
};

/// The lines of a descriptor, such as standard input.
class DescriptorLines : public Lines {
public:
  /// Of a longer line than `longest`, returns so much and one byte more, and
  /// drops the rest.
  DescriptorLines(int descriptor, size_t longest)
      : descriptor(descriptor), longest(longest) {}
  bool read(std::vector<std::string> &lines, int wait) override;

private:
  void take(const char *bytes, size_t count, std::vector<std::string> &lines);

  const int descriptor;
  const size_t longest;
  std::string begun; ///< a line without its end
};

/// The longest line of a request of so many tokens.
size_t longestRequest(size_t positions);

/// Answers requests (Requests.h) until there are no more and the last one has
/// ended, or until `write` returns false.  `write` gets whole lines, as soon as
/// they are known.  A line that cannot be obeyed is answered, too.  Throws
/// zrt::Error.
void serve(Decoder &decoder, const std::vector<int32_t> &endIds, Lines &lines,
           const std::function<bool(const std::string &)> &write);

} // namespace zrt
