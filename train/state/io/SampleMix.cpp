//===- SampleMix.cpp - Mixes samples of several sources -------------------===//
#include "train/state/io/SampleMix.h"

#include <queue>
#include <utility>

using namespace zrt;

SampleMix::SampleMix(const std::vector<Source> &sources,
                     std::optional<uint64_t> seed) {
  uint64_t all = 0;
  for (const Source &source : sources) {
    orders.emplace_back(source.samples, seed, uint32_t(orders.size()));
    firsts.push_back(all);
    all += source.samples;
  }
  firsts.push_back(all);
  buildTree(sources);
}

void SampleMix::buildTree(const std::vector<Source> &sources) {
  // The lightest node on top; of equal ones the older.
  using Entry = std::pair<uint64_t, size_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> roots;
  const auto add = [&](const Node &node) {
    roots.emplace(node.weight, nodes.size());
    nodes.push_back(node);
  };
  for (size_t i = 0; i < sources.size(); ++i)
    add({sources[i].weight, i, 0, 0});
  const auto take = [&] {
    const size_t node = roots.top().second;
    roots.pop();
    return node;
  };
  while (roots.size() > 1) {
    const size_t lighter = take(), heavier = take();
    const bool areEqual = nodes[lighter].weight == nodes[heavier].weight;
    add({nodes[lighter].weight + nodes[heavier].weight, 0,
         areEqual ? lighter : heavier, areEqual ? heavier : lighter});
  }
}

uint64_t SampleMix::leftOf(const Node &node, uint64_t positions) const {
  // round(positions x left / sum), with all products below 2^63.
  const uint64_t left = nodes[node.left].weight, sum = node.weight;
  const uint64_t rounds = positions / sum, rest = positions % sum;
  return rounds * left + (2 * rest * left + sum) / (2 * sum);
}

uint64_t SampleMix::at(uint64_t position) const {
  const Node *node = &nodes.back();
  while (!node->isLeaf()) {
    const uint64_t left = leftOf(*node, position);
    const bool goesLeft = leftOf(*node, position + 1) > left;
    position = goesLeft ? left : position - left;
    node = &nodes[goesLeft ? node->left : node->right];
  }
  return firsts[node->source] + orders[node->source].at(position);
}

std::vector<uint64_t> SampleMix::counts(uint64_t positions) const {
  std::vector<uint64_t> ofNode(nodes.size()), ofSource(orders.size());
  ofNode.back() = positions;
  for (size_t i = nodes.size(); i-- > 0;) { // children come before their parent
    const Node &node = nodes[i];
    if (node.isLeaf()) {
      ofSource[node.source] = ofNode[i];
      continue;
    }
    ofNode[node.left] = leftOf(node, ofNode[i]);
    ofNode[node.right] = ofNode[i] - ofNode[node.left];
  }
  return ofSource;
}
