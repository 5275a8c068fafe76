//===- Team.h - Threads that compute together -------------------*- C++ -*-===//
//
// One thread calls, the team's others help and then wait for the next call:
// awake for a moment, since kernels follow each other closely, then asleep, so
// that a waiting team never takes a core from one who works.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/device/cpu/Scratch.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace zrt {

/// Numbers of the processors that this process may use (its affinity mask), in
/// rising order; never empty.
std::vector<int> availableProcessors();

class Team {
public:
  /// `size` threads, at least 1, the caller among them.  `processors` is empty
  /// or has one for each, which it is then bound to (the caller in its first
  /// call).  Throws zrt::Error when there are no more threads to be had, or no
  /// memory for them to multiply in.  One that is not `watchful` goes to sleep
  /// at once between calls.
  explicit Team(int size, std::vector<int> processors = {},
                bool watchful = true);
  ~Team();
  Team(const Team &) = delete;
  Team &operator=(const Team &) = delete;

  int size() const { return static_cast<int>(helpers.size()) + 1; }

  /// Deals `count` items out in equal runs of neighbours: calls
  /// `body(begin, end)` once per thread that gets any, on at most `most` of
  /// them.  Always from the same thread; `body` must not throw.
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
          // The first `rest` threads get one item more.
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

  const Scratch memory; ///< of every member
  const std::vector<int> processors;
  bool watchful;      ///< whether waiting starts awake
  bool bound = false; ///< the caller
  std::vector<std::unique_ptr<Helper>> helpers;
  Work work = nullptr; ///< nullptr when the team ends
  void *data = nullptr;
  int members = 0;
  std::atomic<uint32_t> working{0}; ///< helpers of this call
};

} // namespace zrt
