//===- ConnectByMpi.h - Ranks that mpirun or srun started -------*- C++ -*-===//
#pragma once

#include "runtime/world/World.h"

/// Returns the world of the ranks that MPI has started; the caller owns it.
/// Throws as zrt::connectWorld does, also if there are not `ranks` of them.
extern "C" zrt::World *zrt_connect_by_mpi(uint32_t ranks);
