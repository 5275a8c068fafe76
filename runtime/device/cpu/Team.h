//===- Team.h - A team of threads that compute together ---------*- C++ -*-===//
//
// One thread calls; the team's other threads help and then wait for the next
// call.  They first spin, since kernels follow each other closely, and then
// sleep, so that a waiting team does not take a core from working threads.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/device/cpu/gemm/Scratch.h"
#include "runtime/system/Processors.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace zrt {

class Team {
public:
  /// Starts a team of `size` threads, at least 1, including the caller.
  /// `processors` is empty, or has one processor for each thread, which is then
  /// bound to it (the caller in its first call).  Without `watchful`, threads
  /// sleep at once between calls.  Throws zrt::Error if the system cannot
  /// create a thread or has no scratch memory for them.
  explicit Team(int size, std::vector<int> processors = {},
                bool watchful = true);
  ~Team();
  Team(const Team &) = delete;
  Team &operator=(const Team &) = delete;

  int size() const { return static_cast<int>(helpers.size()) + 1; }

  /// Divides `count` items into contiguous runs of equal size: calls
  /// `body(begin, end)` once for each thread that gets any, on at most `most`
  /// threads.  Always call it from the same thread; `body` must not throw.
  template <typename Body>
  void parallelFor(int64_t count, Body &&body, int most = 1 << 30) {
    struct Job {
      Body &body;
      int64_t count;
    } job{body, count};
    if (most > size())
      most = size();
    run(
        static_cast<int>(count < most ? count : most),
        [](void *data, int member, int members) {
          auto &job = *static_cast<Job *>(data);
          // The first `rest` threads get one more item.
          const int64_t share = job.count / members, rest = job.count % members;
          const int64_t begin =
              share * member + (member < rest ? member : rest);
          job.body(begin, begin + share + (member < rest ? 1 : 0));
        },
        &job);
  }

private:
  using Work = void (*)(void *data, int member, int members);
  struct Helper;

  void run(int members, Work work, void *data);
  void help(Helper &helper, int member);
  void bindTo(int member) const;
  void await(const std::atomic<uint32_t> &value, uint32_t old) const;

  const Scratch memory; ///< of all members
  const std::vector<int> processors;
  bool watchful;      ///< whether waiting threads spin first
  bool bound = false; ///< whether the caller is bound
  std::vector<std::unique_ptr<Helper>> helpers;
  Work work = nullptr; ///< nullptr: the team ends
  void *data = nullptr;
  int members = 0;
  std::atomic<uint32_t> working{0}; ///< helpers that still work in this call
};

} // namespace zrt
