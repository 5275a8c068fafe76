//===- SampleMix.h - Mixes samples of several sources -----------*- C++ -*-===//
//
// The source of position n of a run depends on the weights and n only.  The
// sources are leaves of a binary tree (Huffman's, by weight), and each inner
// node distributes its positions to its two children by the exact rule for two:
// of the first n, the left child gets round(n x left / (left + right)).
//
//   weights 5, 3, 2:       o           position  0 1 2 3 4 5 6 7 8 9
//                        /   \         source    A B A C A B A C A B
//                   A: 5      o
//                           /   \
//                      B: 3      C: 2
//
// Of the first n positions, a source gets n x weight / sum with an error below
// 2, and below 1 if there are at most three sources.
//
// One walk down the tree finds the source of a position and the number of
// earlier positions of that source.  So no state is kept, a run can start at
// any position, and the result does not depend on the distribution of positions
// over ranks, micro-steps and rows.
//
// Proof of the bound: the error of the root is 0, and that of a child is at
// most 1/2 plus its share of its parent's error.  So the error of a leaf of
// weight w is at most 1/2 (1 + sum of w / u), over the weights u of all nodes
// above it except the root.  In Huffman's tree heavy nodes are near the root,
// so these weights are at least w times 1, 2, 3, 5, 8, ..., and the sum is
// below 2.4.
//
// Each source has its own order of samples (SampleOrder) and its own epochs.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "train/state/io/SampleOrder.h"

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
  /// The largest sum of weights.
  static constexpr uint64_t kMaxSum = (uint64_t{1} << 31) - 1;

  /// Takes at least one source.  Samples are numbered through all sources, one
  /// after the other.  Without a seed, each source is read in file order.
  SampleMix(const std::vector<Source> &sources, std::optional<uint64_t> seed);

  /// The samples of all sources.
  uint64_t samples() const { return firsts.back(); }
  /// The sample at `position`.
  uint64_t at(uint64_t position) const;
  /// The number of the first `positions` that each source gets.
  std::vector<uint64_t> counts(uint64_t positions) const;

private:
  /// A leaf has the number of its source and no children.
  struct Node {
    uint64_t weight;
    size_t source, left, right; ///< left: the heavier one
    bool isLeaf() const { return left == right; }
  };

  void buildTree(const std::vector<Source> &sources);
  /// The number of the first `positions` of an inner node that go to its left
  /// child.
  uint64_t leftOf(const Node &node, uint64_t positions) const;

  std::vector<Node> nodes; ///< the root comes last
  std::vector<SampleOrder> orders;
  std::vector<uint64_t> firsts; ///< first sample of each source, then the
                                ///< number of all
};

} // namespace zrt
