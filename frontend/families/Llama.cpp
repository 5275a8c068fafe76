//===- Llama.cpp - Llama 1 to 3 and models of the same structure ----------===//
//
// Touvron et al., "LLaMA" (2023); Llama Team, "The Llama 3 Herd of Models"
// (2024).  The other families are described by their differences from it.
//
//   embedding   its own, or tied (Llama 3.2)
//   heads       fewer for keys and values, from Llama 2 70B on
//   rope        llama3 from Llama 3.1 on
//   biases      none, but the keys exist
//
//===----------------------------------------------------------------------===//
#include "frontend/families/Families.h"
#include "frontend/families/Keys.h"

using namespace mlir;
using namespace mlir::frontend;

DecoderConfig frontend::readLlama(ConfigFile &file) {
  DecoderConfig c = readDecoder(file, {.architecture = "LlamaForCausalLM"});
  readHeads(file, c, HeadKeys::MayBeMissing, HeadKeys::MayBeMissing);
  c.rope = readRope(file, c);
  readAttentionBias(file, c, false);
  c.biasOfMlp = file.boolean("mlp_bias", false);
  return c;
}
