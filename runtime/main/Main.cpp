//===- Main.cpp - main() of every training binary -------------------------===//
#include "runtime/main/Train.h"

int main(int argc, char **argv) {
  return zrt::trainMain(zrt_compiled_plan, argc, argv);
}
