//===- OwnFiles.h - Decides which files zeroc may replace -------*- C++ -*-===//
//
// Nothing of other people's is lost: a program replaces a file only if zeroc
// wrote it, or if the user says --force.
//
//   a file      replaces nothing, an empty file, or a file with the mark of
//               its kind, which is near the beginning or the end
//   a folder    is new, empty, or has the list .zeroc-files of what zeroc wrote
//               in it; a file of that list that has changed since is the user's
//
// python/zeroc/own_files.py has the same rules for the commands in Python.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace zrt {

/// A kind of file, and the texts of which its files have one; none: nothing in
/// such a file says who wrote it.
struct FileKind {
  std::string_view name; ///< for messages: "a model"
  std::array<std::string_view, 5> marks = {};
};

constexpr FileKind kModelFile = {"a model or plan", {"// written by zeroc"}},
                   kProgramFile = {"a program", {"zrtfile1"}},
                   kObjectFile = {"an object", {"zrt_compiled_plan"}},
                   kWeightsFile = {"weights", {R"("format":"pt","zeroc")"}},
                   kRawFile = {"raw numbers"},
                   kPredictionFile = {"a prediction",
                                      {"ranks x threads)", R"("step_seconds":)",
                                       "device of a rank", R"("simulated":)",
                                       R"("runs":)"}},
                   kMetricsFile = {"metrics", {R"({"step":)"}},
                   kDigestsFile = {"digests", {R"({"accumulate":)"}},
                   kEventsFile = {"events", {"brain.Event:2"}},
                   kTraceFile = {"a trace", {R"({"program":)"}},
                   kDeviceCheckFile = {"the page of a device check",
                                       {R"("sections":)"}};

/// Why `path` cannot be written, with the fix; "" if it can: nothing is there,
/// or what may be replaced, or a pipe or a device.  With `isForced` any regular
/// file may be.  Folders and links to files never are.
std::string whyNotReplaced(const std::string &path, FileKind kind,
                           bool isForced) noexcept;
/// The same; throws zrt::Error.
void checkReplaced(const std::string &path, FileKind kind, bool isForced);

/// The files in a folder that zeroc wrote, by the list in it.
class OwnFolder {
public:
  /// Reads the list, if there is one; makes nothing.
  explicit OwnFolder(std::string path);

  /// Throws zrt::Error if the folder has files but no list, or if one of
  /// `names` is there that zeroc did not write.
  void check(const std::vector<std::string> &names, bool isForced) const;
  /// Whether the list has the file, as it is now.
  bool owns(const std::string &name) const;
  /// Before a file is written: its name enters the list.  Throws zrt::Error.
  void begin(const std::string &name);
  /// After it: the list has its size and its time, too.  Throws zrt::Error.
  void end(const std::string &name);

private:
  void append(const std::string &line);

  const std::string path;
  bool isListed = false;
  /// By name: "SIZE TIME", or "" if the file was begun.
  std::map<std::string, std::string> files;
};

} // namespace zrt
