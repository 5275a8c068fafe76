//===- TokenFiles.cpp - Reads a text from several files -------------------===//
#include "train/state/io/TokenFiles.h"

#include "runtime/text/Error.h"

#include <algorithm>
#include <filesystem>
#include <glob.h>
#include <set>

using namespace zrt;

std::vector<std::string> zrt::expandPattern(const std::string &pattern) {
  std::error_code error;
  if (pattern.find_first_of("*?[") == std::string::npos ||
      std::filesystem::exists(pattern, error))
    return {pattern};
  glob_t found = {};
  std::vector<std::string> paths;
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  if (paths.empty())
    fail("no file matches {}", pattern);
  return paths;
}

TokenFiles::TokenFiles(const std::vector<std::string> &paths,
                       TokenFormat format, int64_t length, uint64_t maxLater,
                       bool isWide) {
  uint64_t sequences = 0;
  for (const std::string &path : paths) {
    files.push_back(std::make_unique<const TokenData>(path, format, length,
                                                      maxLater, isWide));
    sequences += files.back()->sequences();
    ends.push_back(sequences);
  }
}

uint64_t TokenFiles::sum(uint64_t (TokenData::*number)() const) const {
  uint64_t all = 0;
  for (const auto &file : files)
    all += (*file.*number)();
  return all;
}

const TokenData *TokenFiles::firstText() const {
  for (const auto &file : files)
    if (file->isText())
      return file.get();
  return nullptr;
}

std::string TokenFiles::format() const {
  std::set<std::string> formats;
  for (const auto &file : files)
    formats.insert(file->formatName());
  return fmt::format("{}", fmt::join(formats, " and "));
}

std::string TokenFiles::text() const {
  const std::string &first = files.front()->path(),
                    &last = files.back()->path();
  return fmt::format("{}, {}",
                     files.size() == 1 ? first
                                       : fmt::format("{} files, {} to {}",
                                                     files.size(), first, last),
                     format());
}

void TokenFiles::check(const zrt_input &input, uint64_t later) const {
  for (const auto &file : files)
    file->check(input, later);
}

const TokenData &TokenFiles::fileOf(uint64_t &sequence) const {
  const auto at = static_cast<size_t>(
      std::upper_bound(ends.begin(), ends.end(), sequence) - ends.begin());
  sequence -= at > 0 ? ends[at - 1] : 0;
  return *files.at(at);
}

void TokenFiles::read(uint64_t sequence, uint64_t later, const zrt_input &input,
                      std::byte *to) const {
  const TokenData &file = fileOf(sequence);
  file.read(sequence, later, input, to);
}

void TokenFiles::mask(uint64_t sequence, int64_t separator,
                      const zrt_input &input, std::byte *to) const {
  const TokenData &file = fileOf(sequence);
  file.mask(sequence, separator, input, to);
}

uint64_t TokenFiles::count(int64_t token) const {
  uint64_t all = 0;
  for (const auto &file : files)
    all += file->count(token);
  return all;
}
