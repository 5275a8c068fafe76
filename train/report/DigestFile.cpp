//===- DigestFile.cpp - The file of --digest ------------------------------===//
#include "train/report/DigestFile.h"

#include "runtime/Bytes.h"
#include "runtime/Error.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>

using namespace zrt;
using nlohmann::json;

static_assert(std::endian::native == std::endian::little);

/// A header has a few words for each parameter.
constexpr uint64_t kMaxDigestHeader = uint64_t{64} << 20;

DigestFile::DigestFile(const std::string &path) : path(path), file(path) {
  std::string text(std::min(file.size(), kMaxDigestHeader), '\0');
  file.read(0, text.data(), text.size());
  const size_t end = text.find('\n');
  if (end == text.npos || text[0] != '{')
    fail("{} is no file of train --digest: it does not begin with a line of "
         "JSON",
         path);
  description = parseJsonOf(path, text.substr(0, end));
  headerBytes = end + 1;
  try {
    checkHeader();
  } catch (const json::exception &) {
    fail("{}: its first line does not describe a run; it is damaged, or no "
         "file of train --digest",
         path);
  }
  stepCount = int64_t((file.size() - headerBytes) / stepBytes);
}

void DigestFile::checkHeader() {
  if (description.at("digest") != 1)
    fail("{} has digests of version {}, and this program reads version 1", path,
         description.at("digest").dump());
  rankCount = description.at("ranks").get<uint32_t>();
  const auto group = description.value("group_size", uint32_t{0}),
             stage = description.value("stage", uint32_t{0});
  firstStep = description.at("first").get<int64_t>();
  const size_t buckets = description.at("buckets").size();
  if (rankCount == 0 || rankCount > 1u << 20 || buckets == 0 || firstStep < 0 ||
      stage > 3 || (group != 0 && rankCount % group != 0))
    fail("{}: it is of stage {} on {} ranks in groups of {}, with {} buckets, "
         "and begins with step {}; it is damaged",
         path, stage, rankCount, group, buckets, firstStep);
  stepBytes = sizeof(uint64_t) + rankCount * buckets * sizeof(Checksums);
}

std::vector<Checksums> DigestFile::read(int64_t step) const {
  uint64_t number = 0;
  std::vector<Checksums> sums((stepBytes - sizeof(number)) / sizeof(Checksums));
  const uint64_t at = bytesBefore(step);
  file.read(at, &number, sizeof(number));
  if (number != uint64_t(step))
    fail("{}: step {} stands where {} is expected; it is damaged", path, number,
         step);
  file.read(at + sizeof(number), sums.data(), stepBytes - sizeof(number));
  return sums;
}

/// Returns the bytes of `path` that a run of `header` goes on after; 0: none.
static uint64_t keptBytes(const std::string &path, const json &header) {
  const int64_t step = header.at("first");
  std::error_code error;
  if (step == 0 || !std::filesystem::is_regular_file(path, error))
    return 0;
  const DigestFile old(path);
  for (const char *key : {"model_hash", "ranks", "stage", "group_size",
                          "accumulate", "virtual_shards", "buckets"})
    if (old.header().value(key, json()) != header.at(key))
      fail("{} has digests of a run with other {} than this one; give this run "
           "another --digest",
           path, key);
  if (step < old.first() || step > old.end())
    fail("{} has steps {} to {}, and this run goes on with step {}; give it "
         "another --digest",
         path, old.first(), old.end() - 1, step);
  return old.bytesBefore(step);
}

void DigestWriter::open(const std::string &path, const json &header,
                        bool isForced) {
  const uint64_t kept = keptBytes(path, header);
  file.open(path, kept, isForced);
  if (kept == 0)
    file.write(header.dump() + "\n", "the header");
}

void DigestWriter::write(int64_t step, const std::vector<Checksums> &sums) {
  const auto number = uint64_t(step);
  std::string bytes(sizeof(number) + sums.size() * sizeof(Checksums), '\0');
  std::memcpy(bytes.data(), &number, sizeof(number));
  std::memcpy(bytes.data() + sizeof(number), sums.data(),
              sums.size() * sizeof(Checksums));
  file.write(bytes, fmt::format("step {}", step));
}
