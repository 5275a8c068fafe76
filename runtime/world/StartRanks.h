//===- StartRanks.h - A program that starts its own ranks -------*- C++ -*-===//
#pragma once

#include "runtime/world/SocketWorld.h"

namespace zrt {

/// Starts `ranks` processes on this host that go on from here, each with a
/// launch of its own.  The calling process does not return: it hands signals on
/// to the ranks, waits for them, and ends with the status of the first rank that
/// failed, or with 0.  When one is missing (status 1 or a signal), the others
/// have ten seconds to say so before they are killed; when the calling process is
/// killed, so are the ranks.  Called before there are threads.  Throws zrt::Error when
/// the system gives no process.
Launch startRanks(int ranks);

} // namespace zrt
