//===- Bound.h - The least time of a program --------------------*- C++ -*-===//
//
// Tasks that share a resource, a stream or the cores, take the sum of their
// times there.  Those whose inputs are complete at `head` or later, and after
// which at least `tail` follows, end a program at head + sum + tail at the
// earliest (Carlier, "The one-machine sequencing problem", 1982):
//
//   compute  [ forward ][ backward ]
//   host                            [ update ][ update ]    after the norm
//            |---- head -----------||------ sum -------|
//
// The order of `compute` is kept; other streams may have any order in which
// results are made before they are read.  Bytes are not limited.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/time/Timeline.h"

namespace mlir::zero {

/// The least seconds of `schedule` in any order, with the times alone of
/// `timeline`, which is its simulation on `machine`.
double getBound(const Schedule &schedule, const Timeline &timeline,
                const Machine &machine, const Machine::Layout &layout);

} // namespace mlir::zero
