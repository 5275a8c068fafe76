//===- StartRanksTest.cpp - Ranks that the system does not give -----------===//
#include "runtime/world/SocketFolder.h"
#include "runtime/world/SocketWorld.h"

#include "Denied.h"
#include "TestFiles.h"

#include <cerrno>
#include <sys/syscall.h>

using namespace zrt;
using namespace zrt::test;

namespace {

TEST(StartRanks, SaysWhichOneCannotBeStarted) {
  whereDenied({{SYS_clone, EAGAIN}}, [] {
    EXPECT_EQ(errorOf([] { startRanks(3); }),
              "cannot start rank 0 of 3: resource temporarily unavailable; "
              "raise the limit (ulimit -u)");
  });
}

TEST(StartRanks, SaysThatThereIsNoSocket) {
  whereDenied({{SYS_socket, EMFILE}}, [] {
    EXPECT_EQ(errorOf([] { makeSocket(); }),
              "cannot connect the ranks: too many open files");
  });
}

} // namespace
