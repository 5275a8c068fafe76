//===- two_plans.cpp - One rank that runs another plan --------------------===//
//
// Ranks that run different programs are refused when they start.  Linked with
// two plans, one program runs `zrt_own_plan` on the rank that MUTANT_RANK
// names.
//
//===----------------------------------------------------------------------===//
#include "runtime/main/Train.h"
#include <cstdlib>
#include <cstring>

extern "C" const zrt_plan zrt_own_plan;

int main(int argc, char **argv) {
  const char *rank = std::getenv("OMPI_COMM_WORLD_RANK");
  const char *own = std::getenv("MUTANT_RANK");
  const bool mine = rank && own && std::strcmp(rank, own) == 0;
  return zrt::trainMain(mine ? zrt_own_plan : zrt_compiled_plan, argc, argv);
}
