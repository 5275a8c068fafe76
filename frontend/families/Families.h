//===- Families.h - The model families that can be imported -----*- C++ -*-===//
#pragma once

#include "frontend/ConfigFile.h"
#include "frontend/Decoder.h"
#include "frontend/GPT2.h"

namespace mlir::frontend {

// They read all keys that affect the computation; errors are kept in `file`.
#define DECODER_FAMILY(MODEL_TYPE, NAME)                                       \
  DecoderConfig read##NAME(ConfigFile &file);
#include "frontend/families/Families.def"

GPT2Config readGPT2(ConfigFile &file);

} // namespace mlir::frontend
