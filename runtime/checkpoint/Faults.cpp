//===- Faults.cpp - Checkpoints that fail, for tests ----------------------===//
#include "runtime/checkpoint/Faults.h"

#include "runtime/Error.h"

#include <cerrno>
#include <charconv>
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
       "runtime/checkpoint/Faults.h",
       shown(text));
}

/// What follows `mark` in `text`, which is cut there; `otherwise` without it.
uint64_t takeNumber(std::string_view whole, std::string_view &text, char mark,
                    uint64_t otherwise) {
  const size_t at = text.rfind(mark);
  if (at == text.npos)
    return otherwise;
  uint64_t value = 0;
  const char *end = text.data() + text.size();
  if (std::from_chars(text.data() + at + 1, end, value).ptr != end)
    refuse(whole);
  text = text.substr(0, at);
  return value;
}

} // namespace

CheckpointFaults::CheckpointFaults(int rank) {
  const char *given = std::getenv("ZRT_CHECKPOINT_FAULT");
  if (!given || !*given)
    return;
  std::string_view text = given;
  const auto mine = static_cast<uint64_t>(rank);
  const bool isMine = takeNumber(given, text, ':', mine) == mine;
  number = takeNumber(given, text, '#', 1);
  const size_t at = text.find('@');
  if (at == text.npos)
    refuse(given);
  where = text.substr(at + 1);
  bool known = false;
  for (const std::string_view point : kPoints)
    known = known || point == where;
  for (const auto &[name, meaning] :
       {std::pair<std::string_view, Kind>{"kill", Kind::Kill},
        {"eio", Kind::Eio},
        {"enospc", Kind::Enospc},
        {"slow", Kind::Slow}})
    if (text.substr(0, at) == name)
      kind = meaning;
  if (!known || kind == Kind::None)
    refuse(given);
  if (!isMine)
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
