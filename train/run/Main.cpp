//===- Main.cpp - main() of every training program ------------------------===//
//
// The plan is attached to the program (runtime/program/Attachments.h).
//
//===----------------------------------------------------------------------===//
#include "runtime/Error.h"
#include "runtime/program/Attachments.h"
#include "train/options/Options.h"
#include "train/report/StandardStreams.h"
#include "train/run/Train.h"
#include "train/run/TrainingRun.h"

using namespace zrt;

namespace {

const zrt_plan &loadPlan() {
  // A plan for a GPU refers to a symbol of the CUDA device.
  loadAttachment(kCudaAttachment);
  const void *plan = nullptr;
  if (loadAttachment(kPlanAttachment))
    plan = findSymbol("zrt_compiled_plan");
  if (!plan)
    fail("this program has no plan; zeroc makes programs that have one, and "
         "tools such as strip remove it");
  return *static_cast<const zrt_plan *>(plan);
}

} // namespace

int main(int argc, char **argv) {
  openStandardStreams();
  const zrt_plan *plan = nullptr;
  try {
    plan = &loadPlan();
  } catch (const Error &error) {
    printError(programName(argc > 0 ? argv[0] : nullptr), error.what());
    return kFailed;
  }
  return trainMain(*plan, argc, argv);
}
