//===- Faults.cpp - Injects faults into checkpoints, for tests ------------===//
#include "train/state/checkpoint/Faults.h"

#include "runtime/text/Error.h"
#include "runtime/text/FaultText.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

using namespace zrt;

namespace {

constexpr std::string_view kPoints[] = {
    "copy", "block", "sync", "manifest", "rename", "renamed", "remove"};

[[noreturn]] void refuse(std::string_view text) {
  fail("ZRT_CHECKPOINT_FAULT={} is no KIND@POINT[#N][:RANK]; see "
       "train/state/checkpoint/Faults.h",
       shown(text));
}

} // namespace

CheckpointFaults::CheckpointFaults(int rank) {
  const char *given = std::getenv("ZRT_CHECKPOINT_FAULT");
  if (!given || !*given)
    return;
  std::string_view text = given;
  const auto mine = static_cast<uint64_t>(rank);
  const auto whose = takeNumber(text, ':', mine),
             nth = takeNumber(text, '#', 1);
  const size_t at = text.find('@');
  if (!whose || !nth || at == text.npos)
    refuse(given);
  number = *nth;
  where = text.substr(at + 1);
  const bool known = std::ranges::count(kPoints, where) > 0;
  for (const auto &[name, meaning] :
       {std::pair<std::string_view, Kind>{"kill", Kind::Kill},
        {"eio", Kind::Eio},
        {"enospc", Kind::Enospc},
        {"slow", Kind::Slow}})
    if (text.substr(0, at) == name)
      kind = meaning;
  if (!known || kind == Kind::None)
    refuse(given);
  if (*whose != mine)
    kind = Kind::None;
}

int CheckpointFaults::reach(std::string_view point) {
  if (kind == Kind::None || point != where)
    return 0;
  const uint64_t times = ++reached;
  if (kind == Kind::Slow && times >= number)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  if (times != number)
    return 0;
  if (kind == Kind::Kill)
    (void)std::raise(SIGKILL);
  return kind == Kind::Eio ? EIO : kind == Kind::Enospc ? ENOSPC : 0;
}
