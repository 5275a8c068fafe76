//===- NcclRanks.cpp - Messages between processes, for tests --------------===//
#include "NcclRanks.h"
#include "Machine.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <random>

using namespace fakecuda;
namespace fs = std::filesystem;

namespace {

/// Writes a file that becomes visible only when it is complete.
void writeFile(const std::string &path, const std::string &content) {
  const fs::path whole = path;
  const std::string temporary =
      whole.parent_path() / ("new" + whole.filename().string());
  if (!std::ofstream(temporary, std::ios::binary)
           .write(content.data(), std::streamsize(content.size())))
    misuse("cannot write " + temporary);
  fs::rename(temporary, path);
}

std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string shown(const MessageKind &kind) {
  return fmt::format("{} of {} elements of type {}",
                     kind.call == 'G' ? "ncclAllGather" : "ncclSend",
                     kind.count, kind.type);
}

} // namespace

std::string NcclRanks::newFolder() {
  const char *parent = std::getenv("FAKE_NCCL_FOLDER");
  std::random_device random;
  return fmt::format("{}/fake-nccl-{:08x}{:08x}", parent ? parent : "/dev/shm",
                     random(), random());
}

NcclRanks::NcclRanks(std::string theFolder, int theRank, int theRanks)
    : rank(theRank), ranks(theRanks), folder(std::move(theFolder)),
      sent(size_t(ranks)), received(size_t(ranks)) {
  fs::create_directories(folder);
  const std::string mine = fmt::format("{}/rank{}", folder, rank);
  if (fs::exists(mine))
    misuse(fmt::format("two processes are rank {} of a communicator", rank));
  writeFile(mine, std::to_string(ranks));
}

void NcclRanks::leave() {
  std::error_code ignored;
  const std::string mine = fmt::format(".{}.", rank);
  for (const auto &entry : fs::directory_iterator(folder, ignored))
    if (entry.path().filename().string().find(mine) != std::string::npos)
      fs::remove(entry.path(), ignored);
  // Other ranks may not have noticed this one yet.
  writeFile(fmt::format("{}/left{}", folder, rank), "");
  int left = 0;
  for (const auto &entry : fs::directory_iterator(folder, ignored))
    left += entry.path().filename().string().starts_with("left") ? 1 : 0;
  if (left == ranks)
    fs::remove_all(folder, ignored);
}

bool NcclRanks::areThere() const {
  for (int peer = 0; peer < ranks; ++peer) {
    const std::string text = readFile(fmt::format("{}/rank{}", folder, peer));
    if (text.empty())
      return false;
    if (text != std::to_string(ranks))
      misuse(fmt::format("rank {} has a communicator of {} ranks, rank {} one "
                         "of {}",
                         rank, ranks, peer, text));
  }
  return true;
}

int NcclRanks::unread() const {
  int count = 0;
  const std::string mine = fmt::format(".{}.", rank);
  for (const auto &entry : fs::directory_iterator(folder))
    count += entry.path().filename().string().find(mine) != std::string::npos
                 ? 1
                 : 0;
  return count;
}

std::string NcclRanks::message(int from, int to, uint64_t number) const {
  return fmt::format("{}/{}.{}.{}", folder, from, to, number);
}

void NcclRanks::send(int peer, const MessageKind &kind, const void *from,
                     uint64_t bytes) {
  std::string content(sizeof(kind) + bytes, '\0');
  std::memcpy(content.data(), &kind, sizeof(kind));
  std::memcpy(content.data() + sizeof(kind), from, bytes);
  writeFile(message(rank, peer, sent[size_t(peer)]++), content);
}

bool NcclRanks::hasCome(int peer, uint64_t ahead) const {
  return fs::exists(message(peer, rank, received[size_t(peer)] + ahead));
}

void NcclRanks::receive(int peer, const MessageKind &kind, void *to,
                        uint64_t bytes) {
  const std::string path = message(peer, rank, received[size_t(peer)]++);
  const std::string content = readFile(path);
  fs::remove(path);
  MessageKind has = {};
  if (content.size() < sizeof(has))
    misuse("a message is cut: " + path);
  std::memcpy(&has, content.data(), sizeof(has));
  if (has.call != kind.call || has.type != kind.type ||
      has.count != kind.count || content.size() != sizeof(has) + bytes)
    misuse(fmt::format("rank {} is in {}, and rank {} in {}", rank, shown(kind),
                       peer, shown(has)));
  std::memcpy(to, content.data() + sizeof(has), bytes);
}
