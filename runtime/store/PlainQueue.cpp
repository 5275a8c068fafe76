//===- PlainQueue.cpp - Moves blocks by pread and pwrite ------------------===//
#include "runtime/store/PlainQueue.h"

#include <cerrno>
#include <unistd.h>

using namespace zrt;

BlockResult PlainQueue::wait() {
  const Started one = waiting[next++];
  if (next == waiting.size()) {
    waiting.clear();
    next = 0;
  }
  const BlockRequest &r = one.request;
  const auto at = static_cast<off_t>(r.offset);
  const ssize_t moved = r.writes ? pwrite(r.file, r.memory, r.bytes, at)
                                 : pread(r.file, r.memory, r.bytes, at);
  return {one.slot, moved < 0 ? -int64_t{errno} : moved};
}
