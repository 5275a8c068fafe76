//===- Simulate.h - The command zeroc simulate ------------------*- C++ -*-===//
#pragma once

#include "passes/certify/Certificate.h"
#include "passes/time/StepTime.h"
#include "tools/zeroc/options/Requests.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace mlir::zero {

struct Prediction {
  Machine::Layout layout; ///< of the machine, for the plan's ranks
  StepTime step;
};

/// The machine of a file, which must be one for the target of `module`.
llvm::Expected<Machine> readMachine(StringRef file, ModuleOp module);

/// Predicts a step of `plan`, at level memory.
llvm::Expected<Prediction> predict(ModuleOp plan, const Machine &machine,
                                   const SimulateRequest &request);

/// Predicts a step of `plan`, at level memory, for its certificate.
llvm::Expected<Certificate::Time> predictTime(ModuleOp plan,
                                              const SimulateRequest &request);

/// Predicts a step of `plan`, at level memory and of the file `model`, and
/// writes what is asked for to `output`, "-" for the standard output.
llvm::Error simulatePlan(ModuleOp plan, const SimulateRequest &request,
                         StringRef model, StringRef output);

} // namespace mlir::zero
