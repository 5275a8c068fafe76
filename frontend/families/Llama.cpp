//===- Llama.cpp - Llama 1 to 3, Mistral, Phi-3 and Phi-4 -----------------===//
//
// Touvron et al., "LLaMA" (2023); Llama Team, "The Llama 3 Herd of Models"
// (2024).  The other families are described by their differences from it.
//
//   embedding   its own, or tied (Llama 3.2)
//   heads       fewer for keys and values, from Llama 2 70B on
//   rope        llama3 from Llama 3.1 on
//   biases      none, but the keys exist
//
// Jiang et al., "Mistral 7B" (2023), and its successors.  As Llama, but
//
//   window      sliding_window of all layers: null: none; by default 4096
//   biases      none
//
// Abdin et al., "Phi-3 Technical Report" (2024).  As Llama, but
//
//   products    qkv_proj gives queries, keys and values, gate_up_proj both
//               factors of the MLP
//   rope        of partial_rotary_factor of a head (Phi-4 mini); longrope,
//               for sequences up to the original length
//   window      sliding_window of all layers, by default none
//   biases      none
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

DecoderConfig frontend::readMistral(ConfigFile &file) {
  DecoderConfig c = readDecoder(file, {.architecture = "MistralForCausalLM"});
  readHeads(file, c, HeadKeys::MustBeThere, HeadKeys::MayBeMissing);
  c.rope = readRope(file, c);
  readWindow(file, c, 4096);
  return c;
}

DecoderConfig frontend::readPhi3(ConfigFile &file) {
  DecoderConfig c = readDecoder(file, {.architecture = "Phi3ForCausalLM",
                                       .normEps = 1e-5,
                                       .padding = 32000,
                                       .residualDropoutKey = "resid_pdrop"});
  readHeads(file, c, HeadKeys::MayBeMissing, HeadKeys::MayBeMissing);
  c.names.qkv = "qkv_proj";
  c.names.gateUp = "gate_up_proj";
  static constexpr StringRef kTypes[] = {"default", "longrope"};
  c.rope =
      readRope(file, c, {.part = "partial_rotary_factor", .types = kTypes});
  if (c.rope.scaling.type == RopeScaling::Long)
    c.limit = {int64_t(c.rope.scaling.originalPositions),
               "original_max_position_embeddings",
               "beyond which all positions turn by long_factor, which zeroc "
               "does not do"};
  readWindow(file, c, std::nullopt);
  (void)file.has("embd_pdrop"); // transformers reads it, without effect
  return c;
}
