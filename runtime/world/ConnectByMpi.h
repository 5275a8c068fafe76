//===- ConnectByMpi.h - Ranks that mpirun or srun has started ---*- C++ -*-===//
#pragma once

#include "runtime/world/World.h"

/// The ranks that MPI knows of, which shall be `ranks`; the caller owns them.
/// Throws as zrt::connectWorld does.
extern "C" zrt::World *zrt_connect_by_mpi(uint32_t ranks);
