//===- ThreadWorld.h - Ranks that are threads of a test ---------*- C++ -*-===//
#pragma once

#include "runtime/text/Error.h"
#include "runtime/world/World.h"

#include "ThreadLink.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>

namespace zrt::test {

/// Shared by the ranks of one ThreadWorld: a mailbox per pair of ranks.
class Mailboxes {
public:
  void put(int from, int to, const void *data, size_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex);
    boxes[{from, to}].emplace_back(static_cast<const char *>(data), bytes);
    changed.notify_all();
  }
  std::string take(int from, int to) {
    std::unique_lock<std::mutex> lock(mutex);
    auto &box = boxes[{from, to}];
    changed.wait(lock, [&] { return !box.empty() || !failure.empty(); });
    if (box.empty())
      throw Error(failure);
    std::string message = std::move(box.front());
    box.pop_front();
    return message;
  }
  /// Transfers that links between different hosts have started.
  Wires wires;

  /// Records a failure; only the first one counts.
  void abort(int from, const std::string &message) {
    const std::lock_guard<std::mutex> lock(mutex);
    if (failure.empty())
      failure = from < 0
                    ? message
                    : "rank " + std::to_string(from) + " failed: " + message;
    changed.notify_all();
  }

private:
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::pair<int, int>, std::deque<std::string>> boxes;
  std::string failure;
};

class ThreadWorld final : public World {
public:
  ThreadWorld(Mailboxes &mail, int rank, int size)
      : mail(mail), me(rank), ranks(size) {}
  int rank() const override { return me; }
  int size() const override { return ranks; }
  void send(int to, const void *data, size_t bytes) override {
    mail.put(me, to, data, bytes);
  }
  void receive(int from, void *data, size_t bytes) override {
    const std::string message = mail.take(from, me);
    std::copy_n(message.data(), std::min(bytes, message.size()),
                static_cast<char *>(data));
  }
  void allGather(const void *mine, size_t bytes, void *all) override {
    for (int to = 0; to < ranks; ++to)
      send(to, mine, bytes);
    for (int from = 0; from < ranks; ++from)
      receive(from, static_cast<char *>(all) + size_t(from) * bytes, bytes);
  }
  std::unique_ptr<HostLink> linkHosts() override {
    return std::make_unique<ThreadLink>(mail.wires, me);
  }
  void sendAlarm(const Alarm &alarm) override {
    mail.abort(alarm.origin, alarm.message);
  }

private:
  Mailboxes &mail;
  const int me, ranks;
};

/// Calls `body(world)` once per rank, each on its own thread, and waits.
template <typename Body>
void runRanks(int ranks, Body body) {
  Mailboxes mail;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      ThreadWorld world(mail, rank, ranks);
      body(world);
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace zrt::test
