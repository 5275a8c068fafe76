//===- ProfileLabels.h - What is added up in a profile ----------*- C++ -*-===//
//
// A step has thousands of operations, and people ask for a few lines:
//
//   adamw of b3                       adamw
//   ln_1.2 of h.0.ln_1                ln_1 of h.*.ln_1
//   ln_1.2 of h.1.ln_1                the same
//   matmul of h.0.c_fc                matmul of h.*.c_fc 256 x 3072 x 768
//   kernel.3 of gpt2.mlir:40          kernel of gpt2.mlir:40 and 11 like it
//   kernel.3 of gpt2.mlir:52 ...      the same
//   matmul of gpt2.mlir:41            matmul of gpt2.mlir:41 and 11 like it 256 x ...
//
// What works on a bucket is told apart by what it does alone.  Names tell layers
// by their numbers; lines of a file do not, so there it is one kernel, or one
// size of products and which of their operands are transposed.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/zrt.h"

#include <map>
#include <set>
#include <string>

namespace zrt {

class ProfileLabels {
public:
  explicit ProfileLabels(const zrt_plan &plan);

  /// Of an operation that works.
  std::string of(const zrt_op &op) const;

private:
  struct Alike {
    std::string first;
    std::set<std::string> names;
  };
  std::map<std::string, Alike> kinds;
};

} // namespace zrt
