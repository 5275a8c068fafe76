//===- DigestFile.cpp - The file of --digest ------------------------------===//
#include "train/report/DigestFile.h"

#include "runtime/hash/Crc32.h"
#include "runtime/text/Bytes.h"
#include "runtime/text/Error.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>

using namespace zrt;
using nlohmann::json;

static_assert(std::endian::native == std::endian::little);

/// A header has a few words for each parameter.
constexpr uint64_t kMaxDigestHeader = uint64_t{64} << 20;

static std::string checkOf(std::string_view bytes) {
  const uint32_t check = crc32(bytes);
  return {reinterpret_cast<const char *>(&check), sizeof(check)};
}

std::string DigestFile::bytesOf(uint64_t at, uint64_t bytes) const {
  std::string found(std::min(bytes, file.size() - at), '\0');
  file.read(at, found.data(), found.size());
  return found;
}

DigestFile::DigestFile(const std::string &path) : path(path), file(path) {
  const std::string text = bytesOf(0, kMaxDigestHeader);
  if (!text.starts_with('{'))
    fail("{} is no file of train --digest: it does not begin with a line of "
         "JSON",
         path);
  const size_t end = text.find('\n') + 1;
  const std::string line = text.substr(0, end);
  if (bytesOf(end, sizeof(uint32_t)) != checkOf(line))
    fail("{}: its first line is damaged, or an older zeroc wrote it", path);
  description = parseJsonOf(path, line);
  headerBytes = end + sizeof(uint32_t);
  try {
    checkHeader();
  } catch (const json::exception &) {
    fail("{}: its first line does not describe a run", path);
  }
  stepCount = int64_t((file.size() - headerBytes) / stepBytes);
}

void DigestFile::checkHeader() {
  if (description.at("digest") != kDigestVersion)
    fail("{} has digests of version {}, and this program reads version {}",
         path, description.at("digest").dump(), kDigestVersion);
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
  stepBytes = sizeof(uint64_t) + rankCount * buckets * sizeof(Checksums) +
              sizeof(uint32_t);
}

std::vector<Checksums> DigestFile::read(int64_t step) const {
  const std::string record = bytesOf(bytesBefore(step), stepBytes);
  const size_t bytes = record.size() - sizeof(uint32_t);
  uint64_t number = 0;
  std::memcpy(&number, record.data(), sizeof(number));
  if (record.substr(bytes) != checkOf(record.substr(0, bytes)) ||
      number != uint64_t(step))
    fail("{}: the record of step {} is damaged: the file has changed since it "
         "was written, and says nothing of a rank; compare other steps",
         path, step);
  std::vector<Checksums> sums((bytes - sizeof(number)) / sizeof(Checksums));
  std::memcpy(sums.data(), record.data() + sizeof(number),
              bytes - sizeof(number));
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
  if (kept > 0)
    return;
  const std::string line = header.dump() + "\n";
  file.write(line + checkOf(line), "the header");
}

void DigestWriter::write(int64_t step, const std::vector<Checksums> &sums) {
  const auto number = uint64_t(step);
  std::string bytes(sizeof(number) + sums.size() * sizeof(Checksums), '\0');
  std::memcpy(bytes.data(), &number, sizeof(number));
  std::memcpy(bytes.data() + sizeof(number), sums.data(),
              sums.size() * sizeof(Checksums));
  file.write(bytes + checkOf(bytes), fmt::format("step {}", step));
}
