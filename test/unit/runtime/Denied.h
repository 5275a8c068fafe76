//===- Denied.h - A process whose system calls fail -------------*- C++ -*-===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <gtest/gtest.h>
#include <iterator>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace zrt::test {

/// Returns the status of a process that runs `body`.
template <typename Body>
int statusOfChild(Body body) {
  std::fflush(nullptr); // or both print what is left
  const pid_t child = fork();
  if (child == 0)
    _exit(body());
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

/// A call of the system that fails with `error`, if its argument of this number
/// has all of `bits`.
struct Denied {
  uint32_t call;
  int error;
  uint32_t argument = 0, bits = 0;
};

/// Denies calls to all threads of this process, as containers do.  Returns
/// false where that cannot be done.
inline bool deny(const std::vector<Denied> &all) {
  for (const Denied &denied : all) {
    sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, denied.call, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                 uint32_t(offsetof(seccomp_data, args)) + 8 * denied.argument),
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, denied.bits),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, denied.bits, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | uint32_t(denied.error)),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const sock_fprog program = {std::size(filter), filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
      return false;
  }
  return true;
}

/// Runs `body` in a process of its own, whose calls are denied; its expectations
/// are those of this test.
template <typename Body>
void whereDenied(const std::vector<Denied> &calls, Body body) {
  enum { Fine, Failed, NoSeccomp };
  const int status = statusOfChild([&]() -> int {
    if (!deny(calls))
      return NoSeccomp;
    body();
    std::fflush(nullptr);
    return testing::Test::HasFailure() ? Failed : Fine;
  });
  if (WIFEXITED(status) && WEXITSTATUS(status) == NoSeccomp)
    GTEST_SKIP() << "no seccomp here";
  EXPECT_EQ(status, 0) << "of a process whose calls are denied";
}

} // namespace zrt::test
