//===- Texts.h - Mutations of MLIR text -------------------------*- C++ -*-===//
//
// A mutation keeps most of a text and changes only words: numbers, names,
// types.  So the result is often valid, and reaches the passes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Dice.h"

#include <string>
#include <vector>

namespace fuzz {

/// Returns one of `seeds`, changed at one to four places.
std::string mutate(const std::vector<std::string> &seeds, Dice &dice);

} // namespace fuzz
