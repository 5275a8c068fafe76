//===- MatmulChoices.h - Algorithms that were chosen ------------*- C++ -*-===//
//
// The algorithm decides the bits of a product.  So what was chosen by time is
// kept as JSON, for other ranks and for runs that go on:
//
//   {"device": "NVIDIA H100 80GB HBM3 (sm_90)",
//    "library": "cuBLASLt 130100",
//    "products": {"1024 x 768 x 768, bf16 A B' to bf16, ...":
//                  {"is": "algorithm 66, tile 20, stages 7", "data": "42..."}},
//    "attention_library": "cuDNN 91900",
//    "attentions": {"attention of 8 x 1024 queries, ...":
//                    "engine 2 (knob 24: 7)"}}
//
// "data" are the bytes of cublasLtMatmulAlgo_t, which the same version of the
// library accepts in another process.  "is" is for readers.  The last two are
// there if cuDNN computes attention.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cublasLt.h>
#include <map>
#include <string>

namespace zrt::cuda {

class MatmulChoices {
public:
  /// For this GPU and these versions of cuBLASLt and cuDNN, or ""; `text` is
  /// that of an earlier run, or "".  Throws zrt::Error if it is damaged, or of
  /// another GPU or version.
  MatmulChoices(const std::string &text, std::string device,
                std::string library, std::string attentionLibrary);

  /// Returns the algorithm of a product, nullptr if none was chosen.
  const cublasLtMatmulAlgo_t *find(const std::string &product) const;
  /// `is` describes the algorithm.
  void add(const std::string &product, const cublasLtMatmulAlgo_t &algorithm,
           const std::string &is);
  /// Returns the engine of an attention, nullptr if none was chosen.
  const std::string *findEngine(const std::string &attention) const;
  void addEngine(const std::string &attention, const std::string &engine) {
    attentions[attention] = engine;
  }
  std::string text() const;

private:
  struct Choice {
    std::string is;
    cublasLtMatmulAlgo_t algorithm = {};
  };
  void read(const std::string &text);

  const std::string device, library, attentionLibrary;
  std::map<std::string, Choice> products;
  std::map<std::string, std::string> attentions; ///< the engine of each
};

} // namespace zrt::cuda
