//===- FilePort.h - Sends open files between processes ----------*- C++ -*-===//
//
// The driver exports memory as an open file without a name, which no other
// process can open: it can only be sent through a socket of this host
// (SCM_RIGHTS).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/files/OpenFile.h"
#include "runtime/world/World.h"

#include <array>
#include <vector>

namespace zrt::cuda {

/// Sends `mine` to all other ranks of `world`, which share a host, and returns
/// their files by rank; this rank's own entry is empty.  All ranks call it
/// together, and a failure throws zrt::Error on all of them.
std::vector<OpenFile> exchangeFiles(World &world, const OpenFile &mine);

} // namespace zrt::cuda
