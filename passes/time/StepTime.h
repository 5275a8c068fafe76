//===- StepTime.h - The predicted time of a step of a plan ------*- C++ -*-===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "passes/time/Jitter.h"

namespace mlir::zero {

struct StepTime {
  struct Program {
    Schedule schedule;
    Timeline timeline;
    int64_t runs; ///< in a step
  };
  std::vector<Program> programs;
  /// Of a step, with what it takes beside its programs, and the part of it that
  /// ranks wait for each other (Machine::Layout::waiting).
  double seconds = 0, beside = 0, uneven = 0;
  /// No order of the same work is faster (Bound.h).
  double bound = 0;

  /// What tasks take alone, in a step: by stream, and by the first word of the
  /// kinds of their work, the largest first.
  std::vector<std::pair<std::string, double>> byStream, byKind;

  /// A time in which compute waits for another stream.
  struct Wait {
    std::string program, task, forTask; ///< task: "the end" of the program
    Stream stream;                      ///< of forTask
    double seconds = 0;                 ///< in a step
  };
  std::vector<Wait> waits; ///< the longest first
  double waited = 0;       ///< all of them
};

/// Predicts a step of `plan`, at level memory.
llvm::Expected<StepTime> predictStep(ModuleOp plan, const Machine &machine,
                                     const Machine::Layout &layout);

/// The seconds of the same step where ranks are not equally fast.
double getSecondsWith(const StepTime &step, int64_t ranks,
                      const Jitter &jitter);

/// The bytes of cache that each of `ranks` ranks has; GPUs are not shared.
int64_t getCacheBytes(const Machine &machine, int64_t ranks);

/// The programs that a step of `plan` runs, as schedules.
llvm::Expected<std::vector<Schedule>> getSchedules(ModuleOp plan,
                                                   int64_t cacheBytes);

/// The prediction as lines of text, for people.
std::string printStepTime(const StepTime &step, const Machine &machine,
                          const Machine::Layout &layout);

/// Lines as ZRT_TRACE of a training program writes them, of one step.
std::string traceStep(const StepTime &step);

} // namespace mlir::zero
