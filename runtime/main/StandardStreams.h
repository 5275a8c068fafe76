//===- StandardStreams.h - What is printed may get lost ---------*- C++ -*-===//
//
// A terminal is closed, the disk under a log is full: that is no reason to lose
// a training.  What cannot be printed is dropped, and the exit status says so.
// Whoever closes a pipe, as in `train | head`, has seen enough: the run ends as
// by Ctrl-C.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <fmt/format.h>
#include <string>
#include <utility>

namespace zrt {

/// To be called before any file is opened.  A standard stream that the caller
/// has closed becomes /dev/null: no file may get its number, and with it what
/// is printed.  A write that fails is an error from here on, not a signal.
void openStandardStreams();

/// Prints on standard output, at once, or where sayOnStandardError has led to.
void sayText(const std::string &text);
template <typename... Args>
void say(fmt::format_string<Args...> format, Args &&...args) {
  sayText(fmt::format(format, std::forward<Args>(args)...));
}

/// From now on what is said goes to standard error, and standard output is left
/// to printText.
void sayOnStandardError();
/// The descriptor of the stream that takes what is said.
int sayingTo();

/// Prints on standard output, at once.
void printText(const std::string &text);

/// Whether standard output is a pipe, or was one, that nobody reads any more.
bool outputIsClosed();

/// Prints a line on standard error, after what was said.
void complain(const std::string &line);

/// Why something could not be said since openStandardStreams; "" when all was.
std::string lostOutput();

} // namespace zrt
