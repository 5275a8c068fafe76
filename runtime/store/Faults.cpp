//===- Faults.cpp - Simulates failing disks for tests ---------------------===//
#include "runtime/store/Faults.h"

#include "runtime/text/Error.h"
#include "runtime/text/FaultText.h"

#include <cerrno>
#include <cstdlib>
#include <vector>

using namespace zrt;

namespace {

constexpr std::pair<std::string_view, Fault> kKinds[] = {
    {"eio", Fault::Eio},           {"enospc", Fault::Enospc},
    {"eagain", Fault::Eagain},     {"eintr", Fault::Eintr},
    {"short", Fault::Short},       {"cut", Fault::Cut},
    {"flip", Fault::Flip},         {"nouring", Fault::NoUring},
    {"nodirect", Fault::NoDirect}, {"nopin", Fault::NoPin},
    {"full", Fault::Full}};

[[noreturn]] void refuse(std::string_view text) {
  fail("ZRT_STORE_FAULT={} is no KIND[@N][:RANK]; see runtime/store/Faults.h",
       shown(text));
}

} // namespace

namespace zrt {

class FaultyQueue final : public BlockQueue {
public:
  FaultyQueue(std::unique_ptr<BlockQueue> queue, std::shared_ptr<Faults> faults)
      : queue(std::move(queue)), faults(std::move(faults)) {}

  bool pin(std::byte *memory, uint64_t bytes) override {
    if (faults->kind == Fault::NoPin) {
      errno = ENOMEM;
      return false;
    }
    return queue->pin(memory, bytes);
  }

  void start(uint32_t slot, const BlockRequest &request) override {
    if (slot >= requests.size())
      requests.resize(slot + 1);
    requests[slot] = request;
    queue->start(slot, request);
  }

  BlockResult wait() override {
    BlockResult done = queue->wait();
    const BlockRequest &request = requests[done.slot];
    if (befalls(request) && ++faults->requests % faults->every == 0)
      done.result = afterFault(request, done.result);
    return done;
  }

private:
  bool befalls(const BlockRequest &request) const {
    switch (faults->kind) {
    case Fault::Enospc:
      return request.writes;
    case Fault::Cut:
    case Fault::Flip:
      return !request.writes;
    default:
      return true;
    }
  }

  int64_t afterFault(const BlockRequest &request, int64_t result) const {
    switch (faults->kind) {
    case Fault::Eio:
      return -EIO;
    case Fault::Enospc:
      return -ENOSPC;
    case Fault::Eagain:
      return -EAGAIN;
    case Fault::Eintr:
      return -EINTR;
    case Fault::Cut:
      return 0;
    case Fault::Short:
      return result / 2 + 512;
    case Fault::Flip:
      request.memory[request.bytes / 2] ^= std::byte{16};
      return result;
    default:
      return result;
    }
  }

  const std::unique_ptr<BlockQueue> queue;
  const std::shared_ptr<Faults> faults;
  std::vector<BlockRequest> requests; ///< by slot
};

} // namespace zrt

std::unique_ptr<BlockQueue> Faults::around(std::unique_ptr<BlockQueue> queue,
                                           std::shared_ptr<Faults> faults) {
  return std::make_unique<FaultyQueue>(std::move(queue), std::move(faults));
}

std::shared_ptr<Faults> Faults::parse(std::string_view text, int rank) {
  std::string_view kind = text;
  const auto mine = static_cast<uint64_t>(rank);
  const auto where = takeNumber(kind, ':', mine),
             every = takeNumber(kind, '@', 1);
  for (const auto &[name, fault] : kKinds)
    if (name == kind && where && every && *every > 0)
      return std::make_shared<Faults>(*where == mine ? fault : Fault::None,
                                      *every);
  refuse(text);
}

std::shared_ptr<Faults> Faults::fromEnvironment(int rank) {
  const char *text = std::getenv("ZRT_STORE_FAULT");
  return text && *text ? parse(text, rank) : std::make_shared<Faults>();
}
