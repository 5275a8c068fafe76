//===- Texts.h - Mutations of MLIR text -------------------------*- C++ -*-===//
//
// A mutation keeps most of a text as it was, and what it changes are words:
// numbers, names, types.  So it is often valid still, and reaches the passes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Dice.h"

#include <string>
#include <vector>

namespace fuzz {

/// One of `seeds`, changed at one to four places.
std::string mutate(const std::vector<std::string> &seeds, Dice &dice);

} // namespace fuzz
