//===- ScaleInt8.h - Blocks of int8 become elements -------------*- C++ -*-===//
#pragma once

#include "runtime/packing/Dequantize.h"

namespace zrt {

/// Of every processor; and of this one, the fastest.
extern const Expander kPortableScaler;
const Expander &bestScaler();
#ifdef __x86_64__
/// Of processors that hasAvx512Expander() is true of.
extern const Expander kAvx512Scaler;
#endif

} // namespace zrt
