//===- OtherTensors.h - Judges tensors that nothing takes -------*- C++ -*-===//
#pragma once

#include "train/state/io/WeightFiles.h"

#include <set>
#include <string>

namespace zrt {

/// Returns a text that names the tensors of `files` which are not `used`, or
/// "" if all of them say nothing that the model does not have.  Throws
/// zrt::Error for an output layer where the model `needsHead` and computes with
/// an embedding of other elements in its place.
std::string checkOthers(const WeightFiles &files,
                        const std::set<const TensorEntry *> &used,
                        bool needsHead);

} // namespace zrt
