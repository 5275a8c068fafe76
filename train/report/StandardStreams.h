//===- StandardStreams.h - Prints without failing the run -------*- C++ -*-===//
//
// A closed terminal or a full disk under a log must not end a training.  Output
// that cannot be printed is dropped, and the exit status tells.  If the reader
// of a pipe closes it, as in `train | head`, the run ends as after Ctrl-C.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <fmt/format.h>
#include <string>
#include <utility>

namespace zrt {

/// Call this before any file is opened.  Opens standard streams that the caller
/// has closed as /dev/null, so that no file gets their numbers and thereby our
/// output.  From here on a failed write is an error, not a signal.
void openStandardStreams();

/// Prints immediately on standard output, or on standard error after
/// sayOnStandardError.
void sayText(const std::string &text);
template <typename... Args>
void say(fmt::format_string<Args...> format, Args &&...args) {
  sayText(fmt::format(format, std::forward<Args>(args)...));
}

/// From now on say and sayText print on standard error, and only printText
/// prints on standard output.
void sayOnStandardError();
/// The descriptor of the stream on which sayText prints.
int sayingTo();

/// Prints immediately on standard output.
void printText(const std::string &text);

/// Returns true if standard output is a pipe whose reader has closed it.
bool outputIsClosed();

/// Prints a line on standard error.
void complain(const std::string &line);

/// The reason why output was lost since openStandardStreams, or "".
std::string lostOutput();

} // namespace zrt
