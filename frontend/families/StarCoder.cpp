//===- StarCoder.cpp - StarCoder 2 ----------------------------------------===//
//
// Lozhkov et al., "StarCoder 2 and The Stack v2" (2024).  As Llama, but
//
//   norms       LayerNorm, with biases
//   MLP         two products, c_fc and c_proj, gelu_pytorch_tanh
//   biases      everywhere, unless use_bias is false
//   window      sliding_window of all layers, by default none
//   embedding   tied
//
//===----------------------------------------------------------------------===//
#include "frontend/families/Families.h"
#include "frontend/families/Keys.h"

using namespace mlir;
using namespace mlir::frontend;

DecoderConfig frontend::readStarCoder2(ConfigFile &file) {
  DecoderConfig c =
      readDecoder(file, {.architecture = "Starcoder2ForCausalLM",
                         .normEpsKey = "norm_epsilon",
                         .activation = "gelu_pytorch_tanh",
                         .normEps = 1e-5,
                         .initStd = 0.018042,
                         .tied = true,
                         .residualDropoutKey = "residual_dropout",
                         .embeddingDropoutKey = "embedding_dropout"});
  readHeads(file, c, HeadKeys::MustBeThere, HeadKeys::MayBeMissing);
  c.names.up = "c_fc";
  c.names.down = "c_proj";
  c.names.gate = "";
  c.norm = DecoderConfig::Norm::Layer;
  c.biasOfQkv = c.biasOfOut = c.biasOfMlp = file.boolean("use_bias", true);
  c.rope = readRope(file, c);
  readWindow(file, c, std::nullopt);
  return c;
}
