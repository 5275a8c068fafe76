//===- Ministral.cpp - Ministral 3, of text -------------------------------===//
//
// Mistral AI, "Ministral 3" (2026).  As Llama, but
//
//   rope        yarn, in rope_parameters
//   queries     times 1 + llama_4_scaling_beta log(1 + floor(position /
//               original_max_position_embeddings)), which is 1 for sequences
//               up to the original length
//   window      sliding_window of all layers, by default none
//   biases      none
//
//===----------------------------------------------------------------------===//
#include "frontend/families/Families.h"
#include "frontend/families/Keys.h"

using namespace mlir;
using namespace mlir::frontend;

DecoderConfig frontend::readMinistral3(ConfigFile &file) {
  DecoderConfig c = readDecoder(file, {.architecture = "Ministral3ForCausalLM",
                                       .normEps = 1e-5,
                                       .padding = 11});
  readHeads(file, c, HeadKeys::MustBeThere, HeadKeys::MustBeThere);
  if (file.isEmpty("rope_parameters"))
    file.fail("rope_parameters is missing; add it");
  c.rope =
      readRope(file, c,
               {.others = {"llama_4_scaling_beta", "max_position_embeddings",
                           "original_max_position_embeddings"}});
  const std::string beta = "rope_parameters.llama_4_scaling_beta",
                    original =
                        "rope_parameters.original_max_position_embeddings";
  if (!file.has(beta))
    file.fail(Twine(beta) + " is missing; add it");
  if (file.number(beta, 0) != 0)
    c.limit = {readSize(file, original), "original_max_position_embeddings",
               "beyond which queries grow with their positions, which zeroc "
               "does not do"};
  readWindow(file, c, std::nullopt);
  return c;
}
