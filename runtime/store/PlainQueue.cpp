//===- PlainQueue.cpp - Blocks by pread and pwrite ------------------------===//
#include "runtime/store/PlainQueue.h"

#include <cerrno>
#include <unistd.h>

using namespace zrt;

BlockResult PlainQueue::wait() {
  const Started next = waiting.front();
  waiting.pop_front();
  const BlockRequest &r = next.request;
  const auto at = static_cast<off_t>(r.offset);
  const ssize_t moved = r.writes ? pwrite(r.file, r.memory, r.bytes, at)
                                 : pread(r.file, r.memory, r.bytes, at);
  return {next.slot, moved < 0 ? -int64_t{errno} : moved};
}
