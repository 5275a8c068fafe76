//===- ScaleInt8.h - Unpacks blocks of int8 ---------------------*- C++ -*-===//
#pragma once

#include "runtime/packing/Dequantize.h"

namespace zrt {

/// One for every processor, and the fastest for this one.
extern const Expander kPortableScaler;
const Expander &bestScaler();
#ifdef __x86_64__
/// Needs hasAvx512Expander().
extern const Expander kAvx512Scaler;
#endif

} // namespace zrt
