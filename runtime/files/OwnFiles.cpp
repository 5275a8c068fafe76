//===- OwnFiles.cpp - Decides which files zeroc may replace ---------------===//
#include "runtime/files/OwnFiles.h"

#include "runtime/files/OpenFile.h"
#include "runtime/files/OutputPath.h"
#include "runtime/text/Error.h"

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

using namespace zrt;
namespace fs = std::filesystem;

namespace {

constexpr const char *kList = ".zeroc-files";
/// Bytes at both ends of a file, one of which has the mark.
constexpr off_t kSearched = 1 << 16;

bool hasMark(const std::string &path, const FileKind &kind) {
  const OpenFile file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info = {};
  if (!file || fstat(file.number(), &info) != 0)
    return false;
  for (const off_t at :
       {off_t(0), std::max<off_t>(0, info.st_size - kSearched)}) {
    std::string text(size_t(kSearched), '\0');
    text.resize(size_t(std::max<ssize_t>(
        0, pread(file.number(), text.data(), text.size(), at))));
    for (const std::string_view mark : kind.marks)
      if (!mark.empty() && text.find(mark) != text.npos)
        return true;
  }
  return false;
}

/// Whether a folder has more than the subfolder zeroc, with which the commands
/// that a run prints begin.
bool hasOthers(const std::string &folder) {
  std::error_code error;
  for (const auto &entry : fs::directory_iterator(folder, error))
    if (entry.path().filename() != "zeroc")
      return true;
  return false;
}

/// "SIZE TIME" of a regular file.
std::optional<std::string> sizeAndTime(const std::string &path) {
  struct stat info = {};
  if (lstat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode))
    return std::nullopt;
  return fmt::format("{} {}.{:09}", info.st_size, info.st_mtim.tv_sec,
                     info.st_mtim.tv_nsec);
}

} // namespace

std::string zrt::whyNotReplaced(const std::string &path, FileKind kind,
                                bool isForced) noexcept {
  struct stat info = {}, link = {};
  const bool isThere = stat(path.c_str(), &info) == 0,
             isLink = lstat(path.c_str(), &link) == 0 && S_ISLNK(link.st_mode);
  if (isThere && S_ISDIR(info.st_mode))
    return fmt::format("cannot write {}: it is a folder", path);
  // A pipe, a device; and the file that a shell opened.
  if (isThere && (!S_ISREG(info.st_mode) || isOpenAs(path, STDOUT_FILENO)))
    return "";
  if (isLink)
    return fmt::format("cannot write {}: it is a link to a file; name the file "
                       "itself",
                       path);
  if (!isThere || isForced || info.st_size == 0 || hasMark(path, kind))
    return "";
  return fmt::format(
      "{} is there already, and {}; name another file, move it "
      "away, or replace it with --force",
      path,
      kind.marks[0].empty()
          ? fmt::format("{} do not say who wrote them", kind.name)
          : fmt::format("was not written by zeroc as {}", kind.name));
}

void zrt::checkReplaced(const std::string &path, FileKind kind, bool isForced) {
  if (const std::string why = whyNotReplaced(path, kind, isForced);
      !why.empty())
    fail("{}", why);
}

OwnFolder::OwnFolder(std::string aPath) : path(std::move(aPath)) {
  std::ifstream list(path + "/" + kList);
  isListed = bool(list);
  // A line is NAME or NAME\tSTATE; the last one of a name counts.
  for (std::string line; std::getline(list, line) && !list.eof();) {
    const size_t tab = line.find('\t');
    files[line.substr(0, tab)] = tab == line.npos ? "" : line.substr(tab + 1);
  }
}

bool OwnFolder::owns(const std::string &name) const {
  const auto found = files.find(name);
  return found != files.end() &&
         (found->second.empty() ||
          sizeAndTime(path + "/" + name) == found->second);
}

void OwnFolder::check(const std::vector<std::string> &names,
                      bool isForced) const {
  std::error_code error;
  if (isForced || !fs::exists(path, error))
    return;
  if (!isListed && hasOthers(path))
    fail("{} is not empty, and no run of zeroc wrote it; name another folder, "
         "or write into this one with --force",
         path);
  for (const std::string &name : names) {
    const std::string file = path + "/" + name;
    if (!fs::exists(fs::symlink_status(file, error)) || owns(name))
      continue;
    fail("{} {}; name another folder, move it away, or replace it with --force",
         file,
         files.contains(name) ? "was changed after zeroc wrote it"
                              : "is there already, and zeroc did not write it");
  }
}

void OwnFolder::begin(const std::string &name) {
  files[name] = "";
  append(name);
}

void OwnFolder::end(const std::string &name) {
  files[name] = sizeAndTime(path + "/" + name).value_or("");
  append(name + "\t" + files[name]);
}

void OwnFolder::append(const std::string &line) {
  const std::string list = path + "/" + kList;
  const OpenFile file(
      open(list.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW,
           0666));
  const std::string text = line + "\n";
  if (!file || !writeAll(file.number(), text.data(), text.size()))
    fail("cannot write {}: {}", list, errnoText());
  isListed = true;
}
