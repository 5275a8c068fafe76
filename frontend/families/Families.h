//===- Families.h - The model families that can be imported -----*- C++ -*-===//
#pragma once

#include "frontend/ConfigFile.h"
#include "frontend/Decoder.h"
#include "frontend/GPT2.h"

namespace mlir::frontend {

// They read all keys that affect the computation; errors are kept in `file`.
DecoderConfig readGemma2(ConfigFile &file);
DecoderConfig readGemma3(ConfigFile &file);
DecoderConfig readGPTNeoX(ConfigFile &file);
DecoderConfig readLlama(ConfigFile &file);
DecoderConfig readMistral(ConfigFile &file);
DecoderConfig readMixtral(ConfigFile &file);
DecoderConfig readOlmoe(ConfigFile &file);
DecoderConfig readPhi3(ConfigFile &file);
DecoderConfig readQwen2(ConfigFile &file);
DecoderConfig readQwen3(ConfigFile &file);
DecoderConfig readQwen3Moe(ConfigFile &file);

GPT2Config readGPT2(ConfigFile &file);

} // namespace mlir::frontend
