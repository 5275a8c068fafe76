//===- Mistral.cpp - Mistral 7B and its successors ------------------------===//
//
// Jiang et al., "Mistral 7B" (2023).  As Llama, but
//
//   window      sliding_window of all layers: null: none; by default 4096
//   biases      none
//
//===----------------------------------------------------------------------===//
#include "frontend/families/Families.h"
#include "frontend/families/Keys.h"

using namespace mlir;
using namespace mlir::frontend;

DecoderConfig frontend::readMistral(ConfigFile &file) {
  DecoderConfig c = readDecoder(file, {.architecture = "MistralForCausalLM"});
  readHeads(file, c, HeadKeys::MustBeThere, HeadKeys::MayBeMissing);
  c.rope = readRope(file, c);
  readWindow(file, c, 4096);
  return c;
}
