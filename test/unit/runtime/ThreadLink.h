//===- ThreadLink.h - Hosts that are threads of a test ----------*- C++ -*-===//
//
// A transfer happens when both sides have started it and the receiver waits for
// it: the latest moment at which a library may read the sent data.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/world/World.h"

#include <atomic>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>

namespace zrt::test {

/// Started transfers of all ranks, by stream, sender and receiver.
class Wires {
public:
  struct Transfer {
    const void *from = nullptr;
    void *to = nullptr;
    size_t bytes = 0;
    std::atomic<bool> done{false};
  };
  using Handle = std::shared_ptr<Transfer>;

  struct Wire {
    std::deque<Handle> sends, receives;
  };
  Handle start(zrt_stream stream, int from, int to, const void *source,
               void *target, size_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex);
    auto transfer = std::make_shared<Transfer>();
    transfer->from = source;
    transfer->to = target;
    transfer->bytes = bytes;
    Wire &wire = wires[{stream, from, to}];
    (source ? wire.sends : wire.receives).push_back(transfer);
    return transfer;
  }
  void receive(zrt_stream stream, int from, int to) {
    const std::lock_guard<std::mutex> lock(mutex);
    Wire &wire = wires[{stream, from, to}];
    while (!wire.sends.empty() && !wire.receives.empty()) {
      Transfer &send = *wire.sends.front(), &target = *wire.receives.front();
      std::memcpy(target.to, send.from, std::min(send.bytes, target.bytes));
      send.done = target.done = true;
      wire.sends.pop_front();
      wire.receives.pop_front();
    }
  }

private:
  std::mutex mutex;
  std::map<std::tuple<zrt_stream, int, int>, Wire> wires;
};

class ThreadLink final : public HostLink {
public:
  ThreadLink(Wires &wires, int rank) : wires(wires), me(rank) {}
  void reserve(uint32_t streams, int slots) override {
    slotsOf.resize(streams);
    for (auto &stream : slotsOf)
      stream.resize(size_t(slots));
  }
  void send(zrt_stream stream, int slot, int to, const void *data,
            size_t bytes) override {
    slotsOf[stream].at(size_t(slot)) = {
        wires.start(stream, me, to, data, nullptr, bytes), -1};
  }
  void receive(zrt_stream stream, int slot, int from, void *data,
               size_t bytes) override {
    slotsOf[stream].at(size_t(slot)) = {
        wires.start(stream, from, me, nullptr, data, bytes), from};
  }
  bool done(zrt_stream stream, int slot) override {
    const Slot &one = slotsOf[stream].at(size_t(slot));
    if (one.from >= 0 && !one.transfer->done)
      wires.receive(stream, one.from, me);
    return one.transfer->done;
  }

private:
  struct Slot {
    Wires::Handle transfer;
    int from = -1; ///< -1: this rank sends
  };
  Wires &wires;
  const int me;
  std::vector<std::vector<Slot>> slotsOf;
};

} // namespace zrt::test
