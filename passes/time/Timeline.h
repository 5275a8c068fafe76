//===- Timeline.h - When the tasks of a program run -------------*- C++ -*-===//
//
// Executes a schedule as the runtime does: each stream runs its tasks in order,
// and a task starts when those that it waits for are complete.  On processors
// the running tasks share a rank's cores: compute wants one for each thread, a
// drive none, any other stream one.  If they want more than there are, all slow
// down alike.  Collectives over a network share its link; the system takes for
// them from the cores what "network.byte" says, and leaves the rest to others.
//
// All ranks do the same at the same time, so one rank stands for all.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/plan/Schedule.h"
#include "passes/time/Machine.h"

namespace mlir::zero {

/// Seconds from the start of the program.
struct Span {
  double begin = 0, end = 0;
  /// What the task takes alone.
  double alone = 0;
  /// The task whose end this one waited for, if it came last of all that it
  /// needed: the task before it on the critical path.  -1: none.
  int64_t because = -1;
};

struct Timeline {
  std::vector<Span> spans; ///< of the schedule's tasks
  double seconds = 0;

  /// The tasks of the critical path, the first of the program first.
  std::vector<unsigned> getCriticalPath() const;
};

/// Whether `op` is a collective that goes over a network if there is one: all
/// but those over the members of groups.
bool goesBetweenHosts(Operation *op);

/// The cores of a rank; 0 on a GPU, whose streams have engines of their own.
double getCores(const Machine &machine, const Machine::Layout &layout);

/// The cores that a task wants while it runs; the system's work for collectives
/// over a network is not among them.
double getWantedCores(const Task &task, const Machine::Layout &layout);

/// Runs `schedule` on `machine`.  An error names work that it has no time for.
llvm::Expected<Timeline> simulate(const Schedule &schedule,
                                  const Machine &machine,
                                  const Machine::Layout &layout);

} // namespace mlir::zero
