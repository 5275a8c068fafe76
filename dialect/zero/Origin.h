//===- Origin.h - Says where a module comes from ----------------*- C++ -*-===//
//
// Attributes of a module that change no pass but AddScoring.  They say what was
// compiled, and with which options; programs print them, and checkpoints record
// them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace mlir::zero {

/// What the model computes, by key.
constexpr llvm::StringLiteral kFunctionAttr = "zero.function";
/// The key of a text model's objective.
constexpr llvm::StringLiteral kFunctionObjective = "--objective";
/// Beside the keys of a config: a hash of the model's text, and the inputs that
/// the text is for.
constexpr llvm::StringLiteral kFunctionText = "text",
                              kFunctionInputs = "inputs";

/// The options of zeroc with which it was brought to its level, as they were
/// given.  Those of kOptionsAttr say how they were understood.
constexpr llvm::StringLiteral kGivenAttr = "zero.given";

/// A word of a command line, quoted as a shell needs it.
std::string quoteWord(llvm::StringRef word);

} // namespace mlir::zero
