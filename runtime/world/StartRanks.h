//===- StartRanks.h - Starts the ranks without a launcher -------*- C++ -*-===//
#pragma once

#include "runtime/world/SocketWorld.h"

namespace zrt {

/// Starts `ranks` processes on this host.  Each of them returns from this call
/// with its own launch.  The calling process does not return: it forwards
/// signals to the ranks, waits for them, and ends with the status of the first
/// rank that failed, or with 0.  When a rank is missing (status 1 or a signal),
/// the others have ten seconds to report it before they are killed; when the
/// calling process is killed, so are the ranks.  Must be called before there
/// are threads.  Throws zrt::Error if the system cannot create a process.
Launch startRanks(int ranks);

} // namespace zrt
