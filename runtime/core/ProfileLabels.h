//===- ProfileLabels.h - Labels of the lines in a profile -------*- C++ -*-===//
//
// Groups the thousands of operations of a step into a few lines:
//
//   adamw of b3                       adamw
//   ln_1.2 of h.0.ln_1                ln_1 of h.*.ln_1
//   ln_1.2 of h.1.ln_1                the same
//   matmul of h.0.c_fc                matmul of h.*.c_fc 256 x 3072 x 768
//   kernel.3 of gpt2.mlir:40          kernel of gpt2.mlir:40 and 11 like it
//   kernel.3 of gpt2.mlir:52 ...      the same
//   matmul of gpt2.mlir:41      matmul of gpt2.mlir:41 and 11 like it ...
//
// Operations on a bucket are grouped by what they do.  Operations of layers are
// grouped over the layers' numbers in their names.  Where names are lines of a
// file, a group is one kernel, or products of one size and one choice of
// transposed operands.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"

#include <map>
#include <set>
#include <string>

namespace zrt {

class ProfileLabels {
public:
  explicit ProfileLabels(const zrt_plan &plan);

  /// Returns the label of an operation that does work.
  std::string of(const zrt_op &op) const;

private:
  struct Alike {
    std::string first;
    std::set<std::string> names;
  };
  std::map<std::string, Alike> kinds;
};

} // namespace zrt
