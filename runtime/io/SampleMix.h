//===- SampleMix.h - Samples of several sources, by weight ------*- C++ -*-===//
//
// Which source position n of a run reads is a matter of weights and n alone.  The
// sources are leaves of a binary tree (Huffman's, by weight), and each inner node
// deals its positions to its two children by the exact rule for two: of the first
// n, the left one gets round(n x left / (left + right)).
//
//   weights 5, 3, 2:       o           position  0 1 2 3 4 5 6 7 8 9
//                        /   \         source    A B A C A B A C A B
//                   A: 5      o
//                           /   \
//                      B: 3      C: 2
//
// Of the first n, a source has n x weight / sum, and less than 2 more or less; of
// up to three sources less than 1.
//
// One walk down the tree finds the source of a position and how many before it
// are of that source: in no memory, from any position on, and the same however
// positions are shared among ranks, micro-steps and rows.
//
// For the root errs by 0, and a child by at most 1/2 more than its share of what
// its parent does: a leaf of weight w by 1/2 (1 + sum of w / u), over the weights
// u of all nodes above it but the root.  Huffman's tree puts what is heavy high,
// so that these are at least w times 1, 2, 3, 5, 8, ..., and the sum is below 2.4.
//
// Within a source, samples come in an order of its own (SampleOrder), and epochs
// of its own follow each other.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/io/SampleOrder.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace zrt {

class SampleMix {
public:
  struct Source {
    uint64_t weight;  ///< at least 1
    uint64_t samples; ///< at least 1
  };
  /// What weights may sum up to.
  static constexpr uint64_t kMaxSum = (uint64_t{1} << 31) - 1;

  /// Of at least one source; their samples are counted one source after the
  /// other.  Each in its own order without a seed.
  SampleMix(const std::vector<Source> &sources, std::optional<uint64_t> seed);

  /// Of all sources.
  uint64_t samples() const { return firsts.back(); }
  /// The sample at `position`.
  uint64_t at(uint64_t position) const;
  /// How many of the first `positions` are of each source.
  std::vector<uint64_t> counts(uint64_t positions) const;

private:
  /// A leaf has the number of its source and no children.
  struct Node {
    uint64_t weight;
    size_t source, left, right; ///< left: the heavier one
    bool isLeaf() const { return left == right; }
  };

  void buildTree(const std::vector<Source> &sources);
  /// How many of the first `positions` of an inner node go to its left child.
  uint64_t leftOf(const Node &node, uint64_t positions) const;

  std::vector<Node> nodes; ///< the root comes last
  std::vector<SampleOrder> orders;
  std::vector<uint64_t> firsts; ///< of each source, and the number of all
};

} // namespace zrt
