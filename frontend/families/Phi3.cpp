//===- Phi3.cpp - Phi-3 and Phi-4 -----------------------------------------===//
//
// Abdin et al., "Phi-3 Technical Report" (2024).  As Llama, but
//
//   products    qkv_proj gives queries, keys and values, gate_up_proj both
//               factors of the MLP
//   rope        of partial_rotary_factor of a head (Phi-4 mini)
//   window      sliding_window of all layers, by default none
//   biases      none
//
//===----------------------------------------------------------------------===//
#include "frontend/families/Families.h"
#include "frontend/families/Keys.h"

using namespace mlir;
using namespace mlir::frontend;

DecoderConfig frontend::readPhi3(ConfigFile &file) {
  DecoderConfig c = readDecoder(
      file,
      {.architecture = "Phi3ForCausalLM", .normEps = 1e-5, .padding = 32000});
  readHeads(file, c, HeadKeys::MayBeMissing, HeadKeys::MayBeMissing);
  c.names.qkv = "qkv_proj";
  c.names.gateUp = "gate_up_proj";
  c.rope =
      readRope(file, c, {.part = "partial_rotary_factor", .scales = false});
  readWindow(file, c, std::nullopt);
  return c;
}
