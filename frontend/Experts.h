//===- Experts.h - Mixtures of experts --------------------------*- C++ -*-===//
//
// A layer in which a router sends each token to a few of many MLPs.  No token
// is dropped, and none is padded: dialect/nn/Experts.td describes the
// operations, and why all sizes are known whatever the router decides.
//
//   Routing route = router(m, x, {.experts = 8, .chosen = 2});
//   Tensor y = expertMlps(m, x, route, {.inner = 128});
//   losses.add(route);
//   ...
//   m.finish(crossEntropy(logits, targets) + losses.balance() * 0.01)
//
//===----------------------------------------------------------------------===//
#pragma once

#include "frontend/Functions.h"

#include <functional>

namespace mlir::frontend {

/// Returns the k largest values of each row, and their columns; both [N, k].
/// Among equal values the first column wins.  Columns have no derivative.
std::pair<Tensor, Tensor> topK(Tensor x, int64_t k);

/// Pairs of a token and an expert, sorted by expert (nn.group_by_expert).
struct ExpertGroups {
  Tensor rows, places, offsets;
};
/// Groups `chosen` [N, K], whose elements are less than `experts`.
ExpertGroups groupByExpert(Tensor chosen, int64_t experts);

/// [N K, C]: the row of x [N, C] for each pair.
Tensor gatherRows(Tensor x, const ExpertGroups &groups);
/// [N K, out]: each group of rows of x times the weight of its expert, which is
/// [out, in], or [in, out] with `transposed`.
Tensor groupedLinear(Tensor x, const ExpertGroups &groups,
                     ArrayRef<Tensor> weights, LinearOptions options = {});
/// [N, C]: the sum of each token's rows of y [N K, C], times `weights` [N, K].
Tensor combineRows(Tensor y, const ExpertGroups &groups, Tensor weights);

/// log of the sum of exp(x), over the last dimension.
Tensor logSumExp(Tensor x);

struct RouterOptions {
  int64_t experts = 0, chosen = 0;
  /// Divides the weights of the chosen experts by their sum.
  bool normalize = true;
  double std = 0.02;
};

/// A router's decision for N tokens.
struct Routing {
  ExpertGroups groups;
  Tensor chosen;                ///< [N, chosen], ids of experts
  Tensor weights;               ///< [N, chosen], factors of results
  Tensor probabilities, logits; ///< [N, experts]
};

/// Routes rows of x [N, C] by softmax(x W^T) and its largest values; W is the
/// parameter "weight" of the current scope.
Routing router(ModelBuilder &m, Tensor x, RouterOptions options);

struct ExpertMlpOptions {
  int64_t inner = 0;
  double std = 0.02;
  /// Names of an expert's parameters, in Hugging Face's order.
  StringRef gate = "gate_proj", up = "up_proj", down = "down_proj";
  std::function<Tensor(Tensor)> activation = silu;
};

/// Returns the weighted sum of down(activation(gate x) * up x) over the experts
/// of each row of x [N, C].  The parameters of expert e are in scope
/// "experts.e".
Tensor expertMlps(ModelBuilder &m, Tensor x, const Routing &routing,
                  ExpertMlpOptions options);

/// Losses of the routers of a model, over the tokens of all layers together.
class RouterLosses {
public:
  void add(const Routing &routing) { routings.push_back(routing); }
  bool empty() const { return routings.empty(); }
  /// Leaves out the tokens that are -100 in `ids` [B, T], which is made of
  /// inputs.  Losses are then means over all tokens of ranks and micro-steps.
  void countOnly(Tensor ids) { counted = ids; }

  /// experts * sum_e (pairs of e / rows) (mean probability of e): the loss of
  /// Shazeer et al., as in Hugging Face's load_balancing_loss_func.
  Tensor balance() const;
  /// The mean of the squared logSumExp of the logits: the router z-loss.
  Tensor z() const;

private:
  /// [N, 1]: 1 for tokens that count, 0 for others; null if all count.
  Tensor mask() const;
  /// The tokens of all layers if all count, else the layers.
  double countRows() const;

  SmallVector<Routing> routings;
  Tensor counted;
};

} // namespace mlir::frontend
