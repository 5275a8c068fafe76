//===- NcclRanks.cpp - Messages between processes, for tests --------------===//
#include "NcclRanks.h"
#include "Machine.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <random>
#include <set>

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

/// The folders that ranks of this process have entered, and for each user the
/// number of those that it has not left.
std::mutex enteredMutex;
std::multiset<std::string> entered;
std::map<int, int> opened;

/// Returns the number of this thread.
int thisUser() {
  static std::atomic<int> count{0};
  thread_local const int mine = ++count;
  return mine;
}

/// Returns the path of what this process makes.
std::string pathOfProcess() {
  const char *parent = std::getenv("FAKE_NCCL_FOLDER");
  std::random_device random;
  static const std::string name =
      fmt::format("fake-nccl-{:08x}{:08x}", random(), random());
  return fmt::format("{}/{}", parent ? parent : "/dev/shm", name);
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
  static std::atomic<int> count{0};
  return fmt::format("{}/{}", pathOfProcess(), ++count);
}

NcclRanks::NcclRanks(std::string theFolder, int theRank, int theRanks,
                     int theDevice)
    : rank(theRank), ranks(theRanks), device(theDevice), user(thisUser()),
      folder(std::move(theFolder)),
      order(fmt::format("{}-order{}", pathOfProcess(), user)),
      sent(size_t(ranks)), received(size_t(ranks)) {
  {
    const std::lock_guard<std::mutex> lock(enteredMutex);
    entered.insert(folder);
    ++opened[user];
  }
  fs::create_directories(folder);
  const std::string mine = fmt::format("{}/rank{}", folder, rank);
  if (fs::exists(mine))
    misuse(fmt::format("two processes are rank {} of a communicator", rank));
  writeFile(mine, fmt::format("{} {} {}", ranks, device, order));
}

bool NcclRanks::isAmongThreads() const {
  const std::lock_guard<std::mutex> lock(enteredMutex);
  return entered.count(folder) > 1;
}

void NcclRanks::leave() {
  std::error_code ignored;
  const std::string mine = fmt::format(".{}.", rank);
  for (const auto &entry : fs::directory_iterator(folder, ignored))
    if (entry.path().filename().string().find(mine) != std::string::npos)
      fs::remove(entry.path(), ignored);
  {
    const std::lock_guard<std::mutex> lock(enteredMutex);
    if (--opened[user] == 0)
      fs::remove(order, ignored);
  }
  // Other ranks may not have noticed this one yet.
  writeFile(fmt::format("{}/left{}", folder, rank), "");
  int left = 0;
  for (const auto &entry : fs::directory_iterator(folder, ignored))
    left += entry.path().filename().string().starts_with("left") ? 1 : 0;
  if (left != ranks)
    return;
  fs::remove_all(folder, ignored);
  const fs::path job = fs::path(folder).parent_path();
  for (const auto &entry : fs::directory_iterator(job, ignored))
    if (entry.is_directory(ignored))
      return;
  fs::remove_all(job, ignored);
}

std::string NcclRanks::orderOf(int of) const {
  std::ifstream text(fmt::format("{}/rank{}", folder, of));
  std::string ranksOfPeer, devicePeer, orderPeer;
  text >> ranksOfPeer >> devicePeer >> orderPeer;
  return orderPeer;
}

void NcclRanks::goNext() {
  const fs::path path = folder;
  const auto name = static_cast<char>(
      'a' + (std::hash<std::string>()(path.parent_path().string()) % 26 +
             std::stoul(path.filename().string())) %
                26);
  const std::string before = readFile(order);
  std::ofstream(order, std::ios::binary | std::ios::app).put(name);
  for (int peer = 0; peer < ranks; ++peer) {
    if (peer == rank)
      continue;
    const std::string other = readFile(orderOf(peer));
    if (other.size() > before.size() && other[before.size()] != name)
      misuse(fmt::format("collective {} of rank {} is of communicator {}, and "
                         "that of rank {} of communicator {}: each GPU may "
                         "wait for the other",
                         before.size(), rank, name, peer,
                         other[before.size()]));
  }
}

bool NcclRanks::areThere() const {
  for (int peer = 0; peer < ranks; ++peer) {
    std::ifstream text(fmt::format("{}/rank{}", folder, peer));
    int ofPeer = 0, devicePeer = -1;
    if (!(text >> ofPeer >> devicePeer))
      return false;
    if (ofPeer != ranks)
      misuse(fmt::format("rank {} has a communicator of {} ranks, rank {} one "
                         "of {}",
                         rank, ranks, peer, ofPeer));
    if (peer != rank && devicePeer == device && !isAmongThreads())
      misuse(fmt::format("ranks {} and {} have the same GPU {}", rank, peer,
                         device));
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
